"""What the first thread knows of the threads it started, by number.

The claims are in `threadwise.proofs.locksets.rosters`; here they are looked up in a state.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from threadwise.ir.types import NONE
from threadwise.proofs.locksets.auditing.ghosts import Ghosts, Start
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.rosters import Ended, Roster
from threadwise.semantics.evaluate import Undefined, View

_MOST = 2_000
"""Elements with larger numbers are not looked at."""


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
        excepted = [start for start in on if start.thread == late]
        if excepted and roster.argument is not None:
            stop -= 1
            if not self._has_argument(roster.argument, stop, excepted[0]):
                return False
        choices = [[k for k in range(stop) if self._has(roster, k, start)] for start in others]
        return _all_different(choices)

    def _has(self, roster: Roster, position: int, start: Start) -> bool:
        if roster.argument is not None and not self._has_argument(
            roster.argument, position, start
        ):
            return False
        return roster.ids is None or self._element(roster.ids, position) == start.thread

    def _has_argument(self, argument: Expr, position: int, start: Start) -> bool:
        value = self.view.evaluate(nth_argument(argument, position))
        return start.arguments == (self.world.lasting_value(value, self.moment),)

    def _element(self, ids: Place, position: int) -> int:
        """The id in an element; that of nobody if there is no such element, or nothing in it."""
        try:
            return self.view.integer(Read(nth_place(ids, position)))
        except Undefined:
            return NONE

    def have_ended(self, ended: Ended) -> bool:
        """Whether no thread of the template runs whose id is among the elements."""
        members = self.world.layout.numbers.ranges[ended.template]
        for position in range(min(self.view.integer(ended.stop), _MOST)):
            thread = self._element(ended.ids, position)
            if thread in members and self.world.runs(self.moment.state, thread):
                return False
        return True


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


def _all_different(choices: Sequence[Sequence[int]]) -> bool:
    """Whether everybody can have a number of their choice that nobody else has."""
    taken: dict[int, int] = {}

    def seat(who: int, tried: set[int]) -> bool:
        for position in choices[who]:
            if position in tried:
                continue
            tried.add(position)
            if position not in taken or seat(taken[position], tried):
                taken[position] = who
                return True
        return False

    return all(seat(who, set()) for who in range(len(choices)))
