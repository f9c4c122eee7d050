"""Walks over the typed tree: everything below a node, but for types, spans and what names mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from threadwise.frontends.c import tree

_LEAVES = (tree.Variable, tree.Function)
"""What a name means is not part of the text where it stands."""

_PARTS: Mapping[type, tuple[str, ...]] = {
    kind: () if kind in _LEAVES else tuple(field.name for field in fields(kind))
    for kind in vars(tree).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == tree.__name__
}
"""The kinds of nodes, and the names of what they consist of."""


def parts(node: object) -> Sequence[object]:
    """The nodes directly below a node of the tree, in order."""
    if isinstance(node, tuple):
        return node
    found = [getattr(node, name) for name in _PARTS.get(type(node), ())]
    return [part for part in found if type(part) in _PARTS or isinstance(part, tuple)]


def names_of_parts(node: object) -> Iterator[str]:
    """The attributes that hold the nodes below a node, in order."""
    for name in _PARTS.get(type(node), ()):
        value = getattr(node, name)
        if isinstance(value, tuple) or type(value) in _PARTS:
            yield name


def nodes(node: object) -> Iterator[object]:
    """A node and everything below it, parents first."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(parts(current)))
