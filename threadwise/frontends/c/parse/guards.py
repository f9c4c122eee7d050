"""What attributes of Clang's thread-safety analysis say about locks, under all their names.

    int count __attribute__((guarded_by(lock)));
    void add(struct queue *q) __attribute__((requires_capability(q->lock)));

libclang does not tell the arguments of attributes, and for members that name other members they
are errors in C. So a file in which such names occur is read once more with `AS_TEXT`, where the
attributes are texts; if that fails, since a function has such a name, it stays as it is.
Attributes that say what functions do (`acquire_capability`) are not needed: the functions do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.native import (
    Kind,
    Node,
    children,
    in_system_header,
    parameters,
)
from threadwise.frontends.c.parse.spans import Places

_KINDS = {
    "guarded_by": tree.GuardKind.USED,
    "pt_guarded_by": tree.GuardKind.POINTED,
    "requires_capability": tree.GuardKind.CALLED,
    "requires_shared_capability": tree.GuardKind.CALLED,
    "exclusive_locks_required": tree.GuardKind.CALLED,
    "shared_locks_required": tree.GuardKind.CALLED,
}
_IGNORED = (
    "acquire_capability",
    "acquire_shared_capability",
    "release_capability",
    "release_shared_capability",
    "exclusive_lock_function",
    "shared_lock_function",
    "unlock_function",
    "locks_excluded",
    "acquired_before",
    "acquired_after",
)
_NAMES = (*_KINDS, *_IGNORED)
_ATTRIBUTE = re.compile(rf"\b(?:__)?({'|'.join(_KINDS)})(?:__)?\s*\(")
_MARK = "threadwise: "
AS_TEXT = tuple(
    f'{spelled}(...)=annotate("{_MARK}{name}(" #__VA_ARGS__ ")")'
    for name in _NAMES
    for spelled in (name, f"__{name}__")
)
"""Macros that make texts of the attributes."""


def mentions_guards(text: str) -> bool:
    """Whether a text may have such attributes."""
    return _ATTRIBUTE.search(text) is not None


def guards_of(node: Node, places: Places) -> tuple[tree.Guard, ...]:
    """What the attributes of a declaration claim."""
    attributes = [child for child in children(node) if child.kind.is_attribute()]
    if not attributes or in_system_header(node):
        return ()
    texts = [str(child.spelling) for child in attributes if child.kind == Kind.ANNOTATE_ATTR]
    told = [text.removeprefix(_MARK) for text in texts if text.startswith(_MARK)]
    named = tuple(str(child.spelling) for child in parameters(node))
    span = places.of_name(node)
    return tuple(
        tree.Guard(_KINDS[name], lock, span, named) for text in told for name, lock in _named(text)
    )


def _named(text: str) -> Iterator[tuple[str, str]]:
    """The attributes in a text, each with one of its locks."""
    for match in _ATTRIBUTE.finditer(text):
        depth, part = 1, ""
        for character in text[match.end() :]:
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0 or (character == "," and depth == 1):
                if part.strip():
                    yield match[1], part.strip()
                part = ""
                if depth == 0:
                    break
            else:
                part += character


def joined(known: tuple[tree.Guard, ...], found: Sequence[tree.Guard]) -> tuple[tree.Guard, ...]:
    """What several declarations of one thing claim, each claim once."""
    seen = {(guard.kind, guard.lock) for guard in known}
    return (*known, *(g for g in found if (g.kind, g.lock) not in seen))
