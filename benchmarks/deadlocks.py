"""Deadlocks: forty programs, safe and broken, and fifteen correct servers and pools.

    python -m benchmarks.deadlocks programs [--seconds 30] [--only TEXT]
    python -m benchmarks.deadlocks native [--seconds 60] [--only TEXT]
    python -m benchmarks.deadlocks servers [--seconds 60] [--only TEXT]

`programs` checks `tests/deadlocks` with and without a thread in the background. The exit code is 1
if an answer is wrong, fewer than nine of ten are decided, or the thread changes one. `native` runs
every deadlock of these in the machine (`reproduce`). `servers` gives the programs of
`examples/c_servers` and `examples/c/programs` to the default command and to `--property
deadlocks`: nothing about them may be UNSAFE.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import ROOT, check

PROGRAMS = ROOT / "tests" / "deadlocks"
SHARE = 0.9
"""So many of the programs are to be decided."""
REPRODUCED = 0
PATIENCE = 180
"""Seconds for `reproduce`."""


def programs(seconds: int, only: str) -> int:
    """Check the programs, with and without the thread."""
    found: dict[str, list[str]] = {}
    wrong = 0
    for file in _chosen(sorted(PROGRAMS.glob("*.c")), only):
        expected = "SAFE" if file.stem.endswith("_safe") else "UNSAFE"
        for options in ((), ("-D", "BACKGROUND")):
            began = time.monotonic()
            limit = ("--property", "deadlocks", "--time-limit", str(seconds))
            report, cpu = check(file, *limit, *options)
            said = "nothing" if report is None else report["verdict"]
            wrong += said not in (expected, "UNKNOWN")
            found.setdefault(file.stem, []).append(said)
            took = f"{time.monotonic() - began:6.1f} s  {cpu:6.1f} s CPU"
            print(f"{said:8} {took}  {file.stem} {' '.join(options)}", flush=True)
    answers = [said for pair in found.values() for said in pair]
    decided = sum(said in ("SAFE", "UNSAFE") for said in answers)
    differ = [name for name, pair in found.items() if len(set(pair)) > 1]
    print(f"{wrong} of {len(answers)} wrong, {decided} decided; differing: {differ or 'none'}")
    return int(wrong > 0 or decided < SHARE * len(answers) or bool(differ))


def native(seconds: int, only: str) -> int:
    """Run every deadlock in the machine."""
    outcomes: Counter[str] = Counter()
    for file in _chosen(sorted(PROGRAMS.glob("*_broken.c")), only):
        for options in ((), ("-D", "BACKGROUND")):
            said = _reproduced(file, seconds, options)
            outcomes[said] += 1
            print(f"{said:12} {file.stem} {' '.join(options)}", flush=True)
    print(", ".join(f"{count} {said}" for said, count in sorted(outcomes.items())))
    return int(set(outcomes) != {"hangs"})


def _reproduced(file: Path, seconds: int, options: tuple[str, ...]) -> str:
    command = [sys.executable, "-m", "threadwise"]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "bug.json")
        search = [*command, "check", str(file), "--property", "deadlocks", *options]
        search += ["--time-limit", str(seconds), "--trace", str(trace)]
        subprocess.run(search, capture_output=True, check=False)
        if not trace.exists():
            return "not found"
        again = [*command, "reproduce", str(trace)]
        done = subprocess.run(again, capture_output=True, check=False, timeout=PATIENCE)
    return "hangs" if done.returncode == REPRODUCED else f"exit {done.returncode}"


def servers(seconds: int, only: str) -> int:
    """Look for alarms about correct programs."""
    alarms = 0
    for file in _chosen(_servers(), only):
        for options in ((), ("--property", "deadlocks")):
            report, cpu = check(file, *options, "--time-limit", str(seconds))
            rows = [] if report is None else report["properties"]
            told = ", ".join(f"{row['name']} {row['verdict']}" for row in rows) or "nothing"
            alarms += "UNSAFE" in told
            asked = "deadlocks" if options else "default"
            print(f"{file.stem:12} {asked:9} {cpu:6.1f} s CPU  {told}", flush=True)
    print(f"{alarms} alarms")
    return int(alarms > 0)


def _servers() -> list[Path]:
    found = list((ROOT / "examples" / "c_servers").glob("*.c"))
    found += (ROOT / "examples" / "c" / "programs").glob("*.c")
    return sorted(path for path in found if not path.stem.endswith("_bug"))


def _chosen(files: list[Path], only: str) -> Iterator[Path]:
    return (file for file in files if only in file.stem)


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("programs", "native", "servers"))
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    match chosen.what:
        case "programs":
            return programs(chosen.seconds or 30, chosen.only)
        case "native":
            return native(chosen.seconds or 60, chosen.only)
        case _:
            return servers(chosen.seconds or 60, chosen.only)


if __name__ == "__main__":
    sys.exit(main())
