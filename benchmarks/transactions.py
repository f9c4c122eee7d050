"""What transactions and summaries save: states of `reduction` and `summaries` against `explicit`.

Each row is one model, checked for assertion, range and mutex errors, every engine as a separate
process with the same limits; the ratio is that of the states to those of explicit search. The last
rows are about reuse: k procedures that each call the next twice, 2^k call paths, inside one
transaction, and with transactions that end inside the last of them.

    python -m benchmarks.transactions
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAPER = "qadeer_rajamani_rehof"
TIME_LIMIT = 60
ENGINES = ("explicit", "reduction", "summaries")

MUX_SEM = """const int N = 3;
mutex s;
thread p[N] {
    while (true) {
        skip;
        acquire(s);
        skip;
        release(s);
    }
}
"""


@dataclass(frozen=True)
class Measurement:
    """One run of one engine."""

    verdict: str
    states: int
    wall_s: float


def measure(file: Path, engine: str, *options: str) -> Measurement:
    """Check one file with one engine."""
    command = [sys.executable, "-m", "threadwise", "check", str(file), "--engine", engine]
    command += ["--property", "range", "--property", "mutex", "--time-limit", str(TIME_LIMIT)]
    started = time.perf_counter()
    done = subprocess.run(
        [*command, "--format", "json", *options], capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - started
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    result = json.loads(done.stdout)
    return Measurement(result["verdict"], int(result["statistics"].get("states", 0)), wall)


def compare(name: str, file: Path, *options: str) -> None:
    """One model with all engines."""
    whole = 0
    for engine in ENGINES:
        found = measure(file, engine, *options)
        done = found.verdict != "UNKNOWN"
        if engine == "explicit":
            whole = found.states if done else 0
        ratio = f"{found.states / whole:8.3f}" if whole and done else f"{'-':>8}"
        print(
            f"{name:28} {engine:10} {found.verdict:8} {found.states:>9,} {ratio} "
            f"{found.wall_s:7.2f} s",
            flush=True,
        )


def chain(k: int, *, inside: bool) -> str:
    """k procedures, each calling the next twice; `inside`: each call of the last is locked."""
    calls = [f"void p{i}() {{ p{i + 1}(); p{i + 1}(); }}" for i in range(k)]
    flip = "x = 1 - x;"
    last = f"void p{k}() {{ {f'acquire(m); {flip} release(m);' if inside else flip} }}"
    body = "thread t[2] { p0(); }" if inside else "thread t[2] { acquire(m); p0(); release(m); }"
    return "\n".join(["int[0..1] x; mutex m;", *calls, last, body, ""])


def main() -> None:
    """All rows."""
    examples = ROOT / "examples" / PAPER
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'model':28} {'engine':10} {'verdict':8} {'states':>9} {'ratio':>8} {'wall':>9}")
        for figure in ("figure3_fine_allocator", "figure5_contexts", "figure4_recursion"):
            compare(figure, examples / f"{figure}.tw")
        mux = Path(folder) / "mux_sem.tw"
        mux.write_text(MUX_SEM)
        for n in (2, 4, 8):
            compare(f"mux-sem with an owner, N={n}", mux, "-D", f"N={n}")
        for n in (2, 3, 4, 5, 6):
            file = examples / "figure2_coarse_allocator.tw"
            compare(f"figure2, {n} clients", file, "-D", f"CLIENTS={n}")
        for k in (5, 10, 20, 40):
            for inside in (False, True):
                file = Path(folder) / f"chain{k}.tw"
                file.write_text(chain(k, inside=inside))
                where = "transactions end inside" if inside else "in one transaction"
                for engine in ("summaries", "thread-modular"):
                    found = measure(file, engine)
                    print(
                        f"chain of {k:2}, {where:24} {engine:15} {found.verdict:8} "
                        f"{found.states:>9,} {found.wall_s:7.2f} s",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
