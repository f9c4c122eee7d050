"""The outer loop of HJMQ: check, refine, check again.

    t := locations only, g := nothing assumed
    loop
      R := reach sets of each thread under what is assumed of the others       (`rounds`)
      no error, and the assumptions hold     safe
      no error                               weaken the assumptions            (inner iteration)
      an error that is a real trace          unsafe
      an error that is refuted               track new predicates, g := nothing (outer iteration)
      otherwise                              not safe in a thread-modular way

All open properties are checked in one run; one that is decided leaves it. An iteration takes
one error of each of them (of failures: one per location), and refutes all that are spurious.

Progress: a refutation gives formulas F_n, one per pair of the derivation, such that F_n follows
from the rule's premises and the error's F_n contradict it. Once their atoms are tracked at the
pairs' locations, and the steps of the derivation distinguish combinations of truth values
(`Precision.boolean`), the same derivation cannot come back. Where all variables have few values
there are finitely many predicates, so that the loop ends (Theorem 3b).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from threadwise.backends.smt.solver import DEFAULT_LIMIT, Answer, Effort
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.tar.certify import certify
from threadwise.engines.tar.derivation import Derivation, Fixpoint, Havoc, Replay, View, derive
from threadwise.engines.tar.log import Log, account
from threadwise.engines.tar.mining import Found, Miner
from threadwise.engines.tar.rounds import (
    AnySteps,
    AnyValues,
    Assuming,
    Assumptions,
    does,
    havocs_of,
    is_assumed,
    nothing_assumed,
    reach,
)
from threadwise.engines.tar.whole import WholeProgram, before_failures
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.systems.api import Role
from threadwise.systems.predicate.errors import LIMIT, AbstractErrors, ErrorCase
from threadwise.systems.predicate.predicates import Precision
from threadwise.systems.predicate.symbols import Symbols
from threadwise.systems.predicate.system import PredicateSystem
from threadwise.traces.trace import Trace

GENERALISING = 250_000
"""Units of the solver's resource counter to begin with when predicates diverge."""
MOST_REFINEMENTS = 60
"""Of one property: after that many spurious errors it is given up."""


@dataclass
class Explored:
    """The reach sets of an iteration."""

    fixpoint: Fixpoint
    assumed: Assumptions | None
    """What they assume, if it is a relation."""
    complete: bool
    """Whether the assumptions hold."""
    havocs: list[Havoc] = field(default_factory=list)


class Spurious(NamedTuple):
    """An error that cannot happen, and the clauses that say so."""

    checked: Property
    derivation: Derivation
    replay: Replay


class Environment:
    """What the inner loop assumes of the environment, as algorithm TAR does."""

    strongly = False

    def __init__(self, system: PredicateSystem, task: Task) -> None:
        self.system = system
        self.task = task
        self.reset()

    def reset(self) -> None:
        """Assume nothing."""
        self.assumed = nothing_assumed(self.system)

    def explore(self) -> Explored:
        """Reach sets under the assumptions."""
        fixpoint = reach(Assuming(self.system, self.assumed), self.task.meter.check)
        complete = is_assumed(does(fixpoint), self.assumed)
        return Explored(fixpoint, self.assumed, complete)

    def weaken(self, explored: Explored) -> None:
        """Assume what was done."""
        self.assumed = does(explored.fixpoint)


class AnyEnvironment(Environment):
    """Algorithm B: the environment from above, all steps at any time."""

    strongly = True

    def explore(self) -> Explored:
        """Reach sets under σ[t], which needs no discharge."""
        fixpoint = reach(AnySteps(self.system), self.task.meter.check)
        return Explored(fixpoint, None, complete=True)


class HavocEnvironment(Environment):
    """TAR with havoc."""

    def reset(self) -> None:
        """The environment writes nothing."""
        self.havocs: list[tuple[Role, Havoc]] = []

    def explore(self) -> Explored:
        """Reach sets when the others havoc what they may write."""
        fixpoint = reach(AnyValues(self.system, self.havocs), self.task.meter.check)
        known: dict[tuple[Role, object], frozenset[object]] = {}
        for t, havoc in self.havocs:
            known[t, self._key(havoc)] = frozenset(havoc.written)
        complete = all(
            havoc.written <= known.get((t, self._key(havoc)), frozenset())
            for t, havoc in havocs_of(self.system, fixpoint)
        )
        return Explored(fixpoint, None, complete, [havoc for _, havoc in self.havocs])

    def _key(self, havoc: Havoc) -> object:
        return self.system.visible(*havoc.writers[0])

    def weaken(self, explored: Explored) -> None:
        """Take notice of what is written where."""
        self.havocs = havocs_of(self.system, explored.fixpoint)


class RefinementLoop:
    """One run of one of the thread-modular algorithms."""

    def __init__(
        self,
        task: Task,
        environment: type[Environment],
        name: str,
        facts: Sequence[LinearInvariant] = (),
    ) -> None:
        self.task = task
        self.name = name
        limit = task.options.solver_limit(DEFAULT_LIMIT)
        effort = Effort(task.statistics, task.meter.check, limit)
        symbols = Symbols(task.program)
        self.system = PredicateSystem(symbols, Precision(task.program), effort, facts)
        self.environment = environment(self.system, task)
        self.miner = Miner(self.system)
        self.log = Log(self.system, task.details, task.notes)
        self.patterns: dict[str, AbstractErrors] = {
            checked.name: AbstractErrors(self.system, checked) for checked in task.properties
        }
        self.limit = AbstractErrors(self.system, LIMIT)
        self.refinements: dict[str, int] = {}
        self.confused: dict[str, Derivation] = {}
        """Per property that is not safe in a thread-modular way, how it is violated so."""
        self.effort = GENERALISING

    def run(self) -> Iterator[Finding]:
        """Iterate until everything is decided; whatever ends it, say what was found."""
        try:
            yield from self._iterate()
        finally:
            self.log.conclude()

    def _iterate(self) -> Iterator[Finding]:
        while self.patterns:
            explored = self.environment.explore()
            self.log.begin(explored.fixpoint, explored.assumed)
            self._report(explored.fixpoint)
            spurious: dict[object, Spurious] = {}
            for pattern, case, views in self._errors(explored.fixpoint):
                error = (case.key(), tuple(views))
                if error not in spurious and self._is_open(pattern.property):
                    yield from self._analyse(explored, case, views, spurious)
            if spurious:
                yield from self._refine(list(spurious.values()))
            elif self.patterns and explored.complete:
                self.log.say("no error, and the assumptions hold: safe")
                yield self._prove(explored.fixpoint)
                return
            elif self.patterns:
                self.log.say("no error; the assumptions do not hold yet and are weakened")
                self.task.statistics.add("inner_iterations")
                self.environment.weaken(explored)

    def _prove(self, fixpoint: Fixpoint) -> Finding:
        names = tuple(self.patterns)
        return Proved(names, certify(self.system, names, fixpoint))

    def _report(self, fixpoint: Fixpoint) -> None:
        statistics = self.task.statistics
        statistics.set(Name.STATES, fixpoint.size)
        statistics.set(Name.GUARANTEES, fixpoint.guarantee_count)
        statistics.set(Name.PREDICATES, len(self.system.precision.predicates))
        counters = {
            Name.PREDICATES.value: len(self.system.precision.predicates),
            Name.STATES.value: fixpoint.size,
        }
        self.task.listener(Progress(self.name, f"iteration {self.log.number}", counters))

    def _errors(self, fixpoint: Fixpoint) -> list[tuple[AbstractErrors, ErrorCase, list[View]]]:
        """Ways to violate each open property, or to run into a limit of the model."""
        return [
            (pattern, *found)
            for pattern in (self.limit, *self.patterns.values())
            for found in pattern.find(fixpoint.pairs)
        ]

    # -- counterexamples --------------------------------------------------------------------------

    def _analyse(
        self,
        explored: Explored,
        case: ErrorCase,
        views: list[View],
        spurious: dict[object, Spurious],
    ) -> Iterator[Finding]:
        """Whether an error can happen; it may be one of several properties at once."""
        checked = case.property
        derivation = derive(self.system, explored.fixpoint, case, views, explored.havocs)
        if checked is not LIMIT and any(node.other is not None for node in derivation.nodes):
            from threadwise.engines.tar.concretise import interleave

            trace = interleave(self.task, self.system, derivation, checked)
            if trace is not None:
                yield self._violated(checked, trace)
                return
        replay = Replay(self.system, derivation)
        match replay.solve():
            case Answer.SATISFIABLE:
                spurious[case.key(), tuple(views)] = Spurious(checked, derivation, replay)
            case Answer.UNSATISFIABLE:
                yield self._possible(checked, derivation)
            case Answer.UNKNOWN:
                why = replay.clauses.reason.partition("\n")[0]
                reason = f"the solver cannot tell whether an error is spurious ({why})"
                yield self._give_up(checked, reason)

    def _possible(self, checked: Property, derivation: Derivation) -> Finding:
        """The error is derivable on concrete stores: find a trace, or say why not."""
        if checked is LIMIT:
            location = derivation.roots[0].view.l.location
            failure = self.system.program.locations[location].failure
            assert failure is not None
            names = tuple(self.patterns)
            self.patterns.clear()
            return Undecided(names, failure.message, explanation=account(self.log, derivation))
        from threadwise.engines.tar.concretise import find_trace

        trace = find_trace(self.task, self.system, derivation, checked)
        if trace is not None:
            return self._violated(checked, trace)
        self.confused[checked.name] = derivation
        threads = " and ".join(self.log.where(node) for node in derivation.confused)
        way = "a strongly thread-modular" if self.environment.strongly else "a thread-modular"
        self.log.say(f"error: {checked.name} ({threads}), possible thread by thread")
        reason = (
            f"not safe in {way} way, if it is safe at all: thread by thread, {threads} "
            "cannot be told from threads that come together"
        )
        return self._give_up(checked, reason, derivation)

    def _violated(self, checked: Property, trace: Trace) -> Finding:
        self.log.say(f"error: {checked.name}, and it can happen")
        del self.patterns[checked.name]
        return Violated(trace)

    def _give_up(
        self, checked: Property, reason: str, derivation: Derivation | None = None
    ) -> Finding:
        names = tuple(self.patterns) if checked is LIMIT else (checked.name,)
        for name in names:
            del self.patterns[name]
        lines = () if derivation is None else account(self.log, derivation)
        return Undecided(names, reason, explanation=lines)

    # -- refinement -------------------------------------------------------------------------------

    def _refine(self, spurious: Sequence[Spurious]) -> Iterator[Finding]:
        """Track predicates that refute the errors."""
        for checked in dict.fromkeys(error.checked for error in spurious):
            self.refinements[checked.name] = self.refinements.get(checked.name, 0) + 1
        self.task.statistics.add(Name.REFINEMENTS)
        mined = self.miner.mine([(error.derivation, error.replay) for error in spurious])
        for error, found in zip(spurious, mined, strict=True):
            if self.miner.is_diverging:
                more = self._generalise(error.derivation)
                found.new.extend(more.new)
                found.extended.extend(more.extended)
            self.log.refuted(error.checked.name, error.derivation, found)
        progress = any(mined)
        for error in spurious:
            if self._is_open(error.checked):
                yield from self._persevere(error, progress=progress)
        self.environment.reset()
        self.system.refresh()

    def _is_open(self, checked: Property) -> bool:
        return bool(self.patterns) if checked is LIMIT else checked.name in self.patterns

    def _persevere(self, error: Spurious, *, progress: bool) -> Iterator[Finding]:
        """Go on with a property, or give it up."""
        if not progress and not self._tell_apart(error.derivation):
            yield self._unrefuted(error)
        elif self.refinements[error.checked.name] > MOST_REFINEMENTS:
            tracked = ", ".join(map(self.log.told, self.system.precision.predicates))
            reason = f"predicates go on without end; found so far: {tracked}"
            yield self._give_up(error.checked, reason, error.derivation)

    def _unrefuted(self, error: Spurious) -> Finding:
        """What refutes the error is no predicate: the property may be violated in another way."""
        from threadwise.engines.tar.concretise import find_trace

        if error.checked is not LIMIT:
            trace = find_trace(self.task, self.system, error.derivation, error.checked)
            if trace is not None:
                return self._violated(error.checked, trace)
        reason = "no new predicates refute the error"
        return self._give_up(error.checked, reason, error.derivation)

    def _tell_apart(self, derivation: Derivation) -> bool:
        """Keep combinations of truth values apart after the derivation's steps; if that is new."""
        paths = {node.path.number for node in derivation.nodes if node.path is not None}
        fresh = paths - self.system.precision.boolean
        self.system.precision.boolean |= fresh
        if fresh:
            self.log.say("  truth values are now told apart in combination")
        return bool(fresh)

    def _generalise(self, derivation: Derivation) -> Found:
        """Predicates that end a diverging sequence: invariants of the loops it goes around.

        First of the whole program, then of the derivation alone (its pairs merged by location),
        each as recursive Horn clauses for Spacer to generalise, with more effort each time.
        """
        self.miner.calm()
        self.effort *= 2
        whole = WholeProgram(self.system, derivation.case, self.effort)
        if whole.solve() is Answer.SATISFIABLE:
            self.log.say("  a sequence of predicates diverges: invariants of the program instead")
            return self.miner.mine_formulas(whole.formulas())
        merged = Replay(self.system, derivation, merged=True, limit=self.effort)
        if merged.solve() is Answer.SATISFIABLE:
            self.log.say("  a sequence of predicates diverges: invariants of its loops instead")
            (found,) = self.miner.mine([(derivation, merged)])
            return found
        self.log.say("  a sequence of predicates diverges: conditions of failures, backwards")
        return self.miner.mine_formulas(before_failures(self.system))
