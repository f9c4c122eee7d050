"""What `threadwise batch` saves: two cores against one, the cache against the search.

    python -m benchmarks.batches PATH... --folder build/batches [--time-limit 30] [--option …]

Four runs over the same tasks, each with a database in the folder: `one` (`-j 1`), `two` (`-j 2`),
`single` (`threadwise check` by hand, one after the other), and `two` again, which finds its cache.
Then `certify` or `replay` of the evidence of every task: what a cached task may cost, and 0.2 s.
Where a database is there already its run goes on, so a killed measurement is not lost; tell the
times of such a run apart. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE_S = 0.2
"""What a cached task may cost beside the front end and the check of its evidence."""

LONG_S = 20.0
"""Tasks that took longer than this should gain most."""

VERDICTS = {0: "SAFE", 1: "UNSAFE", 3: "UNKNOWN"}


@dataclass(frozen=True)
class Row:
    """A task of a database."""

    name: str
    files: tuple[str, ...]
    properties: tuple[str, ...]
    options: tuple[str, ...]
    ending: str
    wall_s: float
    evidence: Path | None


def rows(database: Path) -> list[Row]:
    """The tasks of a database that came to their end."""
    query = """
        SELECT name, files, properties, options, ending, wall_s, kind, sha256
        FROM task JOIN result ON result.task = task.id
        LEFT JOIN evidence ON evidence.task = task.id
            AND kind = CASE ending WHEN 'SAFE' THEN 'certificate' ELSE 'trace' END
        ORDER BY name
    """
    evidence = database.with_name(f"{database.name}-files") / "evidence"
    with sqlite3.connect(database) as connection:
        found = connection.execute(query).fetchall()
    return [
        Row(
            name,
            tuple(json.loads(files)),
            tuple(json.loads(properties)),
            tuple(json.loads(options)),
            ending,
            wall_s or 0.0,
            None if kind is None else evidence / sha[:2] / f"{sha}.json",
        )
        for name, files, properties, options, ending, wall_s, kind, sha in found
    ]


def timed(command: Sequence[str]) -> tuple[float, int]:
    """How long a command takes, and its exit code."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "threadwise", *command], check=False, stdout=subprocess.DEVNULL
    )
    return time.monotonic() - began, done.returncode


def batch(arguments: argparse.Namespace, database: Path, jobs: int, *more: str) -> float:
    """Run a batch; its wall time."""
    options = [f"--option={option}" for option in arguments.option]
    limit = ["--time-limit", str(arguments.time_limit)]
    jobs_of = ["-j", str(jobs)]
    command = ["batch", *arguments.paths, "--database", str(database), *limit, *jobs_of]
    wall, _ = timed([*command, *options, *more])
    return wall


def single(row: Row, time_limit: float) -> str:
    """The verdict of a task by `check`."""
    asked = [word for name in row.properties for word in ("--property", name)]
    limit = ["--time-limit", str(time_limit)]
    _, code = timed(["check", *row.files, *asked, *row.options, *limit])
    return VERDICTS.get(code, f"exit {code}")


def rechecked(row: Row) -> float | None:
    """How long `certify` or `replay` takes for the evidence of a task; None if it has none."""
    if row.evidence is None:
        return None
    command = "certify" if row.ending == "SAFE" else "replay"
    wall, _ = timed([command, *row.files, str(row.evidence)])
    return wall


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--time-limit", type=float, default=30)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--single", action="store_true", help="compare with single runs, too")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    two, one = arguments.folder / "two.db", arguments.folder / "one.db"
    first = batch(arguments, two, 2)
    searched = {row.name: row for row in rows(two)}
    kept = arguments.folder / "first.db"
    shutil.copy(two, kept)
    alone = batch(arguments, one, 1)
    print(f"{len(searched)} tasks: -j 2 {first:.0f} s, -j 1 {alone:.0f} s: {alone / first:.2f}x")
    told = {row.name: row.ending for row in rows(one)}
    differing = [name for name, row in searched.items() if told.get(name) != row.ending]
    print(f"verdicts that differ between one job and two: {differing}")
    if arguments.single:
        found = {name: single(row, arguments.time_limit) for name, row in searched.items()}
        other = [name for name, row in searched.items() if found[name] != row.ending]
        print(f"verdicts that differ from those of single runs: {other}")
    again = batch(arguments, two, 1, "--rerun", "all")
    print(f"again with the cache, -j 1: {again:.0f} s")
    _tell_cached(searched, {row.name: row for row in rows(two)})


def _tell_cached(searched: dict[str, Row], cached: dict[str, Row]) -> None:
    late, gains = [], []
    for name, row in cached.items():
        allowed = rechecked(row)
        if allowed is None:
            continue
        if row.wall_s > allowed + GRACE_S:
            late.append((row.wall_s - allowed, name))
        if searched[name].wall_s > LONG_S:
            gains.append(searched[name].wall_s / row.wall_s)
    print(f"cached tasks that cost more than their check and {GRACE_S} s: {len(late)}")
    for excess, name in sorted(late, reverse=True)[:10]:
        print(f"    {excess:.2f} s more: {name}")
    median = f"{statistics.median(gains):.1f}x" if gains else "there are none"
    print(f"tasks of more than {LONG_S:.0f} s, {len(gains)} of them, in the median: {median}")


if __name__ == "__main__":
    main()
