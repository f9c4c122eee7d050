"""Which shared variables are shared in name only.

A global variable is *private* if no pointer can lead to it and either

- nothing writes it: all threads see its initial value for ever, or
- only the threads of one template touch it, and there is exactly one such thread.

No other thread can notice when a private variable is read or written, and no access to it races.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.commands import Call
from threadwise.ir.expr import IsWritten, Place, Scope, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.program import AnyValue, Edge, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.touches import addressed_variables


def private_variables(program: Program) -> frozenset[str]:
    """The names of the private global variables."""
    exposed = exposed_variables(program)
    written: set[str] = set()
    users: dict[str, set[str]] = {}
    for template in program.templates:
        for procedure in reachable_procedures(program, template.body):
            for edge in program.procedure[procedure].edges:
                for name in written_globals(edge):
                    written.add(name)
                    users.setdefault(name, set()).add(template.name)
                for name in read_globals(edge):
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


def reachable_procedures(program: Program, body: str) -> list[str]:
    """The procedures that a thread with this body can be in."""
    found = [body]
    for name in found:
        for edge in program.procedure[name].edges:
            if isinstance(edge.action, Call) and edge.action.procedure not in found:
                found.append(edge.action.procedure)
    return found


def written_globals(edge: Edge) -> Iterator[str]:
    """The global variables an edge writes by name."""
    for place in action_places(edge.action):
        yield from _global(place)


def read_globals(edge: Edge) -> Iterator[str]:
    """The global variables an edge reads by name."""
    for expr in action_expressions(edge.action):
        for place in read_places(expr):
            yield from _global(place)
        for part in subexpressions(expr):
            if isinstance(part, IsWritten):
                yield from _global(part.place)


def _global(place: Place) -> Iterator[str]:
    base = root(place)
    if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
        yield base.variable.name


def exposed_variables(program: Program) -> set[str]:
    """Variables whose address somebody may hold, or that an invariant mentions."""
    found = set(addressed_variables(program))
    for checked in program.properties:
        if isinstance(checked, InvariantProperty):
            for place in read_places(checked.formula):
                found.update(_global(place))
    return found
