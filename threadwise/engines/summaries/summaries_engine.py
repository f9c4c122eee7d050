"""The `summaries` engine: movers from R, Rulesets 2 and 3, C3', certificates and traces.

Answers for what reduction preserves: assertion, range and mutex errors, and, each in a search of
its own in which what it can see is no mover, invariants. With one thread every step is a both
mover; the rules are then those of sequential CFL reachability (QRR §5.4), all of P is checked,
and recursion of any depth is decided. With more, recursion is decided if it stays inside
transactions; otherwise the answer is UNKNOWN and says which statement breaks them. Where Ω grows
and calls nest, the search is interrupted for one without stacks (`merged`), which may prove what
is open with fewer states; it gets no more work than the search had so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.movers.classify import (
    Movers,
    MoversOfOne,
    choose_source,
    classify,
    refuse_wrong_claims,
)
from threadwise.engines.movers.sources import Source
from threadwise.engines.movers.visibility import Visibility
from threadwise.engines.reduction.partition import Partition
from threadwise.engines.reduction.reduction_engine import MOVED, PAIRS
from threadwise.engines.summaries.certificates import certify
from threadwise.engines.summaries.finish import Finish
from threadwise.engines.summaries.merged import FIRST, LATER, MergedRules, may_merge
from threadwise.engines.summaries.recursion import account
from threadwise.engines.summaries.rules import Between, Event, PathEdge, SummaryRules
from threadwise.engines.summaries.traces import TRACE_LIMIT, Expansion, TooLong
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, InvariantProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local
from threadwise.traces.trace import Trace

PROGRESS_PERIOD = 256


class SummariesEngine:
    """Search over transactions with procedure summaries."""

    name = "summaries"

    def __init__(self, first: int = FIRST, merges: Callable[[Program], bool] = may_merge) -> None:
        """`first` is how large Ω is when it is tried with less, where a program `merges`."""
        self._first = first
        self._merges = merges

    def run(self, task: Task) -> Iterator[Finding]:
        """Infer movers, then search once for all failures and once for each invariant."""
        if task.program.has_any_number:
            raise Unsupported("any number of threads in summaries")
        if uses_memory(task.program):
            raise Unsupported("a heap in summaries")
        preserved: list[Property] = []
        for checked in task.properties:
            if isinstance(checked, FailureProperty | InvariantProperty):
                preserved.append(checked)
            else:
                reason = f"summaries do not preserve properties of kind {checked.kind.value}"
                yield Undecided((checked.name,), reason, applies=False)
        if not preserved:
            return
        system = ConcreteSystem(task.program)
        if len(system.roles) == 1:
            yield from _Run(task, system, None, preserved, None).run()
            return
        source = choose_source(system, task.meter.check)
        task.statistics.set(PAIRS, source.fixpoint.size)
        failures: list[Property] = [p for p in preserved if isinstance(p, FailureProperty)]
        searches = [failures] if failures else []
        searches += ([p] for p in preserved if isinstance(p, InvariantProperty))
        first = self._first if self._merges(task.program) else None
        for properties in searches:
            yield from _Run(task, system, source, properties, first).run()


class _Run:
    """One search for some properties that the same movers preserve."""

    def __init__(
        self,
        task: Task,
        system: ConcreteSystem,
        source: Source | None,
        properties: list[Property],
        merge_at: int | None,
    ) -> None:
        """`merge_at` is how large Ω is when it is tried with less; None: never."""
        self.task = task
        self.system = system
        self.source = source
        self.hash = program_hash(task.program)
        self.partition = Partition(system, self._movers(properties))
        self.open = {checked.name: checked for checked in properties}
        invariants = [p for p in properties if isinstance(p, InvariantProperty)]
        self.patterns = system.errors(invariants)
        self.seen: set[tuple[Global, Local]] = set()
        """With one thread: the pairs of P that were checked."""
        self.limits: dict[str, None] = {}
        self.rules = SummaryRules(system, self.partition, task.options.max_depth)
        self.work = 0
        """How many steps the search took."""
        self.merge_at = merge_at

    def _movers(self, properties: list[Property]) -> Movers:
        if self.source is None:
            return MoversOfOne(self.system)
        formulas = [p.formula for p in properties if isinstance(p, InvariantProperty)]
        visibility = Visibility(self.task.program, formulas) if formulas else None
        movers = classify(self.source, visibility, self.task.meter.check)
        refuse_wrong_claims(self.task.program, movers)
        return movers

    def run(self) -> Iterator[Finding]:
        """Search, repair C3' and search again; account for the work whatever ends it."""
        try:
            while True:
                for event in self.rules.run(self._tick):
                    yield from self._look(event)
                    yield from self._try_merged()
                    if not self.open:
                        return
                finish = Finish(self.rules)
                if not finish.broken:
                    break
                for t, l in finish.broken:
                    self.partition.move(t, l)
                self.rules = SummaryRules(self.system, self.partition, self.task.options.max_depth)
            yield from self._conclusions(finish)
        finally:
            statistics, threads = self.task.statistics, self.rules.threads
            statistics.add(Name.STATES, len(self.rules.omega.states))
            statistics.add(Name.PATH_EDGES, sum(r.path_edge_count for r in threads))
            statistics.add(Name.SUMMARIES, sum(r.summary_count for r in threads))
            statistics.add(MOVED, len(self.partition.moved))

    def _try_merged(self) -> Iterator[Finding]:
        """Prove what is open by a search without stacks, if it is time to try and that does."""
        if self.merge_at is None or len(self.rules.omega.states) < self.merge_at or self.limits:
            return
        self.merge_at *= LATER
        finish = self._merged()
        if finish is not None:
            names = tuple(self.open)
            self.open.clear()
            self.rules = finish.rules
            yield Proved(names, certify(self.hash, names, finish, self.source))

    def _merged(self) -> Finish | None:
        """A complete search without stacks and without violations; None if there is none."""
        partition = Partition(self.system, self.partition.movers)
        left = max(self.work, FIRST)
        while True:
            rules = MergedRules(self.system, partition)
            for event in rules.run(self.task.meter.check):
                left -= 1
                if left <= 0 or self._is_wrong(rules, event):
                    return None
            finish = Finish(rules)
            if not finish.broken:
                return finish
            for t, l in finish.broken:
                partition.move(t, l)

    def _is_wrong(self, rules: SummaryRules, event: Event) -> bool:
        """Whether a fact shows a violation of what is open, or a limit of the model."""
        if isinstance(event, PathEdge):
            failure = self.system.program.locations[self.system.location(event.b.l)].failure
            return failure is not None and (failure.kind.is_limit or failure.property in self.open)
        joint = rules.omega.states[event.state].joint
        return bool(self._violations(joint.g, joint.locals))

    def _tick(self) -> None:
        self.task.meter.check()
        self.work += 1
        count = len(self.rules.omega.states)
        if count % PROGRESS_PERIOD == 0:
            counters = {Name.STATES.value: count}
            self.task.listener(Progress(SummariesEngine.name, counters=counters))

    def _conclusions(self, finish: Finish) -> Iterator[Finding]:
        names, depth = tuple(self.open), self.task.options.max_depth
        if not names:
            return
        if self.limits:
            yield Undecided(names, "; ".join(self.limits))
        elif self.rules.cuts:
            reason = account(self.rules, self.partition, depth)
            yield Undecided(names, reason, ("max-depth", depth))
        else:
            yield Proved(names, certify(self.hash, names, finish, self.source))

    # -- errors ----------------------------------------------------------------------------------

    def _look(self, event: Event) -> Iterator[Finding]:
        """The open properties that a new fact shows to be violated."""
        match event:
            case PathEdge(_, _, b):
                failure = self.system.program.locations[self.system.location(b.l)].failure
                if failure is not None:
                    limit = self.system.limit(b.l)
                    if limit is not None:
                        self.limits[limit] = None
                    elif failure.property in self.open:
                        yield self._violated(failure.property, event)
                elif self.source is None and (b.g, b.l) not in self.seen:
                    self.seen.add((b.g, b.l))
                    for name in self._violations(b.g, (b.l,)):
                        yield self._violated(name, event)
            case Between(position):
                joint = self.rules.omega.states[position].joint
                for name in self._violations(joint.g, joint.locals):
                    yield self._violated(name, event)

    def _violations(self, g: Global, locals_: Sequence[Local]) -> list[str]:
        """The open invariants that are false in a state."""
        found = {p.property.name: None for p in self.patterns if p.violated(g, locals_)}
        return [name for name in found if name in self.open]

    def _violated(self, name: str, event: Event) -> Finding:
        del self.open[name]
        expansion = Expansion(self.rules)
        try:
            if isinstance(event, PathEdge):
                initial, moves = expansion.to_node(*event)
            else:
                initial, moves = expansion.to_state(event.state)
        except TooLong:
            return Undecided((name,), f"violated, but by a run of more than {TRACE_LIMIT:,} steps")
        return Violated(Trace(self.hash, name, initial, tuple(moves)))
