"""Conditions of waypoints, evaluated in a state: numbers, variables, operators.

A small part of C is enough for what witnesses say about values. What is beyond it, or has no value
here, is `NotUnderstood`: nothing is concluded from a condition that was not evaluated.

    or    = and { "||" and }        and   = equal { "&&" equal }
    equal = order { ("==" | "!=") order }    order = sum { ("<" | "<=" | ">" | ">=") sum }
    sum   = term { ("+" | "-") term }        term  = unary { ("*" | "/" | "%") unary }
    unary = ("!" | "-" | "~" | "+") unary | "(" [type ")"] or ")" | number | name | \\result
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

RESULT = "\\result"
_TOKEN = re.compile(
    r"\s*(\\result|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|0[xX][0-9a-fA-F]+|\d+|&&|\|\||[<>=!]=|[-+*/%<>!~()])"
    r"(?:(?<=[0-9a-fA-F])[uUlL]+)?"
)
_TYPES = frozenset(("int", "unsigned", "signed", "long", "short", "char", "_Bool"))
_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        "<=": lambda a, b: int(a <= b),
        ">": lambda a, b: int(a > b),
        ">=": lambda a, b: int(a >= b),
    },
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": lambda a, b: _divided(a, b), "%": lambda a, b: _rest(a, b)},
)
_DEEPEST = 100

Lookup = Callable[[str], "int | None"]


class NotUnderstood(Exception):  # noqa: N818 - an answer, not a fault
    """A condition that is beyond what is evaluated here."""


def value_of(text: str, lookup: Lookup) -> int:
    """The value of an expression; raises NotUnderstood."""
    parser = _Parser(_tokens(text), lookup)
    value = parser.level(0)
    if parser.rest:
        raise NotUnderstood(text)
    return value


def holds(text: str, lookup: Lookup) -> bool:
    """Whether an expression is not 0; raises NotUnderstood."""
    if text in ("true", "false"):
        return text == "true"
    return value_of(text, lookup) != 0


def _tokens(text: str) -> list[str]:
    found, position, stripped = [], 0, text.strip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise NotUnderstood(text)
        found.append(match[1])
        position = match.end()
    return found


def _divided(a: int, b: int) -> int:
    if b == 0:
        raise NotUnderstood("a division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rest(a: int, b: int) -> int:
    return a - b * _divided(a, b)


class _Parser:
    """Evaluates while it reads."""

    def __init__(self, tokens: Sequence[str], lookup: Lookup) -> None:
        self.rest = list(reversed(tokens))
        self.lookup = lookup
        self.depth = 0

    def level(self, number: int) -> int:
        """An expression of operators from one level on."""
        if number == len(_LEVELS):
            return self._unary()
        value = self.level(number + 1)
        while self.rest and self.rest[-1] in _LEVELS[number]:
            apply = _LEVELS[number][self.rest.pop()]
            value = apply(value, self.level(number + 1))
        return value

    def _unary(self) -> int:
        self.depth += 1
        if not self.rest or self.depth > _DEEPEST:
            raise NotUnderstood("an expression that ends early or is nested too deeply")
        token = self.rest.pop()
        match token:
            case "!":
                value = int(not self._unary())
            case "-":
                value = -self._unary()
            case "+":
                value = self._unary()
            case "~":
                value = ~self._unary()
            case "(":
                value = self._parenthesis()
            case _:
                value = self._atom(token)
        self.depth -= 1
        return value

    def _parenthesis(self) -> int:
        """An expression, or a conversion: those of C's types that keep values are ignored."""
        if self.rest and self.rest[-1] in _TYPES:
            raise NotUnderstood("a conversion")
        value = self.level(0)
        if not self.rest or self.rest.pop() != ")":
            raise NotUnderstood("a parenthesis")
        return value

    def _atom(self, token: str) -> int:
        if token[0].isdigit():
            octal = len(token) > 1 and token.isdigit() and token[0] == "0"
            return int(token, 8 if octal else 0)
        if token == RESULT or token[0].isalpha() or token[0] == "_":
            value = self.lookup(token)
            if value is not None:
                return value
        raise NotUnderstood(token)
