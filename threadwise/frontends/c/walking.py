"""Walks over the typed tree: everything below a node, but for types, spans and what names mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import cast

from threadwise.frontends.c import tree

_LEAVES = (tree.Variable, tree.Function)
"""What a name means is not part of the text where it stands."""

_PARTS: Mapping[type, tuple[str, ...]] = {
    kind: () if kind in _LEAVES else tuple(field.name for field in fields(kind))
    for kind in vars(tree).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == tree.__name__
}
"""The kinds of nodes, and the names of what they consist of."""

_NO_NODES = frozenset({"type", "span"})
"""What every node has that is no part of the text."""


def _getter(names: tuple[str, ...]) -> Callable[[object], tuple[object, ...]] | None:
    """How to get at several fields at once, which is quicker than one after the other."""
    wanted = [name for name in names if name not in _NO_NODES]
    if not wanted:
        return None
    values = attrgetter(*wanted)
    return values if len(wanted) > 1 else lambda node: (values(node),)


_VALUES = {kind: found for kind, names in _PARTS.items() if (found := _getter(names)) is not None}
"""How to get at what nodes consist of."""


def parts(node: object) -> Sequence[object]:
    """The nodes directly below a node of the tree, in order."""
    if isinstance(node, tuple):
        return node
    values_of = _VALUES.get(type(node))
    if values_of is None:
        return ()
    return [part for part in values_of(node) if type(part) in _PARTS or isinstance(part, tuple)]


def names_of_parts(node: object) -> Iterator[str]:
    """The attributes that hold the nodes below a node, in order."""
    for name in _PARTS.get(type(node), ()):
        value = getattr(node, name)
        if isinstance(value, tuple) or type(value) in _PARTS:
            yield name


_WALKED = frozenset({*_PARTS, tuple})


def nodes(node: object) -> Iterator[object]:
    """A node and everything below it, parents first; texts are not taken apart."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        kind = type(current)
        values_of = _VALUES.get(kind)
        if values_of is not None:
            below = values_of(current)
        elif kind is tuple:
            below = cast("tuple[object, ...]", current)
        else:
            continue
        pending += [part for part in below[::-1] if type(part) in _WALKED]
