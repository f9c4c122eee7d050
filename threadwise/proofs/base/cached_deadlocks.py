"""Deadlocks of many states: what a thread waits for depends on its own and the shared store."""

from __future__ import annotations

from threadwise.semantics.deadlocks import Deadlocks, Waiting
from threadwise.semantics.state import GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter


class CachedDeadlocks(Deadlocks):
    """Same answers as `Deadlocks`: what a thread waits for is asked once for each pair."""

    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__(interpreter)
        self._waiting: dict[tuple[int, GlobalStore, LocalStore], tuple[Waiting, ...] | None] = {}

    def waiting(self, t: int, g: GlobalStore, l: LocalStore) -> tuple[Waiting, ...] | None:
        """The ways on of a thread, with what may end the waits there; None if it can step."""
        key = (t, g, l)
        if key not in self._waiting:
            self._waiting[key] = super().waiting(t, g, l)
        return self._waiting[key]
