"""Exact forward reachability, sweep by sweep (AFR, MHWL §5).

    R = lfp λS. I ∪ ⋃_j post_j(S)        post_j is applied action by action

Each sweep applies all actions one after the other to what is known so far, and sweeps alternate
their direction, so that what travels along a row of threads travels both ways. A state in which a
thread has stopped has no successors.
"""

from __future__ import annotations

from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.backends.bdd.threads import Action


class Reachability:
    """R, as far as it is known."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.reached = model.initial
        self._groups = going_actions(model)
        self._forward = True

    def sweep(self, most_nodes: int | None = None) -> bool:
        """Apply every action once; whether there was something new.

        With `most_nodes`, stop for good as soon as R has more.
        """
        if most_nodes is not None and len(self.reached) > most_nodes:
            return False
        before = self.reached
        for group in self._groups if self._forward else reversed(self._groups):
            for action in group:
                self.reached = self.reached | action.post(self.model.manager, self.reached)
            if most_nodes is not None and len(self.reached) > most_nodes:
                return False
        self._forward = not self._forward
        return bool(self.reached != before)

    def complete(self) -> Node:
        """All of R."""
        while self.sweep():
            pass
        return self.reached

    def partial(self, most_nodes: int) -> Node:
        """Some of R: all of it unless its diagram becomes large."""
        while self.sweep(most_nodes):
            pass
        return self.reached


def going_actions(model: Model) -> list[list[Action]]:
    """Per thread its actions, from states in which no thread has stopped."""
    manager = model.manager
    going = manager.true
    for thread in model.threads:
        going = going & ~thread.stopped
    return [
        [Action(action.guard & going, action.written, action.result) for action in thread.actions]
        for thread in model.threads
    ]
