"""`_Generic`: which association the compiler chose.

libclang lists the controlling expression and all associated expressions but not the choice. The
selection has the type of its chosen expression: if only one has that type, it is the one. If not,
the types are read in the printed form of the function and compared with the controlling
expression's: only those that are spelled without typedef names can be distinguished.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.frontends.c.parse import printed
from threadwise.frontends.c.parse.native import ClangType, Kind, Node, children
from threadwise.frontends.c.parse.printed import PrintedFunction

_DEFAULT = "default"
_WORDS = frozenset(
    {"void", "_Bool", "bool", "char", "short", "int", "long", "signed", "unsigned", "float"}
    | {"double", "const", "volatile", "*", _DEFAULT}
)
_TAGS = frozenset({"struct", "union", "enum"})


def chosen_association(node: Node, function: PrintedFunction | None) -> Node | None:
    """The chosen expression, or None if that is not known."""
    control, *associated = [child for child in children(node) if child.kind.is_expression()]
    wanted = node.type.get_canonical()
    candidates = [part for part in associated if part.type.get_canonical() == wanted]
    if len(candidates) == 1:
        return candidates[0]
    tokens = None
    if function is not None:
        tokens = function.behind(node, Kind.GENERIC_SELECTION_EXPR, "_Generic")
    if tokens is None:
        return None
    types = [part[: part.index(":")] for part in printed.parts(tokens, ",") if ":" in part]
    if len(types) != len(associated):
        return None
    index = _choice(_spelling(control.type), types)
    return None if index is None else associated[index]


def _spelling(control: ClangType) -> list[str]:
    """The type of the value of the controlling expression, in words."""
    spelled = control.get_canonical().spelling.replace("*", " * ")
    if control.get_canonical().kind.name == "POINTER":
        return list(spelled.split())
    return [word for word in spelled.split() if word not in {"const", "volatile"}]


def _choice(wanted: Sequence[str], types: Sequence[Sequence[str]]) -> int | None:
    """The association of that type, or the default one if no other can be of that type."""
    for index, words in enumerate(types):
        if list(words) == list(wanted):
            return index
    if all(map(_is_plain, types)) and [_DEFAULT] in [list(words) for words in types]:
        return [list(words) for words in types].index([_DEFAULT])
    return None


def _is_plain(words: Sequence[str]) -> bool:
    """Whether a type is spelled without the names of typedefs."""
    return all(
        word in _WORDS or word in _TAGS or (place > 0 and words[place - 1] in _TAGS)
        for place, word in enumerate(words)
    )
