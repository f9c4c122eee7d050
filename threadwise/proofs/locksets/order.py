"""How integers compare, from what a thread knows: `i + 1 <= n`.

A *sum* is an expression and a number that is added to it; arithmetic is mathematical, so equal
sums are equal values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache

from threadwise.core.identity import Same
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
FEW = 64
"""Of so many threads that know something it is remembered how that compares."""
REMEMBERED = 1 << 12
"""Of so many sets of conditions it is remembered what they say."""
MANY = 1 << 16
"""Of so many expressions it is remembered which sums they are."""
ORDERS = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)
_TELLING = (*ORDERS, BinaryOp.EQ)


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
    return _told(Same(known), facts).is_at_most(least, most)


class _Told:
    """What a thread knows of integers, put together once for all that is asked.

    Conditions about pointers say nothing about sums of integers, and are left out.
    """

    def __init__(self, known: Mapping[Place, Expr], facts: frozenset[Expr]) -> None:
        self.known = _with_cells(known, facts)
        """With what is known of cells."""
        self._orders = _orders(facts)

    @cached_property
    def _below(self) -> Mapping[Expr | None, list[tuple[Expr, int]]]:
        """What is at most the sums of each expression, after so much is added to it."""
        found: dict[Expr | None, list[tuple[Expr, int]]] = {}
        for left, right, gap in self._orders:
            upper, high_by = sum_of(right, self.known)
            found.setdefault(upper, []).append((left, gap - high_by))
        return found

    def is_at_most(self, least: Expr, most: Expr) -> bool:
        """Whether one integer is surely not larger than another."""
        one, by = sum_of(least, self.known)
        two, other = sum_of(most, self.known)
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
        for left, gap in self._below.get(two, ()):
            lower, low_by = sum_of(left, self.known)
            if lower == one and by - other <= low_by + gap:
                return True
        return False


@lru_cache(maxsize=FEW)
def _told(known: Same, facts: frozenset[Expr]) -> _Told:
    """Of the last few threads that were asked for it is remembered what they know."""
    values: Mapping[Place, Expr] = known.kept  # type: ignore[assignment]
    return _Told(values, facts)


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
        told, least = _told(Same(known), facts), written_out(core, max(by, 1))
        if any(told.is_at_most(least, bound) for bound in bounds):
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
    told = _told(Same(known), facts)
    if told.is_at_most(after(left, known) if strict else left, right):
        return True
    if told.is_at_most(right if strict else after(right, known), left):
        return False
    return None


def bounds_above(expr: Expr, known: Mapping[Place, Expr], facts: frozenset[Expr]) -> list[Expr]:
    """The expressions that an integer is surely less than, as far as conditions say so."""
    found: dict[Expr, None] = {}
    more, told = after(expr, known), _told(Same(known), facts)
    for _, right, _ in _orders(facts):
        if told.is_at_most(more, right):
            found[right] = None
    return sorted(found, key=_spelled)


@lru_cache(maxsize=REMEMBERED)
def _spelled(expr: Expr) -> str:
    return str(expr)


@lru_cache(maxsize=REMEMBERED)
def _orders(facts: frozenset[Expr]) -> tuple[tuple[Expr, Expr, int], ...]:
    return tuple(_each_order(facts))


def _each_order(facts: frozenset[Expr]) -> Iterator[tuple[Expr, Expr, int]]:
    """What conditions say of integers: the first plus the number is at most the second."""
    for fact in facts:
        if not isinstance(fact, Binary) or fact.op not in _TELLING:
            continue
        left, right = fact.left, fact.right
        if not is_integer(left.type) or not is_integer(right.type):
            continue
        match fact.op:
            case BinaryOp.LT:
                yield left, right, 1
            case BinaryOp.LE:
                yield left, right, 0
            case BinaryOp.GT:
                yield right, left, 1
            case BinaryOp.GE:
                yield right, left, 0
            case _:
                yield left, right, 0
                yield right, left, 0
