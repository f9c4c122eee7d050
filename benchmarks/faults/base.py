"""Faults in the trusted base: front end, library tables' reader, reference semantics.

    python -m benchmarks.faults.base --results FILE [--faults 100] [--seconds 60] [--only TEXT]
                                     [--tests PATH …]

There no checker and no audit can help, since these say what a program means: a fault must fail a
*test*. Faults are drawn with a fixed seed, alike from all modules (`modules`), wherever they are:
a line that no test reaches survives. The tests run once without fault, which says what each
reaches (`reaching`, kept beside the results). Each fault lives in the memory of a forked process,
which runs the tests that reach its line, those of its module and the quickest first, until one
fails.
Results are kept, a line per fault; survivors are listed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import resource
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.faults.mutations import ROOT, Fault, apply, faults_of
from benchmarks.faults.reaching import QUIET, reaching

SEED = 15
FOLDERS = (
    "threadwise/semantics",
    "threadwise/frontends/c/lower",
    "threadwise/frontends/c/library",
    "threadwise/frontends/model/lowering",
    "threadwise/ir",
)
MOST = 200
"""Tests that a fault is asked of, at most."""
LEFT_OUT = ("__init__", "page", "proposals")
"""Modules that say nothing about the meaning of programs."""
TESTS = (
    "tests/unit/ir",
    "tests/unit/semantics",
    "tests/unit/frontends",
    "tests/property/test_c_against_gcc.py",
    "tests/property/test_differential.py",
)
"""The tests of these packages, random C against the compiler's, and engines against brute force;
library functions against native ones are among the first."""


def modules() -> list[str]:
    """The paths of all modules of the trusted base with code that may be wrong."""
    found = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
    return [str(path.relative_to(ROOT)) for path in found if path.stem not in LEFT_OUT]


def drawn(count: int, only: str) -> list[Fault]:
    """So many faults, a module after the other, in a fixed order."""
    rng = random.Random(SEED)
    by_module = {module: faults_of(module) for module in modules() if only in module}
    for faults in by_module.values():
        rng.shuffle(faults)
    order = rng.sample(sorted(by_module), len(by_module))
    chosen: list[Fault] = []
    while len(chosen) < count and any(by_module.values()):
        chosen += [by_module[module].pop() for module in order if by_module[module]]
    return chosen[:count]


def outcome(fault: Fault, tests: Sequence[str], seconds: int) -> str:
    """Whether a test fails; or that the fault survives those that reach it, or that none does."""
    if not tests:
        return "unreached"
    status = _status(fault, tests, seconds)
    known = {0: "survives", 1: "fails", 3: "not applied", -signal.SIGXCPU: "too long"}
    return known.get(status, "crash")


def _status(fault: Fault, paths: Sequence[str], seconds: int) -> int:
    """How the tests end in a process with the fault; 3: no function has it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.dup2(nowhere, sys.stderr.fileno())
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            status = int(pytest.main(["-x", *QUIET, *paths])) if apply(fault) else 3
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended)


def main() -> None:
    """Run what is not there yet, and say what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60, help="of processor time, for each")
    parser.add_argument("--only", default="", help="modules whose path contains this")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="which are asked")
    options = parser.parse_args()
    os.chdir(ROOT)
    path = options.results
    rows = [json.loads(line) for line in path.open()] if path.exists() else []
    known = {row["fault"] for row in rows}
    for module in modules():
        importlib.import_module(module.removesuffix(".py").replace("/", "."))
    asked = reaching(path.with_suffix(".tests.json"), modules(), options.tests)
    with path.open("a", encoding="utf-8") as out:
        for fault in drawn(options.faults, options.only):
            if fault.name not in known:
                tests = asked.tests(fault.module, fault.line)
                said = outcome(fault, tests[:MOST], options.seconds)
                row = {"fault": fault.name, "kind": fault.kind, "text": fault.text}
                rows.append({**row, "outcome": said})
                print(json.dumps(rows[-1]), file=out, flush=True)
    counts = Counter(row["outcome"] for row in rows)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    for row in rows:
        if row["outcome"] not in ("fails", "crash"):
            print(f"{row['outcome']}: {row['fault']} ({row['kind']}): {row['text']}")


if __name__ == "__main__":
    main()
