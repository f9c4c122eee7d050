"""From flat chains of operands and operators to expression trees.

The grammar delivers `a + b * c` as `[a, +, b, *, c]`. The levels of precedence are those of C,
with `==>` below all of them:

    * / %    + -    << >>    < <= > >=    == !=    &    ^    |    &&    ||    ?:    ==>

A chain of one associative operator over many operands becomes a balanced tree instead of one that
is as deep as it is long: arithmetic is mathematical and evaluation goes from left to right either
way, so that the grouping cannot be observed.
"""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.model.syntax.ast import Conditional, Expression, Infix

NESTING_LIMIT = 100
"""How deep expressions and statements may nest: recursion over the tree must stay harmless."""

_LEVELS = (
    ("==>",),
    ("?",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LEVEL = {operator: level for level, group in enumerate(_LEVELS) for operator in group}
_RIGHT_ASSOCIATIVE = frozenset({_LEVEL["==>"], _LEVEL["?"]})
_ASSOCIATIVE = frozenset({"&&", "||", "+", "*", "&", "|", "^"})
_LONG = 16


class NestingError(Exception):
    """The tree is too deep; `position` is the offset of the node that crosses the limit."""

    def __init__(self, position: int) -> None:
        self.position = position
        super().__init__(position)


@dataclass(frozen=True, slots=True)
class Operator:
    """What stands between two operands; `then` is the middle of a conditional `? then :`."""

    text: str
    then: Expression | None = None


def bounded(depth: int, position: int) -> int:
    """The depth, if it is within the limit."""
    if depth > NESTING_LIMIT:
        raise NestingError(position)
    return depth


def group(operands: list[Expression], operators: list[Operator]) -> Expression:
    """The tree of a chain; `operators[i]` stands between `operands[i]` and `operands[i + 1]`."""
    levels = sorted({_LEVEL[operator.text] for operator in operators}, reverse=True)
    for level in levels:
        operands, operators = _group_level(operands, operators, level)
    return operands[0]


def _group_level(
    operands: list[Expression], operators: list[Operator], level: int
) -> tuple[list[Expression], list[Operator]]:
    """Apply the operators of one level; those that remain bind less tightly."""
    grouped: list[Expression] = []
    remaining: list[Operator] = []
    run = [operands[0]]
    applied: list[Operator] = []
    for operator, operand in zip(operators, operands[1:], strict=True):
        if _LEVEL[operator.text] == level:
            applied.append(operator)
            run.append(operand)
            continue
        grouped.append(_run(run, applied, level))
        remaining.append(operator)
        run, applied = [operand], []
    grouped.append(_run(run, applied, level))
    return grouped, remaining


def _run(operands: list[Expression], operators: list[Operator], level: int) -> Expression:
    """The tree of operands joined by operators of one level."""
    if not operators:
        return operands[0]
    first = operators[0].text
    if (
        len(operators) > _LONG
        and first in _ASSOCIATIVE
        and all(operator.text == first for operator in operators)
    ):
        return _balanced(operands, operators[0])
    if level in _RIGHT_ASSOCIATIVE:
        result = operands[-1]
        for operand, operator in zip(reversed(operands[:-1]), reversed(operators), strict=True):
            result = _apply(operator, operand, result)
        return result
    result = operands[0]
    for operand, operator in zip(operands[1:], operators, strict=True):
        result = _apply(operator, result, operand)
    return result


def _balanced(operands: list[Expression], operator: Operator) -> Expression:
    while len(operands) > 1:
        paired = [
            _apply(operator, left, right)
            for left, right in zip(operands[::2], operands[1::2], strict=False)
        ]
        if len(operands) % 2:
            paired.append(operands[-1])
        operands = paired
    return operands[0]


def _apply(operator: Operator, left: Expression, right: Expression) -> Expression:
    start, end = left.start_pos, right.end_pos
    depth = 1 + max(left.depth, right.depth)
    if operator.then is not None:
        depth = bounded(max(depth, 1 + operator.then.depth), start)
        return Conditional(left, operator.then, right, start, end, depth)
    return Infix(operator.text, left, right, start, end, bounded(depth, start))
