"""Global variables that carry nothing from one step to the next become locals.

A harmless global (`escape`) is *temporary* if every read of it comes after a write in the same
atomic region: the value that it had when the region was entered is never read. Then each
procedure that mentions it may as well have one of its own, which dies at the end of the region.
"""

from __future__ import annotations

from threadwise.analyses.addresses import removable_variables
from threadwise.analyses.escape import exposed_variables, harmless_variables
from threadwise.analyses.graphs import loops_first, outgoing_edges
from threadwise.analyses.uses import Names, Uses
from threadwise.analyses.worklist import OrderedWorklist
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import Expr, Place, Read, Scope, Variable, VariablePlace
from threadwise.ir.fold import rebuild, rebuild_place
from threadwise.ir.program import Declaration, Edge, LocId, Procedure, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.rewriting import Rewriting
from threadwise.ir.types import is_scalar


def localise_temporaries(program: Program, uses: Uses | None = None) -> Program:
    """The program with its temporary globals made locals."""
    uses = uses or Uses()
    named = {
        name
        for checked in program.properties
        if isinstance(checked, RaceProperty)
        for name in checked.variables or ()
    }
    removable = harmless_variables(program, uses) & removable_variables(program, uses)
    removable -= exposed_variables(program, uses) | named
    candidates = {
        declaration.variable.name
        for declaration in program.globals
        if is_scalar(declaration.variable.type) and declaration.variable.name in removable
    }
    for procedure in program.procedures:
        candidates -= _read_from_before(procedure, frozenset(candidates), uses)
    if not candidates:
        return program
    procedures = tuple(_localised(procedure, candidates) for procedure in program.procedures)
    kept = tuple(d for d in program.globals if d.variable.name not in candidates)
    return replace(program, globals=kept, procedures=procedures)


def _read_from_before(procedure: Procedure, names: Names, uses: Uses) -> Names:
    """Those that may be read before they are written in a region, or hold what is in memory."""
    hidden = {location.id for location in procedure.locations if location.atomic}
    outgoing = outgoing_edges(procedure)
    found: Names = frozenset()
    written: dict[LocId, Names] = {procedure.entry: frozenset()}
    """By location that can be reached: what was surely written since the region was entered."""
    pending = OrderedWorklist(loops_first(procedure.entry, outgoing), [procedure.entry])
    for here in pending:
        for edge in outgoing[here]:
            used = uses.of(edge)
            found |= (used.read_globals & names) - written[here]
            if used.follows or used.computes:  # what is copied may never have been written
                found |= (used.read_globals | used.written_globals) & names
            after: Names = frozenset()
            if edge.target in hidden:
                after = written[here] | (_surely_written(edge) & names)
            known = written.get(edge.target)
            met = after if known is None else known & after
            if met != known:
                written[edge.target] = met
                pending.add(edge.target)
    return found


def _surely_written(edge: Edge) -> Names:
    """The global variables that an edge writes as a whole."""
    if not isinstance(edge.action, Command):
        return frozenset()
    targets = [each.target for each in edge.action.assignments]
    return frozenset(
        place.variable.name
        for place in (*targets, *edge.action.havocs)
        if isinstance(place, VariablePlace) and place.variable.scope is Scope.GLOBAL
    )


def _localised(procedure: Procedure, names: set[str]) -> Procedure:
    """The procedure with locals in place of the globals of these names."""
    taken = {d.variable.name for d in procedure.locals} | {p.name for p in procedure.parameters}
    own: dict[str, Variable] = {}

    def place(old: Place) -> Place:
        if isinstance(old, VariablePlace) and _is_one_of(old.variable, names):
            name = old.variable.name
            if name not in own:
                own[name] = local_for(old.variable)
            return VariablePlace(own[name])
        return rebuild_place(old, expr)

    def expr(old: Expr) -> Expr:
        if isinstance(old, Read):
            new = place(old.place)
            return old if new is old.place else Read(new)
        return rebuild(old, expr)

    def local_for(variable: Variable) -> Variable:
        name = variable.name
        while name in taken:
            name += "$"
        taken.add(name)
        return Variable(name, variable.type, Scope.LOCAL)

    edges = tuple(map(Rewriting(place, expr).edge, procedure.edges))
    added = tuple(Declaration(variable) for variable in own.values())
    return replace(procedure, locals=(*procedure.locals, *added), edges=edges)


def _is_one_of(variable: Variable, names: set[str]) -> bool:
    return variable.scope is Scope.GLOBAL and variable.name in names
