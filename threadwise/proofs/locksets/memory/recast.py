"""Pointers that are used as ones to records: followed to one, or moved by some.

A place is found by the pointer at its root, so that is where to look. What tests pointers alone
uses none.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from threadwise.ir.commands import Action
from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    IsWritten,
    Place,
    PointerAdd,
    Read,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.types import RecordType

REMEMBERED = 1 << 17
"""Of so many actions it is remembered what they use."""


@lru_cache(maxsize=REMEMBERED)
def used_as_records(action: Action) -> tuple[Expr, ...]:
    """The pointers that an action uses as ones to records."""
    found: dict[Expr, None] = {}
    for part in _followed(action):
        match part:
            case DerefPlace(pointer, RecordType()) | PointerAdd(pointer, _, RecordType()):
                found[pointer] = None
            case _:
                pass
    return tuple(found)


def _followed(action: Action) -> Iterator[Expr | Place]:
    """The places and moves by which an action uses pointers."""
    yield from map(root, action_places(action))
    for whole in action_expressions(action):
        for part in subexpressions(whole):
            match part:
                case Read(place) | AddressOf(place) | IsWritten(place):
                    yield root(place)
                case PointerAdd():
                    yield part
                case _:
                    pass
