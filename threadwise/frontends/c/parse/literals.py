"""Literals: numbers, characters, strings, `sizeof`."""

from __future__ import annotations

import re

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.native import Node, evaluate
from threadwise.frontends.c.types import INT, CArray, CFloat, CInteger, CPointer, CType

_ESCAPE = re.compile(
    r"""\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|u(?P<short>[0-9a-fA-F]{4})"""
    r"""|U(?P<long>[0-9a-fA-F]{8})|(?P<simple>.))|(?P<joint>"")|(?P<plain>.)""",
    re.DOTALL,
)
_SIMPLE = {"n": 10, "t": 9, "a": 7, "b": 8, "f": 12, "r": 13, "v": 11, "e": 27, "0": 0}


def number(node: Node, kind: CType, span: Span) -> tree.Expr:
    """A constant expression without side effects."""
    value = evaluate(node)
    if value is None:
        return tree.UnsupportedExpr("a constant of this size", kind, span)
    if isinstance(kind, CFloat):
        return tree.FloatConstant(float(value), kind, span)
    if isinstance(value, float):
        return tree.UnsupportedExpr("a constant of this type", kind, span)
    return constant(value, kind, span)


def constant(value: int, kind: CType, span: Span) -> tree.Expr:
    """An integer as an expression; pointers get theirs by conversion."""
    if isinstance(kind, CPointer):
        return tree.Convert(tree.IntegerConstant(value, INT, span), kind, span)
    return tree.IntegerConstant(value, kind, span)


def string(node: Node, kind: CType, span: Span) -> tree.StringLiteral | None:
    """A string literal, padded or cut to the length of its array.

    libclang spells it in a normal form: pieces joined, escapes only where needed.
    """
    prefix, quote, rest = node.spelling.partition('"')
    if not quote or not rest.endswith('"') or not isinstance(kind, CArray):
        return None
    characters: list[int] = []
    for match in _ESCAPE.finditer(rest[:-1]):
        characters += _character(match, wide=prefix not in {"", "u8"})
    size = len(characters) + 1 if kind.size is None else kind.size
    padded = tuple(wrapped(each, kind.element) for each in (*characters, *([0] * size))[:size])
    return tree.StringLiteral(padded, CArray(kind.element, size), span)


def _character(match: re.Match[str], *, wide: bool) -> list[int]:
    found = match.groupdict()
    if found["joint"] is not None:
        return []
    if found["octal"] is not None:
        return [int(found["octal"], 8)]
    for name in ("hex", "short", "long"):
        if found[name] is not None:
            return [int(found[name], 16)]
    if found["simple"] is not None:
        return [_SIMPLE.get(found["simple"], ord(found["simple"]))]
    plain = found["plain"] or ""
    return [ord(plain)] if wide else list(plain.encode("utf-8"))


def wrapped(value: int, kind: CType) -> int:
    """The value modulo the width of an integer type."""
    if not isinstance(kind, CInteger):
        return value
    value &= (1 << kind.width) - 1
    return value - (1 << kind.width) if kind.signed and value >> (kind.width - 1) else value
