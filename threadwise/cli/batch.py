"""`threadwise batch`: check many programs, and remember what came out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode, worst
from threadwise.cli.failures import guarded
from threadwise.cli.options import Given, TimeLimit, takes_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from threadwise.batch.running import Plan, Runner
    from threadwise.batch.tasks import Ending
    from threadwise.results.verdict import Verdict


@guarded
@takes_options("batch")
def batch(  # noqa: PLR0913 - one parameter per option
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Programs, folders, quoted patterns, task definitions (.yml), set files (.set),"
            " compile databases.",
            show_default=False,
        ),
    ],
    database: Annotated[
        str,
        typer.Option("--database", metavar="FILE", help="Where results are kept."),
    ] = "results.db",
    time_limit: TimeLimit = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "-j",
            "--jobs",
            metavar="N",
            min=1,
            help="How many programs are checked at once. [default: the cores there are]",
            show_default=False,
        ),
    ] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="Check again what is not as it was.")
    ] = False,
    rerun: Annotated[
        str | None,
        typer.Option(
            metavar="unknown|failed|wrong|all",
            help="Check these again, too.",
            show_default=False,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the cluster of this Dask scheduler: tcp://host:8786.",
            show_default=False,
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="OPTION",
            help="A further option of `check`, as one word: --option=--no-native. Repeatable.",
            show_default=False,
        ),
    ] = None,
    *,
    given: Given,
) -> ExitCode:
    """Check many programs and keep the results.

    Each runs in a process of its own. Results go into an SQLite database as they arrive, proofs
    and traces into a folder beside it. The same command resumes an earlier run, however that
    ended. `threadwise table` shows the results. The default limit is 5 minutes a program.

    \b
    Examples:
      threadwise batch src/ --property races --time-limit 60
      threadwise batch 'tests/**/*.c' tasks.set -j 4 --database nightly.db
      threadwise batch build/compile_commands.json --changed
      threadwise batch tasks/ --rerun unknown --engine explicit

    Exit code: that of the most severe result, as for `check`; an expected verdict does not
    count, and a wrong one counts as UNSAFE.
    """
    from threadwise.batch.database import Database
    from threadwise.batch.discovery import discover
    from threadwise.batch.running import Rerun, plan, run_batch
    from threadwise.cli.batch_progress import BatchProgress
    from threadwise.cli.options import one_of

    wanted = None if rerun is None else Rerun(one_of("--rerun", rerun, [r.value for r in Rerun]))
    engine = given.get("engine")
    further = [*(option or []), *([] if engine is None else ["--engine", engine])]
    limit, options = _limits(time_limit, given.get("memory_limit"), further)
    with Database(database, writing=True) as kept:
        found = discover(paths, given.get("property", ()), options)
        todo = plan(kept, found.tasks, changed=changed, rerun=wanted)
        _tell_plan(todo, [each.why for each in found.skipped.values()])
        if todo.waiting:
            runner = _runner(scheduler, jobs, limit)
            with BatchProgress(len(todo.waiting)) as progress:
                run_batch(kept, todo.waiting, runner, progress.take)
        return _summary(found.tasks, kept)


def _limits(
    time_limit: str | None, memory_limit: str | None, further: Sequence[str]
) -> tuple[float, list[str]]:
    """The time limit in seconds, and everything that all tasks are told."""
    from threadwise.core.budget import parse_memory, parse_time

    told = time_limit or "5m"
    options = [*further, "--time-limit", told]
    if memory_limit is not None:
        parse_memory(memory_limit)
        options += ["--memory-limit", memory_limit]
    return parse_time(told), options


def _runner(scheduler: str | None, jobs: int | None, limit: float) -> Runner:
    if scheduler is not None:
        from threadwise.batch.cluster import Cluster

        return Cluster(scheduler, limit)
    from threadwise.batch.local import Local

    return Local(jobs or len(os.sched_getaffinity(0)), limit)


def _tell_plan(todo: Plan, skipped: Sequence[str]) -> None:
    from collections import Counter

    if todo.kept:
        terminal.err(f"{len(todo.kept)} tasks have their result already\n")
    for why, count in Counter(skipped).items():
        terminal.err(f"{count} left out: {why}\n")


def _summary(tasks: Iterable[str], kept: Database) -> ExitCode:
    from threadwise.batch.summary import summarise

    known = kept.known()
    ended = [
        (known[name].ending, known[name].task.expected)
        for name in tasks
        if known[name].ending is not None
    ]
    judged = [(ending, expected) for ending, expected in ended if ending is not None]
    terminal.out(f"{summarise(judged)}\n")
    terminal.out(f"threadwise table {kept.path} shows them\n")
    return worst(_code(ending, expected) for ending, expected in judged)


def _code(ending: Ending, expected: Verdict | None) -> ExitCode:
    """An answer that was expected is nothing grave."""
    from threadwise.batch.tasks import Ending, is_wrong

    if is_wrong(ending, expected):
        return ExitCode.UNSAFE
    if expected is not None and ending.is_answer:
        return ExitCode.SAFE
    return {
        Ending.SAFE: ExitCode.SAFE,
        Ending.UNSAFE: ExitCode.UNSAFE,
        Ending.UNKNOWN: ExitCode.UNKNOWN,
        Ending.REJECTED: ExitCode.REJECTED,
        Ending.FAILED: ExitCode.INTERNAL,
    }[ending]


if TYPE_CHECKING:
    from threadwise.batch.database import Database
