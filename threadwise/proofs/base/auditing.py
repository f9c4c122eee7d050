"""The audit of a certificate: runs of the program of record, watched by the monitor of its kind.

A run ends, without a contradiction, at a limit of the model, at a step that has no meaning, and at
a failure: a proof need not cover the last state. If the failure violates a claimed property, or
some other state of the run does, the run is a counterexample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.alike import FormulaOfState, choices_of, ignores_ids
from threadwise.proofs.base.answer import CheckedProof, claimed_properties
from threadwise.proofs.base.audit import (
    Audit,
    Broken,
    Chooses,
    Contradicted,
    Learns,
    Monitor,
    Run,
    Steers,
)
from threadwise.proofs.base.cached_deadlocks import CachedDeadlocks
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.locations import Location
from threadwise.proofs.base.racing_threads import RacesOfRuns
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.base.runs import DrawingInterpreter, Runs
from threadwise.proofs.base.shared_formulas import SharedFormula, Values
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter

LEAST = 300
"""So many states are visited at least, unless there are fewer."""

STEPS_PER_STATE = 20
"""To visit so many states, runs may take so many times as many steps."""

LOOKS_PER_STATE = 200
"""So many claims, and choices of threads for formulas, may be evaluated per state on average; if
there are more in each, fewer states are visited."""

OFTEN = 16
"""After so many steps of a run it is decided whether enough claims were evaluated."""

NUMBERS = (1, 2, 3)
"""How many threads are tried where there may be any number."""

Tick = Callable[[], object]


def audit_certificate(
    program: Program,
    certificate: Certificate,
    proof: CheckedProof,
    tick: Tick,
    *,
    states: int = LEAST,
    seed: int = 0,
) -> Audit:
    """Test a certificate that passed its check in runs; raises Broken or Contradicted.

    `tick` is called for every step, and may raise to stop.
    """
    properties = claimed_properties(program, certificate.properties)
    partial = {name: _open_edges(proof.locations[name]) for name in proof.partial}
    seen = _Seen()
    instances = list(_instances(program))
    for number, counts in enumerate(instances):
        watched = _Watched(program, counts, certificate, properties, seed, tick)
        watched.checks.look_at_parts(partial)
        if isinstance(watched.monitor, Learns):
            watched.monitor.learn(proof.found)
        left = max(0, states - seen.states) // (len(instances) - number)
        watched.look(max(1, left), seen)
    claimed = proof.visited_locations
    return Audit(
        seen.states,
        seen.complete,
        len(claimed & seen.locations),
        len(claimed),
        dict(seen.evaluated) if seen.monitored else None,
        frozenset(seen.locations),
    )


@dataclass(frozen=True)
class _Open:
    """The pairs of edges whose accesses are undecided."""

    pairs: frozenset[frozenset[EdgeId]]
    crowds: tuple[frozenset[EdgeId], ...]
    """Sets any two of which may be such a pair."""

    def __contains__(self, edges: frozenset[EdgeId]) -> bool:
        return edges in self.pairs or any(edges <= crowd for crowd in self.crowds)


def _open_edges(locations: Sequence[Location]) -> _Open:
    """The pairs of edges whose accesses are undecided."""
    pairs = (pair for location in locations for pair in location.undecided)
    crowds = tuple(location.crowd for location in locations if location.crowd)
    return _Open(frozenset(edges for pair in pairs for edges in pair.edges), crowds)


def _instances(program: Program) -> Iterator[dict[str, int]]:
    """The numbers of threads to try."""
    free = [template.name for template in program.templates if template.count is None]
    for number in NUMBERS if free else (0,):
        yield dict.fromkeys(free, number)


@dataclass
class _Seen:
    """What was seen so far."""

    states: int = 0
    complete: bool = True
    locations: set[LocId] = field(default_factory=set)
    evaluated: Counter[str] = field(default_factory=Counter)
    monitored: bool = True


class _Watched:
    """The runs of the program with so many threads."""

    def __init__(
        self,
        program: Program,
        counts: dict[str, int],
        certificate: Certificate,
        properties: list[Property],
        seed: int,
        tick: Tick,
    ) -> None:
        instance = program.with_counts(counts)
        self.general = program
        self.program = instance
        self.counts = counts
        self.monitor: Monitor | None = monitor_of(instance, certificate)
        steer = self.monitor.only if isinstance(self.monitor, Steers) else None
        inputs = self.monitor.inputs if isinstance(self.monitor, Chooses) else {}
        self.runs = Runs(instance, seed, steer, inputs)
        self.checks = _Checks(instance, properties, self.runs.interpreter)
        self.tick = tick
        self.most_looks = 0

    def look(self, states: int, seen: _Seen) -> None:
        """Run until so many states were visited, or everything was tried."""
        steps = states * STEPS_PER_STATE
        self.most_looks = states * LOOKS_PER_STATE
        for start, run in self.runs:
            steps -= self._watch(start, run, min(steps, states), seen.locations)
            if self.runs.states >= states or steps <= 0 or self._looked_enough():
                seen.complete = False
                break
        seen.states += self.runs.states
        seen.complete = seen.complete and not self.runs.drew
        if self.monitor is None:
            seen.monitored = False
        else:
            for claim, times in self.monitor.evaluated.items():
                seen.evaluated[claim] += times

    def _watch(
        self,
        start: State,
        run: Iterator[tuple[State, Move, State]],
        steps: int,
        locations: set[LocId],
    ) -> int:
        """Watch one run; how many steps it had."""
        moves: list[Move] = []
        try:
            self._begin(start, locations)
            for before, move, after in run:
                self.tick()
                moves.append(move)
                locations.add(after.locals[move.thread].pc)
                locations.update(self.program.edges[choice.edge].source for choice in move.choices)
                self.checks.look(after)
                if self.checks.interpreter.is_stopped(after):
                    break
                if self.monitor is not None:
                    self.monitor.step(before, move, after)
                if len(moves) >= steps or (len(moves) % OFTEN == 0 and self._looked_enough()):
                    break
        except _Violation as found:
            raise Contradicted(found.name, self._run(start, moves)) from None
        except Broken as broken:
            broken.run = self._run(start, moves)
            raise
        return max(1, len(moves))

    def _looked_enough(self) -> bool:
        claims = 0 if self.monitor is None else self.monitor.evaluated.total()
        return self.checks.choices + claims >= self.most_looks

    def _begin(self, start: State, locations: set[LocId]) -> None:
        self.checks.look(start)
        locations.update(l.pc for l in start.locals)
        if self.monitor is not None and not self.checks.interpreter.is_stopped(start):
            self.monitor.start(start)

    def _run(self, start: State, moves: list[Move]) -> Run:
        about = program_hash(self.general)
        return Run(self.counts, start.g.cells, tuple(moves), about)


class _Violation(Exception):  # noqa: N818 - the result of a test, not a fault
    """A state violates a property."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class _Checks:
    """The claimed properties, evaluated once in each state."""

    def __init__(
        self, program: Program, properties: list[Property], drawing: DrawingInterpreter
    ) -> None:
        self.interpreter = drawing
        self.program = program
        self.failures = frozenset(p.name for p in properties if isinstance(p, FailureProperty))
        self.others = [p for p in properties if not isinstance(p, FailureProperty)]
        self.drawing = RacesOfRuns(drawing)
        self.whole = PropertyChecker(Interpreter(program))
        """Where nothing is possible, that must be so for all inputs."""
        self.whole.deadlocks = CachedDeadlocks(self.whole.interpreter)
        self.short = {
            p.name: FormulaOfState(program, p)
            for p in properties
            if isinstance(p, InvariantProperty) and ignores_ids(p.formula)
        }
        self.choices = 0
        """How many choices of threads there were for the evaluated formulas."""
        self._choices = {
            p.name: choices_of(program, p.formula)
            for p in properties
            if isinstance(p, InvariantProperty) and p.name not in self.short
        }
        self._shared = {
            p.name: SharedFormula(program, p.formula)
            for p in properties
            if isinstance(p, InvariantProperty)
        }
        self._violated: dict[tuple[str, Values], bool] = {}
        """Of invariants about shared variables only: whether these values violate them."""
        self.looked: set[State] = set()
        self.partial: list[tuple[RaceProperty, _Open]] = []

    def look_at_parts(self, partial: Mapping[str, _Open]) -> None:
        """Also test for races between edges that are in no undecided pair."""
        by_name = {checked.name: checked for checked in self.program.properties}
        for name, pairs in partial.items():
            checked = by_name[name]
            assert isinstance(checked, RaceProperty)
            self.partial.append((checked, pairs))

    def look(self, state: State) -> None:
        """Raises _Violation, or Broken if there is a race that a partial proof excludes."""
        if state in self.looked:
            return
        self.looked.add(state)
        for l in state.locals:
            failure = self.program.locations[l.pc].failure
            if failure is not None:
                if failure.property in self.failures:
                    raise _Violation(failure.property)
                return
        for checked in self.others:
            if self._violates(checked, state):
                raise _Violation(checked.name)
        for race, pairs in self.partial:
            self._look_for_races(race, pairs, state)

    def _look_for_races(self, checked: RaceProperty, pairs: _Open, state: State) -> None:
        try:
            found = list(self.drawing.races(checked, state))
        except (Undefined, Unsupported):
            return
        for t, _, u, _ in found:
            pcs = state.locals[t].pc, state.locals[u].pc
            mine, others = (next_edges(self.program, pc) for pc in pcs)
            if not any(frozenset({e, f}) in pairs for e in mine for f in others):
                raise Broken("locations: there is a race between accesses that are kept apart")

    def _violates(self, checked: Property, state: State) -> bool:
        """Whether a state violates a property; no, if that cannot be evaluated."""
        shared = self._shared.get(checked.name)
        values = None if shared is None else shared.values(state.g)
        if values is None:
            return self._violates_there(checked, state)
        key = checked.name, values
        if key not in self._violated:
            self._violated[key] = self._violates_there(checked, state)
        return self._violated[key]

    def _violates_there(self, checked: Property, state: State) -> bool:
        if (short := self.short.get(checked.name)) is not None:
            holds = short.holds(state)
            self.choices += short.choices
            return not holds
        self.choices += self._choices.get(checked.name, 0)
        checker = self.whole if isinstance(checked, DeadlockProperty) else self.drawing
        try:
            return checker.violated(checked, state)
        except (Undefined, Unsupported):
            return False


def next_edges(program: Program, at: LocId) -> frozenset[EdgeId]:
    """The edges that the next step of a thread may take, through atomic regions too."""
    found: set[EdgeId] = set()
    pending = [at]
    while pending:
        for edge in program.outgoing[pending.pop()]:
            if edge.id not in found:
                found.add(edge.id)
                if program.locations[edge.target].atomic:
                    pending.append(edge.target)
    return frozenset(found)
