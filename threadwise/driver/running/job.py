"""What the worker does: load the program, choose properties, and run engines on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from threadwise.analyses.growth import growth
from threadwise.core.budget import Meter
from threadwise.core.quick_dataclass import dataclass
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.loading import Input
from threadwise.driver.running.early import left_by_order
from threadwise.driver.running.messages import Decided, Limited, Loaded, Send
from threadwise.driver.running.schedule import Schedule
from threadwise.driver.running.spare import SLICES, on_time_left, time_left
from threadwise.driver.running.work import Work
from threadwise.driver.selection import are_one_question, select_properties, spare_properties
from threadwise.driver.verdicts.doubting import Doubting
from threadwise.driver.verdicts.limits import reached_limits
from threadwise.engines.api import EngineOptions
from threadwise.engines.auto import AUTO, AUTO_SLICES, arranged
from threadwise.engines.registry import EngineInfo
from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.results.verdict import Verdict


def run_job(
    load: Callable[[], Program | Input],
    engines: Sequence[EngineInfo],
    options: CheckOptions,
    meter: Meter,
    send: Send,
    jobs: int = 0,
) -> None:
    """Check a program; with so many engines at a time, or in slices if there are none."""
    started = time.monotonic() if options.started is None else options.started
    loaded = load()
    job = Job(loaded if isinstance(loaded, Input) else Input(loaded), options, meter)
    send(job.introduction)
    schedule = Schedule(
        lambda program: arranged(engines, program) if job.automatic else engines,
        AUTO_SLICES if job.automatic else (None,),
        jobs if job.automatic else 0,
        options.budget.memory_bytes,
    )
    told = _Told(send)
    job.decide(schedule, job.properties, told.take)
    if job.spare and not (options.first and told.violated):
        apart = schedule.jobs > 0 and options.budget.steps is None
        left = time_left(options.budget.time_s, time.monotonic() - started)
        some = schedule if apart else replace(schedule, slices=schedule.slices[:SLICES])
        on_time_left(lambda tell: job.decide(some, job.spare, tell), send, left if apart else None)


class Job:
    """A loaded program, and the properties that are to be decided."""

    def __init__(self, loaded: Input, options: CheckOptions, meter: Meter) -> None:
        self.loaded = loaded
        self.options = options
        self.meter = meter
        self.automatic = options.engine == AUTO
        program, asked = loaded.program, options.properties
        self.properties = select_properties(program, asked)
        self.spare = spare_properties(program, asked) if self.automatic else ()
        """What is decided in the time that is left."""
        self._hash = program_hash(program)
        self._engine_options = _engine_options(options)
        self._broken: set[str] = set()

    @property
    def introduction(self) -> Loaded:
        """The message about the program and its properties."""
        listed, later = (
            tuple((p.name, p.kind.value, p.span) for p in each)
            for each in (self.properties, self.spare)
        )
        loaded = self.loaded
        about = loaded.assumptions, loaded.warnings, loaded.files
        return Loaded(self._hash, listed, *about, later)

    def decide(self, schedule: Schedule, checked: Sequence[Property], tell: Send) -> None:
        """Run engines on some of the properties."""
        loaded, names = self.loaded, [each.name for each in checked]
        if self.options.cache is not None:
            from threadwise.driver.remembering import Cache

            cache = Cache(self.options.cache, self._hash)
            settled = cache.recall(loaded, names, self.begin, tell)
            names = [name for name in names if name not in settled]
        if self.automatic:
            names = left_by_order(loaded, checked, names, self.begin, tell)
        if not names:
            return
        tell(Limited(reached_limits(loaded.worked_on), growth(loaded.worked_on)))
        if loaded.allowing is not None:
            Doubting(self.begin, schedule, self.meter, tell).run(loaded, names)
        else:
            schedule.run(self.begin(loaded, names, tell))

    def begin(
        self,
        given: Input,
        names: Iterable[str],
        tell: Send,
        passes: Sequence[str] | None = None,
    ) -> Work:
        """The work on properties of a program: this one, or one that means a little more."""
        options = self.options
        asked = select_properties(given.program, options.properties)
        if self.spare:
            asked += spare_properties(given.program, options.properties)
        known = {checked.name for checked in (*self.properties, *self.spare)}
        settled = known - {*names}
        partly = None if passes is None or given.partly is None else given.partly(passes)
        work = Work(
            partly or given.simpler or given.program,
            [checked for checked in asked if checked.name not in settled],
            self._engine_options,
            self.meter,
            tell,
            second_solver=options.second_solver,
            approximated=given.approximated,
            misuse=given.misuse,
        )
        work.audit, work.orders = options.audit, given.orders
        work.first = options.first
        work.asked_together = self.automatic and are_one_question(options.properties)
        work.broken = self._broken
        work.lists = self.automatic and given is self.loaded
        work.suffers_idleness = bool(self.spare)
        return work


def _engine_options(options: CheckOptions) -> EngineOptions:
    """What engines may choose."""
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
