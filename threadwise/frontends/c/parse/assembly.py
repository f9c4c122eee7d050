"""`asm`: an effect that we only bound.

libclang shows the operands but neither the instructions nor which operands are written. An operand
whose object is shown, not its value, is an output or a memory operand: it may be written; the
others are evaluated. Other memory may change if the statement says so or if its text is not known
to be harmless, and if there are operands by which it could be found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.conversions import as_lvalue, mark_address, value
from threadwise.frontends.c.parse.native import Kind, Node, children

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.context import Context

_HARMLESS = frozenset({"", "nop", "pause", "rep; nop", "rep;nop", "mfence", "lfence", "sfence"})
_WORDS = ("asm", "__asm", "__asm__")


def assembly(context: Context, node: Node) -> tree.Statement:
    """An `asm` statement."""
    span = context.span(node)
    parts = children(node)
    if any(part.kind == Kind.LABEL_REF for part in parts):
        return tree.UnsupportedStatement("asm goto", span)
    operands = [context.expressions.operand(part) for part in parts if part.kind.is_expression()]
    read: list[tree.Expr] = []
    written: list[tree.LValue] = []
    for operand in operands:
        place = as_lvalue(operand)
        if place is None:
            read.append(value(operand))
        elif not isinstance(place, tree.StringLiteral):
            mark_address(place)
            written.append(place)
    tokens = [token.spelling for token in node.get_tokens()]
    known = bool(tokens) and tokens[0] in _WORDS
    clobbers = not known or '"memory"' in tokens
    harmless = not written and _template(tokens) in _HARMLESS
    return tree.Assembly(tuple(read), tuple(written), clobbers and not harmless, span)


def _template(tokens: list[str]) -> str | None:
    """The instructions, if they stand in the source and not in a macro."""
    if not tokens or tokens[0] not in _WORDS or "(" not in tokens:
        return None
    start = tokens.index("(") + 1
    pieces = []
    for token in tokens[start:]:
        if not token.startswith('"'):
            break
        pieces.append(token.strip('"'))
    return "".join(pieces).replace("\\n", "").replace("\\t", "").strip()
