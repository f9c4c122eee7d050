"""The transfer functions of the more precise pass, and what steps must not do.

acquire  m.owner := self      the thread may hold one more lock in the cells of m
release  m.owner := none      by the owner: if it holds but one lock there, it holds none.
                              What it knew of guarded cells is forgotten
raise    N := N + 1           of a count: a token by that name
lower    N := N - 1           with a token by that name, which ends
clear    N := 0               of a count, without a token, where no other thread runs or has a
                              pointer to the object
late     F := v               of a flag, by the first thread while no other runs; no thread
                              is started afterwards
store    x := e               its range is that of e
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, place_expressions, subexpressions
from threadwise.ir.operations import NOBODY
from threadwise.ir.pool_cells import FINISHED, template_of_status
from threadwise.ir.program import Edge
from threadwise.ir.types import is_integer, is_scalar
from threadwise.ir.writes import written
from threadwise.proofs.locksets.guards import Outcomes
from threadwise.proofs.locksets.knowledge import (
    Knowledge,
    is_definite,
    is_own,
    named,
    named_place,
    overlap,
    place_mentions,
)
from threadwise.proofs.locksets.locks import is_owner, owner_of
from threadwise.proofs.locksets.memory.cells import Target, lock_cells
from threadwise.proofs.locksets.order import at_most, sum_of, without_wrap, written_out
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.state import (
    ANYTHING,
    EVERY,
    MANY,
    ONE,
    Below,
    State,
)
from threadwise.proofs.locksets.refined.truth import Look
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.threads.thread_arrays import element_of
from threadwise.proofs.locksets.tokens import step_of

FLAGS, LEFT, COUNTS, GUARDED, LIMITS = "flags", "left", "counts", "guarded", "limits"


class Broken(NamedTuple):
    """A cell of which a step does what a claim excludes."""

    claim: str
    cell: Target


@dataclass(frozen=True)
class Effects:
    """The steps of a program."""

    steps: Steps
    claim: Refinement

    def look(self, knowledge: Knowledge, state: State, procedure: str) -> Look:
        """What is known before a step."""
        return Look(self.steps.ground, self.steps.locks, self.claim, knowledge, state, procedure)

    def passed(
        self,
        edge: Edge,
        before: Knowledge,
        outcomes: Outcomes,
        state: State,
        procedure: str,
    ) -> State | None:
        """What is known when a thread takes an edge; None if it cannot."""
        if _contradicts(before, state):
            return None
        look = self.look(before, state, procedure)
        if any(look.truth(test) is (not outcome) for test, outcome in outcomes.items()):
            return None
        for part in self.steps.guards.asked(edge):
            look = self.look(before, state, procedure)
            if look.truth(part) is False:
                return None
            learned = look.learned(part)
            if any(low > high for low, high in learned.values()):
                return None
            if learned:
                state = replace(state, ranges={**state.ranges, **learned})
        return state

    def after(self, edge: Edge, look: Look, outcomes: Outcomes) -> State:
        """What is known behind an edge that a thread takes."""
        if isinstance(edge.action, Call | Return):
            return ANYTHING
        state = look.state
        stores = list(self._stores(edge, look, outcomes))
        for store in stores:
            if not store.own:
                state = self._locked(edge, store, look, state)
                state = self._counted(store, look, state)
        state = self._late(edge, look, state)
        state = self._forgotten(edge, stores, look, state)
        return self._told(stores, look, state)

    def _stores(self, edge: Edge, look: Look, outcomes: Outcomes) -> Iterator[_Store]:
        for target, value in written(edge):
            chosen = value
            while isinstance(chosen, Conditional) and chosen.condition in outcomes:
                chosen = chosen.then if outcomes[chosen.condition] else chosen.otherwise
            there = look.named(target)
            own = is_own(there)
            cells = frozenset() if own else self._cells(target, look.procedure)
            exact = own or (is_scalar(target.type) and self._is_exact(target, look.procedure))
            yield _Store(target, there, chosen, own, cells, exact)

    def _cells(self, target: Place, procedure: str) -> frozenset[Target]:
        return self.steps.ground.cells_of(target, procedure)

    def _is_exact(self, target: Place, procedure: str) -> bool:
        return self.steps.ground.is_exact(target, procedure)

    # -- locks -----------------------------------------------------------------------------------

    def _locked(self, edge: Edge, store: _Store, look: Look, state: State) -> State:
        if not is_owner(store.target) or not store.exact:
            return state
        values = set(_outcomes_of(store.value))
        if SelfId() in values:
            times = MANY if store.cells in state.locks else ONE
            state = replace(state, locks={**state.locks, store.cells: times})
        if values == {NOBODY} and self._is_mine(edge, store, look):
            touched = [cells for cells in state.locks if _meet(cells, store.cells)]
            if len(touched) == 1 and state.locks[touched[0]] == ONE:
                locks = {c: times for c, times in state.locks.items() if c != touched[0]}
                state = replace(state, locks=locks)
        return state

    def _is_mine(self, edge: Edge, store: _Store, look: Look) -> bool:
        """Whether the thread owns the mutex that it gives back."""
        mine = Binary(BinaryOp.EQ, Read(store.target), SelfId())
        if mine in conjuncts(edge.action.guard):
            return True
        assert isinstance(store.there, FieldPlace)
        return look.holds(store.there.base, shared=False)

    # -- counts ----------------------------------------------------------------------------------

    def _counted(self, store: _Store, look: Look, state: State) -> State:
        if store.cells.isdisjoint(self.claim.counts):
            return state
        step = self._step(store, look)
        if step == 1:
            token = min(store.cells), store.there
            stable = self.steps.ground.is_stable_place(store.there, look.procedure)
            if len(store.cells) == 1 and stable and token not in state.tokens:
                return replace(state, tokens=state.tokens | {token})
            more = {frozenset({cell}): MANY for cell in store.cells}
            return replace(state, locks={**state.locks, **more})
        if step == -1:
            return replace(state, tokens=state.tokens - {(min(store.cells), store.there)})
        return state

    def _step(self, store: _Store, look: Look) -> int | None:
        if store.value is None:
            return None
        known = look.knowledge.known
        return step_of(named_place(store.target, known), named(store.value, known))

    def _miscounted(self, store: _Store, look: Look) -> bool:
        """Whether a store is none that a count allows."""
        if not store.exact or not store.cells <= self.claim.counts:
            return True
        step = self._step(store, look)
        if step == 1:
            return False
        if step == -1:
            return (
                len(store.cells) != 1 or (min(store.cells), store.there) not in look.state.tokens
            )
        cleared = isinstance(store.value, Const) and store.value.value == 0
        alone = look.is_only() or self._is_owned(store, look)
        return not cleared or not alone or look.state.may_hold(store.cells)

    def _is_owned(self, store: _Store, look: Look) -> bool:
        return (
            owner_of(named_place(store.target, look.knowledge.known), look.knowledge) is not None
        )

    # -- flags -----------------------------------------------------------------------------------

    def _late(self, edge: Edge, look: Look, state: State) -> State:
        late = dict(state.late)
        for cell in self._late_cells(edge, look.procedure):
            late[cell] = self._below(edge, cell, look, state)
        return replace(state, late=late) if late != state.late else state

    def _late_cells(self, edge: Edge, procedure: str) -> Iterator[Target]:
        """The flags that may get another than an early value."""
        if not self.claim.flags:
            return
        for cell, values in self.steps.memory.stored(edge, procedure):
            early = self.claim.flags.get(cell)
            if early is not None and (values is None or not values <= early):
                yield cell

    def _below(self, edge: Edge, cell: Target, look: Look, state: State) -> Below | None:
        """Which elements may be late, if the flag is one of many."""
        places = [p for p, _ in written(edge) if cell in self._cells(p, look.procedure)]
        if len(places) != 1:
            return None
        there = look.named(places[0])
        element = element_of(there)
        if element is None or not self.steps.ground.is_stable_place(there, look.procedure):
            return None
        first, index = element
        core, by = sum_of(index, look.knowledge.known)
        if core is not None and not (isinstance(core, Read) and is_own(core.place)):
            return None
        stop = Below(first, None if core is None else core.place, by + 1)
        if cell not in state.late:
            return stop
        before = state.late[cell]
        if before is None or before.first != first:
            return None
        if before == stop._replace(offset=by):
            return stop
        core_ = None if before.variable is None else Read(before.variable)
        known, facts = look.knowledge.known, look.knowledge.facts
        inside = at_most(
            written_out(core, by + 1), written_out(core_, before.offset), known, facts
        )
        return before if inside else None

    # -- what is forgotten -----------------------------------------------------------------------

    def _forgotten(self, edge: Edge, stores: list[_Store], look: Look, state: State) -> State:
        """What is left when places get other values, and locks are given back."""
        shared = [store for store in stores if not store.own]
        ground, procedure = self.steps.ground, look.procedure

        def is_written(place: Place) -> bool:
            reads = [Read(place)] + [
                part
                for expr in place_expressions(place)
                for part in subexpressions(expr)
                if isinstance(part, Read)
            ]
            for part in reads:
                if is_own(part.place):
                    if any(s.own and overlap(s.there, part.place) for s in stores):
                        return True
                    continue
                cells = ground.cells_of(part.place, procedure)
                if any(not cells or not s.cells or _meet(cells, s.cells) for s in shared):
                    return True
            return False

        released = any(
            (is_owner(s.target) and set(_outcomes_of(s.value)) != {SelfId()})
            or not s.exact
            or ground.discipline(s.target, procedure) is not None
            for s in shared
        )
        ranges = {
            p: r
            for p, r in state.ranges.items()
            if not is_written(p) and not (released and not is_own(p))
        }
        copies = {
            p: c
            for p, c in state.copies.items()
            if not released and not is_written(p) and not is_written(c)
        }
        return replace(self._renamed(stores, look, state), ranges=ranges, copies=copies)

    def _renamed(self, stores: list[_Store], look: Look, state: State) -> State:
        """Tokens and flags without names that mean something else now."""
        own = [store for store in stores if store.own]
        written_cells: set[Target] = set()
        for store in stores:
            written_cells |= store.cells

        def changes(place: Place) -> bool:
            if any(place_mentions(place, s.there) for s in own):
                return True
            reads = (
                part.place
                for expr in place_expressions(place)
                for part in subexpressions(expr)
                if isinstance(part, Read) and not is_own(part.place)
            )
            cells = (self._cells(read, look.procedure) for read in reads)
            return any(not each or not each.isdisjoint(written_cells) for each in cells)

        lost = {(cell, place) for cell, place in state.tokens if changes(place)}
        locks = dict(state.locks)
        locks.update({frozenset({cell}): MANY for cell, _ in lost})
        late = {
            cell: None if below is None or changes(below.first) else _moved(below, own, look)
            for cell, below in state.late.items()
        }
        return replace(state, locks=locks, tokens=state.tokens - lost, late=late)

    # -- what is known in addition ---------------------------------------------------------------

    def _told(self, stores: list[_Store], look: Look, state: State) -> State:
        ranges, copies = dict(state.ranges), dict(state.copies)
        for store in stores:
            value = store.value
            if value is None or not store.exact or not is_integer(store.target.type):
                continue
            if not is_definite(store.there) if store.own else not self._stays(store, stores, look):
                continue
            low, high = look.value(value)
            if low is not None and high is not None:
                ranges[store.there] = low, high
            if store.own and isinstance(value, Read) and not is_own(value.place):
                source = look.named(value.place)
                if look.is_guarded(source) and not _is_changed(source, stores, look):
                    copies[store.there] = source
        return replace(state, ranges=ranges, copies=copies)

    def _stays(self, store: _Store, stores: list[_Store], look: Look) -> bool:
        """Whether a guarded cell that is written holds the value from then on."""
        others = [other for other in stores if other is not store]
        return look.is_guarded(store.there) and not _is_changed(store.there, others, look)

    # -- what must not happen --------------------------------------------------------------------

    def broken(self, edge: Edge, look: Look, outcomes: Outcomes) -> Iterator[Broken]:
        """The cells of which a step does what a claim excludes."""
        starts = edge.id in self.steps.threads.starts
        if starts and look.state.late:
            yield from (Broken(FLAGS, cell) for cell in self.claim.flags)
        if starts or not look.is_only():  # the thread that is started sees what is stored with it
            for cell in self._late_cells(edge, look.procedure):
                yield Broken(FLAGS, cell)
        if _finishes(edge):
            for cells in look.state.locks:
                yield from (Broken(LEFT, c) for c in cells if c not in self.claim.left)
            tokens = (cell for cell, _ in look.state.tokens)
            yield from (Broken(LEFT, c) for c in tokens if c not in self.claim.left)
        stores = [s for s in self._stores(edge, look, outcomes) if not s.own]
        for store in stores:
            yield from self._odd(store)
            if not store.cells.isdisjoint(self.claim.counts) and self._miscounted(store, look):
                yield from (Broken(COUNTS, c) for c in store.cells & self.claim.counts)
            yield from self._unguarded(store, look)
        yield from self._unlimited(edge, stores, look)

    def _odd(self, store: _Store) -> Iterator[Broken]:
        """Owners of mutexes that are written otherwise than by acquiring and releasing."""
        used = {SelfId(), NOBODY, Read(store.target)}
        if store.exact and not is_owner(store.target):
            return
        if store.exact and set(_outcomes_of(store.value)) <= used:
            return
        if not store.cells and EVERY not in self.claim.left:
            yield Broken(LEFT, EVERY)
        types = self.steps.memory.objects.types
        for cell in store.cells:
            owner = cell.object not in types or cell.cell in lock_cells(types[cell.object])
            if owner and cell not in self.claim.left:
                yield Broken(LEFT, cell)

    def _unguarded(self, store: _Store, look: Look) -> Iterator[Broken]:
        guarded = self.claim.guarded
        cells = [cell for cell in guarded if not store.cells or cell in store.cells]
        if not cells or look.is_only() or self._is_owned(store, look):
            return
        lock = look.lock_of(store.there)
        if lock is None or not look.holds(lock, shared=False):
            yield from (Broken(GUARDED, cell) for cell in cells)

    def _unlimited(self, edge: Edge, stores: list[_Store], look: Look) -> Iterator[Broken]:
        limits = self.claim.limits
        if not limits:
            return
        if not isinstance(edge.action, Command):
            for cell, values in self.steps.memory.stored(edge, look.procedure):
                if cell in limits and not within(values, limits[cell]):
                    yield Broken(LIMITS, cell)
            return
        for store in stores:
            cells = [cell for cell in limits if not store.cells or cell in store.cells]
            if not cells:
                continue
            low, high = (None, None) if store.value is None else look.value(store.value)
            for cell in cells:
                least, most = limits[cell]
                if not store.exact or low is None or high is None or low < least or high > most:
                    yield Broken(LIMITS, cell)


class _Store(NamedTuple):
    target: Place
    there: Place
    """The same by the names of locksets."""
    value: Expr | None
    own: bool
    cells: frozenset[Target]
    exact: bool


def _contradicts(knowledge: Knowledge, state: State) -> bool:
    """Whether two states contradict: a variable would have a value that is out of its range."""
    for place, (low, high) in state.ranges.items():
        match knowledge.known.get(place):
            case Const(int(value), _) if not low <= value <= high:
                return True
            case _:
                pass
    return False


def within(values: object, limits: tuple[int, int]) -> bool:
    """Whether all of some values are integers in a range."""
    return isinstance(values, frozenset) and all(
        isinstance(value, int) and limits[0] <= value <= limits[1] for value in values
    )


def _outcomes_of(value: Expr | None) -> Iterator[Expr | None]:
    """The values that a choice may come out as."""
    if isinstance(value, Conditional):
        yield from _outcomes_of(value.then)
        yield from _outcomes_of(value.otherwise)
    else:
        yield value


def _meet(first: frozenset[Target], second: frozenset[Target]) -> bool:
    return not first.isdisjoint(second) or EVERY in first or EVERY in second


def _finishes(edge: Edge) -> bool:
    """Whether a thread ends by an edge."""
    return any(
        value == FINISHED
        and isinstance(target, IndexPlace)
        and target.index == SelfId()
        and isinstance(target.base, VariablePlace)
        and template_of_status(target.base.variable) is not None
        for target, value in written(edge)
    )


def _is_changed(place: Place, stores: list[_Store], look: Look) -> bool:
    """Whether a named place means, or holds, something else after some stores."""
    for store in stores:
        if store.own:
            if place_mentions(place, store.there):
                return True
            continue
        cells = look.ground.cells_of(place, look.procedure)
        reads = [
            look.ground.cells_of(part.place, look.procedure)
            for expr in place_expressions(place)
            for part in subexpressions(expr)
            if isinstance(part, Read) and not is_own(part.place)
        ]
        if not store.cells or any(not c or _meet(c, store.cells) for c in (cells, *reads)):
            return True
    return False


def _moved(below: Below, own: list[_Store], look: Look) -> Below | None:
    """The elements below a number, when its variable may get another value."""
    if below.variable is None:
        return below
    changes = [store for store in own if overlap(store.there, below.variable)]
    if not changes:
        return below
    known, facts = look.knowledge.known, look.knowledge.facts
    value = changes[0].value
    if len(changes) > 1 or value is None or changes[0].there != below.variable:
        return None
    core, by = sum_of(without_wrap(value, known, facts), {})
    if core != Read(below.variable):
        return None
    return below._replace(offset=below.offset - by)
