"""Doubtful behaviour (`threadwise.core.doubts`): whether a proof has to assume it away.

    P-   the program without any of it: what is UNSAFE here is UNSAFE; what is SAFE is checked
         again in the others
    P+   the program with all of it: what is SAFE here assumes nothing
    Pi   the program with one place alone: what is not proved here says that this place matters
    Pr   the program with all places that do not matter: its proofs assume the others only

A run of P+ or Pi that violates a property takes its proof away, if all that is doubtful in it is
what careful programs expect (`EXPECTED`): the property is UNKNOWN then, and says what fails.

    Pv   the program in which numbers that were never written to memory are any, instead of P-
         where a run of P- reads one and so ends; in it the same questions are asked. First those
         who care little for values try it with another number at each read (`unstable`), since
         then nothing is written that threads may share

All but the first get as many steps as their part of the work on P- took, and some more; where
there are processes for it, also hardly more time than that took altogether, or half of it if that
was long, so users do not wait for the assumptions: the verdict is reported before. P- comes first
although its proofs say least: its violations need no further check, its verdicts are there if time
runs out later, and the cost of its proofs says what to spend on the others
(docs/adr/023-doubtful-behaviour.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace

from threadwise.core.budget import Budget, Meter
from threadwise.core.doubts import EXPECTED, NEVER_WRITTEN, Doubt, DoubtKind
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.processes.supervisor import EndingKind, supervise
from threadwise.core.progress import Started, Stopped
from threadwise.core.quick_dataclass import dataclass
from threadwise.driver.defects import defect_of_ending
from threadwise.driver.loading import Input
from threadwise.driver.running.messages import (
    Blocked,
    Bounded,
    Checked,
    Claimed,
    Decided,
    Defective,
    Idle,
    Located,
    Send,
    Tried,
    Vacuous,
    Witnessed,
)
from threadwise.driver.running.schedule import Schedule
from threadwise.driver.running.work import Work
from threadwise.engines.api import Undecided
from threadwise.engines.auto import microseconds_for
from threadwise.engines.registry import EngineInfo
from threadwise.ir.program import Program
from threadwise.results.blockers import Blocker, Nearness
from threadwise.results.result import Assumed, PropertyResult, ProvedInPart
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace

FACTOR = 2
"""A program with more behaviour may take so many times the steps of the first proof."""

LEAST = 200_000
"""And so many microseconds besides, in steps."""

LEAST_S = 2.0
"""They take no longer than all the work before, and so many seconds."""

LONG_S = 8.0
"""Where the work before took longer than this, they take half as long, but at least this: better a
proof with an assumption than one that is late."""

PATIENCE_S = 10.0
"""Or so many seconds, if they share the process with the work before: after that no further place
is tried."""

MOST_PLACES = 16
"""So many places are tried alone."""


INDETERMINATE, UNSTABLE = DoubtKind.INDETERMINATE.value, DoubtKind.UNSTABLE.value

CARELESS = ("locksets",)
"""Engines whose proofs hardly depend on values in memory."""

SHOWING = ("explicit",)
"""Engines that show violations, if there are any nearby."""


Begin = Callable[[Input, Iterable[str], Send], Work]
"""Work on a program, on properties with certain names, that reports what it decides."""


class Doubting:
    """Works on a program, and then on what else it may do."""

    def __init__(self, begin: Begin, schedule: Schedule, meter: Meter, send: Send) -> None:
        self.begin = begin
        self.schedule = schedule
        self.meter = meter
        self.send = send
        self.first = _First(send)
        self.answered_s: float | None = None
        """When the question was answered, if it was (`Work.answered_s`)."""

    def run(self, loaded: Input, names: Iterable[str]) -> None:
        """Decide the properties with these names."""
        self.first.denied = loaded.denied
        work = self.begin(loaded, names, self.first.take)
        work.answered_s = self.answered_s
        if loaded.allowing is not None and {UNSTABLE, INDETERMINATE}.isdisjoint(loaded.allowed):
            self.first.postpone = work.settle
        self.schedule.run(work)
        self.answered_s = work.answered_s
        if self.first.postponed and loaded.allowing is not None:
            self._with_any_numbers(loaded.allowing, loaded.allowed)
        if (
            self.first.proved
            and loaded.denied
            and loaded.allowing is not None
            and not (work.first and work.violated)
            and not work.is_late
        ):
            second = _Second(self, loaded, loaded.allowing)
            if self.schedule.jobs and self.meter.budget.steps is None:
                self._attended(second)
            else:
                self._alone(second)
        else:
            self.first.tell_unreached()

    def _with_any_numbers(
        self, allowing: Callable[[frozenset[str]], Input], allowed: frozenset[str]
    ) -> None:
        """Decide in Pv what is postponed."""
        trying = replace(self.schedule, engines=self._careless)
        ways = ((UNSTABLE, trying), (INDETERMINATE, self.schedule))
        for kind, schedule in ways:
            names = [name for name in self.first.postponed if name not in self.first.decided]
            if names:
                loaded = allowing(allowed | {kind})
                send = self.first.allowing(loaded.allowed)
                again = Doubting(self.begin, schedule, self.meter, send)
                again.answered_s = self.answered_s
                again.run(loaded, names)
                self.answered_s = again.answered_s

    def _careless(self, program: Program) -> Sequence[EngineInfo]:
        """The engines that care little for values."""
        return [info for info in self.schedule.engines(program) if info.name in CARELESS]

    def _alone(self, second: _Second) -> None:
        try:
            second.run()
        except (BudgetExhausted, Unsupported):
            pass  # the proofs keep all their assumptions
        finally:
            self.first.tell_unreached()

    def _attended(self, second: _Second) -> None:
        """The same in a process of its own, which is ended when it takes too long."""

        def job(send: Send) -> None:
            self.send = self.first.send = send
            self._alone(second)

        ending = supervise(job, Budget(time_s=patience(self.meter.elapsed_s)), self.send)
        if ending.kind is not EndingKind.FINISHED:
            self.first.tell_unreached()
        defect = defect_of_ending(None, ending)
        if defect is not None:
            self.send(Defective(defect))


def patience(elapsed_s: float) -> float:
    """How long doubtful behaviour may take, after so much work on what is certain."""
    return LEAST_S + min(elapsed_s, max(LONG_S, elapsed_s / 2))


@dataclass
class _First:
    """The messages of the work on P-."""

    send: Send
    denied: tuple[Doubt, ...] = ()
    proved: dict[str, PropertyResult] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    """The engines that proved something, and how many steps their proofs took."""
    unreached: list[Vacuous] = field(default_factory=list)
    decided: set[str] = field(default_factory=set)
    postponed: dict[str, None] = field(default_factory=dict)
    """What P- cannot answer, since a run of it reads what was never written."""
    postpone: Callable[[Iterable[str]], None] | None = None
    """Leave such properties to Pv, where there is one."""

    def take(self, message: object) -> None:
        """Note proofs; pass on everything else."""
        match message:
            case Blocked(_, finding) if self.postpone is not None and _ends_unwritten(finding):
                self.postponed.update(dict.fromkeys(finding.properties))
                self.postpone(finding.properties)
            case Decided(results, _, steps):
                self._note_decided(results)
                assumed = tuple(map(Assumed, self.denied))
                message = replace(
                    message,
                    results=tuple(
                        replace(result, doubts=assumed)
                        if result.verdict is Verdict.SAFE
                        else result
                        for result in results
                    ),
                )
                self._note(message.results, steps)
            case Located(_, ProvedInPart() as part):
                assumed = tuple(map(Assumed, self.denied))
                message = replace(message, part=replace(part, doubts=assumed))
            case Vacuous():
                self.unreached.append(message)
                return
            case _:
                pass
        self.send(message)

    def allowing(self, allowed: frozenset[str]) -> Send:
        """Send what is decided in another program, which evidence has to name."""

        def send(message: object) -> None:
            if isinstance(message, Decided):
                self._note_decided(message.results)
                told = [
                    each if each.allowed is not None else replace(each, allowed=allowed)
                    for each in message.results
                ]
                message = replace(message, results=tuple(told))
            elif isinstance(message, Located) and message.part is not None:
                message = replace(message, part=replace(message.part, allowed=allowed))
            if not isinstance(message, Witnessed):  # of another program than the list
                self.send(message)

        return send

    def _note_decided(self, results: Sequence[PropertyResult]) -> None:
        self.decided |= {each.name for each in results if each.verdict is not Verdict.UNKNOWN}

    def _note(self, results: Sequence[PropertyResult], steps: int) -> None:
        for result in results:
            if result.verdict is Verdict.SAFE:
                self.proved[result.name] = result
                engine = result.engine or ""
                self.steps[engine] = max(steps, self.steps.get(engine, 0))

    def tell_unreached(self) -> None:
        """Statements that no execution reaches, or none without doubtful behaviour."""
        for message in self.unreached:
            self.send(message)


@dataclass
class _Attempt:
    """The work on a program with more behaviour."""

    loaded: Input
    send: Send
    proofs: list[tuple[tuple[PropertyResult, ...], tuple[str, ...]]] = field(default_factory=list)
    violations: dict[str, DescribedTrace] = field(default_factory=dict)
    unreached: list[Vacuous] = field(default_factory=list)

    def take(self, message: object) -> None:
        """Note what is decided; other messages of the engines would repeat earlier ones."""
        match message:
            case Decided(results, assumptions, _):
                safe = tuple(each for each in results if each.verdict is Verdict.SAFE)
                if safe:
                    self.proofs.append((safe, assumptions))
                for result in results:
                    if result.trace is not None:
                        self.violations[result.name] = result.trace
            case Vacuous():
                self.unreached.append(message)
            case Started() | Stopped() | Tried() | Bounded() | Located() | Witnessed():
                pass
            case Blocked() | Claimed() | Checked() | Idle():
                pass
            case _:
                self.send(message)

    @property
    def proved(self) -> set[str]:
        """What holds in this program."""
        return {result.name for results, _ in self.proofs for result in results}

    def tell(self, assumed: tuple[Assumed, ...]) -> None:
        """Put these proofs in the place of earlier ones."""
        for results, assumptions in self.proofs:
            told = tuple(
                replace(result, doubts=assumed, allowed=self.loaded.allowed) for result in results
            )
            self.send(Decided(told, (*assumptions, *self.loaded.assumptions)))


class _Second:
    """The work on programs with more behaviour than P-."""

    def __init__(
        self, doubting: Doubting, loaded: Input, allowing: Callable[[frozenset[str]], Input]
    ) -> None:
        self.doubting = doubting
        self.first = doubting.first
        self.loaded = loaded
        self.allowing = allowing
        self.open = list(self.first.proved)
        self.refuted: dict[str, tuple[Doubt, DescribedTrace]] = {}
        """What is violated where something happens that programs have to expect."""
        self.began_s = doubting.meter.elapsed_s
        """When this began, which is how long the work before took."""

    def run(self) -> None:
        """Decide what has to be assumed, and report it as it is decided."""
        everything = self._attempt(self._with_everything(), thorough=True)
        if everything is None:
            return
        everything.tell(())
        self.open = [name for name in self.open if name not in everything.proved]
        if not self.open:
            self.first.unreached = everything.unreached
            return
        places = _places(everything.loaded)
        self._refute(places, everything)
        found = self._alone(places, everything)
        self._tell(found)
        self._together(found)

    def _refute(self, places: Sequence[Doubt], attempt: _Attempt) -> None:
        """Take proofs away that fail with what programs have to expect."""
        for name, trace in attempt.violations.items():
            passed = _passed(attempt.loaded.program, places, trace)
            if name in self.open and passed and {doubt.kind for doubt in passed} <= EXPECTED:
                self.refuted[name] = passed[0], trace
        self.open = [name for name in self.open if name not in self.refuted]

    def _with_everything(self) -> Input:
        """P+: with all kinds of doubtful behaviour, also those that others give rise to."""
        found = self.loaded
        while found.denied:
            more = {doubt.kind.value for doubt in found.denied}
            found = self.allowing(found.allowed | more)
        return found

    def _alone(self, places: Sequence[Doubt], everything: _Attempt) -> list[Assumed]:
        """Which places matter."""
        found: dict[str, tuple[bool, DescribedTrace | None]] = {}
        program = everything.loaded.program
        for trace in everything.violations.values():
            passed = {doubt.key for doubt in _passed(program, places, trace)}
            if len(passed) == 1:
                found[passed.pop()] = (True, trace)
        keys = list(dict.fromkeys(place.key for place in places))
        if len(keys) == 1:
            found.setdefault(keys[0], (True, None))
        for key in [key for key in keys if key not in found][:MOST_PLACES]:
            if self._is_late():
                break
            attempt = self._attempt(self.allowing(self.loaded.allowed | {key}), audit=False)
            if attempt is not None:
                self._refute(places, attempt)
                matters = not attempt.proved >= set(self.open)
                found[key] = (matters, next(iter(attempt.violations.values()), None))
        return [_assumed(place, *found.get(place.key, (None, None))) for place in places]

    def _together(self, found: Sequence[Assumed]) -> None:
        """Prove the program with all that does not matter, so that it need not be assumed."""
        harmless = {each.doubt.key for each in found if each.matters is False}
        rest = tuple(each for each in found if each.doubt.key not in harmless)
        if not harmless or not rest or self._is_late():
            return
        attempt = self._attempt(self.allowing(self.loaded.allowed | harmless))
        if attempt is not None:
            attempt.tell(rest)

    def _is_late(self) -> bool:
        """Whether this took as long as the work before, and is still not done."""
        meter = self.doubting.meter
        spent = meter.elapsed_s - self.began_s
        return meter.budget.steps is None and spent > max(PATIENCE_S, self.began_s)

    def _tell(self, found: Sequence[Assumed]) -> None:
        proved = self.first.proved
        results = [replace(proved[name], doubts=tuple(found)) for name in self.open]
        failing = [_failing(proved[name], *why) for name, why in self.refuted.items()]
        self.doubting.send(Decided((*results, *failing)))

    def _attempt(
        self, loaded: Input, *, thorough: bool = False, audit: bool = True
    ) -> _Attempt | None:
        """Work on what is open in a program with more behaviour; None if it has other properties.

        Engines that proved something have as many steps as that took, and some more; if it is to
        be `thorough`, one that finds violations is run, too. Proofs that are not reported need no
        `audit`.
        """
        attempt = _Attempt(loaded, self.doubting.send)
        work = self.doubting.begin(loaded, self.open, attempt.take)
        work.parts = False
        work.audit = work.audit and audit
        if set(work.open) != set(self.open):
            return None
        schedule = self.doubting.schedule
        engines = {info.name: info for info in schedule.engines(loaded.worked_on)}
        for name, steps in self.first.steps.items():
            if work.open and name in engines:
                info = engines.pop(name)
                least = microseconds_for(info, loaded.worked_on, FACTOR * steps)
                work.run([info], [least + LEAST])
        if thorough and work.open:
            others = [engines[name] for name in engines if name in SHOWING]
            work.run(others, [part for part in schedule.slices[:1] if part is not None])
        return attempt


def _ends_unwritten(finding: Undecided) -> bool:
    """Whether a run of the program has read what was never written."""
    return finding.nearness is Nearness.CONSTRUCT and NEVER_WRITTEN in finding.reason


def _assumed(place: Doubt, matters: bool | None, trace: DescribedTrace | None) -> Assumed:
    """The result for a place; runs with any value for a load may be impossible in C."""
    return Assumed(place, matters, None if place.kind is DoubtKind.WEAK_ORDER else trace)


def _failing(proved: PropertyResult, doubt: Doubt, trace: DescribedTrace) -> PropertyResult:
    """The answer instead of a proof that is known to fail with something doubtful."""
    place = f"{doubt.path}:{doubt.line}"
    told = f"{place}: with {doubt.text}, {trace.violation}; --{doubt.kind.value} shows the run"
    blocker = Blocker(Nearness.CONSTRUCT, told)
    return PropertyResult(
        proved.name,
        proved.kind,
        Verdict.UNKNOWN,
        reason=told,
        blockers=(blocker,),
        location=proved.location,
    )


def _places(loaded: Input) -> list[Doubt]:
    """Where something doubtful is left in a program, in the order of the source."""
    marks = {
        (edge.text, edge.span.line) for edge in loaded.worked_on.edges if edge.span is not None
    }
    left = [doubt for doubt in loaded.doubts if (doubt.told, doubt.line) in marks]
    return sorted(left, key=lambda doubt: (doubt.path, doubt.line, doubt.text))


def _passed(program: Program, places: Sequence[Doubt], described: DescribedTrace) -> list[Doubt]:
    """The places where something doubtful happens in a run."""
    taken = {
        (edge.text, edge.span.line)
        for move in described.trace.moves
        for choice in move.choices
        if (edge := program.edges[choice.edge]).span is not None
    }
    return [place for place in places if (place.told, place.line) in taken]
