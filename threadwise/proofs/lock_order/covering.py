"""Whether one of some guards is always true, whatever values the comparisons in them have."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from threadwise.ir.expr import Binary, BinaryOp, Const, Expr, Unary, UnaryOp

MOST_CASES = 2000
"""With more cases to distinguish, the answer is no."""

_NEGATED = {BinaryOp.NE: BinaryOp.EQ, BinaryOp.GE: BinaryOp.LT, BinaryOp.GT: BinaryOp.LE}


MOST_REMEMBERED = 1 << 14
"""Of so many different guards it is remembered whether one always holds."""


@lru_cache(maxsize=MOST_REMEMBERED)
def one_always_holds(guards: tuple[Expr, ...]) -> bool:
    """Whether in each case, given by results of some comparisons, one of the guards is true."""
    cases: list[Mapping[Expr, bool]] = [{}]
    for count, case in enumerate(cases):  # which grow
        if count > MOST_CASES:
            return False
        found = [_value(guard, case) for guard in guards]
        if True in found:
            continue
        open_ones = [part for part in found if not isinstance(part, bool)]
        if not open_ones:
            return False
        cases += [{**case, open_ones[0]: True}, {**case, open_ones[0]: False}]
    return True


def _value(guard: Expr, case: Mapping[Expr, bool]) -> bool | Expr:
    """The value of a guard in a case, or a comparison that it depends on."""
    match guard:
        case Const(value, _):
            return bool(value)
        case Unary(UnaryOp.NOT, operand):
            return _not(_value(operand, case))
        case Binary(BinaryOp.AND, left, right):
            first = _value(left, case)
            return _value(right, case) if first is True else first
        case Binary(BinaryOp.OR, left, right):
            first = _value(left, case)
            return _value(right, case) if first is False else first
        case Binary(op, left, right) if op in _NEGATED:
            return _not(_value(Binary(_NEGATED[op], left, right), case))
        case _:
            return case.get(guard, guard)


def _not(value: bool | Expr) -> bool | Expr:
    return not value if isinstance(value, bool) else value
