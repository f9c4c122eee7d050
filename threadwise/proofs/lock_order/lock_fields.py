"""The program as an order of locks reads it: without edges that are never taken.

What a mutex does depends on its kind, an integer beside the owner in its record. Such a member has
bounds if nothing is ever stored there but constants, and locals that get nothing but constants: C
lets no code but the library write into a mutex that is in use, so that holds behind every pointer.
From there bounds of locals follow, which are verified, and edges whose guards they exclude are
left out.

    t := m.kind;  if (t == 1) m.depth++;  else acquire(m)       m.kind is 0, or -1 if destroyed
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from threadwise.ir.commands import Allocate, Command
from threadwise.ir.expr import (
    AddressOf,
    Const,
    Expr,
    FieldPlace,
    Place,
    Read,
    Scope,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    read_places,
    rebuild,
    subexpressions,
)
from threadwise.ir.layout import NO_THREADS, has_static_size, initial_choices
from threadwise.ir.program import DEFAULT, Declaration, Edge, LocId, Procedure, Program
from threadwise.ir.types import (
    ArrayType,
    MachineType,
    MutexType,
    RecordType,
    Type,
    fields_of,
    parts_of,
)
from threadwise.proofs.lock_order.certificate import Known
from threadwise.proofs.toolbox.bounds import assigned_locals, check_bounds, written_locals
from threadwise.proofs.toolbox.intervals import Bounds, assumed

Member = tuple[str, str]
"""The name of a record, and of a member."""


def narrowed(program: Program) -> Program:
    """The program with what is known of members of locks written at each place that reads them."""
    if not any(_member(place) for edge in program.edges for place in _read(edge)):
        return program
    known = _bounds_of_members(program)
    procedures = tuple(_narrowed(procedure, known) for procedure in program.procedures)
    return replace(program, procedures=procedures)


def without_excluded(program: Program, bounds: Mapping[str, Mapping[int, Known]]) -> Program:
    """The program without edges that bounds of locals exclude; Refuted if bounds are wrong."""
    if not bounds:
        return program
    procedures = []
    for procedure in program.procedures:
        claims = bounds.get(procedure.name)
        if claims is not None:
            at = {LocId(here): known for here, known in claims.items()}
            check_bounds(procedure, at)
            kept = tuple(
                edge
                for edge in procedure.edges
                if edge.source in at and assumed(edge.action.guard, at[edge.source]) is not None
            )
            procedure = replace(procedure, edges=kept)
        procedures.append(procedure)
    return replace(program, procedures=tuple(procedures))


def reads_members(procedure: Procedure) -> bool:
    """Whether something is said in a procedure of members of locks."""
    return any(
        isinstance(expr, Wrap) and isinstance(expr.operand, Read) and _member(expr.operand.place)
        for edge in procedure.edges
        if isinstance(edge.action, Command)
        for expr in (edge.action.guard, *(each.value for each in edge.action.assignments))
    )


def _member(place: Place) -> Member | None:
    """The member of a lock that a place is."""
    if isinstance(place, FieldPlace) and isinstance(place.base.type, RecordType):
        held = place.base.type
        if any(isinstance(part, MutexType) for _, part in held.fields):
            return held.name, place.field
    return None


def _read(edge: Edge) -> Iterator[Place]:
    return (place for expr in action_expressions(edge.action) for place in read_places(expr))


def _narrowed(procedure: Procedure, known: Mapping[Member, Bounds]) -> Procedure:
    def changed(expr: Expr) -> Expr:
        if isinstance(expr, Read) and (bounds := known.get(_member(expr.place) or ("", ""))):
            low, high = bounds
            assert low is not None
            assert high is not None
            return Wrap(low, high, expr)
        return rebuild(expr, changed)

    def new(edge: Edge) -> Edge:
        if not isinstance(edge.action, Command) or not any(
            _member(place) in known for place in _read(edge)
        ):
            return edge
        assignments = tuple(
            replace(each, value=changed(each.value)) for each in edge.action.assignments
        )
        action = replace(edge.action, guard=changed(edge.action.guard), assignments=assignments)
        return replace(edge, action=action)

    edges = tuple(map(new, procedure.edges))
    same = all(a is b for a, b in zip(edges, procedure.edges, strict=True))
    return procedure if same else replace(procedure, edges=edges)


def _bounds_of_members(program: Program) -> dict[Member, Bounds]:
    """Bounds of the integers beside the owners of mutexes, where only constants are stored."""
    found: dict[Member, list[int] | None] = {}
    for member, value in _stored(program):
        values = found.setdefault(member, [])
        if value is None:
            found[member] = None
        elif values is not None:
            values.append(value)
    return {member: (min(v), max(v)) for member, v in found.items() if v is not None}


def _stored(program: Program) -> Iterator[tuple[Member, int | None]]:
    """What members of locks begin with and what is stored in them; None: anything."""
    for declaration in program.globals:
        yield from _begun_with(declaration)
    for procedure in program.procedures:
        for edge in procedure.edges:
            yield from _stored_along(edge, procedure)


def _begun_with(declaration: Declaration) -> Iterator[tuple[Member, int | None]]:
    held = declaration.variable.type
    if not has_static_size(held) or not any(isinstance(p, MutexType) for p in parts_of(held)):
        return
    for member, values in zip(
        _members(held), initial_choices(declaration, NO_THREADS), strict=True
    ):
        if member is not None:
            for value in (None,) if values is None else values:
                yield member, value if isinstance(value, int) else None


def _stored_along(edge: Edge, procedure: Procedure) -> Iterator[tuple[Member, int | None]]:
    parts = (part for expr in action_expressions(edge.action) for part in subexpressions(expr))
    written = list(action_places(edge.action))
    if isinstance(edge.action, Command):
        for each in edge.action.assignments:
            member = _member(each.target)
            values = None if member is None else _constants(each.value, procedure)
            if member is not None and values is not None:
                yield from ((member, value) for value in values)
                written.remove(each.target)
    elif isinstance(edge.action, Allocate):
        yield from ((member, 0) for member in _members(edge.action.object_type) if member)
    written += [part.place for part in parts if isinstance(part, AddressOf)]
    yield from ((member, None) for place in written if (member := _member(place)) is not None)


def _constants(expr: Expr, procedure: Procedure) -> list[int] | None:
    """The values of a constant, or of a local that gets nothing but constants; None: others."""
    match expr:
        case Const(int(value), _):
            return [value]
        case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
            declared = [d for d in procedure.locals if d.variable == variable]
            if [d.initial for d in declared] != [DEFAULT]:
                return None
            found = [0]
            for edge in procedure.edges:
                if variable.name in written_locals(edge.action):
                    match assigned_locals(edge.action).get(variable.name):
                        case Const(int(value), _):
                            found.append(value)
                        case _:
                            return None
            return found
        case _:
            return None


def _members(held: Type) -> Iterator[Member | None]:
    """Cell by cell, which member of a lock it is."""
    match held:
        case ArrayType(element, extent):
            assert isinstance(extent, int)
            for _ in range(extent):
                yield from _members(element)
        case RecordType(name, fields):
            lock = any(isinstance(part, MutexType) for _, part in fields)
            for field, part in fields:
                if lock and isinstance(part, MachineType):
                    yield name, field
                else:
                    yield from _members(part)
        case MutexType():
            yield from (None for _ in fields_of(held))
        case _:
            yield None
