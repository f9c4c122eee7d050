"""What edges write, with the values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import Expr, Place
from threadwise.ir.program import Edge

REMEMBERED = 1 << 15


def written(edge: Edge) -> Sequence[tuple[Place, Expr | None]]:
    """What an edge writes, with the values if they are expressions."""
    return _written(edge.action)


@lru_cache(maxsize=REMEMBERED)
def _written(action: Action) -> Sequence[tuple[Place, Expr | None]]:
    if isinstance(action, Command):
        found: list[tuple[Place, Expr | None]] = [(a.target, a.value) for a in action.assignments]
        return (*found, *((place, None) for place in action.havocs))
    target = getattr(action, "target", None) or getattr(action, "result", None)
    return () if target is None else ((target, None),)
