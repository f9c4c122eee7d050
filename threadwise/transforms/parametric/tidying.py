"""Removes unused handles from a parametric abstraction, and narrows the types of integers.

handles     on which no condition depends, and which cannot race, are left out, with their
            constants, unless a value that may race is assigned to them
integers    that are shared and only ever assigned constants get a range as their type, so that
            provers have bounds on their values
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, Expr, Place, Read, Scope, Variable, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    read_places,
    rebuild,
    rebuild_place,
    root,
    uses_memory,
)
from threadwise.ir.program import (
    Declaration,
    DefaultValue,
    Edge,
    FillValue,
    ListedValues,
    Procedure,
    Program,
)
from threadwise.ir.types import MachineType, RangeType, Value
from threadwise.transforms.parametric.names import Key, ParametricPools

WIDEST = 16
"""Ranges of integers are at most so wide."""


def tidied(program: Program, told: ParametricPools) -> Program:
    """The abstraction without unused handles and with narrow types."""
    looked_at = _without_handles(program, told)
    return looked_at if uses_memory(looked_at) else _narrowed(looked_at)


# -- unused handles -------------------------------------------------------------------------------


def _without_handles(program: Program, told: ParametricPools) -> Program:
    names = {
        (procedure, handle.variable.name): handle
        for (procedure, _), handle in told.handles.items()
        if procedure or handle.variable.sync
    }
    used: set[Key] = set()
    while more := {key for key in _needed(program, used, set(names)) if key in names} - used:
        used |= more
    unused = names.keys() - used
    constants = {names[key].kappa for key in unused}

    def keeps(variable: Variable, procedure: str) -> bool:
        return _key(variable, procedure) not in unused and variable not in constants

    return replace(
        program,
        globals=tuple(d for d in program.globals if keeps(d.variable, "")),
        procedures=tuple(
            replace(
                p,
                locals=tuple(d for d in p.locals if keeps(d.variable, p.name)),
                edges=tuple(_without(edge, unused, p.name) for edge in p.edges),
            )
            for p in program.procedures
        ),
    )


def _needed(program: Program, used: set[Key], handles: set[Key]) -> Iterator[Key]:
    """What is read, except for values that are assigned to unused handles."""
    for procedure in program.procedures:
        for edge in procedure.edges:
            for expr in _read(edge, procedure.name, used, handles):
                for place in read_places(expr):
                    base = root(place)
                    if isinstance(base, VariablePlace):
                        yield _key(base.variable, procedure.name)


def _read(edge: Edge, procedure: str, used: set[Key], handles: set[Key]) -> Iterator[Expr]:
    action = edge.action
    if not isinstance(action, Command):
        yield from action_expressions(action)
        return
    yield action.guard
    for assignment in action.assignments:
        key = _target(assignment.target, procedure)
        if key not in handles or key in used or _looks_at_plain(assignment.value):
            yield assignment.value
            yield Read(assignment.target)


def _looks_at_plain(value: Expr) -> bool:
    """Whether evaluating a value makes an access that may race: then it has to be kept."""
    bases = map(root, read_places(value))
    return any(
        not isinstance(base, VariablePlace)
        or (base.variable.scope is Scope.GLOBAL and not base.variable.sync)
        for base in bases
    )


def _without(edge: Edge, unused: set[Key], procedure: str) -> Edge:
    action = edge.action
    if not isinstance(action, Command):
        return edge
    kept = tuple(a for a in action.assignments if _target(a.target, procedure) not in unused)
    havocs = tuple(p for p in action.havocs if _target(p, procedure) not in unused)
    return replace(edge, action=Command(action.guard, kept, havocs))


def _target(place: Place, procedure: str) -> Key | None:
    base = root(place)
    return _key(base.variable, procedure) if isinstance(base, VariablePlace) else None


def _key(variable: Variable, procedure: str) -> Key:
    return "" if variable.scope is Scope.GLOBAL else procedure, variable.name


# -- integers of few values -----------------------------------------------------------------------


def _narrowed(program: Program) -> Program:
    values: dict[Variable, set[int] | None] = {}
    for declaration in program.globals:
        if isinstance(declaration.variable.type, MachineType):
            values[declaration.variable] = _initial(declaration)
    for edge in program.edges:
        told = edge.action.assignments if isinstance(edge.action, Command) else ()
        constants = {
            a.target.variable: a.value.value
            for a in told
            if isinstance(a.target, VariablePlace) and isinstance(a.value, Const)
        }
        for place in action_places(edge.action):
            base = root(place)
            if not isinstance(base, VariablePlace) or values.get(base.variable) is None:
                continue
            known, value = values[base.variable], constants.get(base.variable)
            if known is None or type(value) is not int:
                values[base.variable] = None
            else:
                known.add(value)
    narrow = {
        variable: replace(variable, type=RangeType(min(known), max(known)))
        for variable, known in values.items()
        if known and max(known) - min(known) < WIDEST
    }
    return _replaced(program, narrow) if narrow else program


def _initial(declaration: Declaration) -> set[int] | None:
    found: tuple[Value, ...] = (0,)
    match declaration.initial:
        case FillValue(value):
            found = (value,)
        case ListedValues(values):
            found = values
        case DefaultValue():
            pass
        case _:
            return None
    return {value for value in found if type(value) is int}


def _replaced(program: Program, narrow: Mapping[Variable, Variable]) -> Program:
    """The program with other types of some shared variables."""

    def change(expr: Expr) -> Expr:
        return Read(moved(expr.place)) if isinstance(expr, Read) else rebuild(expr, change)

    def moved(place: Place) -> Place:
        if isinstance(place, VariablePlace):
            return VariablePlace(narrow.get(place.variable, place.variable))
        return rebuild_place(place, change)

    def edge_of(edge: Edge) -> Edge:
        action = edge.action
        if not isinstance(action, Command):
            return edge
        assignments = tuple(
            _assignment(moved(a.target), change(a.value)) for a in action.assignments
        )
        havocs = tuple(moved(place) for place in action.havocs)
        return replace(edge, action=Command(change(action.guard), assignments, havocs))

    def procedure_of(procedure: Procedure) -> Procedure:
        return replace(procedure, edges=tuple(map(edge_of, procedure.edges)))

    shared = tuple(
        replace(d, variable=narrow.get(d.variable, d.variable)) for d in program.globals
    )
    procedures = tuple(map(procedure_of, program.procedures))
    return replace(program, globals=shared, procedures=procedures)


def _assignment(target: Place, value: Expr) -> Assignment:
    """An assignment; a constant gets the type of its target."""
    if isinstance(value, Const) and isinstance(target.type, RangeType):
        value = Const(value.value, target.type)
    return Assignment(target, value)
