"""From a file to a `Result`: load, choose properties, run engines, check evidence, report.

    source ── frontends ──▶ Program ── engines ──▶ Finding ── evidence ──▶ PropertyResult

Nothing becomes SAFE before its certificate passed its checker, and nothing UNSAFE before its trace
replayed. Evidence that fails its check is an `InternalError`, never a verdict.

`check_file` runs the work in a worker process under a supervisor, so that time and memory limits,
Ctrl-C and crashes of native libraries all end in a `Result` with what is known by then. The worker
streams messages; `_Collector` puts them together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from threadwise.core.budget import UNLIMITED, Budget, Meter
from threadwise.core.diagnostics import did_you_mean
from threadwise.core.errors import (
    BudgetExhausted,
    InputError,
    InternalError,
    Unsupported,
)
from threadwise.core.progress import Event, Listener, Progress, Started, Stopped, Throttle, silent
from threadwise.core.reading import read_source
from threadwise.core.source import Span
from threadwise.core.statistics import Name, Number, Statistics
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.registry import AUTO, ENGINES, EngineInfo
from threadwise.evidence import jsonio
from threadwise.evidence.check import check_certificate
from threadwise.evidence.proof import CheckedProof, Refuted
from threadwise.evidence.replay import ReplayFailure, replay
from threadwise.evidence.result import (
    Attempt,
    LoadOptions,
    PropertyResult,
    Result,
    Unreached,
)
from threadwise.evidence.trace import DescribedTrace
from threadwise.evidence.vacuity import unreached_statements
from threadwise.evidence.verdict import Verdict
from threadwise.frontends.model import load_model
from threadwise.ir.printer import program_hash
from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.ir.selection import select_properties


@dataclass(frozen=True)
class CheckOptions:
    """Everything a user can say about a check."""

    properties: tuple[str, ...] = ()
    engine: str = AUTO
    load: LoadOptions = LoadOptions()
    budget: Budget = UNLIMITED
    max_depth: int = 50


def load_program(path: str, load: LoadOptions) -> Program:
    """Read a file into the program of record."""
    return load_model(read_source(path), load.defines, load.threads, load.max_threads)


def check_file(
    path: str,
    options: CheckOptions = CheckOptions(),
    listener: Listener = silent,
    *,
    in_process: bool = False,
) -> Result:
    """Check a file; raises InputError for what the user got wrong."""
    return check_loaded(
        path, lambda: load_program(path, options.load), options, listener, in_process=in_process
    )


def check_loaded(
    name: str,
    load: Callable[[], Program],
    options: CheckOptions,
    listener: Listener = silent,
    *,
    in_process: bool = False,
) -> Result:
    """Check the program that `load` gives, wherever it comes from; `load` runs in the worker."""
    engines = _plan(options.engine)
    collector = _Collector(name, options, listener)
    started = time.monotonic()
    if in_process:
        ending = _run_in_process(load, engines, options, collector)
    else:
        ending = _run_supervised(load, engines, options, collector)
    collector.statistics.set(Name.TIME_S, round(time.monotonic() - started, 3))
    return collector.result(ending)


def replay_file(path: str, trace_path: str) -> DescribedTrace:
    """Replay a trace file; raises ReplayFailure if it does not reproduce."""
    data = jsonio.parse(read_source(trace_path).text, trace_path, jsonio.TRACE_FORMAT)
    trace, claimed = jsonio.trace_from_json(data, trace_path)
    described = replay(load_program(path, jsonio.load_from_json(data, trace_path)), trace)
    if not jsonio.claimed_changes_match(described, claimed):
        raise ReplayFailure("the trace shows other changes than its steps make")
    return described


def certify_file(path: str, certificate_path: str, budget: Budget = UNLIMITED) -> CheckedProof:
    """Check a certificate file; raises Refuted, or InputError if it is for another program."""
    text = read_source(certificate_path).text
    data = jsonio.parse(text, certificate_path, jsonio.CERTIFICATE_FORMAT)
    certificate = jsonio.certificate_from_json(data, certificate_path)
    program = load_program(path, jsonio.load_from_json(data, certificate_path))
    if certificate.program_hash != program_hash(program):
        raise InputError.of(f"{certificate_path}: a certificate for another program than {path}")
    return check_certificate(program, certificate, Meter(budget).check)


def _plan(name: str) -> list[EngineInfo]:
    """The engines to try, in order."""
    if name == AUTO:
        return list(ENGINES.values())
    if name not in ENGINES:
        known = [AUTO, *ENGINES]
        hint = did_you_mean(name, known) or f"known engines: {', '.join(known)}"
        raise InputError.of(f"unknown engine `{name}`", hint=hint)
    return [ENGINES[name]]


# -- messages from the worker ------------------------------------------------------------------


@dataclass(frozen=True)
class _Loaded:
    """The program was loaded; these are the properties to decide."""

    program_hash: str
    properties: tuple[tuple[str, str, Span | None], ...]


@dataclass(frozen=True)
class _Decided:
    """A property has its answer."""

    result: PropertyResult


@dataclass(frozen=True)
class _Tried:
    """An engine has ended."""

    attempt: Attempt
    statistics: Mapping[str, Number]


@dataclass(frozen=True)
class _Bound:
    """A bound cut the search."""

    name: str
    value: int


@dataclass(frozen=True)
class _Vacuous:
    """A proof showed which statements are never reached."""

    unreached: tuple[Unreached, ...]


_Send = Callable[[object], None]


# -- the work ------------------------------------------------------------------------------------


class _Work:
    """What happens in the worker."""

    def __init__(
        self, program: Program, properties: Iterable[Property], options: CheckOptions, send: _Send
    ) -> None:
        self.program = program
        self.open = {checked.name: checked for checked in properties}
        self.options = options
        self.send = send
        self.reasons: dict[str, str] = {}

    def run(self, engines: Iterable[EngineInfo], meter: Meter) -> None:
        """Try the engines one after the other until nothing is open."""
        for info in engines:
            if self.open:
                self._try(info, meter)
        for name, checked in self.open.items():
            reason = self.reasons.get(name, "no engine could decide it")
            self.send(_Decided(_answer(checked, Verdict.UNKNOWN, reason=reason)))

    def _try(self, info: EngineInfo, meter: Meter) -> None:
        statistics = Statistics()
        started = time.monotonic()
        outcome = "stopped by a limit"
        self.send(Started(info.name))
        task = Task(
            self.program,
            tuple(self.open.values()),
            EngineOptions(max_depth=self.options.max_depth),
            meter,
            statistics,
            Throttle(self.send),
        )
        try:
            for finding in info.create().run(task):
                self._take(info.name, finding, meter)
            outcome = "decided" if not self.open else "undecided"
        except Unsupported as error:
            outcome = str(error)
            self.reasons.update((name, outcome) for name in self.open)
        finally:
            elapsed = round(time.monotonic() - started, 3)
            self.send(_Tried(Attempt(info.name, elapsed, outcome), statistics.as_dict()))
            self.send(Stopped(info.name, outcome))

    def _take(self, engine: str, finding: Finding, meter: Meter) -> None:
        """Check the evidence of a finding and make it an answer."""
        started = time.monotonic()
        match finding:
            case Violated(trace):
                try:
                    described = replay(self.program, trace)
                except ReplayFailure as failure:
                    raise InternalError(
                        f"{engine} gave a trace that fails: {failure}"
                    ) from failure
                checked = self.open.pop(trace.property)
                answer = _answer(
                    checked,
                    Verdict.UNSAFE,
                    engine=engine,
                    trace=described,
                    location=described.location,
                    check_time_s=round(time.monotonic() - started, 3),
                )
                self.send(_Decided(answer))
            case Proved(names, certificate):
                self.send(Progress(engine, "checking the proof"))
                try:
                    proof = check_certificate(self.program, certificate, meter.check)
                except Refuted as refuted:
                    raise InternalError(
                        f"{engine} gave a proof that fails: {refuted}"
                    ) from refuted
                elapsed = round(time.monotonic() - started, 3)
                for name in names:
                    answer = _answer(
                        self.open.pop(name),
                        Verdict.SAFE,
                        engine=engine,
                        certificate=certificate,
                        check_time_s=elapsed,
                    )
                    self.send(_Decided(answer))
                self.send(_Vacuous(unreached_statements(self.program, proof)))
            case Undecided(names, reason, bound):
                self.reasons.update((name, reason) for name in names)
                if bound is not None:
                    self.send(_Bound(*bound))


def _answer(checked: Property, verdict: Verdict, **details: object) -> PropertyResult:
    details.setdefault("location", checked.span)
    return PropertyResult(checked.name, checked.kind.value, verdict, **details)  # type: ignore[arg-type]  # the keywords of PropertyResult


def _job(
    load: Callable[[], Program], engines: Iterable[EngineInfo], options: CheckOptions, meter: Meter
) -> Callable[[_Send], None]:
    def job(send: _Send) -> None:
        program = load()
        properties = select_properties(program, options.properties)
        listed = tuple((p.name, p.kind.value, p.span) for p in properties)
        send(_Loaded(program_hash(program), listed))
        _Work(program, properties, options, send).run(engines, meter)

    return job


def _run_in_process(
    load: Callable[[], Program],
    engines: Iterable[EngineInfo],
    options: CheckOptions,
    collector: _Collector,
) -> str | None:
    try:
        _job(load, engines, options, Meter(options.budget))(collector.take)
    except BudgetExhausted as error:
        return error.reason
    except Unsupported as error:
        return str(error)
    return None


def _run_supervised(
    load: Callable[[], Program],
    engines: Iterable[EngineInfo],
    options: CheckOptions,
    collector: _Collector,
) -> str | None:
    from threadwise.core.supervisor import EndingKind, supervise

    job = _job(load, engines, options, Meter(Budget(steps=options.budget.steps)))
    ending = supervise(job, options.budget, collector.take)
    collector.statistics.set(Name.PEAK_MEMORY_BYTES, ending.peak_memory_bytes)
    if ending.kind is EndingKind.FINISHED:
        return None
    if ending.kind is EndingKind.FAILED and not isinstance(ending.error, Unsupported):
        if ending.error is not None:
            raise ending.error
        raise InternalError(ending.reason, {"traceback": ending.traceback or ""})
    return ending.reason


# -- the supervisor's side -----------------------------------------------------------------------


@dataclass
class _Collector:
    """Puts the worker's messages together."""

    file: str
    options: CheckOptions
    listener: Listener
    statistics: Statistics = field(default_factory=Statistics)
    program_hash: str | None = None
    listed: tuple[tuple[str, str, Span | None], ...] = ()
    decided: dict[str, PropertyResult] = field(default_factory=dict)
    tried: list[Attempt] = field(default_factory=list)
    bounds: dict[str, int] = field(default_factory=dict)
    unreached: tuple[Unreached, ...] = ()
    latest: dict[str, Mapping[str, Number]] = field(default_factory=dict)
    """The last counters of each engine that has not ended."""

    def take(self, message: object) -> None:
        """One message."""
        match message:
            case _Loaded(program_hash, properties):
                self.program_hash, self.listed = program_hash, properties
            case _Decided(result):
                self.decided[result.name] = result
            case _Tried(attempt, statistics):
                self.tried.append(attempt)
                self.statistics.merge(Statistics(statistics))
                self.latest.pop(attempt.engine, None)
            case _Bound(name, value):
                self.bounds[name] = value
            case _Vacuous(unreached):
                self.unreached = unreached
            case Started() | Stopped():
                self.listener(message)
            case Progress(engine, _, counters):
                if counters:
                    self.latest[engine] = counters
                self.listener(message)

    def result(self, reason: str | None) -> Result:
        """What is known; `reason` says why the work ended early, if it did."""
        for counters in self.latest.values():
            self.statistics.merge(Statistics(counters))
        cut_off = reason or "the work ended early"
        properties = tuple(
            self.decided.get(name)
            or PropertyResult(name, kind, Verdict.UNKNOWN, reason=cut_off, location=span)
            for name, kind, span in self.listed
        )
        return Result(
            self.file,
            properties,
            reason,
            self.program_hash,
            self.options.load,
            (),
            self.bounds,
            tuple(self.tried),
            self.statistics.as_dict(),
            self.unreached,
        )


__all__ = [
    "CheckOptions",
    "Event",
    "certify_file",
    "check_file",
    "check_loaded",
    "load_program",
    "replay_file",
]
