"""A batch that is killed at random moments, and goes on each time.

    python -m benchmarks.killed_batches PATH... --folder build/killed [--kills 10] [--against DB]

`threadwise batch -j 2` is ended by SIGKILL after a while, so many times, and then left alone.
After each kill the database is looked at, and so are the reports of runs that came to their end
without it: what was known must stay as it was to the end. The bars are printed at the end;
`--against` is the database of a batch that nobody disturbed (`two.db` of `benchmarks.batches`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.batches import Bar, Measurement, endings, environment, rows, same

LONGEST_S = 20.0
"""A batch is killed after so many seconds at most."""


@dataclass
class Seen:
    """What was known after the kills."""

    kills: int = 0
    broken: list[str] = field(default_factory=list)
    """What the database said about itself that was not "ok"."""
    results: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each task with a result: when it ended, and its report."""
    reports: dict[int, Any] = field(default_factory=dict)
    """Reports of runs that came to their end without their batch, by the number of the task."""


def results(database: Path) -> dict[str, tuple[str, str]]:
    """When each task ended, and its report."""
    query = "SELECT name, finished, report FROM task JOIN result ON result.task = task.id"
    with sqlite3.connect(database) as connection:
        return {name: (ended, report or "") for name, ended, report in connection.execute(query)}


def look(database: Path, seen: Seen) -> None:
    """Take down what is known after a kill."""
    seen.kills += 1
    if not database.is_file():
        return
    with sqlite3.connect(database) as connection:
        (told,) = connection.execute("PRAGMA integrity_check").fetchone()
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if told != "ok":
        seen.broken.append(told)
    if tables:
        seen.results = {**results(database), **seen.results}
    for path in (database.with_name(f"{database.name}-files") / "running").glob("*/report.json"):
        try:
            number = int(path.parent.name.partition("-")[0])
            seen.reports.setdefault(number, json.loads(path.read_text()))
        except ValueError:
            continue  # it is still at work


def judged(database: Path, seen: Seen) -> list[Bar]:
    """Whether anything was lost, or run to its end twice."""
    last = results(database)
    with sqlite3.connect(database) as connection:
        query = "SELECT id, attempts, report FROM task LEFT JOIN result ON result.task = id"
        tasks = connection.execute(query).fetchall()
    lost = [name for name, known in seen.results.items() if last.get(name) != known]
    twice = [number for number, attempts, _ in tasks if attempts != 1]
    repeated = [
        number
        for number, _, report in tasks
        if number in seen.reports and json.loads(report or "null") != seen.reports[number]
    ]
    kept = (
        f"{len(seen.results)} results were there when it was killed, {len(lost)} are not as then"
    )
    ended = f"{len(twice)} of {len(tasks)} tasks, {len(repeated)} of {len(seen.reports)} orphans"
    return [
        Bar(f"killed {seen.kills} times: nothing is lost", kept, not lost),
        Bar("nothing is run to its end twice", ended, not twice and not repeated),
        Bar("the database is intact", ", ".join(seen.broken) or "ok", not seen.broken),
    ]


def killed(measurement: Measurement, kills: int) -> list[Bar]:
    """Run the batch, and kill it so often."""
    database = measurement.folder / "killed.db"
    shutil.rmtree(f"{database}-files", ignore_errors=True)
    for path in measurement.folder.glob("killed.db*"):
        path.unlink()
    command = measurement.command(database, 2)
    draw, seen = random.Random(24), Seen()
    for _ in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-m", "threadwise", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(measurement.folder),
        )
        time.sleep(1 + (LONGEST_S - 1) * draw.random())
        process.kill()
        process.wait()
        look(database, seen)
        print(f"killed, with {len(seen.results)} results", flush=True)
    measurement.run(command)
    return judged(database, seen)


def undisturbed(database: Path, against: Path) -> Bar:
    """The same verdicts as those of a batch that came to its end at once."""
    found: Mapping[str, str] = endings({row.name: row for row in rows(database)})
    expected = endings({row.name: row for row in rows(against)})
    return same("the same verdicts as without kills", expected, found)


def main() -> None:
    """Kill, go on, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--time-limit", type=float, default=30)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--sample", type=int, help="so many task definitions only")
    arguments = parser.parse_args()
    bars = killed(Measurement(arguments), arguments.kills)
    if arguments.against is not None:
        bars.append(undisturbed(arguments.folder / "killed.db", arguments.against))
    for bar in bars:
        print(bar)
    sys.exit(any(bar.holds is False for bar in bars))


if __name__ == "__main__":
    main()
