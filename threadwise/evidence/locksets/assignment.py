"""A thread's own variables get new values, all at once: what it knows afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from threadwise.evidence.locksets.knowledge import Event, Knowledge, is_definite, renamed, without
from threadwise.ir.expr import Expr, Place, Scope, Variable, VariablePlace

V = TypeVar("V")


@dataclass(frozen=True)
class Assigned:
    """One of a thread's own places with what is known of its new value."""

    target: Place
    value: Expr | None = None
    site: str | None = None
    event: Event | None = None


def assign(knowledge: Knowledge, assigned: Sequence[Assigned]) -> Knowledge:
    """What a thread knows after its own variables got new values, all at once."""
    shadows: list[tuple[VariablePlace, Assigned]] = []
    known, owned, handles = dict(knowledge.known), dict(knowledge.owned), dict(knowledge.handles)
    for position, change in enumerate(assigned):
        shadow = VariablePlace(Variable(f"'{position}", change.target.type, Scope.LOCAL))
        shadows.append((shadow, change))
        if change.value is not None:
            known[shadow] = change.value
        if change.site is not None:
            owned[shadow] = change.site
        if change.event is not None:
            handles[shadow] = change.event
    knowledge = replace(knowledge, known=known, owned=owned, handles=handles)
    for _, change in shadows:
        knowledge = without(knowledge, change.target)
    for shadow, change in shadows:
        if not is_definite(change.target):
            knowledge = without(knowledge, shadow)
            continue
        knowledge = renamed(knowledge, shadow, change.target)
        knowledge = replace(
            knowledge,
            known=_moved(knowledge.known, shadow, change.target),
            owned=_moved(knowledge.owned, shadow, change.target),
            handles=_moved(knowledge.handles, shadow, change.target),
        )
    return knowledge


def _moved(held: Mapping[Place, V], old: Place, new: Place) -> dict[Place, V]:
    return {new if place == old else place: value for place, value in held.items()}
