"""How integers compare, from what a thread knows: `i + 1 <= n`.

A *sum* is an expression and a number that is added to it; arithmetic is mathematical, so equal
sums are equal values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    Scope,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import interval, number, root, subexpressions
from threadwise.ir.types import is_integer

Sum = tuple[Expr | None, int]
REMEMBERED = 1 << 12
"""Of so many sets of conditions it is remembered what they say."""
MANY = 1 << 16
"""Of so many expressions it is remembered which sums they are."""
ORDERS = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)


def sum_of(expr: Expr, known: Mapping[Place, Expr]) -> Sum:
    """An expression as a sum, with what is known put in."""
    core, offset = _plain_sum(expr)
    if isinstance(core, Read) and core.place in known and known[core.place] != core:
        core, more = sum_of(known[core.place], known)
        return core, offset + more
    return core, offset


@lru_cache(maxsize=MANY)
def _plain_sum(expr: Expr) -> Sum:
    match expr:
        case Const(bool(), _):
            return expr, 0
        case Const(int(value), _):
            return None, value
        case Binary(BinaryOp.ADD, left, Const(int(by), _)):
            core, offset = _plain_sum(left)
            return core, offset + by
        case Binary(BinaryOp.ADD, Const(int(by), _), right):
            core, offset = _plain_sum(right)
            return core, offset + by
        case Binary(BinaryOp.SUB, left, Const(int(by), _)):
            core, offset = _plain_sum(left)
            return core, offset - by
        case _:
            return expr, 0


def written_out(core: Expr | None, offset: int) -> Expr:
    """The expression of a sum."""
    if core is None:
        return number(offset)
    return core if offset == 0 else Binary(BinaryOp.ADD, core, number(offset))


def after(expr: Expr, known: Mapping[Place, Expr]) -> Expr:
    """One more than an expression."""
    core, offset = sum_of(expr, known)
    return written_out(core, offset + 1)


def not_negative(expr: Expr) -> Expr:
    """The condition that an integer is at least 0."""
    return Binary(BinaryOp.LE, number(0), expr)


def at_most(least: Expr, most: Expr, known: Mapping[Place, Expr], facts: frozenset[Expr]) -> bool:
    """Whether one integer is surely not larger than another."""
    return _is_at_most(least, most, _with_cells(known, facts), facts)


def _is_at_most(
    least: Expr, most: Expr, known: Mapping[Place, Expr], facts: frozenset[Expr]
) -> bool:
    """The same, with what is known of cells."""
    one, by = sum_of(least, known)
    two, other = sum_of(most, known)
    if one == two:
        return by <= other
    if one is None and two is not None:
        low = interval(two)[0]
        if low is not None and by <= low + other:
            return True
    if two is None and one is not None:
        high = interval(one)[1]
        if high is not None and high + by <= other:
            return True
    for left, right, gap in _orders(facts):
        upper, high_by = sum_of(right, known)
        if upper == two:
            lower, low_by = sum_of(left, known)
            if lower == one and by - other <= low_by + gap - high_by:
                return True
    return False


@lru_cache(maxsize=REMEMBERED)
def _remembered_equalities(facts: frozenset[Expr]) -> tuple[tuple[Place, Expr], ...]:
    return tuple(equalities(facts))


def equalities(facts: Collection[Expr]) -> Iterator[tuple[Place, Expr]]:
    """The cells of shared memory that conditions equate with variables."""
    for fact in facts:
        match fact:
            case Binary(BinaryOp.EQ, Read(place), right) if _is_shared(place):
                if is_integer(right.type) and not _reads_memory(right):
                    yield place, right
            case _:
                pass


def _with_cells(known: Mapping[Place, Expr], facts: frozenset[Expr]) -> Mapping[Place, Expr]:
    """What is known of variables, and of the cells that equal them; no name leads to itself."""
    cells = {
        place: right
        for place, right in _remembered_equalities(facts)
        if (core := sum_of(right, known)[0]) is None or not _reads_memory(core)
    }
    return {**known, **cells} if cells else known


def _reads_memory(expr: Expr) -> bool:
    return any(isinstance(part, Read) and _is_shared(part.place) for part in subexpressions(expr))


def _is_shared(place: Place) -> bool:
    base = root(place)
    return not isinstance(base, VariablePlace) or base.variable.scope is Scope.GLOBAL


def without_wrap(expr: Expr, known: Mapping[Place, Expr], facts: frozenset[Expr]) -> Expr:
    """A sum that surely does not leave the range of its type, as it is."""
    if not isinstance(expr, Wrap):
        return expr
    core, by = sum_of(expr.operand, known)
    if core is None or by < 0:
        return expr
    low, _ = interval(core)
    if low is None or low < expr.low:
        return expr
    bounds = [bound for bound, high in _tops(facts) if high <= expr.high]
    if bounds:
        cells, least = _with_cells(known, facts), written_out(core, max(by, 1))
        if any(_is_at_most(least, bound, cells, facts) for bound in bounds):
            return expr.operand
    return expr


@lru_cache(maxsize=REMEMBERED)
def _tops(facts: frozenset[Expr]) -> tuple[tuple[Expr, int], ...]:
    """What conditions say that something is at most, with its largest value, if there is one."""
    found = ((right, interval(right)[1]) for right in {right: 0 for _, right, _ in _orders(facts)})
    return tuple((right, high) for right, high in found if high is not None)


def compared(expr: Expr, known: Mapping[Place, Expr], facts: frozenset[Expr]) -> bool | None:
    """Whether a comparison of integers holds, as far as it follows from others."""
    if not isinstance(expr, Binary) or expr.op not in ORDERS:
        return None
    left, right, strict = expr.left, expr.right, expr.op in (BinaryOp.LT, BinaryOp.GT)
    if not is_integer(left.type) or not is_integer(right.type):
        return None
    if expr.op in (BinaryOp.GT, BinaryOp.GE):
        left, right = right, left
    cells = _with_cells(known, facts)
    if _is_at_most(after(left, known) if strict else left, right, cells, facts):
        return True
    if _is_at_most(right if strict else after(right, known), left, cells, facts):
        return False
    return None


def bounds_above(expr: Expr, known: Mapping[Place, Expr], facts: frozenset[Expr]) -> list[Expr]:
    """The expressions that an integer is surely less than, as far as conditions say so."""
    found: dict[Expr, None] = {}
    more, cells = after(expr, known), _with_cells(known, facts)
    for _, right, _ in _orders(facts):
        if _is_at_most(more, right, cells, facts):
            found[right] = None
    return sorted(found, key=_spelled)


@lru_cache(maxsize=REMEMBERED)
def _spelled(expr: Expr) -> str:
    return str(expr)


@lru_cache(maxsize=REMEMBERED)
def _orders(facts: frozenset[Expr]) -> tuple[tuple[Expr, Expr, int], ...]:
    return tuple(_each_order(facts))


def _each_order(facts: frozenset[Expr]) -> Iterator[tuple[Expr, Expr, int]]:
    """What conditions say: the first plus the number is at most the second."""
    for fact in facts:
        match fact:
            case Binary(BinaryOp.LT, left, right):
                yield left, right, 1
            case Binary(BinaryOp.LE, left, right):
                yield left, right, 0
            case Binary(BinaryOp.GT, left, right):
                yield right, left, 1
            case Binary(BinaryOp.GE, left, right):
                yield right, left, 0
            case Binary(BinaryOp.EQ, left, right):
                yield left, right, 0
                yield right, left, 0
            case _:
                pass
