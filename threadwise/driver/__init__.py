"""From a file to a `Result`: load, choose properties, run engines, check evidence, report.

    source ── frontends ──▶ Program ── engines ──▶ Finding ── evidence ──▶ PropertyResult

Nothing becomes SAFE before its certificate passed its checker, and nothing UNSAFE before its trace
replayed. Evidence that fails its check is a `Defect` of the engine, never a verdict.

`check_file` runs the work (`work`) in a worker process under a supervisor, so that time and memory
limits, Ctrl-C and crashes of native libraries all end in a `Result` with what is known by then.
The worker streams `messages`; the `collector` puts them together.

Front end, engines and checkers are imported by the functions that need them: the worker loads them
while the supervisor gets its report ready.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from threadwise.core.budget import UNLIMITED, Budget, Meter
from threadwise.core.diagnostics import did_you_mean
from threadwise.core.errors import BudgetExhausted, InputError, InternalError, Unsupported
from threadwise.core.options import DEFAULT_MAX_DEPTH, LoadOptions
from threadwise.core.processes.machine import usable_cores
from threadwise.core.progress import Event, Listener, silent
from threadwise.core.source import SourceFile
from threadwise.core.statistics import Name
from threadwise.driver.defects import defect_of, defect_of_ending, told_options
from threadwise.driver.loading import (
    Input,
    check_meaning,
    is_c,
    load_c_sources,
    load_input,
    load_model_source,
)
from threadwise.driver.rechecking import (
    Certification,
    Replayed,
    certify_file,
    certify_recorded,
    replay_file,
    replay_recorded,
)
from threadwise.driver.running.collector import Collector
from threadwise.driver.running.messages import Decided, Defective, Limited, Loaded
from threadwise.engines.auto import AUTO, AUTO_SLICES, arranged, auto_engines
from threadwise.engines.registry import ENGINES, EngineInfo
from threadwise.ir.program import Program
from threadwise.results.blockers import Nearness
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict

if TYPE_CHECKING:
    from threadwise.driver.running.work import Send
    from threadwise.engines.api import EngineOptions
    from threadwise.ir.properties import Property

__all__ = [
    "DEFAULT_LOAD",
    "DEFAULT_OPTIONS",
    "Certification",
    "CheckOptions",
    "Replayed",
    "certify_file",
    "certify_recorded",
    "check_file",
    "check_loaded",
    "load_program",
    "load_simplified",
    "load_source",
    "replay_file",
    "replay_recorded",
]

DEFAULT_LOAD = LoadOptions()


@dataclass(frozen=True)
class CheckOptions:
    """Everything a user can say about a check."""

    properties: tuple[str, ...] = ()
    engine: str = AUTO
    load: LoadOptions = DEFAULT_LOAD
    budget: Budget = UNLIMITED
    max_depth: int = DEFAULT_MAX_DEPTH
    symmetry: bool = True
    k: int | None = None
    expose: bool | None = None
    """None: what is usual for the engine."""
    facts: bool | None = None
    """None: only `auto` takes them."""
    max_bdd_nodes: int | None = None
    """None: what the engines allow themselves."""
    max_solver_units: int | None = None
    """None: what the engines allow themselves."""
    second_solver: bool = False
    """Whether formulas are checked with a second solver, too."""
    audit: bool = True
    """Whether the claims of proofs are tested in runs."""
    jobs: int | None = None
    """How many engines of `auto` may be at work at a time; None: as many as there are cores."""
    first: bool = False
    """Whether to stop at the first violation."""
    cache: str | None = None
    """A folder with evidence of earlier runs, and for that of this one."""
    started: float | None = None
    """When the clock of the time limit began, by `time.monotonic`; None: when the work begins."""
    meanwhile: Callable[[], object] | None = None
    """What to do once while the worker has begun."""
    watch: Callable[[Collector], object] | None = None
    """Called with the results so far, many times a second."""


DEFAULT_OPTIONS = CheckOptions()


def load_program(path: str, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read a file into the program of record; raises InputError."""
    return load_input(path, load).program


def load_simplified(path: str, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read a file into the program that engines work on; raises InputError."""
    return load_input(path, load).worked_on


def load_source(source: SourceFile, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read a text into the program that engines work on; raises InputError.

    It is C if its name ends as those of C files do, otherwise a model.
    """
    return (
        load_c_sources([source], load).worked_on
        if is_c(source.path)
        else load_model_source(source, load)
    )


def check_file(
    path: str,
    options: CheckOptions = DEFAULT_OPTIONS,
    listener: Listener = silent,
    *,
    in_process: bool = False,
) -> Result:
    """Check a file; raises InputError for what the user got wrong."""
    if is_c(path):
        options = replace(options, load=options.load.asked_for(options.properties))
    result = check_loaded(
        path, lambda: load_input(path, options.load), options, listener, in_process=in_process
    )
    return result if in_process else _with_next_step(path, options, result)


NEXT_STEP_S = 10.0
"""How long the search for a next step may take."""


def _with_next_step(path: str, options: CheckOptions, result: Result) -> Result:
    """The same, with an option that was tried to help if something stayed open."""
    blockers = [each for checked in result.properties for each in checked.blockers]
    near = [each for each in dict.fromkeys(blockers) if each.nearness <= Nearness.SIZE]
    if result.verdict is not Verdict.UNKNOWN or result.interrupted or not near:
        return result
    from threadwise.core.processes.supervisor import supervise
    from threadwise.driver.verdicts.next_steps import next_step

    found: list[object] = []
    supervise(
        lambda send: send(next_step(path, options.load, near)),
        Budget(time_s=NEXT_STEP_S, memory_bytes=options.budget.memory_bytes),
        found.append,
    )
    step = next(iter(found), None)
    return replace(result, next_step=step) if isinstance(step, str) else result


def check_loaded(
    name: str,
    load: Callable[[], Program | Input],
    options: CheckOptions = DEFAULT_OPTIONS,
    listener: Listener = silent,
    *,
    in_process: bool = False,
) -> Result:
    """Check the program that `load` gives, wherever it comes from; `load` runs in the worker."""
    engines = _plan(options.engine)
    check_meaning(options.load)
    asked = told_options(
        replace(options, started=None, meanwhile=None, watch=None), DEFAULT_OPTIONS
    )
    collector = Collector(name, options.load, listener, asked)
    run = _run_in_process if in_process else _run_supervised
    started = time.monotonic()
    reason, interrupted = run(load, engines, options, collector)
    collector.statistics.set(Name.TIME_S, round(time.monotonic() - started, 3))
    result = collector.result(reason, interrupted=interrupted)
    if options.cache is not None and result.program_hash is not None and result.tried:
        from threadwise.driver.remembering import Cache

        Cache(options.cache, result.program_hash).remember(result)
    return result


def _plan(name: str) -> list[EngineInfo]:
    """The engines to try, in order."""
    if name == AUTO:
        return auto_engines()
    if name not in ENGINES:
        known = [AUTO, *ENGINES]
        hint = did_you_mean(name, known) or f"known engines: {', '.join(known)}"
        raise InputError.of(f"unknown engine `{name}`", hint=hint)
    return [ENGINES[name]]


def _job(
    load: Callable[[], Program | Input],
    engines: Sequence[EngineInfo],
    options: CheckOptions,
    meter: Meter,
    *,
    jobs: int = 0,
) -> Callable[[Send], None]:
    """What the worker does; with so many engines at a time, or in slices if there are none."""

    def job(send: Send) -> None:
        from threadwise.analyses.growth import growth
        from threadwise.driver.running.early import left_by_order
        from threadwise.driver.running.schedule import Schedule
        from threadwise.driver.running.spare import SLICES, on_time_left, time_left
        from threadwise.driver.running.work import Work
        from threadwise.driver.selection import (
            are_one_question,
            select_properties,
            spare_properties,
        )
        from threadwise.driver.verdicts.doubting import Doubting
        from threadwise.driver.verdicts.limits import reached_limits
        from threadwise.ir.text.printer import program_hash

        started = time.monotonic() if options.started is None else options.started
        loaded = load()
        if not isinstance(loaded, Input):
            loaded = Input(loaded)
        program = loaded.program
        properties = select_properties(program, options.properties)
        automatic = options.engine == AUTO
        spare = spare_properties(program, options.properties) if automatic else ()
        listed, later = (
            tuple((p.name, p.kind.value, p.span) for p in each) for each in (properties, spare)
        )
        about = loaded.assumptions, loaded.warnings, loaded.files
        send(Loaded(program_hash(program), listed, *about, later))
        engine_options = _engine_options(options)
        broken: set[str] = set()

        def begin(
            given: Input, names: Iterable[str], tell: Send, passes: Sequence[str] | None = None
        ) -> Work:
            asked = select_properties(given.program, options.properties)
            if spare:
                asked += spare_properties(given.program, options.properties)
            known = {checked.name for checked in (*properties, *spare)}
            settled = known - {*names}
            partly = None if passes is None or given.partly is None else given.partly(passes)
            work = Work(
                partly or given.simpler or given.program,
                [checked for checked in asked if checked.name not in settled],
                engine_options,
                meter,
                tell,
                second_solver=options.second_solver,
                approximated=given.approximated,
                misuse=given.misuse,
            )
            work.audit = options.audit
            work.first = options.first
            work.asked_together = automatic and are_one_question(options.properties)
            work.broken = broken
            work.lists, work.suffers_idleness = automatic and given is loaded, bool(spare)
            return work

        schedule = Schedule(
            lambda program: arranged(engines, program) if automatic else engines,
            AUTO_SLICES if automatic else (None,),
            jobs if automatic else 0,
            options.budget.memory_bytes,
        )

        def decide(schedule: Schedule, checked: Sequence[Property], tell: Send) -> None:
            names = [each.name for each in checked]
            if options.cache is not None:
                from threadwise.driver.remembering import Cache

                cache = Cache(options.cache, program_hash(program))
                settled = cache.recall(loaded, names, begin, tell)
                names = [name for name in names if name not in settled]
            if automatic:
                names = left_by_order(loaded, checked, names, begin, tell)
            if not names:
                return
            tell(Limited(reached_limits(loaded.worked_on), growth(loaded.worked_on)))
            if loaded.allowing is not None:
                Doubting(begin, schedule, meter, tell).run(loaded, names)
            else:
                schedule.run(begin(loaded, names, tell))

        told = _Told(send)
        decide(schedule, properties, told.take)
        if spare and not (options.first and told.violated):
            apart = schedule.jobs > 0 and options.budget.steps is None
            left = time_left(options.budget.time_s, time.monotonic() - started)
            some = schedule if apart else replace(schedule, slices=schedule.slices[:SLICES])
            on_time_left(lambda tell: decide(some, spare, tell), send, left if apart else None)

    return job


def _engine_options(options: CheckOptions) -> EngineOptions:
    """What engines may choose."""
    from threadwise.engines.api import EngineOptions

    automatic = options.engine == AUTO
    found = EngineOptions(
        max_depth=options.max_depth,
        symmetry=options.symmetry,
        k=options.k,
        max_solver_units=options.max_solver_units,
        expose=True if options.expose is None and automatic else options.expose,
        facts=automatic if options.facts is None else options.facts,
    )
    if options.max_bdd_nodes is None:
        return found
    return replace(found, max_bdd_nodes=options.max_bdd_nodes)


@dataclass
class _Told:
    """Passes messages on, and notes whether a property is violated."""

    send: Send
    violated: bool = False

    def take(self, message: object) -> None:
        """One message of the work."""
        if isinstance(message, Decided):
            self.violated |= any(each.verdict is Verdict.UNSAFE for each in message.results)
        self.send(message)


def _run_in_process(
    load: Callable[[], Program | Input],
    engines: Sequence[EngineInfo],
    options: CheckOptions,
    collector: Collector,
) -> tuple[str | None, bool]:
    """Why the work ended early, if it did, and whether the user wanted it so."""
    collector.listener = _apart(collector.listener)
    try:
        _job(load, engines, options, Meter(options.budget))(collector.take)
    except BudgetExhausted as error:
        return error.reason, False
    except Unsupported as error:
        return str(error), False
    except _Disturbed as disturbed:
        raise disturbed.error from None
    except (InputError, MemoryError):
        raise
    except Exception as error:
        if collector.program_hash is None:
            raise
        defect = defect_of(collector.engine, error)
        collector.take(Defective(defect))
        return defect.message, False
    return None, False


class _Disturbed(BaseException):
    """The listener failed: no failure of the engine that it was listening to."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def _apart(listener: Listener) -> Listener:
    """A listener whose failures pass through the engines."""

    def hear(event: Event) -> None:
        try:
            listener(event)
        except Exception as error:
            raise _Disturbed(error) from error

    return hear


def _run_supervised(
    load: Callable[[], Program | Input],
    engines: Sequence[EngineInfo],
    options: CheckOptions,
    collector: Collector,
) -> tuple[str | None, bool]:
    """Why the work ended early, if it did, and whether the user wanted it so."""
    from threadwise.core.processes.supervisor import EndingKind, supervise

    jobs = usable_cores() if options.jobs is None else options.jobs
    job = _job(load, engines, options, Meter(Budget(steps=options.budget.steps)), jobs=jobs)
    watch = options.watch
    ending = supervise(
        job,
        options.budget,
        collector.take,
        options.started,
        options.meanwhile,
        None if watch is None else lambda: watch(collector),
    )
    collector.statistics.set(Name.PEAK_MEMORY_BYTES, ending.peak_memory_bytes)
    if ending.kind is EndingKind.FINISHED:
        return None, False
    if ending.kind is EndingKind.FAILED:
        if isinstance(ending.error, Unsupported):
            return str(ending.error), False
        if isinstance(ending.error, InputError):
            raise ending.error
        if collector.program_hash is None:
            raise ending.error or InternalError(
                ending.reason, {"traceback": ending.traceback or ""}
            )
    defect = defect_of_ending(collector.engine, ending)
    if defect is not None:
        collector.take(Defective(defect))
        return defect.message, False
    return ending.reason, ending.kind is EndingKind.INTERRUPTED
