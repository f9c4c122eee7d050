"""A batch from its tasks to the last result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from threadwise.batch.database import Database, Known
from threadwise.batch.local import Job
from threadwise.batch.outcome import Outcome, hashes, key_of, outcome_of
from threadwise.batch.place import Usage
from threadwise.batch.tasks import Ending, Task, is_wrong
from threadwise.core.errors import InputError


class Rerun(Enum):
    """Which tasks that have a result are run again."""

    UNKNOWN = "unknown"
    FAILED = "failed"
    WRONG = "wrong"
    ALL = "all"

    def includes(self, known: Known) -> bool:
        """Whether a task with a result is among them."""
        assert known.ending is not None
        match self:
            case Rerun.ALL:
                return True
            case Rerun.UNKNOWN:
                return not known.ending.is_answer
            case Rerun.FAILED:
                return known.ending in (Ending.FAILED, Ending.REJECTED)
            case Rerun.WRONG:
                return is_wrong(known.ending, known.task.expected)


class Runner(Protocol):
    """Where jobs run."""

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Usage] | None]:
        """Each job when it has ended; None now and then."""


@dataclass(frozen=True)
class Plan:
    """What is to be run, and how many tasks have their result already."""

    waiting: tuple[Known, ...]
    kept: tuple[Known, ...]


def plan(
    database: Database,
    tasks: Mapping[str, Task],
    *,
    changed: bool = False,
    rerun: Rerun | None = None,
) -> Plan:
    """Register the tasks, and report what there is to do; raises InputError.

    Tasks without result are run; with `changed` also those that depend on anything that is not
    as it was, and with `rerun` the ones it includes.
    """
    database.register(tasks.values())
    waiting: list[Known] = []
    kept: list[Known] = []
    for known in (known for name, known in database.known().items() if name in tasks):
        wanted = tasks[known.task.name]
        if wanted != known.task:
            if known.ending is not None and not changed:
                raise InputError.of(
                    f"{database.path}: {known.task.name} was asked otherwise before",
                    hint="--changed asks it again; other options may have another database",
                )
            database.replace(known.id, wanted)
            waiting.append(replace(known, task=wanted, ending=None))
        elif known.ending is None or _again(database, known, changed=changed, rerun=rerun):
            waiting.append(known)
        else:
            kept.append(known)
    return Plan(tuple(waiting), tuple(kept))


def _again(database: Database, known: Known, *, changed: bool, rerun: Rerun | None) -> bool:
    if rerun is not None and rerun.includes(known):
        return True
    return changed and key_of(known.task, hashes(database.inputs(known))) != known.key


def run_batch(
    database: Database,
    waiting: Sequence[Known],
    runner: Runner,
    listener: Callable[[Known | None, Outcome | None], None],
) -> None:
    """Run tasks, and record each result before the next is processed; raises InputError."""
    by_number = {known.id: known for known in waiting}
    common = ["--jobs", "1", "--cache", str(database.folder / "cache")]
    jobs = [
        Job(known.id, [*known.task.arguments, *common], database.place(known)) for known in waiting
    ]
    running = runner.run(jobs)
    try:
        for ended in running:
            if ended is None:
                listener(None, None)
                continue
            job, usage = ended
            known = by_number[job.number]
            outcome = outcome_of(known.task, job.place, usage)
            if outcome.report is None:
                database.check_room()
            database.record(known, outcome)
            job.place.remove()
            listener(known, outcome)
    finally:
        # An error or an interrupt here ends the runs, too.
        getattr(running, "close", lambda: None)()
