"""The actions of the grammar for expressions; see `build` for the rest."""

from __future__ import annotations

from typing import Any, TypeAlias

from threadwise.frontends.model.syntax.ast import (
    Binding,
    Call,
    Expression,
    Index,
    Member,
    Name,
    NoThread,
    Number,
    Parenthesised,
    Prefix,
    Quantified,
    SelfThread,
    Spawn,
    Truth,
)
from threadwise.frontends.model.syntax.chains import Operator, bounded, group

Parts: TypeAlias = list[Any]
LONGEST_LITERAL = 1000


def deeper(position: int, *parts: Any) -> int:
    """The depth of a node above these parts."""
    return bounded(1 + max((part.depth for part in parts), default=0), position)


def named(token: Any) -> Name:
    """A name, from its token."""
    return Name(token.text, token.start_pos, token.end_pos)


class ExpressionBuilder:
    """Builds expressions bottom-up; keeps no state."""

    def spawn(self, parts: Parts) -> Spawn:
        """`spawn name ( arguments )`."""
        first, name, _, arguments, closing = parts
        return Spawn(named(name), tuple(arguments), first.start_pos, closing.end_pos)

    def chain(self, parts: Parts) -> Expression:
        """A finished chain of operands and operators."""
        links = parts[0]
        if len(links) == 1:
            return links[0]  # type: ignore[no-any-return]
        return group(links[::2], links[1::2])

    def extend_chain(self, parts: Parts) -> list[Any]:
        """`chain operator operand`."""
        links, operator, operand = parts
        links += (Operator(operator.text), operand)
        return links  # type: ignore[no-any-return]

    def extend_conditional(self, parts: Parts) -> list[Any]:
        """`chain ? expression : operand`."""
        links, _, then, _, operand = parts
        links += (Operator("?", then), operand)
        return links  # type: ignore[no-any-return]

    def number(self, parts: Parts) -> Number:
        """A literal; one too long to be meant is cut, and refused by the checker."""
        token = parts[0]
        hexadecimal = token.text[:2] in ("0x", "0X")
        digits = token.text[2:] if hexadecimal else token.text
        base = 16 if hexadecimal else 10
        return Number(int(digits[:LONGEST_LITERAL], base), token.start_pos, token.end_pos)

    def truth(self, parts: Parts) -> Truth:
        """`true` or `false`."""
        return Truth(parts[0].text == "true", parts[0].start_pos, parts[0].end_pos)

    def none(self, parts: Parts) -> NoThread:
        """`none`."""
        return NoThread(parts[0].start_pos, parts[0].end_pos)

    def parenthesised(self, parts: Parts) -> Parenthesised:
        """`( expression )`."""
        opening, inner, closing = parts
        start = opening.start_pos
        return Parenthesised(inner, start, closing.end_pos, deeper(start, inner))

    def prefixed(self, parts: Parts) -> Prefix:
        """An operator and its operand."""
        operator, operand = parts
        start = operator.start_pos
        return Prefix(operator.text, operand, start, operand.end_pos, deeper(start, operand))

    def quantified(self, parts: Parts) -> Quantified:
        """`quantifier bindings . expression`."""
        first, bindings, _, body = parts
        start = first.start_pos
        depth = deeper(start, body)
        return Quantified(first.text, tuple(bindings), body, start, body.end_pos, depth)

    def first_binding(self, parts: Parts) -> list[Binding]:
        """`names : template`."""
        template = named(parts[2])
        return [Binding(named(name), template) for name in parts[0]]

    def next_binding(self, parts: Parts) -> list[Binding]:
        """`bindings , names : template`."""
        return parts[0] + self.first_binding(parts[2:])  # type: ignore[no-any-return]

    def name(self, parts: Parts) -> Name:
        """A name."""
        return named(parts[0])

    def self_id(self, parts: Parts) -> SelfThread:
        """`self`."""
        return SelfThread(parts[0].start_pos, parts[0].end_pos)

    def call(self, parts: Parts) -> Call:
        """`name ( arguments )`."""
        name, _, arguments, closing = parts
        start = name.start_pos
        depth = deeper(start, *arguments)
        return Call(named(name), tuple(arguments), start, closing.end_pos, depth)

    def index(self, parts: Parts) -> Index:
        """`place [ expression ]`."""
        base, _, index, closing = parts
        start = base.start_pos
        return Index(base, index, start, closing.end_pos, deeper(start, base, index))

    def member(self, parts: Parts) -> Member:
        """`place . name`."""
        base, _, name = parts
        start = base.start_pos
        return Member(base, named(name), start, name.end_pos, deeper(start, base))
