"""Deadlocks of many states: what a thread waits for depends on its own and the shared store."""

from __future__ import annotations

from threadwise.proofs.base.by_store import ByStore
from threadwise.semantics.deadlocks import Deadlocks, Waiting
from threadwise.semantics.state import GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter


class CachedDeadlocks(Deadlocks):
    """Same answers as `Deadlocks`: what a thread waits for is asked once for each pair."""

    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__(interpreter)
        self._waiting = ByStore[tuple[int, LocalStore], tuple[Waiting, ...] | None]()

    def waiting(self, t: int, g: GlobalStore, l: LocalStore) -> tuple[Waiting, ...] | None:
        """The ways on of a thread, with what may end the waits there; None if it can step."""
        known = self._waiting.at(g)
        if (t, l) not in known:
            known[t, l] = super().waiting(t, g, l)
        return known[t, l]
