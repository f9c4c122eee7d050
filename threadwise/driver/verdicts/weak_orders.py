"""Races of C that interleavings do not show: atomic accesses that order less than it seems.

Proofs are about interleavings. There a race is two conflicting accesses next to each other; in C
it is two conflicting accesses, not both atomic, of which none *happens before* the other. With
locks, and atomic accesses that acquire and release, that is the same. With weaker ones it is not:
`data = 1; store(&ready, 1, relaxed)` beside `if (load(&ready, relaxed)) use(data)` is a race, and
no interleaving has the two next to each other.

But an interleaving is one of the executions that C allows. So if in a run two conflicting accesses
are not ordered by what happens before in C, the program has a race, and no proof counts. Runs are
few and short: that none shows a race proves nothing, and the orders stay assumptions.

    a load          with acquire order learns what was known at the releases it reads from
    a store         with release order tells what its thread knows; without, nothing, unless the
                    same thread released before (a release sequence)
    an update       continues the sequences that it reads from, and adds to them if it releases
    a lock          that is tried in vain neither tells nor learns anything, whatever it looks at;
                    the same goes for semaphores and read-write locks, by the order of their
                    models, and with fences, too
    a fence         somewhere in the program: all stores count as releases, or all loads as
                    acquiring, since it is not followed which ones it is for
    all others      synchronisation of the library, and what has no known order: every access tells
                    and learns, which is more than C promises
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from threadwise.core.errors import Unsupported
from threadwise.core.memory_orders import (
    ACQUIRING,
    RELEASING,
    UNORDERED,
    AccessOrder,
    MemoryOrders,
)
from threadwise.core.source import Span
from threadwise.driver.verdicts.ordering import is_refused_lock, may_order_less
from threadwise.driver.verdicts.stale_loads import stale
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import Property, RaceProperty
from threadwise.proofs.locksets.auditing.replaying import Micro, Replay
from threadwise.proofs.locksets.auditing.world import World
from threadwise.semantics.evaluate import CellRef, Undefined
from threadwise.semantics.properties import concerns, conflict
from threadwise.semantics.schedule import RandomSchedule
from threadwise.semantics.state import State
from threadwise.semantics.step import Access, Interpreter, Transition

RUNS, STEPS, TOGETHER = 60, 250, 2500
SAMPLES = 0, 1
FALLING = 0.05
"""How likely the first thread comes last from now on."""

Clock = dict[int, int]
"""By thread, how many of its releases are known to have happened."""


class Unordered(NamedTuple):
    """Two accesses of a run that race."""

    earlier: Span | None
    later: Span | None

    def __str__(self) -> str:
        places = [f"{span.path}:{span.line}" for span in self if span is not None]
        there = f" with {places[0]}" if len(places) > 1 else ""
        here = places[-1] if places else "somewhere"
        return f"{here}: a data race{there} by the memory orders of C, though in no interleaving"


def beyond_interleavings(
    program: Program,
    orders: MemoryOrders,
    properties: Sequence[Property],
    tick: Callable[[], object],
) -> dict[str, str]:
    """By property, how runs violate it that C allows, though no interleaving does."""
    found: dict[str, str] = {}
    for checked in properties:
        race = None
        if isinstance(checked, RaceProperty):
            race = unordered(program, orders, checked, tick)
        if race is not None:
            found[checked.name] = str(race)
    others = [each for each in properties if each.name not in found]
    missed = stale(program, orders, others, tick)
    return found | {name: str(told) for name, told in missed.items()}


def unordered(
    program: Program, orders: MemoryOrders, checked: RaceProperty, tick: Callable[[], object]
) -> Unordered | None:
    """Two accesses of a run that race in C; None if no run shows any."""
    if not may_order_less(program, orders) or any(t.count is None for t in program.templates):
        return None
    world = World(program)
    world.interpreter = Interpreter(program, SAMPLES)
    steps = 0
    for seed in range(RUNS):
        schedule = RandomSchedule(seed) if seed % 2 else _Ranked(seed)
        watched = _Run(world, orders, checked)
        with suppress(Unsupported, Undefined):  # so far the run came
            start = schedule.start(world.interpreter)
            moment = watched.replay.begin(start)
            for transition in schedule.walk(world.interpreter, start, STEPS):
                steps += 1
                tick()
                micros = list(watched.replay.edges(moment, transition.move))
                found = watched.step(transition.move.thread, micros)
                if found is not None:
                    return found
                last = micros[-1].after if micros else moment
                moment = watched.replay.settled(last, transition.state)
        if steps >= TOGETHER:
            break
    return None


class _Ranked(RandomSchedule):
    """The first thread that can step does, in an order of threads that seldom changes.

    What one thread publishes another one sees, which takes many steps of one thread at a time.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._order: list[int] = []

    def walk(self, interpreter: Interpreter, start: State, steps: int) -> Iterator[Transition]:
        """Up to `steps` transitions."""
        left = list(interpreter.threads)
        while left:
            self._order.append(self.pick(left))
            left.remove(self._order[-1])
        state = start
        for _ in range(steps):
            chosen = None if interpreter.is_stopped(state) else self._next(interpreter, state)
            if chosen is None:
                return
            yield chosen
            state = chosen.state

    def _next(self, interpreter: Interpreter, state: State) -> Transition | None:
        for thread in self._order:
            offered = list(interpreter.thread_successors(state, thread))
            if offered:
                if self.happens(FALLING):
                    self._order.remove(thread)
                    self._order.append(thread)
                return self.pick(offered)
        return None


class _Done(NamedTuple):
    """An access of a run."""

    access: Access
    span: Span | None
    order: AccessOrder | None
    """If it is atomic, and its order is known."""


class _Run:
    """What happens before what in one run."""

    def __init__(self, world: World, orders: MemoryOrders, checked: RaceProperty) -> None:
        self.world = world
        self.orders = orders
        self.checked = checked
        self.replay = Replay(world)
        self._threads: dict[int, Clock] = {}
        self._told: dict[CellRef, Clock] = {}
        """What those know who acquire from a cell."""
        self._heads: dict[CellRef, int] = {}
        """The thread that told it last."""
        self._accessed: dict[CellRef, dict[tuple[int, Access], tuple[int, Span | None]]] = {}

    def step(self, thread: int, micros: Sequence[Micro]) -> Unordered | None:
        """A step of a thread; what races with something earlier, if anything does."""
        clock = self._threads.setdefault(thread, {thread: 1})
        done = [each for micro in micros for each in self._accesses(micro)]
        atomic = [each for each in done if each.access.sync]
        in_vain = any(is_refused_lock(micro.edge) for micro in micros)
        cells = {} if in_vain else dict.fromkeys(each.access.cell for each in atomic)
        writes = any(each.access.write for each in atomic)
        for cell in cells:
            if self._learns([each for each in atomic if each.access.cell == cell], writes):
                _advance(clock, self._told.get(cell, {}))
        for each in done:
            race = self._race(thread, clock, each)
            if race is not None:
                return race
            at = self._accessed.setdefault(each.access.cell, {})
            at[thread, each.access] = clock[thread], each.span
        for cell in cells:
            self._tell(thread, clock, cell, [e for e in atomic if e.access.cell == cell])
        if cells:
            clock[thread] += 1
        return None

    def _accesses(self, micro: Micro) -> Iterator[_Done]:
        for access in micro.accesses:
            named = access._replace(cell=micro.after.lasting(access.cell))
            if not concerns(self.world.layout, self.checked, access):
                named = named._replace(sync=True)
            yield _Done(named, micro.edge.span, self._order(micro.edge))

    def _order(self, edge: Edge) -> AccessOrder | None:
        if edge.span is None or edge.operation is not None:
            return None
        return self.orders.accesses.get(edge.span)

    # -- what threads learn and tell -------------------------------------------------------------

    def _learns(self, accesses: Sequence[_Done], writes: bool) -> bool:
        if not _has_order(accesses):
            return True
        order = _order_of(accesses, writes)
        if self.orders.acquire_fences:
            return order != UNORDERED
        reads = any(not each.access.write for each in accesses)
        return reads and order in ACQUIRING

    def _tell(self, thread: int, clock: Clock, cell: CellRef, accesses: Sequence[_Done]) -> None:
        known = self._told.get(cell, {})
        if not _has_order(accesses):
            self._told[cell] = {**known}
            _advance(self._told[cell], clock)
            return
        if not any(each.access.write for each in accesses):
            return
        releases = self.orders.release_fences or _order_of(accesses, writes=True) in RELEASING
        reads = any(not each.access.write for each in accesses)
        goes_on = reads or self._heads.get(cell) == thread
        told = {**known} if goes_on else {}
        if releases:
            _advance(told, clock)
            self._heads[cell] = thread
        elif not goes_on:
            self._heads.pop(cell, None)
        self._told[cell] = told

    def _race(self, thread: int, clock: Clock, done: _Done) -> Unordered | None:
        for (other, earlier), (when, span) in self._accessed.get(done.access.cell, {}).items():
            if other != thread and conflict(earlier, done.access) and when > clock.get(other, 0):
                return Unordered(span, done.span)
        return None


def _has_order(accesses: Sequence[_Done]) -> bool:
    """Whether the orders of all accesses to a cell are known."""
    return all(each.order is not None for each in accesses)


def _order_of(accesses: Sequence[_Done], writes: bool) -> int:
    """The order of a step: one that only reads may be an exchange that failed."""
    order = accesses[0].order
    assert order is not None
    return order.order if writes else order.failing


def _advance(clock: Clock, known: Clock) -> None:
    for thread, count in known.items():
        if count > clock.get(thread, 0):
            clock[thread] = count
