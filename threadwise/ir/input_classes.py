"""Cells whose values flow into each other: what the pass `few inputs` claims about them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from threadwise.ir.expr import FieldPlace, IndexPlace, Place, Scope, Variable, VariablePlace
from threadwise.ir.fold import root

Member: TypeAlias = tuple[str, Variable, tuple[str, ...]]
"""The procedure that a local belongs to, or nothing; the variable; and which field of it, in any
element."""


class InputClass(NamedTuple):
    """Cells that are copied to each other, and what else happens to their values."""

    members: frozenset[Member]
    constants: frozenset[int]
    """What they are compared with."""
    equated: bool
    """Whether they are compared with each other."""
    values: frozenset[int]
    """What inputs are chosen from."""


def member_of(place: Place, procedure: str) -> Member | None:
    """What a place of a procedure belongs to; None behind a pointer."""
    base = root(place)
    if not isinstance(base, VariablePlace):
        return None
    owner = procedure if base.variable.scope is Scope.LOCAL else ""
    return owner, base.variable, fields_to(place)


def fields_to(place: Place) -> tuple[str, ...]:
    """The fields that lead to a place, whatever the indices."""
    match place:
        case FieldPlace(base, name):
            return (*fields_to(base), name)
        case IndexPlace(base, _):
            return fields_to(base)
        case _:
            return ()
