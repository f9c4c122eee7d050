"""The programs beyond one thread's view, each with its broken variant.

    python -m benchmarks.beyond

Each file of `examples/beyond` is checked by `auto`, in a process of its own, for the properties
that its comments state. A row has the verdict, whether all verdicts are as stated with evidence
that was checked, the engines that decided, and CPU and wall-clock seconds, start-up and the check
of the evidence included.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "beyond"
MARK = "// expect "
MOST_SECONDS = "120"


@dataclass(frozen=True)
class Row:
    """What one run gave."""

    name: str
    verdict: str
    as_stated: bool
    engines: str
    cpu: float
    wall: float


def stated(path: Path) -> dict[str, str]:
    """The verdicts that the comments of a file state, by selector."""
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(MARK):
            selector, verdict = line.removeprefix(MARK).rsplit(": ", 1)
            found[selector] = verdict
    return found


def run(path: Path) -> Row:
    """Check one file."""
    expected = stated(path)
    command = [sys.executable, "-m", "threadwise", "check", str(path), "--format", "json"]
    command += ["--time-limit", MOST_SECONDS]
    for selector in expected:
        command += ["--property", selector]
    before, started = _cpu(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, cpu = time.monotonic() - started, _cpu() - before
    answer = json.loads(done.stdout)
    properties = answer["properties"]
    verdicts = {entry["verdict"] for entry in properties}
    checked = all(
        entry["evidence"]["checked"] for entry in properties if entry["verdict"] != "UNKNOWN"
    )
    wanted = "UNSAFE" if "UNSAFE" in expected.values() else "SAFE"
    fits = answer["verdict"] == wanted and checked and "UNKNOWN" not in verdicts
    engines = sorted({entry["engine"] for entry in properties if entry.get("engine")})
    return Row(path.stem, answer["verdict"], fits, ", ".join(engines), cpu, wall)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    print(f"{'program':24} {'verdict':8} {'as stated':9} {'CPU s':>6} {'wall s':>6}  engines")
    for path in sorted(FOLDER.glob("*.tw")):
        row = run(path)
        fits = "yes" if row.as_stated else "NO"
        times = f"{row.cpu:6.1f} {row.wall:6.1f}"
        print(f"{row.name:24} {row.verdict:8} {fits:9} {times}  {row.engines}", flush=True)


if __name__ == "__main__":
    main()
