"""What edges may follow, and what is never taken (5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from threadwise.ir.beyond import BEYOND
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    IsWritten,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    children,
    conjuncts,
    root,
    subexpressions,
)
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import (
    DEFAULT,
    Edge,
    Program,
    stated_values,
)
from threadwise.ir.types import (
    INT,
    INTEGER_OBJECT,
    Address,
    Value,
)
from threadwise.proofs.simplified.resolved.tables import Tables
from threadwise.proofs.simplified.resolved.words import (
    Followed,
)

NOT_ZERO = Binary(BinaryOp.NE, Read(VariablePlace(BEYOND)), Const(0, INT))


def followed(edge: Edge) -> Iterator[Followed]:
    """The pointers that an edge may follow."""
    for place in action_places(edge.action):
        yield from _in_place(place)
    for expr in action_expressions(edge.action):
        yield from in_expr(expr)


def _in_place(place: Place, *, itself: bool = True) -> Iterator[Followed]:
    match place:
        case VariablePlace():
            return
        case FieldPlace(base, _):
            yield from _in_place(base, itself=itself)
        case IndexPlace(base, index):
            yield from in_expr(index)
            yield from _in_place(base, itself=itself)
        case DerefPlace(pointer, held):
            yield from in_expr(pointer)
            if itself:
                yield pointer, held


def in_expr(expr: Expr) -> Iterator[Followed]:
    """The pointers that an expression may follow."""
    match expr:
        case Read(place) | IsWritten(place):
            yield from _in_place(place)
        case AddressOf(place):  # nothing is looked up there
            yield from _in_place(place, itself=False)
        case _:
            for part in children(expr):
                yield from in_expr(part)


def beyond_is_zero(program: Program, tables: Tables) -> bool:
    """(5): whether a variable is zero in every state: only edges that need another value write
    it."""
    for declaration in program.globals:
        if declaration.variable == BEYOND:
            values: tuple[Value, ...] = stated_values(declaration.initial)
            started = declaration.initial == DEFAULT or (values and {*values} == {0})
            if not started or any(t.variable == BEYOND for t in tables.targets):
                return False
    return all(
        NOT_ZERO in conjuncts(edge.action.guard)
        for edge in program.edges
        if any(root(place) == VariablePlace(BEYOND) for place in action_places(edge.action))
    )


def holds_integers(program: Program, excluded: Callable[[Edge], bool]) -> bool:
    """Whether a pointer may hold an integer other than 0."""
    values = [v for d, _ in program.declarations for v in stated_values(d.initial)]
    for edge in program.edges:
        if excluded(edge):
            continue
        for expr in edge_expressions(edge):
            for part in subexpressions(expr):
                if isinstance(part, IntToPointer):
                    return True
                if isinstance(part, Const):
                    values.append(part.value)
    return any(isinstance(v, Address) and v.number == INTEGER_OBJECT for v in values)
