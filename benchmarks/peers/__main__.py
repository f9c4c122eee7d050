"""The same models by threadwise and by SPIN, in one run: `python -m benchmarks.peers`.

A row has the verdicts, the states and the wall-clock seconds of `auto` and of `explicit` (start-up
and the check of the evidence included) and of SPIN (translation, compilation with gcc and search,
without partial-order reduction, so that both search the same states), and the ratios. SPIN counts
one state more than ours: the one before its threads are started. Machines differ and are noisy:
read the ratios, not the seconds.

    python -m benchmarks.peers                 all rows
    python -m benchmarks.peers --only bakery   rows whose name contains `bakery`
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.promela import NotWritableError, promela_text
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_program

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
TIME_LIMIT = 120
SPIN_DEPTH = "-m10000000"

ROWS: tuple[tuple[str, dict[str, str]], ...] = (
    ("protocols/alternating_bit.tw", {}),
    ("protocols/bakery.tw", {}),
    ("protocols/bakery.tw", {"N": "3"}),
    ("protocols/bakery_bug.tw", {"N": "3"}),
    ("protocols/directory_coherence.tw", {}),
    ("protocols/directory_coherence.tw", {"N": "3"}),
    ("protocols/leader_election.tw", {}),
    ("protocols/snooping_coherence.tw", {}),
    ("protocols/szymanski.tw", {"N": "3"}),
    ("meng_he_wang_liu/mux_sem.tw", {"N": "10"}),
    ("meng_he_wang_liu/mux_sem.tw", {"N": "14"}),
    ("flanagan_qadeer/simple_owner.tw", {"N": "8"}),
)


@dataclass(frozen=True)
class Run:
    """What one tool did with one model."""

    verdict: str
    states: int | None
    wall: float


def ours(path: Path, defines: dict[str, str], engine: str) -> Run:
    """One run of threadwise."""
    command = [sys.executable, "-m", "threadwise", "check", str(path), "--format", "json"]
    command += ["--engine", engine, "--time-limit", str(TIME_LIMIT)]
    for name, value in defines.items():
        command += ["-D", f"{name}={value}"]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.monotonic() - started
    answer = json.loads(done.stdout)
    return Run(answer["verdict"], int(answer["statistics"].get("states", 0)), wall)


def spin(path: Path, defines: dict[str, str]) -> Run | None:
    """One run of SPIN; None if it is not here, or the model cannot be written for it."""
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        return None
    try:
        text = promela_text(load_program(str(path), LoadOptions(defines=defines)))
    except NotWritableError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.pml").write_text(text, encoding="utf-8")
        started = time.monotonic()
        for command in (
            ["spin", "-o2", "-a", "model.pml"],
            ["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"],
        ):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        done = subprocess.run(
            ["./pan", SPIN_DEPTH], cwd=folder, check=False, capture_output=True, text=True
        )
        wall = time.monotonic() - started
    stored = re.search(r"(\d+) states, stored", done.stdout)
    errors = re.search(r"errors: (\d+)", done.stdout)
    verdict = "UNKNOWN" if errors is None else "SAFE" if errors[1] == "0" else "UNSAFE"
    return Run(verdict, int(stored[1]) if stored else None, wall)


def report(name: str, defines: dict[str, str]) -> None:
    """Print one row."""
    path = EXAMPLES / name
    told = name.removesuffix(".tw") + "".join(f" {k}={v}" for k, v in defines.items())
    peer = spin(path, defines)
    runs = {engine: ours(path, defines, engine) for engine in ("auto", "explicit")}
    cells = [
        f"{run.verdict:7} {run.states or 0:>9,} {run.wall:6.1f}"
        + (f" {run.wall / peer.wall:5.1f}x" if peer is not None else "")
        for run in runs.values()
    ]
    spins = "-" if peer is None else f"{peer.verdict:7} {peer.states or 0:>9,} {peer.wall:6.1f}"
    print(f"{told:38} | {' | '.join(cells)} | {spins}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="rows whose name contains this")
    chosen = parser.parse_args(arguments).only
    if shutil.which("spin") is None:
        print("spin is not on the PATH: its column is empty")
    print(f"{'model':38} | {'auto':>24}       | {'explicit':>24}       | spin")
    for name, defines in ROWS:
        if chosen in name:
            report(name, defines)


if __name__ == "__main__":
    main()
