"""The result of a run: picklable, free of programs, engines and solvers.

Reports are written from a `Result` alone; the worker process sends its parts to the supervisor.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from threadwise.core.diagnostics import Diagnostic
from threadwise.core.doubts import Doubt
from threadwise.core.load_options import LoadOptions
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span
from threadwise.core.statistics import Number
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.locations import PAST, Location
from threadwise.results.blockers import Blocker
from threadwise.results.html import interleaving, table
from threadwise.results.verdict import Verdict, overall
from threadwise.traces.trace import DescribedTrace

if TYPE_CHECKING:
    from threadwise.proofs.base.audit import Audit


@dataclass(frozen=True)
class Assumed:
    """Something doubtful that a proof does without."""

    doubt: Doubt
    matters: bool | None = None
    """Whether no proof was found with this allowed and nothing else; None: not tried."""
    trace: DescribedTrace | None = None
    """A run through this place that violates the property."""

    @property
    def example(self) -> str | None:
        """The run in a sentence."""
        if self.trace is None:
            return None
        return f"{self.doubt.told}: {self.trace.trace.property}: {self.trace.violation}"


@dataclass(frozen=True)
class ProvedInPart:
    """What a checked proof shows of a property that it does not prove as a whole."""

    engine: str
    certificate: Certificate
    locations: tuple[Location, ...]
    """All locations that threads share, proved and undecided."""
    assumptions: tuple[str, ...] = ()
    audit: Audit | None = None
    doubts: tuple[Assumed, ...] = ()
    allowed: frozenset[str] | None = None
    """The doubtful behaviour of the program that it is about, if not that which was asked for."""
    witnesses: Mapping[str, DescribedTrace] = field(default_factory=dict)
    """Runs that end in a race, by the names of locations that are undecided."""

    @property
    def is_of_all_runs(self) -> bool:
        """Whether what is proved is so in all runs, not only in front of what ends the model."""
        return not any(assumed.startswith(PAST) for assumed in self.assumptions)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether anything is proved: a list of what is not needs no proof."""
        return any(location.is_proved for location in self.locations)


_DEFAULT_LOAD = LoadOptions()
_SHOWN = 5
"""More properties than this are only counted where a result is shown in a line."""


@dataclass(frozen=True)
class PropertyResult:
    """The answer for one property. SAFE and UNSAFE have checked evidence, UNKNOWN a reason."""

    name: str
    kind: str
    verdict: Verdict
    engine: str | None = None
    reason: str | None = None
    blockers: tuple[Blocker, ...] = ()
    """For UNKNOWN: what kept engines from an answer, the nearest to one first."""
    explanation: tuple[str, ...] = ()
    """For UNKNOWN: a longer account, line by line."""
    location: Span | None = None
    trace: DescribedTrace | None = None
    certificate: Certificate | None = None
    proof_told: str = ""
    """For SAFE: the proof in a phrase, by whoever had it at hand."""
    check_time_s: float | None = None
    audit: Audit | None = None
    """For SAFE: how thoroughly the proof was tested in runs; None without an audit."""
    doubts: tuple[Assumed, ...] = ()
    """For SAFE: the doubtful behaviour that is assumed not to happen."""
    allowed: frozenset[str] | None = None
    """The doubtful behaviour of the program that the evidence is about; None: as it was loaded."""
    locations: tuple[Location, ...] = ()
    """For SAFE, if the proof has them: the shared locations, and what protects them."""
    part: ProvedInPart | None = None
    """For UNKNOWN and UNSAFE: what is proved all the same."""
    spare: bool = False
    """Whether it was not asked for: it is checked in the time that is left, and UNKNOWN does not
    count."""
    idle: DescribedTrace | None = None
    """For UNKNOWN: a run after which threads merely wait for work that no thread can give."""


class Why(Enum):
    """Why something that was found is not reported."""

    COMMENT = "comment"
    """A comment in the source says so."""
    BASELINE = "baseline"
    """It was known before."""
    EXCLUDED = "excluded"
    """It lies in code that was not asked about."""


@dataclass(frozen=True)
class Suppressed:
    """Something that was found, or could not be excluded, and is not reported."""

    name: str
    """The property."""
    kind: str
    why: Why
    message: str
    places: tuple[Span, ...] = ()
    reason: str | None = None
    """What the user says about it."""
    answer: PropertyResult | None = None
    """With its trace, if it is violated."""


@dataclass(frozen=True)
class Attempt:
    """An engine that was tried: for how long, and why it stopped."""

    engine: str
    time_s: float
    """In a process of its own, its processor time: several engines may be at work at a time."""
    outcome: str
    notes: tuple[str, ...] = ()
    """Remarks of the engine about its proof, line by line."""
    details: tuple[str, ...] = ()
    """What it did, line by line."""


class DefectKind(Enum):
    """The ways in which the tool can fail."""

    CRASH = "crash"
    PROOF = "refuted proof"
    TRACE = "refuted trace"


@dataclass(frozen=True)
class Defect:
    """A failure of the tool itself, with what a report of it needs besides the input.

    What others decided is still valid: it was checked independently of the failed engine.
    """

    kind: DefectKind
    engine: str | None
    """Who failed; None if it was no engine."""
    message: str
    traceback: str = ""
    properties: tuple[str, ...] = ()
    """What was open when it happened."""
    steps: int | None = None
    """How many steps the engine was allowed, if not as many as it takes."""
    program_hash: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    """The options of the run that differ from their defaults."""


@dataclass(frozen=True)
class Unreached:
    """A statement that no execution reaches."""

    span: Span | None
    text: str
    is_assertion: bool


@dataclass(frozen=True)
class ReachedLimit:
    """A place where the model ends, and which runs may reach by the control-flow graph."""

    message: str
    """With file and line, if these are known."""
    span: Span | None
    hidden: int | None
    """How many locations lie behind it only; None if they are no part of the program."""


@dataclass(frozen=True, repr=False)
class Result:
    """The answer for a file."""

    file: str
    properties: tuple[PropertyResult, ...]
    reason: str | None = None
    """Why the verdict is UNKNOWN, if for a reason that concerns the run as a whole."""
    interrupted: bool = False
    """Whether the user stopped the run."""
    program_hash: str | None = None
    load: LoadOptions = _DEFAULT_LOAD
    assumptions: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    """What the user should know about how the file was read."""
    bounds: Mapping[str, int] = field(default_factory=dict)
    tried: tuple[Attempt, ...] = ()
    statistics: Mapping[str, Number] = field(default_factory=dict)
    unreached: tuple[Unreached, ...] = ()
    """Known only if the program was proved SAFE by an engine whose proof shows it."""
    defects: tuple[Defect, ...] = ()
    """Where the tool itself failed; the verdicts do not depend on the failed engines."""
    next_step: str | None = None
    """For UNKNOWN: an option that was tried to take away what stood nearest to an answer."""
    files: tuple[str, ...] = ()
    """What was read, headers included; empty if nothing could be."""
    limits: tuple[ReachedLimit, ...] = ()
    """Where the model ends, those that hide most first."""
    suppressed: tuple[Suppressed, ...] = ()
    """What the verdict leaves out."""
    spare: tuple[PropertyResult, ...] = ()
    """What was not asked for and was not decided in the time that was left."""

    @property
    def verdict(self) -> Verdict:
        """UNSAFE if one property is, SAFE if all are; UNKNOWN if nothing was loaded."""
        if not self.properties:
            return Verdict.UNKNOWN if self.reason is not None else Verdict.SAFE
        return overall(checked.verdict for checked in self.properties)

    def __repr__(self) -> str:
        told = [f"{checked.name}: {checked.verdict}" for checked in self.properties]
        shown = told if len(told) <= _SHOWN else [*told[:_SHOWN], f"{len(told) - _SHOWN} more"]
        return f"<{self.verdict} {self.file!r} ({', '.join(shown)})>"

    def to_rows(self) -> list[dict[str, object]]:
        """A dictionary per property, for tables."""
        return [
            {
                "file": self.file,
                "property": checked.name,
                "kind": checked.kind,
                "verdict": checked.verdict.value,
                "engine": checked.engine,
                "line": span.line if (span := _span_of(checked)) else None,
                "message": checked.trace.violation if checked.trace else checked.reason,
            }
            for checked in self.properties
        ]

    def _repr_html_(self) -> str:
        """The answers in a notebook, with the interleavings of violations."""
        rows = self.to_rows()
        shown = table(
            f"{self.file}: {self.verdict}", rows[0] if rows else (), (row.values() for row in rows)
        )
        traces = ((each.name, each.trace) for each in self.properties)
        return shown + "".join(interleaving(n, trace) for n, trace in traces if trace is not None)

    def load_of(self, checked: PropertyResult | ProvedInPart) -> LoadOptions:
        """How the program was loaded that the evidence for a property is about."""
        return self.load if checked.allowed is None else self.load.allowing(checked.allowed)

    @property
    def engine(self) -> str | None:
        """The engine that answered, if it was the same for all properties."""
        engines = {checked.engine for checked in self.properties}
        return engines.pop() if len(engines) == 1 else None


def _span_of(checked: PropertyResult) -> Span | None:
    """Where an answer shows."""
    return (checked.trace.location if checked.trace else None) or checked.location
