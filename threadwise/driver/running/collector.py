"""The supervisor's side: the worker's messages put together into a `Result`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from threadwise.core.diagnostics import Diagnostic
from threadwise.core.errors import InternalError
from threadwise.core.growth import Growth
from threadwise.core.load_options import LoadOptions
from threadwise.core.progress import Event, Listener, Progress, Started, Stopped
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.core.statistics import Number, Statistics
from threadwise.driver.loading import MISUSE
from threadwise.driver.running.messages import (
    Blocked,
    Bounded,
    Checked,
    Claimed,
    Decided,
    Defective,
    Idle,
    Limited,
    Loaded,
    Located,
    Paused,
    Tried,
    Vacuous,
    Witnessed,
)
from threadwise.driver.verdicts.blocking import Blockers, placed
from threadwise.ir.properties import PropertyKind
from threadwise.results.blockers import Blocker, Nearness
from threadwise.results.result import (
    Attempt,
    Defect,
    PropertyResult,
    ProvedInPart,
    ReachedLimit,
    Result,
    Unreached,
)
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace

NO_TIME = "the time that was left did not suffice"


@dataclass
class Running:
    """An engine at work."""

    since: float = field(default_factory=time.monotonic)
    worked_s: float | None = None
    """How long it was at work, if it waits now and then."""
    latest: Mapping[str, Number] = field(default_factory=dict)
    """Its last counters."""

    @property
    def time_s(self) -> float:
        """How long it was at work, as far as it is known."""
        return time.monotonic() - self.since if self.worked_s is None else self.worked_s


@dataclass
class Collector:
    """What is known so far."""

    file: str
    load: LoadOptions
    listener: Listener
    options: Mapping[str, str] = field(default_factory=dict)
    """What the user asked for, for reports of defects."""
    statistics: Statistics = field(default_factory=Statistics)
    program_hash: str | None = None
    listed: tuple[tuple[str, str, Span | None], ...] = ()
    spare: tuple[tuple[str, str, Span | None], ...] = ()
    """What is checked on the time that is left."""
    idle: dict[str, DescribedTrace] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = ()
    limits: tuple[ReachedLimit, ...] = ()
    growth: tuple[Growth, ...] = ()
    """Where the program's states come from."""
    decided: dict[str, PropertyResult] = field(default_factory=dict)
    located: dict[str, ProvedInPart] = field(default_factory=dict)
    witnesses: dict[str, dict[str, DescribedTrace]] = field(default_factory=dict)
    tried: list[Attempt] = field(default_factory=list)
    bounds: dict[str, int] = field(default_factory=dict)
    unreached: tuple[Unreached, ...] = ()
    defects: list[Defect] = field(default_factory=list)
    blocked: Blockers = field(default_factory=Blockers)
    """What engines said about properties that they could not decide."""
    running: dict[str, Running] = field(default_factory=dict)
    """The engines at work."""

    def take(self, message: object) -> None:
        """One message or progress event."""
        match message:
            case Loaded(program_hash, properties, assumptions, warnings, files, spare):
                self.program_hash, self.listed, self.spare = program_hash, properties, spare
                self.assumptions, self.warnings, self.files = assumptions, warnings, files
            case Limited(limits, places):
                self.limits, self.growth = limits, places
            case Decided(results, assumptions, _):
                self.assumptions = tuple(dict.fromkeys((*self.assumptions, *assumptions)))
                self.decided.update((result.name, result) for result in results)
            case Located() | Witnessed():
                self._locate(message)
            case Tried(attempt, statistics, _):
                self.tried.append(attempt)
                self.statistics.merge(Statistics(statistics))
                self.running.pop(attempt.engine, None)
            case Defective(defect):
                told = replace(defect, program_hash=self.program_hash, options=self.options)
                self.defects.append(told)
            case Idle(name, trace):
                self.idle.setdefault(name, trace)
            case Bounded(name, value):
                self.bounds[name] = value
            case Vacuous(unreached):
                found = dict.fromkeys((*self.unreached, *unreached))
                self.unreached = tuple(sorted(found, key=_source_order))
            case Blocked(engine, finding):
                self.blocked.note(engine, finding)
            case Paused(engine, _, time_s):
                if engine in self.running:
                    self.running[engine].worked_s = time_s
            case Claimed() | Checked():
                pass
            case Started() | Progress() | Stopped():
                self._hear(message)
            case _:
                raise InternalError(f"unexpected message {message!r}")

    def _hear(self, event: Event) -> None:
        match event:
            case Started(engine):
                self.running[engine] = Running()
            case Progress(engine, _, counters):
                if engine in self.running and counters:
                    self.running[engine].latest = counters
            case Stopped(engine):
                self.running.pop(engine, None)
        self.listener(event)

    def _locate(self, message: Located | Witnessed) -> None:
        """What is known of locations."""
        match message:
            case Located(name, part):
                if part is None:
                    self.located.pop(name, None)
                else:
                    self.located[name] = part
            case Witnessed(name, location, trace):
                self.witnesses.setdefault(name, {}).setdefault(location, trace)

    @property
    def engine(self) -> str | None:
        """The engine at work."""
        return next(iter(self.running), None) if len(self.running) == 1 else None

    def _cut_off(
        self,
        name: str,
        kind: str,
        span: Span | None,
        reason: str,
        *,
        interrupted: bool = False,
    ) -> PropertyResult:
        """A property that was open when the work ended early."""
        known = self.blocked.of(name)
        cut = Blocker(Nearness.RESOURCE, reason)
        blockers = placed((*known, cut), self.growth, cut=not interrupted)
        near = blockers[0]
        said = next((b for b in known if b.engine and near.told.endswith(b.told)), None)
        finding = None if said is None else self.blocked.finding(name, said)
        return PropertyResult(
            name,
            kind,
            Verdict.UNKNOWN,
            reason=near.told,
            blockers=blockers,
            explanation=() if finding is None else finding.explanation,
            location=span,
        )

    def result(self, reason: str | None, *, interrupted: bool = False) -> Result:
        """The answer; `reason` says why the work ended early, if it did."""
        for engine, running in self.running.items():
            elapsed = round(running.time_s, 3)
            self.tried.append(Attempt(engine, elapsed, reason or "did not end"))
            self.statistics.merge(Statistics(running.latest))
        cut_off = reason or "the work ended early"
        properties = tuple(
            self._with_part(
                self.decided.get(name)
                or self._cut_off(name, kind, span, cut_off, interrupted=interrupted)
            )
            for name, kind, span in self.listed
        )
        left = [self._left_over(name, kind, span, reason) for name, kind, span in self.spare]
        properties += tuple(each for each in left if each.verdict is not Verdict.UNKNOWN)
        done = all(name in self.decided for name, _, _ in self.listed)
        if self.spare and done and not interrupted:
            reason = None  # it concerns a property that was not asked for
        return Result(
            self.file,
            properties,
            reason,
            interrupted,
            self.program_hash,
            self.load,
            self._assumed(properties),
            self.warnings,
            bounds=self.bounds,
            tried=tuple(self.tried),
            statistics=self.statistics.as_dict(),
            unreached=self.unreached,
            defects=tuple(self.defects),
            files=self.files,
            limits=self.limits if any(p.verdict is Verdict.UNKNOWN for p in properties) else (),
            spare=tuple(each for each in left if each.verdict is Verdict.UNKNOWN),
        )

    def _left_over(
        self, name: str, kind: str, span: Span | None, reason: str | None
    ) -> PropertyResult:
        """The answer for a property that was not asked for."""
        answer = self.decided.get(name) or self._cut_off(name, kind, span, reason or NO_TIME)
        unknown = answer.verdict is Verdict.UNKNOWN
        return replace(answer, spare=True, idle=self.idle.get(name) if unknown else None)

    def _assumed(self, properties: Iterable[PropertyResult]) -> tuple[str, ...]:
        """What answers rest on; that no lock is misused only if it is not among the answers."""
        misuse = [checked for checked in properties if checked.kind == PropertyKind.MUTEX.value]
        if not misuse or any(checked.verdict is not Verdict.SAFE for checked in misuse):
            return self.assumptions
        return tuple(told for told in self.assumptions if told != MISUSE)

    def _with_part(self, checked: PropertyResult) -> PropertyResult:
        """An answer with what is proved of it in part, unless it is proved."""
        part = self.located.get(checked.name)
        if part is None or checked.verdict is Verdict.SAFE:
            return checked
        open_ = {location.name for location in part.locations if not location.is_proved}
        found = self.witnesses.get(checked.name, {})
        shown = {name: trace for name, trace in found.items() if name in open_}
        answer = replace(checked, part=part)
        if checked.trace is not None:
            from threadwise.report.reporting import places_of, the_location_at

            there = the_location_at(part.locations, places_of(answer))
            if there is not None:
                shown[there] = checked.trace
        return replace(answer, part=replace(part, witnesses=shown))


def _source_order(statement: Unreached) -> tuple[str, int, int]:
    span = statement.span
    return ("", 0, 0) if span is None else (span.path, span.line, span.column)
