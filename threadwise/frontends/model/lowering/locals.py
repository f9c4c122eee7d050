"""Local declarations.

At the top of a body they belong to the entry of the activation; only an initialiser that is not
constant takes a step. Anywhere else a declaration is a statement, and one step: it assigns its
initialiser, or the default of its type, each time control passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.frontends.model.lowering.body import Body, ranges
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.symbols import BROKEN, OPERATIONS
from threadwise.frontends.model.typing.typed import Check, Typed
from threadwise.frontends.model.typing.types import (
    DEFAULT,
    Anything,
    Contents,
    Filled,
    Listed,
    cells,
    contents,
    declared_type,
    default_constant,
    initial,
    scalar_of,
)
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Expr, Variable, VariablePlace
from threadwise.ir.types import ArrayType, MutexType, PerThread, Type


def declare(body: Body, node: ast.Declaration, *, leading: bool) -> Variable | None:
    """Make a local visible and give it its value; the initialiser is not a call."""
    held = local_type(body, node)
    if held is None:
        return None
    contained: Contents | None = None
    if node.initialiser is not None:
        contained = contents(node.initialiser, held, body.expressions)
        if contained is None:
            body.frame.scope.declare(node.name, BROKEN)
            return None
    constant = DEFAULT if contained is None else initial(contained)
    at_entry = leading and constant is not None and not isinstance(contained, Anything)
    start = constant if at_entry and constant is not None else DEFAULT
    variable = body.local(node.name, held, start, exposable=body.frame.scope.is_outermost)
    if not at_entry:
        _initialise(body, node, variable, contained)
    return variable


def local_type(body: Body, node: ast.Declaration) -> Type | None:
    """The type of a local that may be declared here; otherwise its name is marked as broken."""
    name = node.name
    reporter, scope = body.reporter, body.frame.scope
    first = scope.declared_here(name.name)
    if name.name in OPERATIONS:
        reporter.error(name, f"`{name.name}` is the name of a built-in operation")
    elif first is not None:
        note = ("first declared here", first)
        reporter.error(name, f"`{name.name}` is declared twice", notes=[note])
        return None
    held = declared_type(node, body.expressions)
    if held is not None and isinstance(scalar_of(held), MutexType):
        reporter.error(node, "a mutex must be shared", "declare it outside of the body")
        held = None
    elif held is not None and _is_per_thread(held):
        reporter.error(node, "an array with one element per thread must be shared")
        held = None
    if held is None:
        scope.declare(name, BROKEN)
    return held


def _is_per_thread(held: Type) -> bool:
    while isinstance(held, ArrayType):
        if isinstance(held.extent, PerThread):
            return True
        held = held.element
    return False


def _initialise(
    body: Body, node: ast.Declaration, variable: Variable, contained: Contents | None
) -> None:
    """The step that gives a variable its first value."""
    targets = tuple(cells(VariablePlace(variable)))
    values: Sequence[Expr]
    checks: Sequence[Check] = ()
    match contained:
        case Anything():
            body.step(node, Command(havocs=targets))
            return
        case None:
            values = [default_constant(target.type) for target in targets]
        case Filled(Typed(expr, needed)):
            values, checks = [expr] * len(targets), needed
        case Listed(listed):
            values = [value.expr for value in listed]
            checks = [check for value in listed for check in value.checks]
    assignments = tuple(
        Assignment(target, value) for target, value in zip(targets, values, strict=True)
    )
    body.step(node, Command(assignments=assignments), ranges(checks))
