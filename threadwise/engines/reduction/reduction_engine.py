"""The `reduction` engine: movers from R, Ruleset 1, certificates and traces.

Answers for what reduction preserves: assertion, range and mutex errors; and, each
in a search of its own in which what it can see is no mover, invariants. Every step of Σ is a
step of the program, so a violation found is real. Races and deadlocks are not preserved: two
threads that lock a1 a2 and a2 a1 are never both inside a transaction. Stacks are followed to a
depth bound, as in `explicit`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.movers.classify import choose_source, classify, refuse_wrong_claims
from threadwise.engines.movers.sources import Source
from threadwise.engines.movers.visibility import Visibility
from threadwise.engines.reduction.certificates import certify
from threadwise.engines.reduction.search import ReducedSearch
from threadwise.ir.fold import uses_memory
from threadwise.ir.properties import FailureProperty, InvariantProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.semantics.state import Move
from threadwise.systems.api import ErrorPattern
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local
from threadwise.traces.trace import Trace

PROGRESS_PERIOD = 64
MOVED = "moved_to_n"
"""How many nodes C3 put into N."""
PAIRS = "pairs"
"""|R|, behind the movers."""


class ReductionEngine:
    """Explicit search over whole transactions."""

    name = "reduction"

    def run(self, task: Task) -> Iterator[Finding]:
        """Infer movers, then search once for all failures and once for each invariant."""
        if task.program.has_any_number:
            raise Unsupported("any number of threads in reduction")
        if uses_memory(task.program):
            raise Unsupported("a heap in reduction")
        failures: list[Property] = []
        searches = [failures]
        for checked in task.properties:
            if isinstance(checked, FailureProperty):
                failures.append(checked)
            elif isinstance(checked, InvariantProperty):
                searches.append([checked])
            else:
                reason = f"reduction does not preserve properties of kind {checked.kind.value}"
                yield Undecided((checked.name,), reason, applies=False)
        if any(searches):
            system = ConcreteSystem(task.program)
            source = choose_source(system, task.meter.check)
            task.statistics.set(PAIRS, source.fixpoint.size)
            for properties in filter(None, searches):
                yield from _Run(task, system, source, properties).run()


class _Run:
    """One search for some properties that the same movers preserve."""

    def __init__(
        self, task: Task, system: ConcreteSystem, source: Source, properties: list[Property]
    ) -> None:
        self.task = task
        self.system = system
        self.source = source
        self.hash = program_hash(task.program)
        formulas = [p.formula for p in properties if isinstance(p, InvariantProperty)]
        visibility = Visibility(task.program, formulas) if formulas else None
        movers = classify(source, visibility, task.meter.check)
        refuse_wrong_claims(task.program, movers)
        self.search = ReducedSearch(system, movers, task.options.max_depth)
        self.open = {checked.name: checked for checked in properties}
        self.limits: dict[str, None] = {}
        self.doubtful: dict[str, None] = {}
        """Invariants that are false in a state of Σ but not before the failures in it."""

    def run(self) -> Iterator[Finding]:
        """Search, and account for the states whatever ends it."""
        try:
            patterns = self.system.errors(list(self.open.values()))
            for position in self.search.run(self._tick):
                for finding in self._violations(position, patterns):
                    del self.open[finding.trace.property]
                    yield finding
                if not self.open:
                    return
            yield from self._conclusions()
        finally:
            self.task.statistics.add(Name.STATES, len(self.search.tree.states))
            self.task.statistics.add(MOVED, len(self.search.partition.moved))

    def _tick(self) -> None:
        self.task.meter.check()
        count = len(self.search.tree.states)
        if count % PROGRESS_PERIOD == 0:
            counters = {Name.STATES.value: count}
            self.task.listener(Progress(ReductionEngine.name, counters=counters))

    def _conclusions(self) -> Iterator[Finding]:
        names = tuple(name for name in self.open if name not in self.doubtful)
        depth = self.task.options.max_depth
        if self.doubtful:
            reason = "false in the reduced search only after a failure, which ends the program"
            yield Undecided(tuple(self.doubtful), reason)
        if names and self.limits:
            yield Undecided(names, "; ".join(self.limits))
        elif names and self.search.cut:
            reason = (
                f"no violation with at most {depth} calls on a stack, but there are deeper ones"
            )
            yield Undecided(names, reason, ("max-depth", depth))
        elif names:
            yield Proved(names, certify(self.hash, names, self.search, self.source))

    # -- errors ----------------------------------------------------------------------------------

    def _violations(
        self, position: int, patterns: Sequence[ErrorPattern[Global, Local]]
    ) -> Iterator[Violated]:
        """The open properties that a state of Σ shows to be violated."""
        joint = self.search.tree.states[position].joint
        failed = [t for t in self.system.roles if self.system.is_stopped(joint.locals[t])]
        for t in failed:
            limit = self.system.limit(joint.locals[t])
            if limit is not None:
                self.limits[limit] = None
        for pattern in patterns:
            name = pattern.property.name
            if name not in self.open or not pattern.violated(joint.g, joint.locals):
                continue
            if isinstance(pattern.property, FailureProperty):
                yield self._violated(name, position, self.search.kept_moves(position, last=True))
            elif not failed or pattern.violated(joint.g, self.search.before_failures(position)):
                yield self._violated(name, position, self.search.kept_moves(position, last=False))
            else:
                self.doubtful[name] = None

    def _violated(self, name: str, position: int, moves: list[Move]) -> Violated:
        initial = self.search.start(position).g
        return Violated(Trace(self.hash, name, initial, tuple(moves)))
