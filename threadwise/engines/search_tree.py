"""States in the order of their discovery, each with the step that led there first."""

from __future__ import annotations

from typing import Generic, TypeVar

from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import Role

S = TypeVar("S")
Parent = tuple[int, Role, tuple[Choice, ...]]
"""The number of a state, and the step taken there."""


class SearchTree(Generic[S]):
    """A search: numbered states and how each was reached."""

    def __init__(self) -> None:
        self.number: dict[S, int] = {}
        self.states: list[S] = []
        self.parents: list[Parent | None] = []

    def reach(self, state: S, parent: Parent | None) -> bool:
        """Add a state unless it is known; whether it is new."""
        if state in self.number:
            return False
        self.number[state] = len(self.states)
        self.states.append(state)
        self.parents.append(parent)
        return True

    def path(self, position: int) -> tuple[int, list[Move]]:
        """The initial state from which a state was reached, and the moves from there."""
        moves: list[Move] = []
        parent = self.parents[position]
        while parent is not None:
            position, t, choices = parent
            moves.append(Move(t, choices))
            parent = self.parents[position]
        moves.reverse()
        return position, moves
