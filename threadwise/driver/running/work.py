"""The worker's side: engines one after the other, each finding checked before it is reported."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from threadwise.analyses.growth import growth
from threadwise.core.budget import Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.memory_orders import MemoryOrders
from threadwise.core.progress import Started, Stopped, Throttle
from threadwise.core.source import Span
from threadwise.core.statistics import Statistics
from threadwise.driver.defects import EvidenceError, defect_of
from threadwise.driver.running.evidence import Examiner, UndefinedRun
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
from threadwise.driver.running.undecided_pairs import goals_of, shows
from threadwise.driver.verdicts.auditing import AUDIT, trace_of
from threadwise.driver.verdicts.blocking import Blockers, placed
from threadwise.driver.verdicts.ordering import may_order_less
from threadwise.driver.verdicts.presumptions import doubt_about, hidden_by_misuse, presumed
from threadwise.driver.verdicts.vacuity import seen_statements, unreached_statements
from threadwise.engines.api import (
    EngineOptions,
    Finding,
    Goal,
    Proved,
    Task,
    Undecided,
    Violated,
)
from threadwise.engines.auto import step_cost, steps_within
from threadwise.engines.registry import ENGINES, EngineInfo
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property, RaceProperty
from threadwise.ir.quantities import LinearInvariant
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.audit import Audit, Contradicted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.locations import Location
from threadwise.proofs.base.registry import summarise
from threadwise.proofs.transformed.certificate import claiming
from threadwise.results.blockers import Nearness
from threadwise.results.result import Attempt, DefectKind, PropertyResult, ProvedInPart
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace, Trace
from threadwise.transforms.pipeline import Simplified

HELPED = (
    "a possible deadlock was not confirmed: by control flow alone, a thread that never runs could "
    "wake the others"
)
"""A deadlock of the simplified program that is none of the program of record."""

UNSURE = (
    "a possible deadlock was not confirmed: something that is not modelled, in a running thread, "
    "might wake the others"
)
"""Why a deadlock is none: what lies behind a limit might help."""

IDLE = "idle threads may wait forever for work; whether other threads can is not decided"
"""Why deadlocks stay open if they were not asked for and nothing worse was found."""

LISTING = ("locksets", "walks")
"""The engines that say what is known of locations: one proves, the other shows races."""
GRACE_S = 1.0
"""Once a question is answered, so long at least the rest of it is worked on."""
LISTING_TIME = 4_000_000
"""About how many microseconds they get once a race is known, in steps."""
LEAST_LISTING_S, MOST_LISTING_S = 5.0, 15.0
"""And at most how many seconds both together, on whatever machine."""


class Work:
    """Decides the properties of a program."""

    def __init__(
        self,
        program: Program | Simplified,
        properties: Iterable[Property],
        options: EngineOptions,
        meter: Meter,
        send: Send,
        *,
        second_solver: bool = False,
        approximated: frozenset[Span] = frozenset(),
        misuse: str | None = None,
    ) -> None:
        self.simpler = program if isinstance(program, Simplified) else Simplified(program)
        self.record = self.simpler.record
        """The program of record: evidence is about this one."""
        self.program = self.simpler.program
        """The program that engines work on."""
        self.open = {checked.name: checked for checked in properties}
        self.options = options
        self.meter = meter
        self.send = send
        self.examiner = Examiner(self.simpler, meter.check, send, second_solver=second_solver)
        self.approximated = approximated
        """Statements whose effect the program of record only bounds: see `Input`."""
        self.misuse = misuse
        """What is assumed of locks if their misuse is not checked: see `Input`."""
        self.orders = MemoryOrders()
        """Those of atomic accesses: see `Input`."""
        self.audit = True
        """Whether the claims of proofs are tested in runs."""
        self.facts: dict[str, tuple[LinearInvariant, ...]] = {}
        """What engines found that others can use."""
        self.located: dict[str, tuple[Location, ...]] = {}
        """What is known of locations, where a property is proved in part."""
        self.parts = True
        """Whether to check and report proofs of parts of properties."""
        self.lists = False
        """Whether to list the locations of a race property that is violated."""
        self.racing: dict[str, Property] = {}
        """Race properties that are violated."""
        self.races: dict[str, PropertyResult] = {}
        """How they are."""
        self.goals: dict[str, tuple[Goal, ...]] = {}
        """Target states for engines that search."""
        self.doubted: set[str] = set()
        """Properties whose last violation was in doubt, until the engine has read it."""
        self.blocked = Blockers()
        """What engines said about properties that they could not decide."""
        self.concludes = True
        """Whether to report here that no engine can decide something."""
        self.bounds: dict[str, tuple[str, int]] = {}
        """The option that cut a search for a property."""
        self.first = False
        """Whether one violation is enough."""
        self.violated = False
        """Whether there is one."""
        self.asked_together = False
        """Whether all properties are one question, which one violation answers."""
        self.raced_s: float | None = None
        """When the first race was found."""
        self.answered_s: float | None = None
        """When one did, in seconds of the meter."""
        self.settled: set[str] = set()
        """What others decided while an engine was at work on it."""
        self.refuted: set[str] = set()
        """What of that is violated: an engine that proves it is wrong about the rest as well."""
        self.steps = 0
        """How many steps an engine took until it found what is being checked."""
        self.suffers_idleness = False
        """Whether threads that merely wait for work are no violation."""
        self.broken: set[str] = set()
        """Engines that failed, which are not asked again."""

    def run(self, engines: Iterable[EngineInfo], slices: Iterable[int | None]) -> None:
        """Try the engines one after the other, slice by slice, until nothing is open.

        A slice is about so many microseconds, in steps of the engine; None: as many as it takes.
        An engine that used up its slice has another go in the next one. One that fails, by a
        crash or by evidence that does not pass its check, has none: see `Defect`.
        """
        waiting = [info for info in engines if info.name not in self.broken]
        for part in slices:
            waiting = [info for info in waiting if self.goes_on and not self._within(info, part)]
        self.list_locations()
        self.give_up()

    def list_locations(self) -> None:
        """After a race, report the state of all locations, and search for further races."""
        if not self.lists or self.first:
            return
        for name in LISTING:
            proves = name == LISTING[0]
            if not proves:
                self._leave_out_shown()
            listed = [
                p
                for p in self.racing.values()
                if (p.name not in self.goals if proves else self.goals.get(p.name))
            ]
            if listed and name not in self.broken:
                info = ENGINES[name]
                steps = steps_within(info, self.program, LISTING_TIME)
                self.attempt(info, steps, listed, self._listing_s())

    def _leave_out_shown(self) -> None:
        """The run that made a verdict need not be found again: its location is known to race."""
        from threadwise.report.reporting import places_of, the_location_at

        for name, result in self.races.items():
            locations = self.located.get(name, ())
            shown = the_location_at(locations, places_of(result))
            if shown is not None:
                goals = self.goals.get(name, ())
                self.goals[name] = tuple(goal for goal in goals if goal.name != shown)

    def _listing_s(self) -> float | None:
        """How long locations may still be listed: as long again as the first race took, roughly.

        Steps are a guess, and whoever waits for the verdict may not wait much longer.
        """
        if self.raced_s is None or self.meter.budget.steps is not None:
            return None
        allowed = min(max(self.raced_s, LEAST_LISTING_S), MOST_LISTING_S)
        return max(0.0, self.raced_s + allowed - self.meter.elapsed_s)

    def _within(self, info: EngineInfo, part: int | None) -> bool:
        """Run an engine on what is open for a slice; whether it came to its end."""
        steps = None if part is None else steps_within(info, self.program, part)
        return self.attempt(info, steps)

    @property
    def goes_on(self) -> bool:
        """Whether there is something left to do."""
        return bool(self.open) and not (self.first and self.violated) and not self.is_late

    @property
    def is_late(self) -> bool:
        """Whether the question is answered, and the rest had as long again.

        Whether some assertion fails is known with the first that does. Others are decided as
        well where that is quick; nobody should wait for them, least of all who counts seconds.
        """
        if self.answered_s is None or self.meter.budget.steps is not None:
            return False
        return self.meter.elapsed_s > self.answered_s + max(self.answered_s, GRACE_S)

    def decide(self, message: Decided) -> None:
        """Report what was decided, if anything."""
        if message.results:
            self.send(message)
        for result in message.results:
            checked = self.open.pop(result.name)
            unsafe = result.verdict is Verdict.UNSAFE
            self.violated |= unsafe
            if unsafe and self.asked_together and self.answered_s is None:
                self.answered_s = self.meter.elapsed_s
            if unsafe and isinstance(checked, RaceProperty):
                self.racing[result.name] = checked
                self.races[result.name] = result
                if self.raced_s is None:
                    self.raced_s = self.meter.elapsed_s

    def settle(self, names: Iterable[str], refuted: Iterable[str] = ()) -> None:
        """Others decided these; what is found about them from now on is of no use."""
        self.refuted.update(refuted)
        for name in names:
            if self.open.pop(name, None) is not None:
                self.settled.add(name)

    def note(self, engine: str, finding: Undecided) -> None:
        """An engine cannot decide something."""
        self.blocked.note(engine, finding)
        if finding.bound is not None:
            self.bounds.update((name, finding.bound) for name in finding.properties)
        if finding.goals:
            self.goals.update((name, finding.goals) for name in finding.properties)
        self.send(Blocked(engine, finding))
        if finding.final and self.concludes:
            for name in finding.properties:
                if name in self.open:
                    self._leave(self.open.pop(name))
                    self.settled.add(name)

    def give_up(self) -> None:
        """Say why what is still open is so."""
        for checked in self.open.values():
            self._leave(checked)

    def _leave(self, checked: Property) -> None:
        """Say why a property stays open."""
        blockers = self.blocked.of(checked.name)
        finding = Undecided((checked.name,), "no engine could decide it")
        told = finding.reason
        if self.first and self.violated:
            told = "there is a violation already (--first)"
        elif self.is_late:
            told = f"another one fails already (--property {checked.name} asks for this alone)"
        elif blockers:
            finding = self.blocked.finding(checked.name, blockers[0])
            blockers = placed(blockers, growth(self.program))
            told = blockers[0].told
        unknown = PropertyResult(
            checked.name,
            checked.kind.value,
            Verdict.UNKNOWN,
            reason=told,
            blockers=blockers,
            explanation=finding.explanation,
            location=checked.span,
        )
        self.send(Decided((unknown,)))
        if checked.name in self.bounds:
            self.send(Bounded(*self.bounds[checked.name]))

    def attempt(
        self,
        info: EngineInfo,
        steps: int | None,
        listed: Sequence[Property] = (),
        time_s: float | None = None,
    ) -> bool:
        """Run an engine on what is open, or on what is listed; whether it came to its end."""
        from threadwise.proofs.simplified.check import is_verified

        statistics = Statistics()
        started = self.meter.worked_s
        outcome = "stopped by a limit"
        self.send(Started(info.name))
        task = Task(
            self.program,
            tuple(listed or self.open.values()),
            self.options,
            self.meter if steps is None else self.meter.slice(steps, time_s),
            statistics,
            Throttle(self.send),
            self.facts,
            self.goals,
            at_limit=partial(self._note_undecided, info.name, nearness=Nearness.CONSTRUCT),
            accepts=is_verified,
            doubted=self.doubted,
        )
        before = task.meter.steps
        try:
            for finding in info.create().run(task):
                self.steps = task.meter.steps - before
                with self.meter.at_leisure():
                    self._take(info.name, finding, self.steps * step_cost(info, self.program))
                if self.first and self.violated:
                    break
            outcome = "decided all" if not self.open else "left some undecided"
        except Unsupported as error:
            outcome = str(error)
            self._note_undecided(info.name, outcome)
        except BudgetExhausted as error:
            if steps is None:
                raise
            self.meter.allows(error)
            outcome = f"stopped after {task.meter.steps - before:,} steps"
            self._note_undecided(info.name, outcome, Nearness.RESOURCE)
            return False
        except MemoryError:
            raise
        except Exception as error:
            outcome = self._note_defect(info.name, error, steps)
        finally:
            elapsed = round(self.meter.worked_s - started, 3)
            attempt = Attempt(info.name, elapsed, outcome, tuple(task.notes), tuple(task.details))
            self.send(Tried(attempt, statistics.as_dict(), self.meter.steps))
            self.send(Stopped(info.name, outcome))
        return True

    def _note_defect(self, engine: str, error: Exception, steps: int | None) -> str:
        """An engine failed, which does not affect the others; the defect to report."""
        defect = defect_of(engine, error, self.open, steps)
        self.broken.add(engine)
        self.send(Defective(defect))
        self._note_undecided(engine, defect.message, Nearness.DEFECT)
        return defect.message

    def _note_undecided(self, engine: str, reason: str, nearness: Nearness | None = None) -> None:
        if self.open:
            names = tuple(self.open)
            self.note(engine, Undecided(names, reason, applies=False, nearness=nearness))

    def _take(self, engine: str, finding: Finding, spent: int) -> None:
        """Check the evidence of a finding, for so many microseconds' work, make it an answer."""
        match finding:
            case Undecided():
                listing = any(name in self.racing for name in finding.properties)
                wanted = self.parts and (self.goes_on or listing)
                if finding.certificate is not None and wanted:
                    self.send(Claimed(engine))
                    self._locate(engine, finding.certificate, spent)
                self.note(engine, replace(finding, certificate=None))
            case Violated():
                if finding.trace.property not in self.settled:
                    self.send(Claimed(engine, (finding.trace.property,)))
                    self._refute(engine, finding)
                    self.send(Checked(engine))
            case Proved():
                if not self.settled.issuperset(finding.properties):
                    self.send(Claimed(engine, finding.properties))
                    self._prove(engine, finding, spent)
                    self.send(Checked(engine))

    def accept(self, engine: str, evidence: Certificate | Trace) -> None:
        """Take evidence about the program of record from elsewhere; it is checked as any other.

        Raises EvidenceError if it does not pass.
        """
        if isinstance(evidence, Trace):
            if evidence.property in self.open:
                self._refute(engine, Violated(evidence), lift=False)
            return
        inner = self.examiner.of_simpler(evidence)
        names = tuple(name for name in evidence.properties if name in self.open)
        if names:
            self._prove(engine, Proved(names, inner), 0)

    def _refute(self, engine: str, finding: Violated, *, lift: bool = True) -> None:
        from threadwise.traces.lift import lifted
        from threadwise.traces.replay import NotViolatedFailure, ReplayFailure, replay

        started = time.monotonic()
        try:
            trace = finding.trace
            if lift and trace.program_hash != program_hash(self.record):
                trace = lifted(self.simpler, trace)
            described = replay(self.record, trace)
        except ReplayFailure as failure:
            name = finding.trace.property
            deadlock = isinstance(self.open.get(name), DeadlockProperty)
            if deadlock and self.simpler.names and isinstance(failure, NotViolatedFailure):
                self.note(engine, Undecided((name,), HELPED))
                return
            told = f"{engine} gave a trace that fails: {failure}"
            raise EvidenceError(told, DefectKind.TRACE) from failure
        doubt = doubt_about(self.record, trace, self.approximated)
        name = finding.trace.property
        if doubt is not None:
            if name in self.open:
                self.doubted.add(name)
                self.note(engine, Undecided((name,), doubt, nearness=Nearness.CONSTRUCT))
            return
        if not described.sure:
            self.doubted.add(name)
            self.note(engine, Undecided((name,), UNSURE, nearness=Nearness.SUSPECT))
            return
        if described.idle and self.suffers_idleness:
            self.doubted.add(name)
            self.send(Idle(name, described))
            self.note(engine, Undecided((name,), IDLE, nearness=Nearness.SUSPECT))
            return
        self._witness(finding, described)
        if name not in self.open:
            return
        checked = self.open[name]
        unsafe = PropertyResult(
            checked.name,
            checked.kind.value,
            Verdict.UNSAFE,
            engine,
            location=described.location or checked.span,
            trace=described,
            check_time_s=round(time.monotonic() - started, 3),
        )
        self.decide(Decided((unsafe,)))

    def locate(self, name: str, part: ProvedInPart) -> None:
        """Note what is known of the locations of a property."""
        self.relocate({name: part.locations})

    def relocate(self, located: Mapping[str, tuple[Location, ...]]) -> None:
        """Take what other engines know of locations; a running engine sees the new goals."""
        for name, locations in located.items():
            if self.located.get(name) != locations:
                self.located[name] = locations
                self.goals[name] = goals_of(locations)

    def _witness(self, finding: Violated, described: DescribedTrace) -> None:
        """Report which undecided location a trace shows to race, if it does."""
        name = finding.trace.property
        for location in self.located.get(name, ()):
            if location.name == finding.goal and shows(self.program, finding.trace, location):
                self.send(Witnessed(name, location.name, described))

    def _audited(
        self, engine: str, certificate: Certificate, proof: CheckedProof, spent: int
    ) -> Audit:
        """Test a proof in runs; one that violates an open property is a violation."""

        def take(found: Contradicted) -> None:
            if found.name in self.open:
                self._refute(AUDIT, Violated(trace_of(found)))

        return self.examiner.audited(engine, certificate, proof, spent, take)

    def _locate(self, engine: str, certificate: Certificate, spent: int) -> None:
        """Check a proof of parts of properties, and report what it shows.

        It is reported when it is checked, and again after the audit: time may be over
        before they have.
        """
        whole = self.examiner.of_record(certificate)
        proof = self.examiner.checked(engine, whole)
        shown = hidden_by_misuse(self.record, proof, self.misuse) is None
        if shown:
            self._tell_parts(engine, whole, proof, None)
        proves = any(each.is_proved for name in proof.partial for each in proof.locations[name])
        if not self.audit or not proves:  # a list of what is undecided claims nothing
            return
        try:
            audit = self._audited(engine, whole, proof, spent)
        except (EvidenceError, UndefinedRun) as error:
            for name in proof.partial:
                self.relocate({name: ()})
                self.send(Located(name, None))
            if isinstance(error, EvidenceError):
                raise
            return
        if shown:
            self._tell_parts(engine, whole, proof, audit)

    def _tell_parts(
        self, engine: str, certificate: Certificate, proof: CheckedProof, audit: Audit | None
    ) -> None:
        """Report what a checked proof shows of properties that it does not prove as a whole."""
        rests = (*proof.assumptions, *presumed(self.record, proof, self.misuse))
        for name in proof.partial:
            if name in self.open or name in self.racing:
                locations = proof.locations[name]
                part = ProvedInPart(engine, certificate, locations, rests, audit)
                self.locate(name, part)
                self.send(Located(name, part))

    def _prove(self, engine: str, finding: Proved, spent: int) -> None:
        started = time.monotonic()
        certificate = self.examiner.of_record(finding.certificate)
        proof = self.examiner.checked(engine, certificate)
        if self.refuted.intersection(finding.properties) or any(
            name not in self.open and name not in self.settled for name in finding.properties
        ):
            told = f"{engine} gave a proof of what a run violates"
            raise EvidenceError(told, DefectKind.PROOF)
        if not set(finding.properties) <= set(proof.properties):
            told = f"{engine} gave a proof that claims less than the engine"
            raise EvidenceError(told, DefectKind.PROOF)
        try:
            audit = self._audited(engine, certificate, proof, spent) if self.audit else None
        except UndefinedRun as found:
            undefined = Undecided(finding.properties, str(found), nearness=Nearness.CONSTRUCT)
            self.note(engine, undefined)
            return
        hidden = hidden_by_misuse(self.record, proof, self.misuse)
        if hidden is not None:
            hidden_by = Undecided(finding.properties, hidden, nearness=Nearness.CONSTRUCT)
            self.note(engine, hidden_by)
            return
        unordered = self._tell_unordered(engine, finding.properties)
        if unordered:
            certificate = claiming(certificate, {*certificate.properties} - unordered)
        elapsed = round(time.monotonic() - started, 3)
        told = summarise(certificate).words
        safe = tuple(
            PropertyResult(
                checked.name,
                checked.kind.value,
                Verdict.SAFE,
                engine,
                location=checked.span,
                certificate=certificate,
                proof_told=told,
                check_time_s=elapsed,
                audit=audit,
                locations=proof.locations.get(checked.name, ()),
            )
            for checked in (
                self.open[name]
                for name in finding.properties
                if name not in self.settled and name not in unordered
            )
        )
        self.decide(
            Decided(
                safe,
                (*proof.assumptions, *presumed(self.record, proof, self.misuse)),
                self.steps,
            )
        )
        self._tell_parts(engine, certificate, proof, audit)
        seen = set() if audit is None else set(seen_statements(self.record, audit.seen))
        self.send(Vacuous(unreached_statements(*proof.closest(self.record), seen)))

    def _tell_unordered(self, engine: str, names: Sequence[str]) -> frozenset[str]:
        """The properties that runs violate by the memory orders of C."""
        claimed = [self.open[name] for name in names if name in self.open]
        if not claimed or not may_order_less(self.record, self.orders):
            return frozenset()
        from threadwise.driver.verdicts.weak_orders import beyond_interleavings

        found = beyond_interleavings(self.record, self.orders, claimed, self.meter.check)
        for name, told in found.items():
            self.note(engine, Undecided((name,), told, final=True))
        return frozenset(found)
