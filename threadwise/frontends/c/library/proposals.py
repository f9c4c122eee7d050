"""Entries for undescribed functions, as a file for `--library` to begin with."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.frontends.c import tree
from threadwise.frontends.c.library.entry import Table
from threadwise.frontends.c.library.uses import uses_of
from threadwise.frontends.c.types import (
    CHAR,
    CBool,
    CFloat,
    CInteger,
    CPointer,
    CRecord,
    CType,
    CVoid,
    unqualified,
)

_HEAD = """\
# Functions that nobody describes. Say of each what it does, and give the file to --library:
#   pure = true                    no effect on memory
#   reads, writes = "argument 0"   what it does with what an argument points to; or a list
#   acquire, release = "lock NAME" it takes or gives back a lock
#   calls = "argument 0"           it calls a function that it is given
#   effect = "…"                   C: __tw_spawn(start, argument) starts a thread
#   ends = "program"               it does not return
"""
_INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long"}
_PREFIXES = ("__tw_", "__builtin_", "__sync_", "__atomic_", "__c11_")


def proposals(program: tree.Program, table: Table) -> str:
    """TOML: an entry for each function without body: it reads texts and writes other objects."""
    lines = [_HEAD]
    for name, function in sorted(uses_of(program).functions.items()):
        if name.startswith(_PREFIXES) or name in table:
            continue
        lines += [f"[functions.{name}]", *_entry(function), ""]
    return "\n".join(lines).rstrip() + "\n"


def _entry(function: tree.Function) -> Iterator[str]:
    types = [unqualified(held) for held in function.type.parameters or ()]
    named = [f"{_text(held)}argument{n}" for n, held in enumerate(types)]
    shown = [*named, "..."] if function.type.variadic and named else named
    result = unqualified(function.type.result)
    yield f'signature = "{_text(result)}{function.name}({", ".join(shown) or "void"})"'
    texts = [n for n, held in enumerate(types) if held == CPointer(CHAR)]
    objects = [n for n, held in enumerate(types) if isinstance(held, CPointer) and n not in texts]
    for key, found in (("reads", texts), ("writes", objects)):
        if found:
            listed = ", ".join(f'"argument {n}"' for n in found)
            yield f"{key} = [{listed}]"
    if not texts and not objects:
        yield "pure = true"
    if function.no_return:
        yield 'ends = "program"'
    elif isinstance(result, CPointer):
        yield 'returns = "fresh"'


def _text(held: CType) -> str:
    """A type as C writes it before a name."""
    match held:
        case CVoid():
            return "void "
        case CBool():
            return "_Bool "
        case CInteger(width, signed):
            return f"{'' if signed else 'unsigned '}{_INTEGERS.get(width, 'long long')} "
        case CFloat(width):
            return "float " if width == 32 else "double "
        case CPointer(target):
            inner = unqualified(target)
            known = isinstance(inner, CBool | CInteger | CFloat | CPointer)
            return f"{_text(inner)}*" if known else "void *"
        case CRecord(key):
            return f"{key} "
        case _:
            return "long "
