"""Bounded search by satisfiability: UNSAFE with an interleaving, SAFE where runs are bounded.

Round by round threads may take more steps and, where a template has any number of threads, there
may be more of them, each with fewer steps. Within a round one query decides all interleavings at
once: values, choices and the order of steps are all left to the solver, so data without bound and
inputs of every value cost nothing. If no thread can take another step the round was the last:
there is no violation with so many threads. Where runs are short such a round comes early, with as
many steps of each thread as some runs took (`likely`). If that is how many threads there are, and
pointers play no part, it is a proof; its certificate says how many steps each thread takes at
most. The solver gives up on hard questions of early rounds soon, so that easy ones of later rounds
come up.

Sound because the driver replays what it finds. Ends when the budget does, or with the last round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from threadwise.analyses.regions import longest_run
from threadwise.backends.smt.interleavings.goals import Goals
from threadwise.backends.smt.solver import Answer, Effort
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name, Number
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.bounded.likely import likely_lengths
from threadwise.engines.bounded.query import Query, Schedule
from threadwise.engines.resolving import with_resolved_memory
from threadwise.ir.fold import uses_memory
from threadwise.ir.layout import ThreadNumbers
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.traces.replay import ReplayFailure, replay
from threadwise.traces.trace import Trace

SIZES = (4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 80, 100, 130, 170, 220, 300)
"""Steps of all threads together, round by round: few threads may take more of them."""

SHORT_ROUNDS = 3
"""After so many rounds, which find short violations, the likely lengths of runs are tried."""

MARGINS = (2, 8)
"""By how many steps more than was seen threads are unrolled, one after the other."""

MOST_AT_ONCE = 130
"""Where runs are no longer than this in all, there is no need to approach it."""

FEW_SLOTS = 40
"""Two slots of a pool take steps, and one more for each so many steps in all."""

UNITS_PER_STEP = 250_000
"""How much a query of a round may cost, in units of the solver, for each of these steps."""

LIKELY_EFFORT = 4
"""So many times as much where the query is likely to be the last."""


@dataclass
class _Round:
    """How far the search has come."""

    steps: int = 0
    """Of each thread, in every instance."""
    threads: int = 0
    lengths: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Up to how many steps of each thread an instance was searched."""
    undecided: str = ""
    """Why the solver gave up on a question, if it did."""
    exhausted: dict[tuple[int, ...], bool] = field(default_factory=dict)
    """Instances all of whose interleavings have been checked."""


class BoundedEngine:
    """Thread paths and order variables in one query."""

    name = "bounded"

    def run(self, task: Task) -> Iterator[Finding]:
        """Search round by round, without pointers where that can be."""
        yield from with_resolved_memory(task, self._search, whole=True)

    def _search(self, task: Task) -> Iterator[Finding]:
        open_properties = {p.name: p for p in task.properties if not _is_deadlock(p)}
        left_out = tuple(p.name for p in task.properties if _is_deadlock(p))
        if left_out:
            reason = "a bounded search does not look for deadlocks"
            yield Undecided(left_out, reason, applies=False)
        search = _Search(task, open_properties)
        for number, size in enumerate(_sizes(task.program)):
            if number == SHORT_ROUNDS:
                yield from search.likely_round()
            if open_properties and not search.is_over():
                yield from search.round(size)
            if not open_properties or search.is_over():
                break
        if open_properties:
            yield Undecided(tuple(open_properties), search.reason(), applies=False)


class _Search:
    def __init__(self, task: Task, open_properties: dict[str, Property]) -> None:
        self.task = task
        self.open = open_properties
        self.hash = program_hash(task.program)
        self.has_pointers = uses_memory(task.program)
        self.state = _Round()
        self.instances = list(_instances(task.program, task.options.max_instances))

    def round(self, size: int) -> Iterator[Finding]:
        """Check all instances with so many steps in all."""
        limit = self.task.options.solver_limit(size * UNITS_PER_STEP)
        self.effort = Effort(self.task.statistics, self.task.meter.check, limit)
        for counts in self.instances:
            key = tuple(counts.values())
            program = self.task.program.with_counts(counts)
            threads = _active(program, size)
            length = size // max(1, len(threads))
            if not self.open:
                return
            if self.state.exhausted.get(key) or length <= self.state.lengths.get(key, 0):
                continue
            asked: dict[str, Number] = {
                str(Name.SOLVER_QUERIES): self.task.statistics.get(Name.SOLVER_QUERIES)
            }
            self.task.listener(
                Progress("bounded", f"{length} steps of {len(threads)} threads", asked)
            )
            yield from self._instance(counts, key, length, threads)
            self.state.lengths[key] = length
        unfinished = [
            self.state.lengths.get(tuple(counts.values()), 0)
            for counts in self.instances
            if not self.state.exhausted.get(tuple(counts.values()))
        ]
        self.state.steps = min(unfinished, default=size)

    def likely_round(self) -> Iterator[Finding]:
        """Check all interleavings at once, if runs are as short as they are likely to be."""
        seen = likely_lengths(self.task.program)
        if seen is None:
            return
        size = sum(seen)
        limit = self.task.options.solver_limit(LIKELY_EFFORT * size * UNITS_PER_STEP)
        self.effort = Effort(self.task.statistics, self.task.meter.check, limit)
        for margin in MARGINS:
            query = Query(self.task.program, self.effort)
            for thread, length in enumerate(seen):
                for _ in range(length + margin):
                    if not query.deepen([thread], self.task.meter.check):
                        break
            lengths = _lengths(query)
            goals = query.finish()
            if query.is_complete(lengths):
                yield from self._interleavings(query, goals, lengths, {}, ())
                return

    def _instance(
        self, counts: dict[str, int], key: tuple[int, ...], length: int, threads: Sequence[int]
    ) -> Iterator[Finding]:
        program = self.task.program.with_counts(counts)
        query = Query(program, self.effort)
        others = [t.thread for t in query.threads if t.thread not in set(threads)]
        query.deepen(others, self.task.meter.check)  # whether they begin
        for _ in range(length):
            if not query.deepen(threads, self.task.meter.check):
                break
        lengths = _lengths(query)
        yield from self._interleavings(query, query.finish(), lengths, counts, key)

    def _interleavings(
        self,
        query: Query,
        goals: Goals,
        lengths: Sequence[int],
        counts: dict[str, int],
        key: tuple[int, ...],
    ) -> Iterator[Finding]:
        """What a query says about the open properties of an instance."""
        undecided = ""
        for checked in list(self.open.values()):
            self.task.meter.check()
            looked = query.reach(goals, goals.violation(checked))
            if looked.answer is Answer.UNKNOWN:
                undecided = looked.reason
            if looked.schedule is None:
                continue
            trace = self._trace(checked, looked.schedule, counts)
            if self._replays(trace):
                del self.open[checked.name]
                yield Violated(trace)
            else:
                undecided = "an interleaving goes where pointers are not modelled"
        self.state.threads = max(self.state.threads, len(query.threads))
        self.state.undecided = undecided or self.state.undecided
        if self.open and not undecided and query.is_complete(lengths):
            self.state.exhausted[key] = True
            if self._leaves_a_proof and not query.can_reach(goals, goals.limit()):
                names = tuple(self.open)
                self.open.clear()
                yield Proved(names, InterleavingsCertificate(self.hash, names, tuple(lengths)))

    @property
    def _leaves_a_proof(self) -> bool:
        """Whether all interleavings of one instance are all there are, and are as modelled."""
        return not self.has_pointers and not self.task.program.has_any_number

    def _trace(self, checked: Property, schedule: Schedule, counts: dict[str, int]) -> Trace:
        initial, moves = schedule.initial, schedule.moves
        return Trace(self.hash, checked.name, initial, moves, counts, schedule.inputs)

    def _replays(self, trace: Trace) -> bool:
        """Whether a trace is real: pointers are only modelled as far as it takes to find some."""
        if not self.has_pointers:
            return True
        try:
            replay(self.task.program, trace)
        except ReplayFailure:
            return False
        return True

    def is_over(self) -> bool:
        """Whether more steps would change nothing."""
        return all(self.state.exhausted.get(tuple(c.values())) for c in self.instances)

    def reason(self) -> str:
        """Why the answer is UNKNOWN."""
        if self.state.undecided:
            return f"the solver gave up on a bounded search ({self.state.undecided})"
        if self.is_over():
            what = f"none of the interleavings of {self.state.threads} threads is a violation"
            return f"{what}; {self._why_no_proof()}"
        return f"no violation within {self.state.steps} steps of each thread"

    def _why_no_proof(self) -> str:
        if self.task.program.has_any_number:
            return "more threads were not tried"
        if self.has_pointers:
            return "pointers are modelled in part only"
        return "some of them end where the model ends"


def _lengths(query: Query) -> list[int]:
    """How many steps of each thread are considered, one less than can be seen."""
    return [len(t.slots) if t.is_finished else len(t.slots) - 1 for t in query.threads]


def _active(program: Program, size: int) -> list[int]:
    """The threads that take steps in a round: of a pool, the first few slots."""
    numbers = ThreadNumbers.of(program)
    few = 2 + size // FEW_SLOTS
    return [
        thread
        for template in program.templates
        for thread in numbers.ranges[template.name][: few if template.pool else None]
    ]


def _sizes(program: Program) -> Iterator[int]:
    """The rounds: if the text bounds all runs, one for short violations and one for all."""
    longest = longest_run(program)
    if longest is not None:
        threads = sum(1 if t.count is None else t.count for t in program.templates)
        whole = (longest + 1) * threads
        if whole <= MOST_AT_ONCE:
            yield from (size for size in (SIZES[2], whole) if size <= whole)
            yield from (size for size in SIZES if size > whole)
            return
    yield from SIZES


def _is_deadlock(checked: Property) -> bool:
    return isinstance(checked, DeadlockProperty)


def _instances(program: Program, most: int) -> Iterator[dict[str, int]]:
    """Thread counts for the templates with any number, fewest threads first."""
    names = [template.name for template in program.templates if template.count is None]
    choices = product(range(most + 1), repeat=len(names))
    for counts in sorted(choices, key=lambda chosen: (sum(chosen), chosen)):
        yield dict(zip(names, counts, strict=True))
