"""Heap objects by their age.

In a state they are numbered in canonical order, so that the number of an object changes from state
to state; a description of a run needs names that stay.
"""

from __future__ import annotations

from threadwise.semantics.memory import order_of_objects
from threadwise.semantics.state import GlobalStore, State


class Objects:
    """The objects that a run has allocated so far."""

    def __init__(self, declared: int) -> None:
        self.sites: list[str] = []
        """Where each was allocated, by age."""
        self._declared = declared
        self._ages: list[int] = []
        """By the numbers they have in the present state."""

    def meet(self, g: GlobalStore) -> None:
        """Take note of objects that a step has just allocated."""
        for item in g.heap[len(self._ages) :]:
            self._ages.append(len(self.sites))
            self.sites.append(item.site)

    def settle(self, state: State) -> None:
        """The step is done; its state, as it was numbered before, is now brought in order."""
        self.meet(state.g)
        if state.g.heap:
            self._ages = [self._ages[n] for n in order_of_objects(state, self._declared)]

    def age(self, number: int) -> int:
        """How many objects are older than one of the present state."""
        return self._ages[number]
