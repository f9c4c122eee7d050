"""What an engine is: something that takes a task and yields findings as they come.

A finding is a claim, not yet a verdict: the driver checks the evidence first. An engine yields at
most one finding per property; properties it says nothing about stay open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

from threadwise.core.budget import UNLIMITED, Meter
from threadwise.core.growth import GrowthKind
from threadwise.core.progress import Listener, silent
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.statistics import Statistics
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.proofs.base.certificate import Certificate
from threadwise.results.blockers import Nearness
from threadwise.traces.trace import Trace


@dataclass(frozen=True)
class EngineOptions:
    """What the user can set about the search."""

    max_depth: int = 50
    """How deep stacks may grow in engines that keep them explicitly."""
    max_instances: int = 4
    """Up to how many threads per template explicit search tries where there may be any number."""
    max_bdd_nodes: int | None = 20_000_000
    """How many nodes the BDD library may allocate for the diagrams of symbolic engines."""
    expose: bool | None = None
    """Whether engines that can do without may show threads' own variables to the others; None:
    `local-proof` may, `tar` may not."""
    facts: bool = False
    """Whether `thread-modular` and `tar` take the equations of `counting`, where they cannot go on
    without."""
    max_solver_units: int | None = None
    """What one query may cost, in units of the solver's resource counter; None: what the engines
    allow themselves."""
    symmetry: bool = True
    """Whether threads that are alike share one representative."""
    k: int | None = None
    """How many representatives `horn` relates; None: it tries one, then two."""

    def solver_limit(self, usual: int) -> int:
        """What a query may cost that usually may cost so much."""
        return usual if self.max_solver_units is None else min(usual, self.max_solver_units)


@dataclass(frozen=True)
class Goal:
    """Target states for directed search: as many threads as there are sides, each about to take
    one of the edges of its side."""

    sides: tuple[frozenset[EdgeId], ...]
    name: str = ""
    """What a violation there is about, for the report."""


def _nobody(told: str) -> None:
    """The default: the message is ignored."""


@dataclass
class Task:
    """A program, the properties still open, and the means to work on them."""

    program: Program
    properties: tuple[Property, ...]
    options: EngineOptions = EngineOptions()
    meter: Meter = field(default_factory=lambda: Meter(UNLIMITED))
    statistics: Statistics = field(default_factory=Statistics)
    listener: Listener = silent
    facts: dict[str, tuple[LinearInvariant, ...]] = field(default_factory=dict)
    """Linear invariants that engines have found already, by the hash of their program."""
    goals: Mapping[str, tuple[Goal, ...]] = field(default_factory=dict)
    """Per property, target states for engines that search; more may be added during a run."""
    notes: list[str] = field(default_factory=list)
    """Remarks of an engine about its proof, line by line; `explain` shows them."""
    at_limit: Callable[[str], object] = _nobody
    """Called if a run of the program reaches a place that the tool does not model."""
    details: list[str] = field(default_factory=list)
    """What it did, line by line; shown with `--verbose`."""
    accepts: Callable[[str, Program, Program], bool] | None = None
    """Whether the result of a pass may replace its input, where an engine simplifies again; None:
    nobody asks before the evidence is checked."""
    doubted: set[str] = field(default_factory=set)
    """Properties whose last violation depends on values that the model does not compute: the
    engine may search for another one. An engine that reads a name removes it."""


@dataclass(frozen=True)
class Proved:
    """The certificate proves all these properties."""

    properties: tuple[str, ...]
    certificate: Certificate


@dataclass(frozen=True)
class Violated:
    """The trace violates its property.

    `goal` names the goal that the last state is one of. An engine may show several goals of a
    property: the first trace makes the verdict. It may also show another violation where the
    last one was in doubt (`Task.doubted`), so one property may come more than once.
    """

    trace: Trace
    goal: str | None = None


@dataclass(frozen=True)
class Undecided:
    """The engine does not know, and gives the reason.

    `bound` names the option that cut the search; `explanation` is a longer account, line by line.
    If the engine never answers for such a property, or only finds violations, `applies` is False:
    what another engine says is of more use.
    """

    properties: tuple[str, ...]
    reason: str
    bound: tuple[str, int] | None = None
    explanation: tuple[str, ...] = ()
    applies: bool = True
    certificate: Certificate | None = None
    """A proof of a part of the properties: of some of the locations that threads share."""
    nearness: Nearness | None = None
    """How near to an answer this stands; None: what is usual."""
    final: bool = False
    """Whether no engine can do better."""
    cause: GrowthKind | None = None
    """What in the program the search did not get through."""
    goals: tuple[Goal, ...] = ()
    """States in which a violation is not excluded, for those who search."""


Finding: TypeAlias = Proved | Violated | Undecided


class Engine(Protocol):
    """An algorithm that answers for properties of programs."""

    @property
    def name(self) -> str:
        """The value of `--engine`."""

    def run(self, task: Task) -> Iterator[Finding]:
        """Work on the task; raises BudgetExhausted or Unsupported when it cannot go on."""
