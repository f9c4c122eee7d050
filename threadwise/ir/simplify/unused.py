"""What nobody looks at is removed: dead assignments, and variables that are written only.

- An assignment to a local that is dead afterwards is dropped if its value reads nothing that could
  race: only locals, and variables that only synchronise.
- A global variable that only synchronises (its accesses never race), that no pointer leads to and
  that nothing reads is removed with the assignments to it. Addresses count global variables, so
  those up to the last one that an address may name stay.

So the arguments and results of threads that nobody uses leave no trace in the states.
"""

from __future__ import annotations

from dataclasses import replace

from threadwise.ir.commands import Command
from threadwise.ir.expr import DerefPlace, Expr, IsValid, Scope, Variable, VariablePlace
from threadwise.ir.fold import read_places, root, subexpressions, uses_memory
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.rewriting import mentioned_places
from threadwise.ir.simplify.dead_values import live_locals
from threadwise.ir.simplify.opaque_pointers import constant_addresses
from threadwise.ir.simplify.privacy import exposed_variables, read_globals
from threadwise.ir.touches import numbered_variables


def remove_unused(program: Program) -> Program:
    """The program without what nobody looks at."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    while (simpler := _without_dead_assignments(program)) != program:
        program = simpler
    return _without_unread(program)


def _without_dead_assignments(program: Program) -> Program:
    procedures = []
    for procedure in program.procedures:
        live = live_locals(procedure)
        edges = tuple(_living(edge, live[edge.target]) for edge in procedure.edges)
        procedures.append(replace(procedure, edges=edges))
    return replace(program, procedures=tuple(procedures))


def _living(edge: Edge, live: frozenset[str]) -> Edge:
    command = edge.action
    if not isinstance(command, Command):
        return edge
    kept = tuple(
        assignment
        for assignment in command.assignments
        if not isinstance(assignment.target, VariablePlace)
        or assignment.target.variable.scope is not Scope.LOCAL
        or assignment.target.variable.name in live
        or not _is_harmless(assignment.value)
    )
    if len(kept) == len(command.assignments):
        return edge
    return replace(edge, action=replace(command, assignments=kept))


def _is_harmless(value: Expr) -> bool:
    """Whether reading the value can be left out without hiding a race."""
    for place in read_places(value):
        base = root(place)
        if isinstance(base, DerefPlace):
            return False
        if base.variable.scope is Scope.GLOBAL and not base.variable.sync:
            return False
    return not any(isinstance(part, IsValid) for part in subexpressions(value))


def _without_unread(program: Program) -> Program:
    seen = exposed_variables(program)
    for edge in program.edges:
        seen.update(read_globals(edge))
        if edge.operation is not None and edge.operation.subject is not None:
            for place in read_places(edge.operation.subject):
                base = root(place)
                if isinstance(base, VariablePlace):
                    seen.add(base.variable.name)
    numbered = set(numbered_variables(program))
    last = max(
        (n for n, d in enumerate(program.globals) if d.variable.name in numbered), default=-1
    )
    unread = {
        declaration.variable.name
        for number, declaration in enumerate(program.globals)
        if number > last and declaration.variable.sync and declaration.variable.name not in seen
    }
    if not unread:
        return program
    procedures = tuple(
        replace(p, edges=tuple(_unwritten(edge, unread) for edge in p.edges))
        for p in program.procedures
    )
    declared = tuple(d for d in program.globals if d.variable.name not in unread)
    return replace(program, globals=declared, procedures=procedures)


def _unwritten(edge: Edge, unread: set[str]) -> Edge:
    command = edge.action
    if not isinstance(command, Command):
        return edge

    def gone(place: object) -> bool:
        base = root(place)  # type: ignore[arg-type]  # a place
        return isinstance(base, VariablePlace) and base.variable.name in unread

    assignments = tuple(a for a in command.assignments if not gone(a.target))
    havocs = tuple(place for place in command.havocs if not gone(place))
    return replace(edge, action=replace(command, assignments=assignments, havocs=havocs))


def remove_unmentioned(program: Program) -> Program:
    """The program without locals and global variables that no edge mentions.

    Addresses count global variables: these stay if there are addresses.
    """
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    shared: set[str] = set()
    procedures: list[Procedure] = []
    for procedure in program.procedures:
        named = _mentioned(procedure)
        shared |= {variable.name for variable in named if variable.scope is Scope.GLOBAL}
        own = {variable.name for variable in named if variable.scope is Scope.LOCAL}
        kept = tuple(d for d in procedure.locals if d.variable.name in own)
        procedures.append(replace(procedure, locals=kept))
    program = replace(program, procedures=tuple(procedures))
    if constant_addresses(program) or uses_memory(program):
        return program
    declared = tuple(d for d in program.globals if d.variable.name in shared)
    return replace(program, globals=declared)


def _mentioned(procedure: Procedure) -> set[Variable]:
    places = (place for edge in procedure.edges for place in mentioned_places(edge))
    bases = map(root, places)
    return {base.variable for base in bases if isinstance(base, VariablePlace)}
