"""A check: the work in a worker process, its messages, and the `Result` made of them.

`check_file` runs the work (`running.job`) in a worker process under a supervisor, so that time and
memory limits, Ctrl-C and crashes of native libraries all end in a `Result` with what is known by
then. The worker streams `messages`; the `collector` puts them together.

Front end, engines and checkers are imported by the functions that need them: the worker loads them
while the supervisor gets its report ready.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, InputError, InternalError, Unsupported
from threadwise.core.processes.machine import usable_cores
from threadwise.core.progress import Event, Listener, silent
from threadwise.core.statistics import Name
from threadwise.core.suggestions import did_you_mean
from threadwise.driver.check_options import DEFAULT_OPTIONS, CheckOptions
from threadwise.driver.defects import defect_of, defect_of_ending, told_options
from threadwise.driver.loading import Input, check_meaning, is_c, load_input
from threadwise.driver.running.collector import Collector
from threadwise.driver.running.messages import Defective, Send
from threadwise.engines.auto import AUTO, auto_engines
from threadwise.engines.registry import ENGINES, EngineInfo
from threadwise.ir.program import Program
from threadwise.results.blockers import Nearness
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict


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
    jobs: int = 0,
) -> Callable[[Send], None]:
    """What the worker does, which imports the engines and all they need."""

    def job(send: Send) -> None:
        from threadwise.driver.running.job import run_job

        run_job(load, engines, options, meter, send, jobs)

    return job


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
    job = _job(load, engines, options, Meter(Budget(steps=options.budget.steps)), jobs)
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
