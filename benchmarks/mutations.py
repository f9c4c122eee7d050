"""Faults in the engines of the papers, one at a time: does a test in tests/papers fail?

    python -m benchmarks.mutations              all of them
    python -m benchmarks.mutations 12 13        some of them

The sources are copied to a temporary folder, one line is made wrong, and the tests that are about
that paper run there, until the first failure. A fault that no test notices is listed, and the exit
code is 1. Each fault is a text that occurs once in its file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.mutations_list import FAULTS, Fault

ROOT = Path(__file__).resolve().parent.parent


class Outcome(NamedTuple):
    """Whether a test failed, and which."""

    noticed: bool
    told: str


def run(fault: Fault) -> Outcome:
    """Make a copy wrong and run the tests of the paper."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("threadwise", "tests"):
            shutil.copytree(ROOT / name, copy / name)  # compiled modules, too: they stay valid
        for name in ("examples", "pyproject.toml", "benchmarks", "docs"):
            (copy / name).symlink_to(ROOT / name)
        apply(copy, fault)
        return tested(copy, fault)


def apply(copy: Path, fault: Fault) -> None:
    """Replace the text, which must be there once."""
    path = copy / "threadwise" / "engines" / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.before) != 1:
        raise SystemExit(
            f"{fault.file} has this {text.count(fault.before)} times:\n{fault.before}"
        )
    path.write_text(text.replace(fault.before, fault.after), encoding="utf-8")


def tested(copy: Path, fault: Fault) -> Outcome:
    """Run the tests of a paper until one fails; endless loops count as failures."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += [f"tests/papers/{name}.py" for name in fault.tests]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300
        )
    except subprocess.TimeoutExpired:
        return Outcome(True, "goes on for ever")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return Outcome(done.returncode == 1, failed[0][:110] if failed else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", type=int, nargs="*", help="the numbers of faults")
    chosen = parser.parse_args()
    missed = 0
    for number, fault in enumerate(FAULTS, start=1):
        if not chosen.numbers or number in chosen.numbers:
            found = run(fault)
            missed += not found.noticed
            said = f"noticed: {found.told}" if found.noticed else "NOT NOTICED"
            print(f"{number:2} {fault.file}: {fault.what}: {said}", flush=True)
    print(f"{missed} not noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
