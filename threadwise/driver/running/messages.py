"""The messages of the worker to the supervisor, besides progress events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from threadwise.core.diagnostics import Diagnostic
from threadwise.core.growth import Growth
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.core.statistics import Number
from threadwise.engines.api import Undecided
from threadwise.ir.quantities import LinearInvariant
from threadwise.results.result import (
    Attempt,
    Defect,
    PropertyResult,
    ProvedInPart,
    ReachedLimit,
    Unreached,
)
from threadwise.traces.trace import DescribedTrace

Send = Callable[[object], None]
"""Takes a message to the supervisor."""


@dataclass(frozen=True)
class Loaded:
    """The program was loaded; these are the properties to decide: name, kind, where."""

    program_hash: str
    properties: tuple[tuple[str, str, Span | None], ...]
    assumptions: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = ()
    spare: tuple[tuple[str, str, Span | None], ...] = ()
    """Properties that were not asked for, to decide in the time that is left."""


@dataclass(frozen=True)
class Idle:
    """After a run threads merely wait for work: no violation, unless deadlocks were asked for."""

    name: str
    trace: DescribedTrace


@dataclass(frozen=True)
class Limited:
    """Where the model ends that engines work on."""

    limits: tuple[ReachedLimit, ...]
    growth: tuple[Growth, ...] = ()
    """Where its states come from."""


@dataclass(frozen=True)
class Decided:
    """Properties that have their answer, those proved together in one message."""

    results: tuple[PropertyResult, ...]
    assumptions: tuple[str, ...] = ()
    """What their proof rests on besides the program."""
    steps: int = 0
    """How many steps of the engine's meter it took."""


@dataclass(frozen=True)
class Claimed:
    """An engine has evidence, which is now being checked."""

    engine: str
    properties: tuple[str, ...] = ()
    """What it decides if it passes."""


@dataclass(frozen=True)
class Checked:
    """Evidence was checked, with whatever result."""

    engine: str


@dataclass(frozen=True)
class Blocked:
    """An engine cannot decide some properties, and says why."""

    engine: str
    finding: Undecided


@dataclass(frozen=True)
class Known:
    """What engines found that others can use: linear invariants by the hash of their program."""

    facts: Mapping[str, tuple[LinearInvariant, ...]]


@dataclass(frozen=True)
class Located:
    """What is proved of a property in part: of some of the locations that threads share.

    None revokes an earlier message: a run refutes it.
    """

    name: str
    part: ProvedInPart | None


@dataclass(frozen=True)
class Witnessed:
    """A run shows that a location races which a proof in part left undecided."""

    name: str
    location: str
    trace: DescribedTrace


@dataclass(frozen=True)
class Tried:
    """An engine has ended."""

    attempt: Attempt
    statistics: Mapping[str, Number]
    steps: int = 0


@dataclass(frozen=True)
class Paused:
    """An engine is between two turns, or in the middle of one: its steps and its time so far."""

    engine: str
    steps: int
    time_s: float


@dataclass(frozen=True)
class Defective:
    """The tool failed somewhere, and goes on without."""

    defect: Defect


@dataclass(frozen=True)
class Bounded:
    """A bound cut the search."""

    name: str
    value: int


@dataclass(frozen=True)
class Vacuous:
    """A proof showed which statements are never reached."""

    unreached: tuple[Unreached, ...]
