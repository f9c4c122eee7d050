"""Texts that formats make, computed where that is simple.

    snprintf(key, sizeof key, "key%u", n)    is    put_text(…, "key"), put_number(…, n)

for a literal format of plain texts, `%s`, `%d`, `%u`, `%x` and their like for wider numbers,
without flags, widths and precisions, whose arguments have the types that it asks for. What other
formats make is not computed. Nor is it in programs that format in many places, where the texts
are mostly for people to read, and code to make them would be most of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.reading import literal_of
from threadwise.frontends.c.lower.values.arithmetic import ZERO
from threadwise.frontends.c.types import CArray, CBool, CInteger, CPointer, CType, unqualified
from threadwise.ir.expr import Expr, Place
from threadwise.ir.fold import number

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

MOST_PIECES = 8
_PIECE = re.compile(rb"%(?P<length>l|ll|z|j|t)?(?P<kind>[disuxX])|(?P<text>(?:[^%]|%%)+)")
_CHARACTER = CInteger(8, signed=True)
_LONG = CInteger(64, signed=True)
_WIDTHS = {None: 32, b"l": 64, b"ll": 64, b"z": 64, b"j": 64, b"t": 64}
_BASES = {b"d": 10, b"i": 10, b"u": 10, b"x": 16}
_SIGNED = frozenset({b"d", b"i"})

_Given = tuple[tree.Expr, "Expr | Place"]
"""An argument as the caller wrote it, and its value."""


@dataclass(frozen=True)
class _Characters:
    """Characters of the format."""

    value: bytes


@dataclass(frozen=True)
class _Text:
    """A text that is given."""

    value: _Given


@dataclass(frozen=True)
class _Number:
    """A number that is given."""

    value: _Given
    base: int
    signed: bool


_Piece = _Characters | _Text | _Number


def can_format(body: Body, format_: tree.Expr) -> bool:
    """Whether the text that the library function at hand makes is computed."""
    return body.unit.whole.formats_few and _pieces(body, format_) is not None


def formatted(
    body: Body,
    text: Expr,
    size: Expr,
    format_: tree.Expr,
    put_text: tree.Function,
    put_number: tree.Function,
) -> Expr:
    """Make a text, as far as it fits, without its end; how long it is."""
    at: Expr = ZERO
    for piece in _pieces(body, format_) or ():
        match piece:
            case _Characters(characters):
                values: list[Expr] = [_literal(body, characters)]
                function = put_text
            case _Text((_, value)):
                values, function = [value], put_text  # type: ignore[list-item]  # a scalar
            case _Number((source, value), base, signed):
                held = unqualified(source.type)
                wide = body.conversions.converted(value, held, _LONG)  # type: ignore[arg-type]  # a scalar
                values, function = [wide, number(base), number(int(signed))], put_number
        found = body.calls.enter(function, _call(function), [text, size, at, *values], None)
        at = found  # type: ignore[assignment]  # a number
    return at


def _pieces(body: Body, format_: tree.Expr) -> list[_Piece] | None:
    """What a format puts one after the other; None if that is not known."""
    literal = literal_of(format_)
    if literal is None:
        return None
    end = literal.characters.index(0)
    if not all(0 < each < 128 for each in literal.characters[:end]):
        return None
    text, given = bytes(literal.characters[:end]), iter(body.here.unnamed)
    found: list[_Piece] = []
    at = 0
    while at < len(text):
        match_ = _PIECE.match(text, at)
        piece = None if match_ is None else _piece(match_, given)
        if match_ is None or piece is None or len(found) == MOST_PIECES:
            return None
        found.append(piece)
        at = match_.end()
    return found


def _piece(match_: re.Match[bytes], given: Iterator[_Given]) -> _Piece | None:
    if match_["text"] is not None:
        return _Characters(match_["text"].replace(b"%%", b"%"))
    argument = next(given, None)
    if argument is None:
        return None
    kind, held = match_["kind"], _plain(argument[0])
    if kind == b"s":
        pointed = unqualified(held.target) if isinstance(held, CPointer) else None
        is_text = isinstance(pointed, CInteger) and pointed.width == _CHARACTER.width
        return _Text(argument) if is_text and match_["length"] is None else None
    fits = isinstance(held, CInteger | CBool) and _width(held) == _WIDTHS[match_["length"]]
    if not fits or kind not in _BASES:
        return None
    return _Number(argument, _BASES[kind], kind in _SIGNED)


def _plain(argument: tree.Expr) -> CType:
    return unqualified(argument.type)


def _width(held: CInteger | CBool) -> int:
    return held.width if isinstance(held, CInteger) else 1


def _literal(body: Body, characters: bytes) -> Expr:
    """The address of a text of ours."""
    assert body.span is not None, "a call is somewhere"
    codes = (*characters, 0)
    array = CArray(_CHARACTER, len(codes))
    literal = tree.StringLiteral(codes, array, body.span)
    return body.expressions.value(tree.Decay(literal, CPointer(_CHARACTER), body.span))


def _call(function: tree.Function) -> tree.Call:
    named = tree.FunctionName(function, CPointer(function.type), function.span)
    return tree.Call(named, (), function.type.result, function.span)
