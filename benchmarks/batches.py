"""What `threadwise batch` saves: two cores against one, the cache against the search.

    python -m benchmarks.batches PATH... --folder build/batches [--sample 40] [--option=…]
    python -m benchmarks.batches PATH... --folder build/long --long --time-limit 300

| stage    | is                                                       | stands in          |
|----------|----------------------------------------------------------|--------------------|
| `two`    | `threadwise batch -j 2`                                  | `two.db`           |
| `one`    | the same with `-j 1`, everything on one core             | `one.db`           |
| `single` | `threadwise check` by hand, one after the other          | `single.jsonl`     |
| `again`  | `two` once more, one at a time: it finds its cache       | `again.db`         |
| `check`  | against `certify` and `replay` of the evidence of each   | `check.jsonl`      |

Each stage that is complete is kept in the folder, with its time, so a killed measurement goes on;
`two` and `one` begin anew, since their times count. `--long` measures only `two` and `again`, for
tasks that take long. At the end every bar is printed with its figure. Run it on an idle machine;
how well that lends two cores to programs that have nothing to do with each other is told, too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SPEED_UP = 1.8
"""How much faster two cores should be than one."""
GRACE_S = 0.2
"""What a cached task may cost beside the front end and the check of its evidence."""
LONG_S = 20.0
"""Tasks that took longer than this should gain most."""
REPEATS = 3
"""How often that is measured again where it seems to cost more."""
GAIN = 5.0
"""How much faster those should be when their evidence is there."""

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
    cpu_s: float
    evidence: Mapping[str, Path]
    """Files by what they are: `certificate`, `trace`."""

    @property
    def is_shown(self) -> bool:
        """Whether there is evidence for how it ended."""
        return {"SAFE": "certificate", "UNSAFE": "trace"}.get(self.ending) in self.evidence


@dataclass(frozen=True)
class Bar:
    """Something to be shown, and whether it is; None: there is nothing to show it by."""

    what: str
    figure: str
    holds: bool | None

    def __str__(self) -> str:
        mark = {True: "holds", False: "MISSED", None: "no sample"}[self.holds]
        return f"{mark:9}  {self.what}: {self.figure}"


# -- running -------------------------------------------------------------------------------------


def environment(folder: Path) -> dict[str, str]:
    """That of an installed package: its modules are compiled."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPYCACHEPREFIX": str(folder.absolute() / "bytecode")}


def timed(
    command: Sequence[str], folder: Path, cores: frozenset[int] | None = None
) -> tuple[float, int]:
    """How long a command takes, on these cores if any are named, and its exit code."""
    pinned = [] if cores is None else ["taskset", "-c", ",".join(map(str, sorted(cores)))]
    began = time.monotonic()
    done = subprocess.run(
        [*pinned, sys.executable, "-m", "threadwise", *command],
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(folder),
        text=True,
    )
    if done.returncode not in {0, 1, 2, 3}:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return time.monotonic() - began, done.returncode


def spin(count: int) -> int:
    """Work for one core."""
    total = 0
    for number in range(count):
        total = (total * 31 + number) & 0xFFFF
    return total


def machine_speed_up(count: int = 20_000_000) -> float:
    """How much faster two cores of this machine are when each has work of its own."""
    began = time.monotonic()
    spin(count)
    alone = time.monotonic() - began
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(abs, [1, 2])
        began = time.monotonic()
        pool.map(spin, [count, count], chunksize=1)
        both = time.monotonic() - began
    return 2 * alone / both


class Measurement:
    """The stages, and what is kept of them in the folder."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.folder: Path = arguments.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.limit = ["--time-limit", str(arguments.time_limit)]
        self.options = [f"--option={option}" for option in arguments.option]
        self.paths = sampled(arguments.paths, arguments.sample)
        self._notes = self.folder / "stages.json"

    def batch(
        self, name: str, jobs: int, *more: str, cores: frozenset[int] | None = None
    ) -> float:
        """The wall time of a batch; from the folder if it was complete."""
        return self._stage(name, lambda: self._batch(name, jobs, more, cores))

    def _batch(
        self, name: str, jobs: int, more: Sequence[str], cores: frozenset[int] | None
    ) -> float:
        database = self.folder / f"{name}.db"
        known = [database.name, f"{database.name}-wal", f"{database.name}-shm"]
        if not more:
            shutil.rmtree(f"{database}-files", ignore_errors=True)
            for each in known:
                (self.folder / each).unlink(missing_ok=True)
        wall, _ = timed([*self.command(database, jobs), *more], self.folder, cores)
        return wall

    def command(self, database: Path, jobs: int) -> list[str]:
        """How the batch is called."""
        given = ["--database", str(database), *self.limit, "-j", str(jobs), *self.options]
        return ["batch", *self.paths, *given]

    def run(self, command: Sequence[str]) -> None:
        """Run the tool to its end."""
        timed(command, self.folder)

    def again(self) -> float:
        """The wall time of a second run with the cache of the first."""

        def run() -> float:
            first, second = self.folder / "two.db", self.folder / "again.db"
            shutil.rmtree(f"{second}-files", ignore_errors=True)
            shutil.copytree(f"{first}-files", f"{second}-files")
            with sqlite3.connect(first) as source, sqlite3.connect(second) as target:
                source.backup(target)
            return self._batch("again", 1, ["--rerun", "all"], None)

        return self._stage("again", run)

    def _stage(self, name: str, run: Callable[[], float]) -> float:
        notes: dict[str, Any] = {}
        if self._notes.is_file():
            notes = json.loads(self._notes.read_text())
        if name not in notes:
            if name in {"two", "one"}:
                notes[f"machine, before {name}"] = machine_speed_up()
            notes[name] = run()
            self._notes.write_text(json.dumps(notes, indent=1))
            print(f"{name}: {notes[name]:.0f} s", flush=True)
        return float(notes[name])

    def machine(self) -> list[float]:
        """What the machine itself gave when the batches began."""
        notes = json.loads(self._notes.read_text())
        return [value for name, value in notes.items() if name.startswith("machine")]

    def rows(self, name: str) -> dict[str, Row]:
        """The tasks of a stage that came to their end."""
        return {row.name: row for row in rows(self.folder / f"{name}.db")}

    def each(
        self, name: str, over: Mapping[str, Row], run: Callable[[Row], Any]
    ) -> dict[str, Any]:
        """Something for each task; what is known already is read."""
        path = self.folder / f"{name}.jsonl"
        lines = path.read_text().splitlines() if path.is_file() else []
        known: dict[str, Any] = dict(json.loads(line) for line in lines)
        with path.open("a") as file:
            for task, row in over.items():
                if task not in known:
                    known[task] = run(row)
                    print(json.dumps([task, known[task]]), file=file, flush=True)
        return known

    def single(self, row: Row) -> str:
        """The verdict of a task by `check`."""
        asked = [word for name in row.properties for word in ("--property", name)]
        _, code = timed(["check", *row.files, *asked, *row.options], self.folder)
        return VERDICTS.get(code, f"exit {code}")

    def cached(self, row: Row) -> float:
        """How long a task takes whose evidence is there, as the batch runs it."""
        files = self.folder / "again.db-files"
        asked = [word for name in row.properties for word in ("--property", name)]
        told = ["--jobs", "1", "--cache", str(files / "cache"), "--format", "json"]
        kept = ["--certificate", str(files / "proof.json"), "--trace", str(files / "trace.json")]
        wall, _ = timed(["check", *asked, *row.options, *row.files, *told, *kept], self.folder)
        return wall

    def excess(self, row: Row) -> float | None:
        """How much more a cached task costs than `certify` and `replay` of its evidence.

        Where it seems too much it is measured again: other work of the machine is no excess.
        """
        allowed = self.rechecked(row)
        if allowed is None:
            return None
        costs, checks = [row.wall_s], [allowed]
        while min(costs) - min(checks) > GRACE_S and len(costs) <= REPEATS:
            costs.append(self.cached(row))
            checks.append(self.rechecked(row) or 0.0)
        return min(costs) - min(checks)

    def rechecked(self, row: Row) -> float | None:
        """How long `certify` and `replay` take for the evidence; None if it shows no verdict.

        A task whose properties are in part proved and in part violated has both: it is loaded
        once, and they are checked one after the other.
        """
        if not row.is_shown:
            return None
        commands = {"certificate": "certify", "trace": "replay"}
        checks = [
            timed([commands[kind], *row.files, str(path)], self.folder)[0]
            for kind, path in row.evidence.items()
        ]
        return sum(checks) - (len(checks) - 1) * (self.loaded(row) if len(checks) > 1 else 0.0)

    def loaded(self, row: Row) -> float:
        """How long it takes to start and to load a program."""
        given = list(row.options)
        limit = given.index("--time-limit")
        del given[limit : limit + 2]
        wall, _ = timed(["dump-ir", *given, *row.files], self.folder)
        return wall


def sampled(paths: Sequence[str], count: int | None) -> list[str]:
    """So many of the task definitions below the paths, always the same ones."""
    if count is None:
        return list(paths)
    found = sorted(str(p) for path in paths for p in Path(path).rglob("*.yml"))
    return random.Random(24).sample(found, min(count, len(found)))


def rows(database: Path) -> list[Row]:
    """The tasks of a database that came to their end."""
    query = """
        SELECT name, files, properties, options, ending, wall_s, cpu_s,
            (SELECT json_group_object(kind, sha256) FROM evidence WHERE evidence.task = task.id)
        FROM task JOIN result ON result.task = task.id ORDER BY name
    """
    folder = database.with_name(f"{database.name}-files") / "evidence"
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
            cpu_s or 0.0,
            {kind: folder / sha[:2] / f"{sha}.json" for kind, sha in json.loads(evidence).items()},
        )
        for name, files, properties, options, ending, wall_s, cpu_s, evidence in found
    ]


# -- bars ----------------------------------------------------------------------------------------


def speed_up(alone: float, both: float, machine: Sequence[float]) -> Bar:
    """Two cores against one."""
    told = ", ".join(f"{value:.2f}x" for value in machine)
    ratio = alone / both
    figure = f"{alone:.0f} s and {both:.0f} s, {ratio:.2f}x (the machine itself: {told})"
    return Bar(f"two cores at least {SPEED_UP}x one", figure, ratio >= SPEED_UP)


def same(what: str, expected: Mapping[str, str], found: Mapping[str, str]) -> Bar:
    """The same verdicts."""
    other = sorted(name for name, ending in expected.items() if found.get(name) != ending)
    told = [f"{name} {expected[name]}/{found.get(name)}" for name in other]
    figure = f"{len(other)} of {len(expected)} differ{': ' if told else ''}{'; '.join(told[:10])}"
    return Bar(what, figure, not other)


def cached(excess: Mapping[str, float | None]) -> Bar:
    """What tasks cost whose evidence is there, beside its check."""
    more = {name: seconds for name, seconds in excess.items() if seconds is not None}
    late = sorted(((excess, name) for name, excess in more.items() if excess > GRACE_S))[::-1]
    median = f"{statistics.median(more.values()):+.2f} s" if more else "none"
    worst = "; ".join(f"{name} {excess:+.2f} s" for excess, name in late[:10])
    figure = f"{len(more)} tasks, median {median}, {len(late)} over{': ' if late else ''}{worst}"
    what = f"a cached task costs at most its check and {GRACE_S} s"
    return Bar(what, figure, not late if more else None)


def gains(first: Mapping[str, Row], again: Mapping[str, Row]) -> Bar:
    """What the cache saves where the search is long."""
    found = {
        name: row.wall_s / again[name].wall_s
        for name, row in first.items()
        if row.wall_s > LONG_S and row.is_shown and name in again
    }
    told = ", ".join(
        f"{Path(name).name} {first[name].wall_s:.0f} s {factor:.1f}x"
        for name, factor in sorted(found.items())
    )
    what = f"tasks over {LONG_S:.0f} s at least {GAIN:.0f}x faster in the median"
    if not found:
        return Bar(what, "none took so long", None)
    median = statistics.median(found.values())
    return Bar(what, f"{median:.1f}x ({told})", median >= GAIN)


def endings(found: Mapping[str, Row]) -> dict[str, str]:
    """How tasks ended."""
    return {name: row.ending for name, row in found.items()}


def measured(measurement: Measurement, *, single: bool, long: bool) -> list[Bar]:
    """All stages, and the bars."""
    both = measurement.batch("two", 2)
    first = measurement.rows("two")
    bars: list[Bar] = []
    if not long:
        core = frozenset({min(os.sched_getaffinity(0))})
        alone = measurement.batch("one", 1, cores=core)
        bars.append(speed_up(alone, both, measurement.machine()))
        found = endings(measurement.rows("one"))
        bars.append(same("the same verdicts with one and two", endings(first), found))
    if single:
        verdicts = measurement.each("single", first, measurement.single)
        bars.append(same("the same verdicts as single runs", endings(first), verdicts))
    measurement.again()
    again = measurement.rows("again")
    bars.append(same("the same verdicts from the cache", answers(first), endings(again)))
    if not long:
        bars.append(cached(measurement.each("check", again, measurement.excess)))
    return [*bars, gains(first, again)]


def answers(found: Mapping[str, Row]) -> dict[str, str]:
    """How tasks ended that left evidence."""
    return {name: row.ending for name, row in found.items() if row.is_shown}


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--time-limit", type=float, default=30)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--sample", type=int, help="so many task definitions only")
    parser.add_argument("--single", action="store_true", help="compare with single runs, too")
    parser.add_argument("--long", action="store_true", help="only what the cache saves")
    arguments = parser.parse_args()
    bars = measured(Measurement(arguments), single=arguments.single, long=arguments.long)
    for bar in bars:
        print(bar)
    sys.exit(any(bar.holds is False for bar in bars))


if __name__ == "__main__":
    main()
