"""Formulas as a person would write them.

Solvers answer `next + -1 * my >= 1`; this says `next > my`. Terms with negative factors go to the
other side, `a < b || a > b` becomes `a != b`, `a <= b && a >= b` becomes `a == b`.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.engines.counting.simplify import folded, linear, plus
from threadwise.ir.expr import COMPLEMENT, MIRRORED, TRUE, Binary, BinaryOp, Expr, Unary, UnaryOp
from threadwise.ir.fold import number, rebuild
from threadwise.ir.types import is_integer


def tidy(expr: Expr) -> Expr:
    """An equivalent formula that is easier to read."""
    expr = folded(rebuild(expr, tidy))
    match expr:
        case Unary(UnaryOp.NOT, Binary(op, left, right)) if op in COMPLEMENT:
            opposite = Binary(COMPLEMENT[op], left, right)
            return _comparison(opposite) if is_integer(left.type) else opposite
        case Binary(op, left, _) if op in MIRRORED and is_integer(left.type):
            return _comparison(expr)
        case Binary(BinaryOp.OR | BinaryOp.AND as op, _, _):
            return _joined(op, list(dict.fromkeys(_parts(op, expr))))
        case _:
            return expr


def _comparison(expr: Binary) -> Expr:
    op = expr.op
    terms, constant = plus(linear(expr.left), linear(expr.right), -1)
    if not terms:
        return folded(expr)
    if op is BinaryOp.GE:
        op, constant = BinaryOp.GT, constant + 1
    elif op is BinaryOp.LE:
        op, constant = BinaryOp.LT, constant - 1
    if list(terms.values())[:1] < [0]:
        terms = {atom: -factor for atom, factor in terms.items()}
        op, constant = MIRRORED[op], -constant
    positive = [(atom, factor) for atom, factor in terms.items() if factor > 0]
    negative = [(atom, -factor) for atom, factor in terms.items() if factor < 0]
    # what remains of the constant decides between `a < b + 1` and `a <= b`
    if op is BinaryOp.LT and constant == -1:
        op, constant = BinaryOp.LE, 0
    elif op is BinaryOp.GT and constant == 1:
        op, constant = BinaryOp.GE, 0
    elif not negative and op is BinaryOp.GT:
        op, constant = BinaryOp.GE, constant - 1
    elif not negative and op is BinaryOp.LT:
        op, constant = BinaryOp.LE, constant + 1
    if not negative:
        return Binary(op, _sum(positive, 0), number(-constant))
    return Binary(op, _sum(positive, max(constant, 0)), _sum(negative, max(-constant, 0)))


def _sum(terms: Sequence[tuple[Expr, int]], constant: int) -> Expr:
    result: Expr | None = None
    for atom, factor in terms:
        part = atom if factor == 1 else Binary(BinaryOp.MUL, number(factor), atom)
        result = part if result is None else Binary(BinaryOp.ADD, result, part)
    if result is None:
        return number(constant)
    return Binary(BinaryOp.ADD, result, number(constant)) if constant else result


def _parts(op: BinaryOp, expr: Expr) -> list[Expr]:
    if isinstance(expr, Binary) and expr.op is op:
        return [*_parts(op, expr.left), *_parts(op, expr.right)]
    return [expr]


def _joined(op: BinaryOp, parts: list[Expr]) -> Expr:
    pair = (BinaryOp.LT, BinaryOp.GT) if op is BinaryOp.OR else (BinaryOp.LE, BinaryOp.GE)
    merged = BinaryOp.NE if op is BinaryOp.OR else BinaryOp.EQ
    kept: list[Expr] = []
    for part in parts:
        twin = _twin(part, pair)
        if twin is not None and twin in kept:
            assert isinstance(part, Binary)
            kept[kept.index(twin)] = Binary(merged, part.left, part.right)
        else:
            kept.append(part)
    result = kept[0] if kept else TRUE
    for part in kept[1:]:
        result = Binary(op, result, part)
    return result


def _twin(part: Expr, pair: tuple[BinaryOp, BinaryOp]) -> Expr | None:
    """The other one of two comparisons."""
    if isinstance(part, Binary) and part.op in pair:
        other = pair[1] if part.op is pair[0] else pair[0]
        return Binary(other, part.left, part.right)
    return None
