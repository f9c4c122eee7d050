"""Violations that interleavings do not show: loads that miss stores, by the memory orders of C.

Proofs are about interleavings, where a load returns what was stored last. In C a load that is not
sequentially consistent may return an older value, as long as nothing says that its thread knows of
a newer one: with release stores and acquire loads Dekker's and Peterson's algorithms exclude
nobody, and of two readers of two writers each may see the other writer first.

Runs with such loads are executions that C allows. So if one of them violates a property, no proof
of it counts. Runs are few and short: that none does proves nothing, and the orders stay
assumptions.

    a cell      has all its stores in the order in which they happened, each with a *view*: the
                stores to other cells that those know of who acquire it
    a thread    has a view, too: the oldest store to each cell that it may still read
    a load      returns any store that is not older than its thread's view of the cell, which then
                is that store, or the last one if it is sequentially consistent; with acquire
                order the thread learns the view of the store
    a store     comes last; with release order its view is that of its thread; without, that of the
                store before, if it continues a release sequence, else none
    an update   reads the last store, and continues its release sequence
    plain memory  is like atomic memory with relaxed order: where a load may miss a store, the two
                are a data race, and C allows everything
    the library tells and learns, cell by cell: who locks what another one has unlocked, or joins
                it, knows what that one knew
    all others  accesses without a known order, and whatever is on the heap or a pointer: their
                thread knows all stores then, which is more than C promises

Programs with fences are not looked at. Stores are never early or reordered, and nothing is read
before it is stored: there are more executions in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from threadwise.core.errors import Unsupported
from threadwise.core.memory_orders import (
    ACQUIRING,
    RELAXED,
    RELEASING,
    SEQ_CST,
    AccessOrder,
    MemoryOrders,
)
from threadwise.core.source import Span
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.ir.types import Address, Value
from threadwise.semantics.evaluate import CellRef, Region, Undefined
from threadwise.semantics.memory import canonical
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.schedule import RandomSchedule
from threadwise.semantics.state import GlobalStore, State
from threadwise.semantics.step import Interpreter, Step

RUNS, STEPS, TOGETHER = 400, 250, 8000
SAMPLES = 0, 1
PLAIN = AccessOrder(RELAXED, RELAXED)
"""What plain accesses are like, at most: if another thread may not know what they read, it is a
data race, and they may return anything."""

View = dict[int, int]
"""By cell, a store to it: the n-th."""


class Stale(NamedTuple):
    """A load that returned an older value in a run that violates a property."""

    name: str
    load: Span | None
    missed: Span | None

    def __str__(self) -> str:
        here = "" if self.load is None else f"{self.load.path}:{self.load.line}: "
        there = "" if self.missed is None else f" at {self.missed.path}:{self.missed.line}"
        return (
            f"{here}by the memory orders of C a load may miss the store{there}, which violates"
            f" `{self.name}`, though no interleaving does"
        )


def stale(
    program: Program,
    orders: MemoryOrders,
    properties: Iterable[Property],
    tick: Callable[[], object],
) -> dict[str, Stale]:
    """By property, a load whose older value leads to a violation, if runs show one."""
    found: dict[str, Stale] = {}
    left = [each for each in properties if isinstance(each, FailureProperty | RaceProperty)]
    if not orders.are_weak or orders.release_fences or orders.acquire_fences:
        return found
    if any(template.count is None for template in program.templates):
        return found
    interpreter = Interpreter(program, SAMPLES)
    checker = PropertyChecker(interpreter)
    steps = 0
    for seed in range(RUNS):
        if not left or steps >= TOGETHER:
            break
        run = _Run(interpreter, orders, seed)
        with suppress(Unsupported, Undefined):  # so far the run came
            for state in run.states():
                steps += 1
                tick()
                if run.missed is not None:
                    broken = [each for each in left if checker.violated(each, state)]
                    found |= {each.name: Stale(each.name, *run.missed) for each in broken}
                    left = [each for each in left if each not in broken]
    return found


class _Store(NamedTuple):
    """A store that loads may return."""

    value: Value
    view: View
    thread: int | None
    span: Span | None


class _Atomic(NamedTuple):
    """An access to one cell, of known order."""

    slot: int
    order: AccessOrder
    reads: bool
    writes: bool
    span: Span | None


@dataclass
class _Run:
    """One run; the same for the same seed."""

    interpreter: Interpreter
    orders: MemoryOrders
    seed: int
    missed: tuple[Span | None, Span | None] | None = None
    """The last load that missed a store, and that store."""
    _stores: dict[int, list[_Store]] = field(default_factory=dict)
    """Those of each cell since it was first accessed by an order that matters."""
    _views: dict[int, View] = field(default_factory=dict)
    _told: dict[CellRef, View] = field(default_factory=dict)
    """What those know who use a cell of the library, or one by an unknown order."""

    def __post_init__(self) -> None:
        self._schedule = RandomSchedule(self.seed)
        self.program = self.interpreter.program

    def states(self) -> Iterator[State]:
        """The states of the run, without the first."""
        state = self._schedule.start(self.interpreter)
        for _ in range(STEPS):
            if self.interpreter.is_stopped(state):
                return
            after = self._next(state)
            if after is None:
                return
            state = after
            yield state

    def _next(self, state: State) -> State | None:
        """A step of any thread; in every other run the first one comes first."""
        left = list(self.interpreter.threads)
        first = self.seed % 2 == 0
        while left:
            thread = left[0] if first else self._schedule.pick(left)
            first = False
            left.remove(thread)
            after = self._step(state, thread)
            if after is not None:
                return after
        return None

    def _step(self, state: State, thread: int) -> State | None:
        l = state.locals[thread]
        steps = list(self.interpreter.step(thread, state.g, l))
        calls = [] if steps else list(self.interpreter.thread_calls(state, thread))
        if not steps:
            return self._schedule.pick(calls).state if calls else None
        self._views.setdefault(thread, {})
        step = self._schedule.pick(steps)
        atomic = self._atomic(step, state.g)
        if atomic is None:
            g = self._others(thread, step, state.g)
        elif atomic.writes:
            g = self._written(thread, step, atomic, state.g)
        else:
            step = self._loaded(thread, step, atomic, state)
            g = _with(step.g, atomic.slot, state.g.cells[atomic.slot])
        return self._after(state, thread, step, g)

    def _after(self, state: State, thread: int, step: Step, g: GlobalStore) -> State:
        locals_ = (*state.locals[:thread], step.l, *state.locals[thread + 1 :])
        return canonical(State(g, locals_, state.stacks), len(self.program.globals))

    def _latest(self) -> View:
        return {slot: len(stores) - 1 for slot, stores in self._stores.items()}

    # -- what kind of step it is -----------------------------------------------------------------

    def _atomic(self, step: Step, g: GlobalStore) -> _Atomic | None:
        """The access of a step, if it is to one cell and its order is known."""
        edges = [self.program.edges[choice.edge] for choice in step.choices]
        spans, cells = {edge.span for edge in edges}, {access.cell for access in step.accesses}
        if len(spans) != 1 or len(cells) != 1 or any(edge.operation is not None for edge in edges):
            return None
        (span,), (cell,) = spans, cells
        order = None if span is None else self.orders.accesses.get(span)
        kinds = {access.sync for access in step.accesses}
        if kinds == {False}:
            order = PLAIN
        if order is None or len(kinds) > 1 or cell.region is not Region.GLOBAL:
            return None
        values = g.cells[cell.slot], step.g.cells[cell.slot]
        if any(isinstance(value, Address) for value in values):
            return None
        reads = any(not access.write for access in step.accesses)
        writes = any(access.write for access in step.accesses)
        return _Atomic(cell.slot, order, reads, writes, span)

    # -- what it reads and writes ----------------------------------------------------------------

    def _others(self, thread: int, step: Step, g: GlobalStore) -> GlobalStore:
        """A step that tells and learns, unless it is about plain memory only."""
        changed = [slot for slot in self._stores if g.cells[slot] != step.g.cells[slot]]
        cells = {access.cell for access in step.accesses if access.sync}
        view = self._views[thread]
        if not cells:
            for slot in changed:
                view[slot] = len(self._stores[slot])
                self._stores[slot].append(_Store(step.g.cells[slot], {}, thread, None))
            return step.g
        edges = (self.program.edges[choice.edge] for choice in step.choices)
        library = any(edge.operation is not None for edge in edges)
        if changed or not library or any(cell.region is not Region.GLOBAL for cell in cells):
            for slot in changed:
                self._stores[slot].append(_Store(step.g.cells[slot], {}, None, None))
            view.update(self._latest())
            for slot in changed:
                self._stores[slot][-1] = self._stores[slot][-1]._replace(view={**view})
        for cell in cells:
            _learn(view, self._told.get(cell, {}))
        for cell in cells:
            _learn(self._told.setdefault(cell, {}), view)
        return step.g

    def _written(self, thread: int, step: Step, atomic: _Atomic, g: GlobalStore) -> GlobalStore:
        stores, view = self._of(atomic.slot, g), self._views[thread]
        before = stores[-1]
        if atomic.reads and atomic.order.order in ACQUIRING:
            self._acquire(view, atomic.slot, before)
        view[atomic.slot] = len(stores)
        goes_on = atomic.reads or before.thread == thread
        told = {**before.view} if goes_on else {}
        if atomic.order.order in RELEASING:
            _learn(told, view)
        stores.append(_Store(step.g.cells[atomic.slot], told, thread, atomic.span))
        return step.g

    def _loaded(self, thread: int, step: Step, atomic: _Atomic, state: State) -> Step:
        stores, view = self._of(atomic.slot, state.g), self._views[thread]
        last = len(stores) - 1
        oldest = last if atomic.order.failing == SEQ_CST else view.get(atomic.slot, 0)
        chosen = self._schedule.pick(range(oldest, len(stores)))
        loads = [step]
        if chosen < last:
            seen = _with(state.g, atomic.slot, stores[chosen].value)
            offered = self.interpreter.step(thread, seen, state.locals[thread])
            loads = [each for each in offered if not any(a.write for a in each.accesses)]
        if not loads:  # an exchange that would succeed: it reads the last store
            chosen, loads = last, [step]
        if chosen < last:
            self.missed = atomic.span, stores[-1].span
        view[atomic.slot] = chosen
        if atomic.order.failing in ACQUIRING:
            self._acquire(view, atomic.slot, stores[chosen])
        return self._schedule.pick(loads)

    def _acquire(self, view: View, slot: int, read: _Store) -> None:
        """Learn what a store tells, and all others of its cell whose orders are not known."""
        _learn(view, read.view)
        _learn(view, self._told.get(CellRef(Region.GLOBAL, 0, slot), {}))

    def _of(self, slot: int, g: GlobalStore) -> list[_Store]:
        """The stores to a cell; the first is what it held before."""
        return self._stores.setdefault(slot, [_Store(g.cells[slot], {}, None, None)])


def _with(g: GlobalStore, slot: int, value: Value) -> GlobalStore:
    return g._replace(cells=(*g.cells[:slot], value, *g.cells[slot + 1 :]))


def _learn(view: View, told: View) -> None:
    for slot, number in told.items():
        view[slot] = max(view.get(slot, 0), number)
