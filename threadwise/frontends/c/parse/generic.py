"""`_Generic`: which association the compiler chose."""

from __future__ import annotations

from threadwise.frontends.c.parse.native import Node, children


def chosen_association(node: Node) -> Node | None:
    """The chosen expression, or None if that cannot be told.

    libclang lists the controlling expression and all associated expressions but not the choice.
    The selection has the type of its chosen expression: if only one has that type, it is the one.
    """
    parts = [child for child in children(node) if child.kind.is_expression()]
    wanted = node.type.get_canonical()
    candidates = [part for part in parts[1:] if part.type.get_canonical() == wanted]
    return candidates[0] if len(candidates) == 1 else None
