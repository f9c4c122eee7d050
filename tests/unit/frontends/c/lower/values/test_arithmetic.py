"""Operators on numbers: with operands that leave the other one as it is, or that decide alone."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from tests.unit.frontends.c.checking import holds


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": quotient,
    "%": lambda a, b: a - quotient(a, b) * b,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
}
SPECIAL = (0, 1, -1)
VALUES = (0, 1, 5, -6)


def is_defined(op: str, a: int, b: int) -> bool:
    if op in ("/", "%"):
        return b != 0
    return op not in ("<<", ">>") or (b >= 0 and (op == ">>" or a >= 0))


def claims(constant: int) -> Iterator[str]:
    """What operators with this constant and a variable on the other side give."""
    for op, meaning in OPERATORS.items():
        for value in VALUES:
            for left, right in (("x", constant), (constant, "x")):
                a, b = (value if side == "x" else constant for side in (left, right))
                if is_defined(op, a, b):
                    expected = int(meaning(a, b))
                    yield f"x = {value}; assert(({left} {op} {right}) == {expected});"


def test_constants_that_decide_or_change_nothing() -> None:
    assert holds(f"int x; {' '.join(claim for each in SPECIAL for claim in claims(each))}")


def test_constants_beside_unsigned_numbers_wrap() -> None:
    assert holds(
        "unsigned x = 5; assert(0 - x == 4294967291u); assert(x - 6 == 4294967295u);"
        " assert(0 * x == 0); assert((0 & x) == 0); assert((0 | x) == 5); assert((x ^ 0) == 5);"
        " assert(1 - x > 0); assert(0 / x == 0); assert(0 % x == 0); assert((0 << x) == 0);"
        " assert((1 << x) == 32); assert(x * -1 == 4294967291u); assert(-1 / x == 858993459u);"
    )
