"""What nobody looks at is removed: dead writes, and variables that are written only.

A global variable that only synchronises (its accesses never race), that no pointer leads to and
that nothing reads is removed with the assignments to it. Addresses count global variables, so
those up to the last one that an address may name stay. So the arguments and results of threads
that nobody uses leave no trace in the states.
"""

from __future__ import annotations

from threadwise.analyses.addresses import removable_variables
from threadwise.analyses.escape import exposed_variables
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import Place, VariablePlace
from threadwise.ir.fold import root, uses_memory
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.transforms.simplify.dead_writes import drop_dead_writes
from threadwise.transforms.simplify.opaque_pointers import constant_addresses


def remove_unused(program: Program, uses: Uses | None = None) -> Program:
    """The program without what nobody looks at."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    uses = uses or Uses()
    program = drop_dead_writes(program, uses)
    fewer = _without_unread(program, uses)
    return program if fewer is program else drop_dead_writes(fewer, uses)


def _without_unread(program: Program, uses: Uses) -> Program:
    seen = exposed_variables(program, uses)
    seen.update(*(used.read_globals for used in uses.in_program(program)))
    unread = {
        declaration.variable.name
        for declaration in program.globals
        if declaration.variable.sync and declaration.variable.name not in seen
    }
    unread &= removable_variables(program, uses)
    if not unread:
        return program
    procedures = tuple(
        replace(p, edges=tuple(_unwritten(edge, unread, uses) for edge in p.edges))
        for p in program.procedures
    )
    declared = tuple(d for d in program.globals if d.variable.name not in unread)
    return replace(program, globals=declared, procedures=procedures)


def _unwritten(edge: Edge, unread: set[str], uses: Uses) -> Edge:
    command = edge.action
    if not isinstance(command, Command) or unread.isdisjoint(uses.of(edge).written_globals):
        return edge

    def gone(place: Place) -> bool:
        base = root(place)
        return isinstance(base, VariablePlace) and base.variable.name in unread

    assignments = tuple(a for a in command.assignments if not gone(a.target))
    havocs = tuple(place for place in command.havocs if not gone(place))
    return replace(edge, action=replace(command, assignments=assignments, havocs=havocs))


def remove_unmentioned(program: Program, uses: Uses | None = None) -> Program:
    """The program without locals and global variables that no edge mentions.

    Addresses count global variables: these stay if there are addresses.
    """
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    uses = uses or Uses()
    shared: set[str] = set()
    procedures: list[Procedure] = []
    by_procedure = uses.by_procedure(program)
    for procedure in program.procedures:
        own: set[str] = set()
        for used in by_procedure[procedure.name]:
            own |= used.read | used.written
            shared |= used.read_globals | used.written_globals | used.addressed
        kept = tuple(d for d in procedure.locals if d.variable.name in own)
        procedures.append(replace(procedure, locals=kept))
    program = replace(program, procedures=tuple(procedures))
    if constant_addresses(program, uses) or uses_memory(program):
        return program
    declared = tuple(d for d in program.globals if d.variable.name in shared)
    return replace(program, globals=declared)
