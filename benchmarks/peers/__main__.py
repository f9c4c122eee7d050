"""The same models by threadwise and by SPIN, in one run: `python -m benchmarks.peers`.

A row has the verdicts, the states and the time of `auto` and of `explicit` (start-up and the check
of the evidence included) and of SPIN (translation, compilation with gcc and search, without
partial-order reduction, so that both search the same states), and the ratios. Both stop at the
first error that they find. Time is told twice: how long one waits, and processor seconds of all
processes together; the ratios, of both, are in the same order. SPIN counts one state more than
ours: the one before its threads are started. Machines differ and are noisy: read the ratios, not
the seconds. Memory is that of all processes together, pages that they share once, looked at ten
times a second. SPIN has a stack as deep as it needs; the run that finds out how deep does not
count.

    python -m benchmarks.peers                 all rows
    python -m benchmarks.peers --only bakery   rows whose name contains `bakery`
    python -m benchmarks.peers --reduction     SPIN's partial-order reduction, and our `persistent`
"""

from __future__ import annotations

import argparse
import json
import os
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
from threadwise.core.processes.memory import ProcessTree, peak_bytes_of
from threadwise.driver.loading import load_program

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
MODELS = Path(__file__).resolve().parent / "models"
TIME_LIMIT = 120
GREATEST_DEPTH = 10_000_000
LOOK_EVERY_S = 0.1
"""How often memory is looked at."""
POLL_S = 0.005
"""How often it is looked whether a process has ended."""

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
    ("barrier.tw", {}),
    ("barrier.tw", {"N": "7"}),
    ("buffer.tw", {}),
    ("burns.tw", {}),
    ("counters.tw", {}),
    ("counters.tw", {"N": "6"}),
    ("filter.tw", {}),
    ("philosophers.tw", {}),
    ("pipeline.tw", {}),
    ("readers_writers.tw", {}),
    ("ring.tw", {}),
    ("ticket.tw", {}),
)
"""Examples, and models made for this: 10⁵ to 10⁷ states."""


@dataclass(frozen=True)
class Cost:
    """What some commands took, one after the other."""

    wall_s: float = 0.0
    processor_s: float = 0.0
    megabytes: int = 0

    def __add__(self, other: Cost) -> Cost:
        most = max(self.megabytes, other.megabytes)
        return Cost(self.wall_s + other.wall_s, self.processor_s + other.processor_s, most)


@dataclass(frozen=True)
class Run:
    """What one tool did with one model."""

    verdict: str
    states: int | None
    cost: Cost


def measured(command: Sequence[str], folder: str | None = None) -> tuple[str, Cost]:
    """What a command prints, and what it and its children took together."""
    with tempfile.TemporaryFile("w+") as out:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        tree = ProcessTree(process.pid)
        together, ended, next_look = 0, 0, began
        while not ended:
            if time.monotonic() >= next_look:
                together = max(together, tree.resident_bytes(exact=True))
                next_look = time.monotonic() + LOOK_EVERY_S
            time.sleep(POLL_S)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall_s = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        used = max(together, peak_bytes_of(usage))
        return out.read(), Cost(wall_s, usage.ru_utime + usage.ru_stime, used >> 20)


def ours(path: Path, defines: dict[str, str], engine: str) -> Run:
    """One run of threadwise."""
    command = [sys.executable, "-m", "threadwise", "check", str(path), "--format", "json"]
    command += ["--engine", engine, "--time-limit", str(TIME_LIMIT), "--first"]
    for name, value in defines.items():
        command += ["-D", f"{name}={value}"]
    printed, cost = measured(command)
    answer = json.loads(printed)
    states = int(answer["statistics"].get("states", 0))
    return Run(answer["verdict"], states, cost)


def fitting_depth(folder: str) -> int:
    """How deep SPIN's stack has to be; it fills it with zeros, so a larger one costs it memory."""
    printed, _ = measured(["./pan", f"-m{GREATEST_DEPTH}"], folder)
    reached = re.search(r"depth reached (\d+)", printed)
    return int(reached[1]) + 1 if reached else GREATEST_DEPTH


def spin(path: Path, defines: dict[str, str], *, reduction: bool) -> Run | None:
    """One run of SPIN; None if it is not here, or the model cannot be written for it."""
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        return None
    try:
        text = promela_text(load_program(str(path), LoadOptions(defines=defines)))
    except NotWritableError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.pml").write_text(text, encoding="utf-8")
        flags = ["-DSAFETY", "-DMEMLIM=8000", *([] if reduction else ["-DNOREDUCE"])]
        cost, printed = Cost(), ""
        for command in (
            ["spin", "-o2", "-a", "model.pml"],
            ["gcc", "-O2", "-w", *flags, "-o", "pan", "pan.c"],
            ["./pan", ""],
        ):
            if command[0] == "./pan":
                command[1] = f"-m{fitting_depth(folder)}"
            printed, took = measured(command, folder)
            cost += took
    stored = re.search(r"(\d+) states, stored", printed)
    errors = re.search(r"errors: (\d+)", printed)
    verdict = "UNKNOWN" if errors is None else "SAFE" if errors[1] == "0" else "UNSAFE"
    return Run(verdict, int(stored[1]) if stored else None, cost)


def told_of(run: Run) -> str:
    """A run in a cell."""
    cost = run.cost
    times = f"{cost.wall_s:5.1f} {cost.processor_s:5.1f} s"
    return f"{run.verdict:7} {run.states or 0:>10,} {times} {cost.megabytes:>5} MB"


def ratios(run: Run, peer: Run) -> str:
    """How many times as long."""
    wall = run.cost.wall_s / peer.cost.wall_s
    return f" {wall:5.2f} {run.cost.processor_s / peer.cost.processor_s:5.2f}x"


def report(name: str, defines: dict[str, str], *, reduction: bool) -> None:
    """Print one row."""
    path = EXAMPLES / name if "/" in name else MODELS / name
    told = name.removesuffix(".tw") + "".join(f" {k}={v}" for k, v in defines.items())
    peer = spin(path, defines, reduction=reduction)
    engines = ("auto", "persistent" if reduction else "explicit")
    runs = {engine: ours(path, defines, engine) for engine in engines}
    cells = [
        told_of(run) + (ratios(run, peer) if peer is not None else "") for run in runs.values()
    ]
    spins = "-" if peer is None else told_of(peer)
    print(f"{told:38} | {' | '.join(cells)} | {spins}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--reduction", action="store_true", help="with partial-order reduction")
    given = parser.parse_args(arguments)
    if shutil.which("spin") is None:
        print("spin is not on the PATH: its column is empty")
    engine = "persistent" if given.reduction else "explicit"
    print(f"{'model':38} | {'auto':>40}              | {engine:>40}              | spin")
    for name, defines in ROWS:
        if given.only in name:
            report(name, defines, reduction=given.reduction)


if __name__ == "__main__":
    main()
