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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from threadwise.semantics.state import Cells, Move, State


@dataclass(frozen=True)
class Run:
    """A run, as a trace tells it."""

    counts: Mapping[str, int]
    """The number of threads, where there may be any."""
    initial: Cells
    moves: tuple[Move, ...]
    program_hash: str = ""
    """The program, with any number of threads where there may be any."""


class Broken(Exception):  # noqa: N818 - the answer of an audit, not a fault
    """A claim of a certificate that does not hold in a run."""

    run: Run | None = None
    """The run, for whoever wants to see it again."""


class Monitor(Protocol):
    """Watches one run after the other for claims that do not hold."""

    @property
    def evaluated(self) -> Counter[str]:
        """How often each claim (or group of claims, such as those of a location) was looked at.

        Claims that were not looked at so far are there, with 0.
        """

    def start(self, state: State) -> None:
        """A run begins; raises Broken."""

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step: edges, and the values that their havocs chose; raises Broken."""


@runtime_checkable
class Steers(Monitor, Protocol):
    """A monitor of a proof that lets only some threads go on in some states."""

    def only(self, state: State) -> int | None:
        """The thread that the proof lets go on; None: any."""


class Contradicted(Exception):  # noqa: N818 - the answer of an audit, not a fault
    """A run that violates a property that a certificate claims to prove."""

    def __init__(self, name: str, run: Run) -> None:
        super().__init__(f"a run violates `{name}`")
        self.name = name
        self.run = run


@dataclass(frozen=True)
class Audit:
    """How closely runs looked at a certificate without finding anything wrong."""

    states: int
    """How many states were visited; in each of them the properties were looked at."""
    complete: bool
    """Whether these are all that the drawn inputs and numbers of threads can lead to."""
    locations: int
    """How many of the locations that the proof says are reached were seen."""
    claimed_locations: int
    evaluated: Mapping[str, int] | None
    """How often each claim was looked at; None if this kind of proof has no monitor."""

    @property
    def never(self) -> tuple[str, ...]:
        """The claims that no run looked at."""
        found = {} if self.evaluated is None else self.evaluated
        return tuple(claim for claim, times in found.items() if not times)
