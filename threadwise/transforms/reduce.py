"""Critical sections as single steps: locations become atomic where threads hold locks.

What a thread does between taking a lock and giving it back commutes with the steps of others if it
accesses only what that lock protects (Lipton 1975). So no failure is lost if nobody is interrupted
there. `x = x + 1` under a lock is one step then: counting sees by how much x changes, and proofs
say nothing about values half-way.

Locations on loops stay visible, one of each, and those where more than a few ways meet: a step
has few paths.

`threadwise.proofs.transformed.reduced` verifies the result, and says why failures are preserved.
What is claimed for it: the locks that are held at locations, and the one that protects a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from threadwise.analyses.components import components
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import HANDLER, Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    Place,
    Quantified,
    Read,
    Scope,
    SelfId,
    ThreadRead,
    ThreadVariable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjuncts,
    negation,
    read_places,
    root,
    subexpressions,
    uses_memory,
)
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.types import MutexType

MOST_PATHS = 12
"""So many paths a step has at most."""


@dataclass(frozen=True)
class Reduced:
    """A program whose critical sections are single steps, and why."""

    program: Program
    held: Mapping[LocId, frozenset[str]]
    protecting: Mapping[str, str]


def reduce(program: Program) -> Reduced:
    """The program with more atomic locations; raises Unsupported if there are none."""
    if uses_memory(program) or not all(isinstance(e.action, Command) for e in program.edges):
        raise Unsupported("critical sections of a program with pointers or calls")
    if HANDLER in program.template or _has_looks(program):
        raise Unsupported("critical sections of threads that look at others")
    sections = _Sections(program)
    closed = _with_few_paths(program, sections.closed)
    if not closed:
        raise Unsupported("there are no critical sections")
    procedures = tuple(
        replace(
            p,
            locations=tuple(
                replace(here, atomic=True) if here.id in closed else here for here in p.locations
            ),
        )
        for p in program.procedures
    )
    after = replace(program, procedures=procedures)
    return Reduced(after, sections.held, sections.protecting)


def _has_looks(program: Program) -> bool:
    return any(
        isinstance(part, AtLabel | Quantified | ThreadRead | ThreadVariable)
        for edge in program.edges
        for whole in action_expressions(edge.action)
        for part in subexpressions(whole)
    )


class _Sections:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.mentioned = {edge.id: _mentioned(edge) for edge in program.edges}
        self.written = {edge.id: _names(action_places(edge.action)) for edge in program.edges}

    @cached_property
    def early(self) -> frozenset[int]:
        """Edges of the first thread before it starts others."""
        first = [template for template in self.program.templates if not template.pool]
        if len(first) != 1 or first[0].count != 1:
            return frozenset()
        own = self.program.procedure[first[0].body].edges
        late = {e.target for e in own if _is(e.operation, OperationKind.SPAWN)}
        pending = list(late)
        while pending:
            ways = self.program.outgoing[pending.pop()]
            more = {edge.target for edge in ways} - late
            late |= more
            pending += more
        return frozenset(edge.id for edge in own if edge.source not in late)

    @cached_property
    def locks(self) -> dict[str, Place]:
        """Owner cells of mutexes that are only taken and given back, by their variables."""
        found: dict[str, Place] = {
            d.variable.name: FieldPlace(VariablePlace(d.variable), "owner")
            for d in self.program.globals
            if isinstance(d.variable.type, MutexType)
        }
        for edge in self.program.edges:
            for name in self.mentioned[edge.id] & found.keys():
                if edge.id not in self.early and use_of(edge, found[name]) is None:
                    del found[name]
        return found

    @cached_property
    def held(self) -> dict[LocId, frozenset[str]]:
        """What a thread holds at a location, whichever way it came."""
        found: dict[LocId, frozenset[str]] = {
            p.entry: frozenset() for p in self.program.procedures
        }
        pending = list(found)
        while pending:
            here = pending.pop()
            for edge in self.program.outgoing[here]:
                now = self._after(edge, found[here])
                if edge.target in found:
                    now &= found[edge.target]
                if found.get(edge.target) != now:
                    found[edge.target] = now
                    pending.append(edge.target)
        return {here: told for here, told in found.items() if told}

    def _after(self, edge: Edge, held: frozenset[str]) -> frozenset[str]:
        for name in self.mentioned[edge.id] & self.locks.keys():
            use = use_of(edge, self.locks[name])
            if use == "acquire":
                held |= {name}
            elif use != "look":
                held -= {name}
        return held

    @cached_property
    def protecting(self) -> dict[str, str]:
        """Shared variables that are only accessed under some lock, and one such lock."""
        common: dict[str, frozenset[str]] = {}
        for edge in self.program.edges:
            if edge.id in self.early:
                continue
            mine = self.held.get(edge.source, frozenset())
            for name in self.mentioned[edge.id] - self.locks.keys():
                common[name] = common.get(name, mine) & mine
        return {name: min(locks) for name, locks in common.items() if locks}

    @cached_property
    def closed(self) -> set[LocId]:
        """Visible locations that only right movers lead to."""
        late = [e for e in self.program.edges if e.id not in self.early]
        changing = frozenset(name for edge in late for name in self.written[edge.id])
        stuck = {e.target for e in self.program.edges if not self._moves_right(e, changing)}
        pending = list(stuck)
        while pending:  # an atomic region that something else is done in, on the way
            here = pending.pop()
            if self.program.locations[here].atomic:
                more = {edge.target for edge in self.program.outgoing[here]} - stuck
                stuck |= more
                pending += more
        entries = {p.entry for p in self.program.procedures}
        return {
            here.id
            for here in self.program.locations
            if here.id in self.held
            and here.id not in stuck | entries
            and not (here.atomic or here.final or here.failure)
        }

    def _moves_right(self, edge: Edge, changing: frozenset[str]) -> bool:
        if edge.id in self.early and not _is(edge.operation, OperationKind.SPAWN):
            return True
        mine = self.held.get(edge.target, frozenset())
        return all(
            use_of(edge, self.locks[name]) == "acquire" and name in mine
            if name in self.locks
            else self.protecting.get(name) in mine or name not in changing | self.written[edge.id]
            for name in self.mentioned[edge.id]
        )


def _with_few_paths(program: Program, closed: set[LocId]) -> set[LocId]:
    """What may be atomic so that steps have few paths, and no loops that had none."""
    found = set(closed)
    atomic = {here.id for here in program.locations if here.atomic}
    for procedure in program.procedures:
        own = {here.id for here in procedure.locations}
        while loop := _new_loop(procedure, found & own, atomic & own):
            found.discard(min(loop))
        paths = _paths(procedure, (found | atomic) & own)
        for here in sorted(found & own):
            if paths[here] > MOST_PATHS:
                found.discard(here)
                paths = _paths(procedure, (found | atomic) & own)
    return found


def _new_loop(procedure: Procedure, found: set[LocId], atomic: set[LocId]) -> list[LocId] | None:
    """Locations that would be on a loop inside a step."""
    after: dict[LocId, list[LocId]] = {here: [] for here in sorted(found | atomic)}
    for edge in procedure.edges:
        if edge.source in after and edge.target in after:
            after[edge.source].append(edge.target)
    for part in components(after):
        new = [here for here in part if here in found]
        if new:
            return new
    return None


def _paths(procedure: Procedure, inside: set[LocId]) -> dict[LocId, int]:
    """On how many paths a step leads to each location; no more than one too many."""
    incoming: dict[LocId, list[LocId]] = {here.id: [] for here in procedure.locations}
    outgoing: dict[LocId, list[LocId]] = {here.id: [] for here in procedure.locations}
    for edge in procedure.edges:
        incoming[edge.target].append(edge.source)
        outgoing[edge.source].append(edge.target)
    found = {here: int(here not in inside) for here in incoming}
    pending = sorted(inside)
    while pending:
        here = pending.pop()
        now = min(MOST_PATHS + 1, sum(found[source] for source in incoming[here]))
        if now > found[here]:
            found[here] = now
            pending += [target for target in outgoing[here] if target in inside]
    return found


def _is(operation: Operation | None, kind: OperationKind) -> bool:
    return operation is not None and operation.kind is kind


def _names(places: Iterable[Place]) -> frozenset[str]:
    roots = map(root, places)
    return frozenset(
        r.variable.name
        for r in roots
        if isinstance(r, VariablePlace) and r.variable.scope is Scope.GLOBAL
    )


def _mentioned(edge: Edge) -> frozenset[str]:
    read = (p for expr in action_expressions(edge.action) for p in read_places(expr))
    return _names((*action_places(edge.action), *read))


def use_of(edge: Edge, owner: Place) -> str | None:
    """How an edge uses a lock: `acquire`, `release`, `look`, or None if in another way."""
    action = edge.action
    assert isinstance(action, Command)
    variable = root(owner)
    stored = [a for a in action.assignments if root(a.target) == variable]
    read = [p for e in action_expressions(action) for p in read_places(e) if root(p) == variable]
    if read != [owner] or any(root(place) == variable for place in action.havocs):
        return None
    told = set(conjuncts(action.guard))
    me: Expr = SelfId()
    mine = Binary(BinaryOp.EQ, Read(owner), me)
    if Binary(BinaryOp.EQ, Read(owner), NOBODY) in told and stored == [Assignment(owner, me)]:
        return "acquire"
    if mine in told and stored == [Assignment(owner, NOBODY)]:
        return "release"
    others = Binary(BinaryOp.NE, Read(owner), me)
    looks = not stored and not told.isdisjoint((mine, others, negation(mine)))
    return "look" if looks else None
