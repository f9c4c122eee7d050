"""What the symbolic engines have in common: limits, figures, and which properties they answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from threadwise.backends.bdd.manager import Manager, NodeLimitReached, within_limits
from threadwise.backends.bdd.model import Model
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Task, Undecided, Violated
from threadwise.engines.symbolic.errors import is_answered
from threadwise.ir.program import Program

STEPS_PER_OPERATION = 16
"""An operation on BDDs counts as so many steps of the budget: about what it takes."""
PROGRESS_PERIOD = 256
NOT_ANSWERED = "symbolic engines answer assertions, ranges, mutexes and invariants only"


class Session:
    """One run of one engine."""

    def __init__(self, task: Task, name: str) -> None:
        self.task = task
        self.name = name
        self.operations = 0
        self._managers: list[Manager] = []

    def model(self, program: Program, like: Model | None = None) -> Model:
        """Encode a program under the limits of the run."""
        return Model.of(program, self._manager, like)

    def model_with_all_stores(self, program: Program) -> Model:
        """The same with the steps from local stores that threads cannot be in."""
        return Model.with_all_stores(program, self._manager)

    def _manager(self) -> Manager:
        manager = Manager(self.task.options.max_bdd_nodes, self.tick)
        if not self._managers:
            self.task.details.append(f"BDDs by {manager.library}")
        self._managers.append(manager)
        return manager

    def tick(self) -> None:
        """Count an operation."""
        for _ in range(STEPS_PER_OPERATION):
            self.task.meter.check()
        if self.operations % PROGRESS_PERIOD == 0:
            counters = {"bdd_operations": self.operations}
            self.task.listener(Progress(self.name, counters=counters))
        self.operations += 1

    def close(self) -> None:
        """Note how large the diagrams became, and let go of them: each knows its session."""
        for manager in self._managers:
            self.task.statistics.maximum(Name.PEAK_BDD_NODES, manager.peak_nodes())
        self._managers.clear()


def limited(task: Task, findings: Iterator[Finding], session: Session) -> Iterator[Finding]:
    """The findings; the limit on nodes ends in UNKNOWN for what is open then."""
    open_names = {p.name: None for p in task.properties if is_answered(p)}
    refused = tuple(p.name for p in task.properties if not is_answered(p))
    if refused:
        yield Undecided(refused, NOT_ANSWERED, applies=False)
    if not open_names:
        return
    try:
        with within_limits():
            for finding in findings:
                for known in _names(finding):
                    open_names.pop(known, None)
                yield finding
    except NodeLimitReached:
        limit = task.options.max_bdd_nodes
        reason = f"the limit of {limit:,} BDD nodes was reached" if limit else "out of memory"
        bound = None if limit is None else ("max-bdd-nodes", limit)
        yield Undecided(tuple(open_names), reason, bound)
    finally:
        session.close()


def _names(finding: Finding) -> tuple[str, ...]:
    return (finding.trace.property,) if isinstance(finding, Violated) else finding.properties


def limit_message(program: Program) -> str:
    """Why the model of a program may end."""
    messages = [
        location.failure.message
        for location in program.locations
        if location.failure is not None and location.failure.kind.is_limit
    ]
    return "; ".join(dict.fromkeys(messages))


def answered(task: Task) -> Task:
    """The task without the properties that symbolic engines do not answer."""
    return replace(task, properties=tuple(p for p in task.properties if is_answered(p)))
