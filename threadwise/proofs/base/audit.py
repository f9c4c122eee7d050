"""What a certificate claims, looked at in runs.

A checker shows that claims hold by rules; rules can be wrong, and engine and checker may share
them. So every kind of proof has a *monitor*, which says what its claims mean in a concrete run of
the reference semantics, without any rule. A claim that a run breaks refutes the proof, whatever
the checker said.

Monitors know the program, the certificate and the run so far, and nothing of the checker. They
may keep a memory of their own: where frames were entered, who was created when, who wrote what.
The program of a monitor has a fixed number of threads: where the program of record allows any
number, there is a monitor for each number that is tried (`Program.with_counts`).
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from threadwise.semantics.state import Move, State


class Broken(Exception):  # noqa: N818 - the answer of an audit, not a fault
    """A claim of a certificate that does not hold in a run."""


class Monitor(Protocol):
    """Watches one run after the other for claims that do not hold."""

    @property
    def evaluated(self) -> Counter[str]:
        """How often each claim (or group of claims, such as those of a location) was looked at."""

    def start(self, state: State) -> None:
        """A run begins; raises Broken."""

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step: edges, and the values that their havocs chose; raises Broken."""
