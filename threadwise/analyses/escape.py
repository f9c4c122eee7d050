"""Escape analysis: which shared variables are shared in name only.

A global variable is *private* if no pointer can lead to it and either

- nothing writes it: all threads see its initial value for ever, or
- only the threads of one template touch it, and there is exactly one such thread.

No other thread can notice when a private variable is read or written, and no access to it races.
Nor does one to a *harmless* variable: it is private, or all accesses to it are synchronisation.
"""

from __future__ import annotations

from threadwise.analyses.addresses import addressed_variables
from threadwise.analyses.graphs import reachable_procedures
from threadwise.analyses.uses import Uses
from threadwise.ir.expr import Scope, VariablePlace
from threadwise.ir.fold import read_places, root
from threadwise.ir.program import AnyValue, Program
from threadwise.ir.properties import InvariantProperty


def private_variables(program: Program, uses: Uses | None = None) -> frozenset[str]:
    """The names of the private global variables."""
    uses = uses or Uses()
    exposed = exposed_variables(program, uses)
    by_procedure = uses.by_procedure(program)
    written: set[str] = set()
    users: dict[str, set[str]] = {}
    for template in program.templates:
        for procedure in reachable_procedures(program, template.body):
            for used in by_procedure[procedure]:
                written |= used.written_globals
                for name in used.written_globals | used.read_globals:
                    users.setdefault(name, set()).add(template.name)
    single = {template.name for template in program.templates if template.count == 1}
    found: set[str] = set()
    for declaration in program.globals:
        name = declaration.variable.name
        constant = name not in written and not isinstance(declaration.initial, AnyValue)
        alone = len(users.get(name, ())) <= 1 and users.get(name, set()) <= single
        if name not in exposed and (constant or alone):
            found.add(name)
    return frozenset(found)


def harmless_variables(program: Program, uses: Uses) -> frozenset[str]:
    """The names of global variables that cannot race.

    They are private, or nothing but synchronisation ever touches them.
    """
    plain = exposed_variables(program, uses)
    for used in {uses.of(edge) for edge in program.edges if not edge.sync}:
        plain |= used.read_globals | used.written_globals
    return private_variables(program, uses) | {
        declaration.variable.name
        for declaration in program.globals
        if declaration.variable.sync or declaration.variable.name not in plain
    }


def unwritten_variables(program: Program, uses: Uses) -> frozenset[str]:
    """The names of global variables that nothing writes, whatever values they start with."""
    exposed = exposed_variables(program, uses)
    written = {name for used in uses.in_program(program) for name in used.written_globals}
    names = (declaration.variable.name for declaration in program.globals)
    return frozenset(name for name in names if name not in exposed and name not in written)


def exposed_variables(program: Program, uses: Uses) -> set[str]:
    """Variables whose address is taken, or that an invariant mentions."""
    found = addressed_variables(program, uses)
    for checked in program.properties:
        if isinstance(checked, InvariantProperty):
            for place in read_places(checked.formula):
                base = root(place)
                if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
                    found.add(base.variable.name)
    return found
