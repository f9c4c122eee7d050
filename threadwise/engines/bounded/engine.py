"""Bounded search by satisfiability: UNSAFE with an interleaving, or UNKNOWN.

Round by round threads may take more steps and, where a template has any number of threads, there
may be more of them. Within a round one query decides all interleavings at once: values, choices
and the order of steps are all left to the solver, so data without bound and inputs of every value
cost nothing. If no thread can take another step the round was the last: there is no violation with
so many threads, which proves nothing here, since no certificate says so.

Sound because the driver replays what it finds. Ends when the budget does, or with the last round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from threadwise.backends.smt.solver import Answer, Effort
from threadwise.core.progress import Progress
from threadwise.engines.api import Finding, Task, Undecided, Violated
from threadwise.engines.bounded.query import Query, Schedule
from threadwise.evidence.trace import Trace
from threadwise.ir.printer import program_hash
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property

LENGTHS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 90, 128)
"""Steps per thread, round by round."""


@dataclass
class _Round:
    """How far the search has come."""

    steps: int = 0
    threads: int = 0
    undecided: str = ""
    """Why the solver gave up on a question, if it did."""
    exhausted: dict[tuple[int, ...], bool] = field(default_factory=dict)
    """Instances all of whose interleavings have been looked at."""


class BoundedEngine:
    """Thread paths and order variables in one query."""

    name = "bounded"

    def run(self, task: Task) -> Iterator[Finding]:
        """Search round by round."""
        open_properties = {p.name: p for p in task.properties if not _is_deadlock(p)}
        left_out = tuple(p.name for p in task.properties if _is_deadlock(p))
        if left_out:
            yield Undecided(left_out, "a bounded search does not look for deadlocks")
        search = _Search(task, open_properties)
        for length in LENGTHS:
            yield from search.round(length)
            if not open_properties or search.is_over():
                break
        if open_properties:
            yield Undecided(tuple(open_properties), search.reason())


class _Search:
    def __init__(self, task: Task, open_properties: dict[str, Property]) -> None:
        self.task = task
        self.open = open_properties
        self.hash = program_hash(task.program)
        self.state = _Round()
        self.instances = list(_instances(task.program, task.options.max_instances))
        self.effort = Effort(task.statistics, task.meter.check)

    def round(self, length: int) -> Iterator[Violated]:
        """Look at all instances with so many steps per thread."""
        for counts in self.instances:
            key = tuple(counts.values())
            if not self.open:
                return
            if self.state.exhausted.get(key):
                continue
            self.task.listener(Progress("bounded", f"{length} steps per thread"))
            yield from self._instance(counts, key, length)
        self.state.steps = length

    def _instance(
        self, counts: dict[str, int], key: tuple[int, ...], length: int
    ) -> Iterator[Violated]:
        program = self.task.program.with_counts(counts)
        query = Query(program, self.effort)
        for _ in range(length):
            if not query.deepen(self.task.meter.check):
                self.state.exhausted[key] = True
                break
        goals = query.finish()
        for checked in list(self.open.values()):
            self.task.meter.check()
            looked = query.reach(goals, goals.violation(checked))
            if looked.answer is Answer.UNKNOWN:
                self.state.undecided = looked.reason
                self.state.exhausted[key] = False
            if looked.schedule is not None:
                del self.open[checked.name]
                yield Violated(self._trace(checked, looked.schedule, counts))
        self.state.threads = max(self.state.threads, len(query.threads))

    def _trace(self, checked: Property, schedule: Schedule, counts: dict[str, int]) -> Trace:
        return Trace(self.hash, checked.name, schedule.initial, schedule.moves, counts)

    def is_over(self) -> bool:
        """Whether more steps would change nothing."""
        return all(self.state.exhausted.get(tuple(c.values())) for c in self.instances)

    def reason(self) -> str:
        """Why the answer is UNKNOWN."""
        if self.state.undecided:
            return f"the solver gave up on a bounded search ({self.state.undecided})"
        if self.is_over():
            what = f"none of the interleavings of {self.state.threads} threads is a violation"
            return f"{what}; a bounded search leaves no proof"
        return f"no violation within {self.state.steps} steps of each thread"


def _is_deadlock(checked: Property) -> bool:
    return isinstance(checked, DeadlockProperty)


def _instances(program: Program, most: int) -> Iterator[dict[str, int]]:
    """Thread counts for the templates with any number, fewest threads first."""
    names = [template.name for template in program.templates if template.count is None]
    choices = product(range(most + 1), repeat=len(names))
    for counts in sorted(choices, key=lambda chosen: (sum(chosen), chosen)):
        yield dict(zip(names, counts, strict=True))
