"""What a thread knows, evaluated in a state.

A name that has no value at the moment (it leads through an object that was freed) says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Expr, FieldPlace, Place, Read
from threadwise.ir.layout import size_of
from threadwise.ir.pool_cells import STARTED
from threadwise.ir.types import MutexType
from threadwise.proofs.locksets.auditing.containers import Containers, Item
from threadwise.proofs.locksets.auditing.ghosts import Ghosts
from threadwise.proofs.locksets.auditing.lists import Lists
from threadwise.proofs.locksets.auditing.thread_arrays import RosterMeaning
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.knowledge import MANY, Event, Knowledge, Unused
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.evaluate import CellRef, Region, Undefined

Claim = tuple[str, Callable[[], bool]]


@dataclass(frozen=True)
class Before:
    """How it was when the step began that a thread is in the middle of."""

    moment: Moment
    tokens: Mapping[CellRef, tuple[int, ...]]


@dataclass
class Cases:
    """The meaning of what threads know."""

    world: World
    numbers: Mapping[Target, Discipline]
    lists: Lists
    containers: Containers
    evaluated: Counter[str]

    def wrong(
        self,
        case: Knowledge,
        thread: int,
        moment: Moment,
        ghosts: Ghosts,
        before: Before | None = None,
    ) -> str | None:
        """The first claim of a case that does not hold for a thread; None if all hold.

        `before` is given for a thread that is inside a region.
        """
        one = OneCase(self, case, thread, moment, ghosts)
        for name, claim in one.claims(before):
            self.evaluated[name] += 1
            try:
                if not claim():
                    return name
            except Undefined:
                continue
        return None

    def owned(self, case: Knowledge, thread: int, moment: Moment) -> frozenset[int]:
        """The objects, by their lasting names, that a case says to be the thread's own."""
        view = self.world.view(moment, thread)
        found: set[int] = set()
        for place in (*case.owned, *sorted(case.taken, key=str)):
            try:
                number = self.world.heap_number(view.evaluate(Read(place)))
            except Undefined:
                continue
            if number is not None and (place in case.owned or self._is_handed(number, moment)):
                found.add(moment.names[number])
        return frozenset(found)

    def _is_handed(self, number: int, moment: Moment) -> bool:
        return self.containers.is_handed(number, moment)


class OneCase:
    """One case, for one thread, in one moment."""

    def __init__(
        self, cases: Cases, case: Knowledge, thread: int, moment: Moment, ghosts: Ghosts
    ) -> None:
        self.cases = cases
        self.world = cases.world
        self.case = case
        self.thread = thread
        self.moment = moment
        self.ghosts = ghosts
        self.view = cases.world.view(moment, thread)
        self.rosters = RosterMeaning(cases.world, ghosts, moment, thread)

    def claims(self, before: Before | None) -> Iterator[Claim]:
        """All that the case says; each can be asked for."""
        case = self.case
        for place, value in case.known.items():
            yield "known", partial(self._is_value, place, value)
        for fact in case.facts:
            yield "facts", partial(self.view.holds, fact)
        for lock in case.held:
            yield "held", partial(self._holds, lock)
        if before is not None:
            for lock in case.locks:
                yield "fresh", partial(self._held_before, lock, before)
        for place, site in case.owned.items():
            yield "owned", partial(self._owns, place, site)
        for template in case.absent:
            yield "absent", partial(self._is_absent, template)
        if case.template is not None:
            yield "template", partial(self._is_of, case.template)
        if case.identity is not None:
            yield "identity", partial(self._is_identity, case.identity)
        yield "lost", self._are_lost
        for place, lock in case.homes.items():
            yield "homes", partial(self._has_home, place, lock)
        for place in case.clean:
            yield "clean", partial(self._is_clean, place)
        yield from self._of_handed()
        if self.thread == self.world.first:
            yield from self._of_first()

    def _of_handed(self) -> Iterator[Claim]:
        case = self.case
        for place in case.taken:
            yield "taken", partial(self._has_taken, place)
        for place in case.whole:
            yield "whole", partial(self._is_whole, place)
        for place, lock in case.lent.items():
            yield "lent", partial(self._is_lent, place, lock)
        for place, cell in case.same.items():
            yield "same", partial(self._is_value, place, Read(cell))
        for unused in case.unused:
            yield "unused", partial(self._are_unused, unused)

    def _of_first(self) -> Iterator[Claim]:
        case = self.case
        yield "started", self._have_started
        yield "running", self._may_run
        for place, event in case.handles.items():
            yield "handles", partial(self._is_handle, place, event)
        for roster in case.rosters:
            yield "rosters", partial(self.rosters.is_on, roster)
        for ended in case.ended:
            yield "ended", partial(self.rosters.have_ended, ended)
        for place, element in case.copies.items():
            yield "copies", partial(self._is_value, place, Read(element))

    def _is_value(self, place: Place, value: Expr) -> bool:
        return self.view.evaluate(Read(place)) == self.view.evaluate(value)

    # -- locks -----------------------------------------------------------------------------------

    def _lock_cell(self, lock: Place) -> CellRef:
        return self.view.resolve(
            FieldPlace(lock, "owner") if isinstance(lock.type, MutexType) else lock
        )

    def _holds(self, lock: Place) -> bool:
        cell = self._lock_cell(lock)
        if isinstance(lock.type, MutexType):
            return self.moment.content_for(self.thread, cell) == self.thread
        if self.world.target(cell, self.moment.state) not in self.cases.numbers:
            return False
        return self.thread in self.ghosts.tokens_of(self.moment.lasting(cell))

    def _held_before(self, lock: Place, before: Before) -> bool:
        """Whether a lock was held before the step began."""
        cell = self._lock_cell(lock)
        if not isinstance(lock.type, MutexType):
            return self.thread in before.tokens.get(self.moment.lasting(cell), ())
        if cell.region is Region.HEAP and cell.number >= len(before.moment.names):
            return False
        return before.moment.content_for(self.thread, cell) == self.thread

    # -- objects ---------------------------------------------------------------------------------

    def _owns(self, place: Place, site: str) -> bool:
        number = self.world.heap_number(self.view.evaluate(Read(place)))
        if number is None:
            return False
        if self.world.sites[self.moment.state.g.heap[number].site][0] != site:
            return False
        return number not in found_by_others(
            self.world, self.moment, self.thread, number, self.ghosts
        )

    def _are_lost(self) -> bool:
        """Whether all variables with objects that were given away are lost."""
        given = {name for name, givers in self.ghosts.givers.items() if self.thread in givers}
        if not given:
            return True
        lost: set[CellRef] = set()
        for place in self.case.lost:
            region, number, slot = self.view.resolve(place)
            size = size_of(place.type, self.world.layout.numbers)
            lost |= {CellRef(region, number, slot + n) for n in range(size)}
        l = self.moment.state.locals[self.thread]
        for region, cells in ((Region.THREAD, l.thread), (Region.LOCAL, l.locals)):
            for slot, value in enumerate(cells):
                number_ = self.world.heap_number(value)
                gone = number_ is not None and self.moment.names[number_] in given
                if gone and CellRef(region, 0, slot) not in lost:
                    return False
        return True

    def _has_home(self, place: Place, lock: Place) -> bool:
        value = self.view.evaluate(Read(place))
        number = self.world.heap_number(value)
        if number is None:
            return True
        home = self.moment.lasting(self.view.resolve(lock))
        return self.cases.lists.homes_of(number, self.moment, self.ghosts) <= {home}

    def _is_clean(self, place: Place) -> bool:
        number = self.world.heap_number(self.view.evaluate(Read(place)))
        if number is None:
            return False
        lists = self.cases.lists
        linked = lists.linked(number, self.moment)
        return not any(lists.homes_of(other, self.moment, self.ghosts) for other in linked)

    def _handed(self, place: Place) -> Item | None:
        """The object that a variable points to, if that is handed over."""
        return self.cases.containers.item(self.view.evaluate(Read(place)), self.moment)

    def _are_unused(self, unused: Unused) -> bool:
        """Whether nobody refers to some elements of a pool."""
        start = self.view.evaluate(unused.start)
        stop = None if unused.stop is None else self.view.evaluate(unused.stop)
        items: list[Item] = [
            (unused.variable, k)
            for k in self.cases.containers.numbers(unused.variable)
            if k >= start and (stop is None or k < stop)  # type: ignore[operator]
        ]
        return self.cases.containers.are_unused(items, self.moment, torn=unused.torn)

    def _has_taken(self, place: Place) -> bool:
        number = self._handed(place)
        if number is None:
            return True
        others = [self._handed(other) for other in self.case.taken if other != place]
        return number not in others and number not in self.cases.containers.found(self.moment)

    def _is_whole(self, place: Place) -> bool:
        number = self._handed(place)
        if number is None:
            return True
        containers = self.cases.containers
        led = set(containers.led_to(number, self.moment))
        return led.isdisjoint(containers.found(self.moment))

    def _is_lent(self, place: Place, lock: Place) -> bool:
        number = self._handed(place)
        if number is None:
            return True
        return self.cases.containers.found(self.moment).get(number) == self.view.resolve(lock)

    # -- threads ---------------------------------------------------------------------------------

    def _is_absent(self, template: str) -> bool:
        threads = self.world.layout.numbers.ranges[template]
        return not any(self.world.runs(self.moment.state, thread) for thread in threads)

    def _is_of(self, template: str) -> bool:
        return self.world.templates[self.thread] == template

    def _is_identity(self, identity: Expr) -> bool:
        start = self.ghosts.start_of(self.thread)
        value = self.world.lasting_value(self.view.evaluate(identity), self.moment)
        return start is not None and (start.arguments or (STARTED.value,)) == (value,)

    def _have_started(self) -> bool:
        """Whether it took starting edges as often as is said; not at all if nothing is."""
        return all(
            self.case.started.get(edge, 0) in (MANY, times)
            for (thread, edge), times in self.ghosts.counts.items()
            if thread == self.thread
        ) and all(
            times == MANY or self.ghosts.counts[self.thread, edge] == times
            for edge, times in self.case.started.items()
        )

    def _may_run(self) -> bool:
        """Whether those that it started and that run are among those that may."""
        running = self.case.running
        return all(
            Event(start.edge, start.time) in running or Event(start.edge, MANY) in running
            for start in self.ghosts.starts
            if start.by == self.thread and self.world.runs(self.moment.state, start.thread)
        )

    def _is_handle(self, place: Place, event: Event) -> bool:
        value = self.view.evaluate(Read(place))
        return any(
            start.thread == value and start.by == self.thread
            for start in self.ghosts.starts
            if (start.edge, start.time) == event
        )


def found_by_others(
    world: World, moment: Moment, thread: int, number: int, ghosts: Ghosts
) -> frozenset[int]:
    """The objects that others than a thread can find, as far as one of them is concerned.

    Threads that gave it away must not use it, and arguments of the thread are its own.
    """
    besides = ghosts.givers.get(moment.names[number], ())
    private = ghosts.arguments.get(thread, frozenset())
    return world.found_by_others(moment, thread, besides, private)
