"""`asm`: an effect that we only bound.

libclang shows the operands but neither the instructions nor which operands are written. An operand
whose object is shown, not its value, is an output or a memory operand: it may be written; the
others are evaluated. Other memory may change if the statement says so or if its text is not known
to be harmless, and if there are operands by which it could be found. Without operands the text may
name anything (`incl counter`), so it must be harmless, unless all of the statement is in a macro.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.conversions import as_lvalue, mark_address, value
from threadwise.frontends.c.parse.native import Kind, Node, children

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.context import Context

_HARMLESS = frozenset(
    [
        "nop",
        "pause",
        "rep",
        "mfence",
        "lfence",
        "sfence",
        "yield",
        "isb",
        "dmb",
        "dsb",
        "ish",
        "ishst",
        "ishld",
        "sy",
        "wfe",
        "sev",
    ]
)
_NO_CHANGE = re.compile(r"lock[; ]+add[lq]? \$0, ?-?\d*\(%+[er]?sp\)")
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
    text = _template(tokens)
    harmless = not written and _is_harmless(text)
    if known and not operands and not harmless:
        return tree.UnsupportedStatement("assembly without operands", span)
    return tree.Assembly(tuple(read), tuple(written), clobbers and not harmless, span)


def _template(tokens: list[str]) -> str | None:
    """The instructions, if they stand in the source and not in a macro."""
    if not tokens or tokens[0] not in _WORDS or "(" not in tokens:
        return None
    start = tokens.index("(") + 1
    pieces = []
    for token in tokens[start:]:
        if token[0] in ":)":
            break
        if not token.startswith('"'):
            return None
        pieces.append(token.strip('"'))
    return "".join(pieces).replace("\\n", ";").replace("\\t", " ").strip()


def _is_harmless(text: str | None) -> bool:
    """Whether instructions are known to change no memory."""
    if text is None:
        return False
    words = _NO_CHANGE.sub("", text).replace(";", " ").split()
    return all(word in _HARMLESS for word in words)
