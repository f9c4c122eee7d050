"""The rules of calls: what a procedure begins with, and what its caller knows when it returns.

    enter    the callee knows what its caller knows, if that can be expressed with its parameters,
             variables of the thread, and globals. A caller's value that is passed is replaced by
             the parameter; facts about other locals of the caller are dropped.
    leave    the caller knows what it knew, except what any procedure that may run meanwhile can
             invalidate: what it writes, locks that it may release, objects that it may publish,
             threads that it may start. Facts that the procedure establishes are not used.

Why that is sound. The locals of a caller cannot change while it waits: no other frame can name
them, and those whose address is taken are objects of the heap. So a fact about them survives
unless it reads memory that is written meanwhile: by others, and then it was not stable; or by the
procedures called, whose writes are collected here, edge by edge, whatever they know. Parameters
are equal to what was passed when the callee begins; from then on they are variables like others.
An object that was owned may be found by others only if a pointer to it, or to an object from
which it may be reached, is stored outside of the thread's own variables. A thread that may be
started meanwhile may run afterwards, and how often it was started is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Call
from threadwise.ir.expr import (
    AddressOf,
    AtLabel,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    PointerToInt,
    Read,
    Scope,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, root, subexpressions
from threadwise.ir.program import EdgeId, Procedure
from threadwise.ir.types import PointerType, TidType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.beyond import WHOLES
from threadwise.proofs.locksets.frozen import Frozen
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    Roster,
    is_own,
    named,
    named_place,
)
from threadwise.proofs.locksets.locks import is_owner, locked
from threadwise.proofs.locksets.memory.cells import Target, folded_size, is_site
from threadwise.proofs.locksets.memory.confined import may_be_pointer
from threadwise.proofs.locksets.retelling import without
from threadwise.proofs.locksets.threads.thread_arrays import without_ids


@dataclass(frozen=True)
class Effects:
    """What may happen while a procedure runs, and those that it calls."""

    own: frozenset[Variable]
    """Variables of the thread that are written."""
    frozen: frozenset[Target]
    """Cells that are written, of those that are frozen or that only the first thread writes."""
    ids: frozenset[Target] | None
    """Cells of memory with thread ids that are written; None: any."""
    released: frozenset[Target]
    """Locks, and numbers that serve as such, that are written otherwise than by acquiring."""
    published: frozenset[str] | None
    """The objects that others may find by what is stored; None: any."""
    starts: frozenset[EdgeId]
    """The edges that start threads."""
    exact: bool
    """Whether all writes are known to write a certain part of an object."""


@dataclass(frozen=True)
class Calling:
    """The rules about calls."""

    ground: Ground
    frozen: Frozen

    # -- what procedures may do ------------------------------------------------------------------

    def effects(self, name: str) -> Effects:
        """What may happen from the call of a procedure to its return; raises Unresolved."""
        if name not in self._effects:
            inside = [name, *sorted(self.ground.threads.calls[name])]
            found = [self._direct(each) for each in inside]
            unknown = any(each.ids is None for each in found)
            anything = any(each.published is None for each in found)
            self._effects[name] = Effects(
                frozenset(v for each in found for v in each.own),
                frozenset(c for each in found for c in each.frozen),
                None if unknown else frozenset(c for each in found for c in each.ids or ()),
                frozenset(c for each in found for c in each.released),
                None if anything else frozenset(s for e in found for s in e.published or ()),
                frozenset(e for each in found for e in each.starts),
                all(each.exact for each in found),
            )
        return self._effects[name]

    @cached_property
    def _effects(self) -> dict[str, Effects]:
        return {}

    def _direct(self, name: str) -> Effects:
        if name not in self._of_one:
            self._of_one[name] = self._collected(self.ground.threads.program.procedure[name])
        return self._of_one[name]

    @cached_property
    def _of_one(self) -> dict[str, Effects]:
        return {}

    def _collected(self, procedure: Procedure) -> Effects:
        """The effects of the edges of one procedure."""
        memory, name = self.ground.memory, procedure.name
        own: set[Variable] = set()
        cells: set[Target] = set()
        ids: set[Target] | None = set()
        released: set[Target] = set()
        published: set[str] | None = set()
        vague = False
        for edge in procedure.edges:
            for target, value in written(edge):
                if is_own(target):
                    base = root(target)
                    assert isinstance(base, VariablePlace)
                    if base.variable.scope is Scope.THREAD:
                        own.add(base.variable)
                    continue
                cells.update(memory.targets(target, name))
                exact = self.ground.is_exact(target, name)
                vague |= not exact
                if isinstance(target.type, TidType) or not exact:
                    found = self.ground.cells_of(target, name)
                    ids = None if ids is None or not found else ids | found
                if not (exact and is_owner(target) and value == SelfId()):
                    released.update(memory.targets(locked(target) if exact else target, name))
                stored = None if target.type in WHOLES else self._stored(value, name)
                published = None if published is None or stored is None else published | stored
        starts = frozenset(e.id for e in procedure.edges if e.id in self.ground.threads.starts)
        return Effects(
            frozenset(own),
            self.ground.frozen.union(filter(self.ground.is_written_by_firsts, cells)) & cells,
            None if ids is None else frozenset(ids),
            frozenset(released),
            None if published is None else frozenset(self._reached(published)),
            starts,
            not vague,
        )

    def _stored(self, value: Expr | None, procedure: str) -> set[str] | None:
        """The objects that a stored value may lead to directly; None: any."""
        found: set[str] = set()
        for part in () if value is None else carried(value):
            values = self.ground.memory.of(part, procedure)
            if values is None:
                return None
            found |= {each.object for each in values if isinstance(each, Target)}
        return found

    def _reached(self, objects: set[str]) -> set[str]:
        """Objects, and those that pointers in them may lead to."""
        found, pending = set(objects), list(objects)
        while pending:
            for each in self._leads_to.get(pending.pop(), ()):
                if each not in found:
                    found.add(each)
                    pending.append(each)
        return found

    def inside(self, sites: Iterable[str]) -> set[str]:
        """The sites of objects that pointers in objects of some sites lead to, one by one.

        What is found through a variable is nobody's own, so that is not followed.
        """
        found: set[str] = set()
        pending = [site for site in sites if is_site(site)]
        while pending:
            more = {s for s in self._leads_to.get(pending.pop(), ()) if is_site(s)} - found
            found |= more
            pending += more
        return found

    @cached_property
    def _leads_to(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        everything = frozenset(filter(is_site, self.ground.memory.objects.types))
        for target, values in self.ground.memory.values.items():
            inside = found.setdefault(target.object, set())
            if values is None and may_be_pointer(self.ground.memory, target):
                inside |= everything
            elif values is None:  # what became a number is nobody's own (`Ground.is_copied`)
                continue
            else:
                inside |= {each.object for each in values if isinstance(each, Target)}
        return {name: frozenset(inside) for name, inside in found.items()}

    # -- enter -----------------------------------------------------------------------------------

    def entered(
        self, action: Call, before: Knowledge, called: Procedure, caller: Procedure
    ) -> Knowledge:
        """What a procedure knows when it begins."""
        stable = self.ground.is_stable
        told: dict[Expr, Expr] = {}
        known: dict[Place, Expr] = {}
        for parameter, argument in zip(called.parameters, action.arguments, strict=True):
            name, read = named(argument, before.known), Read(VariablePlace(parameter))
            if isinstance(name, Const) or not any(
                isinstance(p, Read) for p in subexpressions(name)
            ):
                if stable(name, caller.name):
                    known[read.place] = name
            elif name in told:
                known[read.place] = told[name]
            else:
                told[name] = read
        telling = _Translation(told)
        return Knowledge(
            held=frozenset(telling.places(before.held)),
            known=known,
            facts=frozenset(telling.exprs(before.facts)),
            owned={
                there.place: site
                for place, site in before.owned.items()
                if isinstance(there := told.get(Read(place)), Read)
            },
            started=before.started,
            running=before.running,
            absent=before.absent,
            identity=before.identity,
            lost=frozenset(filter(_is_threads, before.lost)),
            template=self.ground.threads.only_template(before, caller),
        )

    # -- leave -----------------------------------------------------------------------------------

    def left(self, action: Call, before: Knowledge, caller: str) -> Knowledge:
        """What is left after a call."""
        effects = self.effects(action.procedure)
        after = before
        for variable in sorted(effects.own, key=lambda v: v.name):
            after = without(after, VariablePlace(variable))
        after = self.frozen.melted_cells(after, effects.frozen, caller)
        after = self._ids_left(after, effects, caller)
        lost = {
            lock
            for lock in after.held
            if not effects.released.isdisjoint(lock_cells(self.ground, lock, caller))
        }
        after = replace(
            after,
            held=after.held - lost,
            fresh=after.fresh - lost,
            owned=self._owned_left(after, effects),
            homes=after.homes if effects.exact else {},
            clean=frozenset(),
            lost=before.lost,
            lent={},
            same={},
        )
        after = _started(after, effects.starts)
        if action.result is not None:
            if isinstance(action.result.type, TidType):
                after = replace(after, rosters=frozenset(), ended=frozenset(), copies={})
            after = without(after, named_place(action.result, before.known))
        return after

    def _owned_left(self, after: Knowledge, effects: Effects) -> dict[Place, str]:
        published = effects.published
        if published is None:
            return {}
        return {place: site for place, site in after.owned.items() if site not in published}

    def _ids_left(self, after: Knowledge, effects: Effects, caller: str) -> Knowledge:
        """What is known of thread ids in memory."""
        hit = self._hits(effects.ids, caller)
        return replace(
            after,
            handles={p: event for p, event in after.handles.items() if not hit(p)},
            rosters=frozenset(_without_ids(after.rosters, hit)),
            ended=frozenset(e for e in after.ended if not hit(e.ids)),
            copies={p: held for p, held in after.copies.items() if not hit(held)},
        )

    def _hits(self, ids: frozenset[Target] | None, caller: str) -> Callable[[Place], bool]:
        def hit(place: Place) -> bool:
            if is_own(place) or ids == frozenset():
                return False
            cells = self.ground.cells_of(place, caller)
            return ids is None or not cells or not ids.isdisjoint(cells)

        return hit


def _without_ids(rosters: Iterable[Roster], hit: Callable[[Place], bool]) -> Iterator[Roster]:
    """What rosters still say where ids may be overwritten: who has which argument."""
    for roster in rosters:
        if roster.ids is None or not hit(roster.ids):
            yield roster
        elif (left := without_ids(roster)) is not None:
            yield left


def lock_cells(ground: Ground, lock: Place, procedure: str) -> frozenset[Target]:
    """All cells of a lock."""
    size = folded_size(lock.type)
    cells = ground.cells_of(lock, procedure)
    return frozenset(Target(o, c + n) for o, c in cells for n in range(size))


def _started(after: Knowledge, starts: frozenset[EdgeId]) -> Knowledge:
    """Threads that a procedure may have started may run, and how many they are is not known."""
    if not starts:
        return after
    return replace(
        after,
        started={**after.started, **dict.fromkeys(sorted(starts), MANY)},
        running=after.running | {Event(edge, MANY) for edge in starts},
        handles={p: event for p, event in after.handles.items() if event.edge not in starts},
        rosters=frozenset(r for r in after.rosters if r.edge not in starts),
    )


def carried(value: Expr) -> Iterator[Expr]:
    """The pointers that a value contains."""
    if isinstance(value.type, PointerType):
        yield value
    for part in subexpressions(value):
        if isinstance(part, PointerToInt):
            yield part.pointer


def _is_threads(place: Place) -> bool:
    """Whether a place belongs to the thread, whatever procedure it runs."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.THREAD


class _NotExpressibleError(Exception):
    """A fact is expressed with a local of the caller that is not passed."""


@dataclass(frozen=True)
class _Translation:
    """The translation of the caller's names to names of the callee."""

    told: Mapping[Expr, Expr]

    def places(self, named_: frozenset[Place]) -> Iterator[Place]:
        """The places that can be expressed in the callee."""
        for place in named_:
            try:
                yield self._place(place)
            except _NotExpressibleError:
                continue

    def exprs(self, named_: frozenset[Expr]) -> Iterator[Expr]:
        """The expressions that can be expressed in the callee."""
        for expr in named_:
            try:
                yield self._expr(expr)
            except _NotExpressibleError:
                continue

    def _expr(self, expr: Expr) -> Expr:
        found = self.told.get(expr)
        if found is not None:
            return found
        match expr:
            case Read(place):
                return Read(self._place(place))
            case AddressOf(place):
                return AddressOf(self._place(place))
            case IsWritten() | ThreadRead() | ThreadVariable() | AtLabel():
                raise _NotExpressibleError
            case _:
                return rebuild(expr, self._expr)

    def _place(self, place: Place) -> Place:
        match place:
            case VariablePlace(variable):
                if variable.scope is Scope.LOCAL:
                    raise _NotExpressibleError
                return place
            case FieldPlace(base, field):
                return FieldPlace(self._place(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self._place(base), self._expr(index))
            case DerefPlace(pointer, held):
                return DerefPlace(self._expr(pointer), held)
