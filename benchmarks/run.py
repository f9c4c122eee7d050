"""How cost grows with the number of threads: `make bench`.

Each row runs one model at growing sizes, every engine as a separate process with the same limits,
in one run, and prints states, wall time (evidence check included) and the growth from one size to
the next. Machines differ and are noisy: read the ratios, not the seconds.

    python benchmarks/run.py                 all rows
    python benchmarks/run.py --only simple   rows whose name contains `simple`
    python benchmarks/run.py --csv out.csv   also as a table for other programs
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIME_LIMIT = 60


@dataclass(frozen=True)
class Row:
    """A model at growing sizes, for one engine."""

    name: str
    model: str
    parameter: str
    sizes: tuple[int, ...]
    engine: str
    options: tuple[str, ...] = ()


ROWS = (
    Row("simple", "flanagan_qadeer/simple_owner.tw", "N", (2, 4, 6, 8, 10), "explicit"),
    Row(
        "simple, a role per thread",
        "flanagan_qadeer/simple_owner.tw",
        "N",
        (10, 20, 50, 100, 200),
        "thread-modular",
        ("--no-symmetry",),
    ),
    Row(
        "simple, one representative",
        "flanagan_qadeer/simple_owner.tw",
        "N",
        (10, 100, 1000),
        "thread-modular",
    ),
    Row("mux-sem", "meng_he_wang_liu/mux_sem.tw", "N", (4, 6, 8, 10), "explicit"),
    Row(
        "binary counter",
        "malkis_podelski_rybalchenko/binary_counter.tw",
        "N",
        (4, 6, 8, 10),
        "explicit",
    ),
    Row(
        "binary counter",
        "malkis_podelski_rybalchenko/binary_counter.tw",
        "N",
        (10, 20, 40),
        "thread-modular",
    ),
    Row(
        "binary counter",
        "malkis_podelski_rybalchenko/binary_counter.tw",
        "N",
        (3, 4, 5, 6),
        "cartesian-frontier",
    ),
)


@dataclass(frozen=True)
class Measurement:
    """One run of one size."""

    size: int
    verdict: str
    states: int
    wall_s: float
    check_s: float


def measure(row: Row, size: int) -> Measurement:
    """Run one size."""
    command = [
        sys.executable,
        "-m",
        "threadwise",
        "check",
        str(ROOT / "examples" / row.model),
        "-D",
        f"{row.parameter}={size}",
        "--engine",
        row.engine,
        "--time-limit",
        str(TIME_LIMIT),
        "--format",
        "json",
        *row.options,
    ]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - started
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    result = json.loads(done.stdout)
    checks = [
        checked["evidence"]["check_time_s"]
        for checked in result["properties"]
        if checked["evidence"] is not None
    ]
    states = int(result["statistics"].get("states", 0))
    return Measurement(size, result["verdict"], states, wall, max(checks, default=0.0))


def report(row: Row) -> Iterator[Measurement]:
    """Print one row, size by size."""
    print(f"\n{row.name} ({row.engine}{' ' if row.options else ''}{' '.join(row.options)})")
    print(f"  {row.parameter:>6} {'verdict':>8} {'states':>10} {'wall s':>8} {'growth':>7}")
    before: Measurement | None = None
    for size in row.sizes:
        found = measure(row, size)
        growth = f"{found.wall_s / before.wall_s:6.2f}x" if before is not None else ""
        print(
            f"  {size:>6} {found.verdict:>8} {found.states:>10,} {found.wall_s:>8.2f} {growth:>7}"
        )
        yield found
        before = found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--csv", type=Path, help="also write a table to this file")
    options = parser.parse_args(arguments)
    table: list[tuple[str, str, Measurement]] = []
    for row in ROWS:
        if options.only in row.name:
            table.extend((row.name, row.engine, found) for found in report(row))
    if options.csv is not None:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["row", "engine", "size", "verdict", "states", "wall_s", "check_s"])
            for name, engine, found in table:
                times = f"{found.wall_s:.3f}", f"{found.check_s:.3f}"
                writer.writerow([name, engine, found.size, found.verdict, found.states, *times])


if __name__ == "__main__":
    main()
