"""Run-time verification of certificates: their claims are tested in concrete runs.

A checker shows by rules that claims hold; rules can be wrong, and engine and checker may share
them. So every kind of proof has a *monitor*, which defines what its claims mean in a concrete run
of the reference semantics, without any rule. A claim that is false in a run refutes the proof,
whatever the checker said.

Monitors use the program, the certificate and the run so far, and no code of the checker. They may
keep state of their own: where frames were entered, which thread was created when, who wrote what.
The program of a monitor has a fixed number of threads: where the program of record allows any
number, there is a monitor for each number that is tried (`Program.with_counts`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import Value
from threadwise.semantics.state import Cells, Move, State


@dataclass(frozen=True)
class Run:
    """A run, as it is recorded in a trace."""

    counts: Mapping[str, int]
    """The number of threads, where there may be any."""
    initial: Cells
    moves: tuple[Move, ...]
    program_hash: str = ""
    """The program, with any number of threads where there may be any."""


class Broken(Exception):  # noqa: N818 - the answer of an audit, not a fault
    """A claim of a certificate that does not hold in a run."""

    run: Run | None = None
    """The run, so that it can be replayed."""


class Monitor(Protocol):
    """Watches runs, one after the other, for claims that are false."""

    @property
    def evaluated(self) -> Counter[str]:
        """How often each claim (or group of claims, such as those of a location) was evaluated.

        Claims that were never evaluated are included, with 0.
        """

    def start(self, state: State) -> None:
        """A run begins; raises Broken."""

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step: edges, and the values that their havocs chose; raises Broken."""


@runtime_checkable
class Steers(Monitor, Protocol):
    """A monitor of a proof that explores only some threads in some states."""

    def only(self, state: State) -> int | None:
        """The only thread that the proof explores in a state; None: all."""


@runtime_checkable
class Chooses(Monitor, Protocol):
    """A monitor of a proof in which a few values of some inputs stand for all."""

    @property
    def inputs(self) -> Mapping[EdgeId, Sequence[Value]]:
        """The values that the only input of an edge takes; one that is missing takes any."""


@runtime_checkable
class Learns(Monitor, Protocol):
    """A monitor that also tests what a checker found out by itself."""

    def learn(self, found: object) -> None:
        """Before the first run: what the checker says (`CheckedProof.found`)."""


MOST_KNOWN = 50_000
"""So many states are remembered, so that they are not evaluated again."""


class StateMonitor(ABC):
    """A monitor of claims about single states: each state is looked at once."""

    def __init__(self) -> None:
        self._looked: set[State] = set()

    def start(self, state: State) -> None:
        """A run begins."""
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        self._look(after)

    def _look(self, state: State) -> None:
        if state in self._looked:
            return
        if len(self._looked) > MOST_KNOWN:
            self._looked.clear()
        self._looked.add(state)
        self.evaluate(state)

    @abstractmethod
    def evaluate(self, state: State) -> None:
        """Evaluate the claims in a state; raises Broken."""


class Contradicted(Exception):  # noqa: N818 - the answer of an audit, not a fault
    """A run that violates a property that a certificate claims to prove."""

    def __init__(self, name: str, run: Run) -> None:
        super().__init__(f"a run violates `{name}`")
        self.name = name
        self.run = run


@dataclass(frozen=True)
class Audit:
    """How thoroughly a certificate was tested in runs, without a contradiction."""

    states: int
    """How many states were visited; the properties were evaluated in each of them."""
    complete: bool
    """Whether these are all that the drawn inputs and numbers of threads can lead to."""
    locations: int
    """How many of the locations that the proof says are reached were seen."""
    claimed_locations: int
    evaluated: Mapping[str, int] | None
    """How often each claim was evaluated; None if this kind of proof has no monitor."""
    seen: frozenset[LocId] = frozenset()
    """The locations of the program of record that runs came to."""

    @property
    def never(self) -> tuple[str, ...]:
        """The claims that were evaluated in no run."""
        found = {} if self.evaluated is None else self.evaluated
        return tuple(claim for claim, times in found.items() if not times)
