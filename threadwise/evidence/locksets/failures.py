"""Where a proof by locksets may not lead.

What has no meaning in C is assumed not to happen where it may happen or not. Where nothing else
can happen, as the text of the program shows (a number is used as an address, an index is a
constant beyond the array), the assumption would say that the place is never reached: of many
programs that is not true, because they have a meaning in practice. Null pointers have none: where
one is found by a test, the program ends.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.ir.expr import Binary, BinaryOp, Const, Expr
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import Edge, FailureKind, LocId, Program
from threadwise.ir.types import NULL, EnumType

ENDS = FailureKind.UNDEFINED, FailureKind.LIMIT


def end_of_model(program: Program, reached: Iterable[LocId]) -> str | None:
    """The first limit among what is reached, or the first place from which nothing else leads."""
    for location in reached:
        failure = program.locations[location].failure
        if failure is not None and failure.kind is FailureKind.LIMIT:
            return failure.message
        edges = program.outgoing[location]
        ends = [program.locations[edge.target].failure for edge in edges]
        if not all(end is not None and end.kind in ENDS for end in ends):
            continue
        for edge, end in zip(edges, ends, strict=True):
            assert end is not None
            if end.kind is FailureKind.UNDEFINED and not _finds_null(edge):
                return end.message
    return None


def _finds_null(edge: Edge) -> bool:
    return any(
        isinstance(part, Binary) and part.op is BinaryOp.EQ and _is_null(part.right)
        for part in conjuncts(edge.action.guard)
    )


def _is_null(expr: Expr) -> bool:
    match expr:
        case Const(value, EnumType("pointer", _)):  # see threadwise.ir.simplify.opaque_pointers
            return value == 0
        case Const(value, _):
            return value is NULL
        case _:
            return False
