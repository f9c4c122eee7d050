"""What the printer and the reader must agree on: words, quoting, precedence, scopes, nesting.

A name stands bare if it looks like one (dots allowed: `worker.next`) and is not reserved; any
other name stands between backquotes, with the escapes of JSON. Strings are JSON strings. The text
is therefore ASCII whatever the names are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from threadwise.ir.expr import BinaryOp, Variable
from threadwise.ir.program import Template

NESTING_LIMIT = 200
"""How deep an expression or a type read from text may be; comparing and hashing recurse."""

_WORDS = """
    address allocated array as at atomic bool call clamp deadlock default deref difference
    edge entry enum exists failure false final forall free global havoc in instance int
    invariant local location mover mutex new no_address none null of on pointer pool procedure
    program property race record recursive return runs same_object saturate self self.index
    shift skip source sync thread tid to_int to_pointer true unset valid variable when wrap
    written
"""
RESERVED = frozenset(_WORDS.split())
"""Words that are never bare names; a test compares them with the grammar."""

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_$]*"
_BARE = re.compile(rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*")
_BARE_FIELD = re.compile(_IDENTIFIER)
_MACHINE = re.compile(r"u?int[1-9][0-9]*")

BINARY_LEVEL: dict[BinaryOp, int] = {
    BinaryOp.IMPLIES: 2,
    BinaryOp.OR: 3,
    BinaryOp.AND: 4,
    BinaryOp.BIT_OR: 5,
    BinaryOp.BIT_XOR: 6,
    BinaryOp.BIT_AND: 7,
    BinaryOp.EQ: 8,
    BinaryOp.NE: 8,
    BinaryOp.LT: 9,
    BinaryOp.LE: 9,
    BinaryOp.GT: 9,
    BinaryOp.GE: 9,
    BinaryOp.SHL: 10,
    BinaryOp.SHR: 10,
    BinaryOp.ADD: 11,
    BinaryOp.SUB: 11,
    BinaryOp.MUL: 12,
    BinaryOp.DIV: 12,
    BinaryOp.MOD: 12,
}
"""How tightly operators bind, as in C; all are left-associative but `==>`, which is neither."""

QUANTIFIED_LEVEL = 0
CONDITIONAL_LEVEL = 1
UNARY_LEVEL = 13
ATOM_LEVEL = 14


@lru_cache(maxsize=4096)
def quote_name(name: str) -> str:
    """A name as it stands in the text."""
    return name if _is_free(name) and _BARE.fullmatch(name) else _backquoted(name)


@lru_cache(maxsize=4096)
def quote_field(name: str) -> str:
    """A field's name as it stands behind a dot; dots of its own would be read as more fields."""
    return name if _is_free(name) and _BARE_FIELD.fullmatch(name) else _backquoted(name)


def quote_string(text: str) -> str:
    """A string literal."""
    return json.dumps(text)


def unquote_name(text: str) -> str:
    """The name that `quote_name` or `quote_field` wrote; ValueError if there is none."""
    return text if not text.startswith("`") else unquote_string(f'"{text[1:-1]}"')


def unquote_string(text: str) -> str:
    """The string that `quote_string` wrote; ValueError if there is none."""
    value = json.loads(text)
    if not isinstance(value, str):
        raise ValueError("not a string")
    return value


def agreed_variables(templates: Iterable[Template]) -> dict[str, Variable]:
    """The thread-scoped variables that a name alone denotes: all templates that have one agree."""
    found: dict[str, Variable] = {}
    disputed: set[str] = set()
    for template in templates:
        for declaration in template.variables:
            variable = declaration.variable
            if found.setdefault(variable.name, variable) != variable:
                disputed.add(variable.name)
    return {name: variable for name, variable in found.items() if name not in disputed}


def _is_free(name: str) -> bool:
    return name not in RESERVED and not _MACHINE.fullmatch(name)


def _backquoted(name: str) -> str:
    escaped = json.dumps(name)[1:-1].replace("`", r"\u0060")
    return f"`{escaped}`"
