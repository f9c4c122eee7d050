"""What the first thread knows of the threads it started, by number.

The claims are in `threadwise.proofs.locksets.threads.thread_arrays`; here they are evaluated in a
state.
"""

from __future__ import annotations

from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    Read,
)
from threadwise.ir.fold import number
from threadwise.ir.types import INTEGER_OBJECT, NONE, Address, Value
from threadwise.proofs.locksets.auditing.ghosts import Ghosts, Start
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.knowledge import Ended, Roster
from threadwise.proofs.locksets.threads.thread_arrays import is_inner_single
from threadwise.semantics.evaluate import Undefined, View

_MOST = 2_000
"""Elements with larger numbers are not read."""


class RosterMeaning:
    """Rosters and ends in one moment, as one thread names them."""

    def __init__(self, world: World, ghosts: Ghosts, moment: Moment, thread: int) -> None:
        self.world = world
        self.ghosts = ghosts
        self.moment = moment
        self.thread = thread
        self.view: View = world.view(moment, thread)

    def is_on(self, roster: Roster) -> bool:
        """Whether the threads on a roster have the numbers it says."""
        stop = self.view.integer(roster.stop)
        if stop > _MOST:
            return True
        on = [
            start
            for start in self.ghosts.starts
            if start.edge == roster.edge and self.world.runs(self.moment.state, start.thread)
        ]
        late = None if roster.late is None else self.view.evaluate(Read(roster.late))
        others = [start for start in on if start.thread != late]
        if roster.alone and len(on) > 1:
            return False
        if roster.argument is not None and len(others) < len(on):
            excepted = next(start for start in on if start.thread == late)
            own = stop - 1 if roster.at is None else self.view.integer(roster.at)
            stop = own if roster.at is None else stop
            taken = {self._by_argument(roster.argument, start) for start in others}
            if self._by_argument(roster.argument, excepted) != own or own in taken:
                return False
        if roster.argument is None and roster.ids is None:
            return len(others) <= max(stop, 0)
        numbers = [self._number(roster, start, stop) for start in others]
        return None not in numbers and len(set(numbers)) == len(numbers)

    def _number(self, roster: Roster, start: Start, stop: int) -> int | None:
        """The number of a thread; None if it has none below the stop."""
        if roster.argument is None:
            assert roster.ids is not None
            found = (k for k in range(stop) if self._element(roster.ids, k) == start.thread)
            return next(found, None)
        position = self._by_argument(roster.argument, start)
        if position is None or not 0 <= position < stop:
            return None
        if roster.ids is not None and self._element(roster.ids, position) != start.thread:
            return None
        return position

    def _by_argument(self, argument: Expr, start: Start) -> int | None:
        """The number that belongs to an argument: arguments lie at equal distances."""
        if len(start.arguments) != 1:
            return None
        origin, place = _position(self._argument(argument, 0))
        mine, reached = _position(start.arguments[0])
        if origin != mine:
            return None
        if place == reached:
            return 0
        _, following = _position(self._argument(argument, 1))
        number_, rest = divmod(reached - place, following - place)
        return number_ if rest == 0 else None

    def _argument(self, argument: Expr, position: int) -> Value:
        value = self.view.evaluate(nth_argument(argument, position))
        return self.world.lasting_value(value, self.moment)

    def _element(self, ids: Place, position: int) -> int:
        """The id in an element; that of no thread if there is no such element, or no id in it."""
        try:
            return self.view.integer(Read(nth_slot(ids, position)))
        except Undefined:
            return NONE

    def have_ended(self, ended: Ended) -> bool:
        """Whether no thread of the template runs whose id is among the elements."""
        members = self.world.layout.numbers.ranges[ended.template]
        first = 0 if ended.first is None else max(self.view.integer(ended.first), 0)
        for position in range(first, min(self.view.integer(ended.stop), _MOST)):
            thread = self._element(ended.ids, position)
            if thread in members and self.world.runs(self.moment.state, thread):
                return False
        return True


def nth_slot(place: Place, position: int) -> Place:
    """The place for an id with a number, from the one with number 0."""
    match place:
        case FieldPlace(base, field):
            return FieldPlace(nth_slot(base, position), field)
        case IndexPlace(base, index) if is_inner_single(base):
            return IndexPlace(nth_slot(base, position), index)
        case _:
            return nth_place(place, position)


def nth_place(place: Place, position: int) -> Place:
    """The element with a number, from the one with number 0."""
    match place:
        case FieldPlace(base, field):
            return FieldPlace(nth_place(base, position), field)
        case IndexPlace(base, _):
            return IndexPlace(base, number(position))
        case DerefPlace(PointerAdd(pointer, _, element), held):
            return DerefPlace(PointerAdd(pointer, number(position), element), held)
        case _:
            return place


def nth_argument(argument: Expr, position: int) -> Expr:
    """The argument with a number, from the one with number 0."""
    match argument:
        case PointerAdd(pointer, _, element):
            return PointerAdd(pointer, number(position), element)
        case AddressOf(place):
            return AddressOf(nth_place(place, position))
        case IntToPointer(_):
            return IntToPointer(number(position))
        case _:
            return number(position)


def _position(value: Value) -> tuple[int, int]:
    """An integer or an address as the object that it is in, and how far from its beginning."""
    match value:
        case Address(number_, offset):
            return number_, offset
        case None:
            return INTEGER_OBJECT, 0
        case _:
            return INTEGER_OBJECT, value
