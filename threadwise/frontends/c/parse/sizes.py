"""What `sizeof` was applied to, where libclang tells the words of the type only.

A type that has a name of its own is a child of the node. Of `sizeof(struct job *)` and
`sizeof(unsigned long)` there are the words; what they say is believed if its size is right.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.frontends.c.types import C_BOOL, VOID, CFloat, CInteger, CPointer, CType

_QUALIFIERS = frozenset({"const", "volatile", "restrict", "__const", "__volatile__", "__restrict"})
_TAGS = frozenset({"struct", "union", "enum"})
_INTEGERS = frozenset({"char", "short", "int", "long", "signed", "unsigned"})
_FLOATS = frozenset({"float", "double"})
_UNSIGNED = "unsigned"


def measured_type(words: Sequence[str], named: CType | None, size: int) -> CType | None:
    """The type in `sizeof(…)`, of which so many bytes were measured; None if it is not clear."""
    inner = _inside(words)
    if inner is None:
        return None
    stars = inner.count("*")
    base = [word for word in inner if word != "*" and word not in _QUALIFIERS]
    if stars and inner[-1] not in {"*", *_QUALIFIERS}:
        return None
    found = _base(base, named, size if not stars else None)
    if found is None:
        return None
    for _ in range(stars):
        found = CPointer(found)
    return found


def _inside(words: Sequence[str]) -> list[str] | None:
    """The words between the parentheses, if there are no others in them."""
    if len(words) < len(("sizeof", "(", "int", ")")) or words[0] != "sizeof":
        return None
    if words[1] != "(" or words[-1] != ")" or {"(", ")", "["} & set(words[2:-1]):
        return None
    return list(words[2:-1])


def _base(words: list[str], named: CType | None, size: int | None) -> CType | None:
    """A type without stars; its size is asked for only if it is what was measured."""
    if named is not None:
        name = [word for word in words if word not in _TAGS]
        return named if len(name) == 1 else None
    kinds = set(words)
    if not words or not kinds <= _INTEGERS | _FLOATS | {"void", "_Bool"}:
        return None
    if kinds == {"void"}:
        return VOID
    if kinds == {"_Bool"}:
        return C_BOOL
    if kinds & _FLOATS:
        return CFloat(8 * size) if size is not None else VOID
    return CInteger(8 * size, _UNSIGNED not in kinds) if size is not None else VOID
