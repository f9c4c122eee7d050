"""HJMQ Table 2 on C: races by `tar`, beside the paper's figures.

    python -m benchmarks.hjmq [--seconds 60]

The paper ran BLAST on C programs that it does not print, on a machine of 700 MHz; those here are
written from its description, and `driver.c` in the style of a network driver, as are the larger
ones that `generate.py` made. Each is checked as it is and with `-D BUG`. Outer iterations are
refinements, inner ones weakenings of the assumptions. Times are processor seconds of a whole run,
evidence included. The exit code is 1 if a verdict is not the expected one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


class Figures(NamedTuple):
    """Of a row in Table 2: outer and inner iterations, queries, seconds."""

    outer: int
    inner: int
    queries: int
    seconds: float


class Row(NamedTuple):
    """A program, its functions that callers call, and what the paper says of it and its bug."""

    name: str
    entry: tuple[str, ...] = ()
    paper: tuple[Figures | None, Figures | None] = (None, None)


def entries_of(name: str) -> tuple[str, ...]:
    """The options that the head of a generated driver names."""
    text = (FOLDER / f"{name}.c").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("// check with: "))
    return tuple(line.removeprefix("// check with: ").split())


ROWS = (
    Row("simple", ("--entry", "work"), (Figures(3, 97, 693, 1.208), Figures(2, 131, 466, 0.220))),
    Row("producer_consumer", (), (Figures(4, 505, 4349, 5.048), Figures(1, 149, 331, 0.403))),
    Row(
        "time_varying",
        ("--entry", "fill", "--entry", "drain"),
        (Figures(4, 612, 11219, 9.653), Figures(1, 61, 190, 0.259)),
    ),
    Row(
        "driver",
        (
            *("--entry-init", "device_probe", "--entry"),
            "device_open,device_close,device_transmit,device_interrupt,"
            "device_ioctl,device_statistics",
        ),
    ),
    *(Row(name, entries_of(name)) for name in ("driver_600", "driver_1500", "driver_4000")),
)


def measure(row: Row, bug: bool, seconds: int) -> tuple[str, Figures]:
    """The verdict and the figures of one run."""
    command = [sys.executable, "-m", "threadwise", "check", str(FOLDER / f"{row.name}.c")]
    command += [*row.entry, *(("-D", "BUG") if bug else ()), "--property", "races"]
    command += ["--engine", "tar", "--time-limit", str(seconds), "--format", "json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(said.stdout)
    counted = found["statistics"]
    outer = counted.get("refinements", 0) + 1
    inner, queries = counted.get("inner_iterations", 0), counted.get("solver_queries", 0)
    return found["properties"][0]["verdict"], Figures(outer, inner, queries, spent)


def _shown(figures: Figures | None) -> str:
    if figures is None:
        return ""
    return f"{figures.outer:>7}{figures.inner:>7}{figures.queries:>9}{figures.seconds:>7.2f} s"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each run")
    options = parser.parse_args()
    header = f"{'outer':>7}{'inner':>7}{'queries':>9}{'time':>9}"
    print(f"{'':24}{'lines':>6}  {'verdict':8}{header}    {header}  (paper)")
    missed = 0
    for row in ROWS:
        lines = (FOLDER / f"{row.name}.c").read_text(encoding="utf-8").count("\n")
        for bug, expected in ((False, "SAFE"), (True, "UNSAFE")):
            verdict, ours = measure(row, bug, options.seconds)
            missed += verdict != expected
            name = row.name + (" -D BUG" if bug else "")
            print(f"{name:24}{lines:>6}  {verdict:8}{_shown(ours)}    {_shown(row.paper[bug])}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
