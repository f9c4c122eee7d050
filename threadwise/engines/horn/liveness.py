"""Which variables of a thread matter where: those that may be read before they are written.

What the invariants of a program read of a thread always matters. So do, in a program with calls,
what a thread has beside its locals (its callers may read it), and parameters that are never
written: they still have the values that the caller passed.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.analyses.liveness import ReadAndOverwritten, live_by
from threadwise.analyses.regions import called_procedures, has_calls, kept_parameters
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    Expr,
    Place,
    Read,
    Scope,
    ThreadRead,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty


def live_variables(program: Program, template: str) -> dict[LocId, frozenset[Variable]]:
    """Per location of a template's procedures the thread's variables that matter there."""
    live: dict[LocId, frozenset[Variable]] = {}
    always = frozenset(_observed(program))
    if has_calls(program):
        always |= {d.variable for d in program.template[template].variables}
    for name in called_procedures(program, template):
        procedure = program.procedure[name]
        kept = {procedure.parameters[k] for k in kept_parameters(program, name)}
        live.update(_in_procedure(procedure, always | kept))
    return live


def _in_procedure(
    body: Procedure, always: frozenset[Variable]
) -> dict[LocId, frozenset[Variable]]:
    uses = {edge.id: ReadAndOverwritten(_read(edge), _written(edge)) for edge in body.edges}
    return live_by(body, lambda edge, _: uses[edge.id], always)


def _observed(program: Program) -> Iterator[Variable]:
    for checked in program.properties:
        if isinstance(checked, InvariantProperty):
            for part in subexpressions(checked.formula):
                if isinstance(part, ThreadRead):
                    yield from _own(part.place)


def _read(edge: Edge) -> frozenset[Variable]:
    """The variables of the thread that an edge reads, those it writes in part included."""
    found: list[Variable] = []
    for whole in action_expressions(edge.action):
        found.extend(_reads(whole))
    for place in action_places(edge.action):
        if not isinstance(place, VariablePlace):
            found.extend(_own(place))
    return frozenset(found)


def _reads(whole: Expr) -> Iterator[Variable]:
    for part in subexpressions(whole):
        if isinstance(part, Read):
            yield from _own(part.place)


def _own(place: Place) -> Iterator[Variable]:
    base = root(place)
    if isinstance(base, VariablePlace) and base.variable.scope is not Scope.GLOBAL:
        yield base.variable


def _written(edge: Edge) -> frozenset[Variable]:
    """The variables of the thread that an edge writes as a whole."""
    if isinstance(edge.action, Call | Command):
        return frozenset(
            place.variable
            for place in action_places(edge.action)
            if isinstance(place, VariablePlace) and place.variable.scope is not Scope.GLOBAL
        )
    return frozenset()
