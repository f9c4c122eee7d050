"""Faults in the trusted base: front end, library tables' reader, reference semantics.

    python -m benchmarks.faults.base --results FILE [--faults 100] [--seconds 120] [--only TEXT]

There no checker and no audit can help, since these say what a program means: a fault must fail a
*test*. Faults are drawn with a fixed seed, alike from all modules (`modules`), wherever they are:
a line that no test reaches survives. Each lives in the memory of a forked process, which runs the
tests of its package, then random C against the compiler's, then library functions against native
ones, and stops at the first failure. Results are kept, a line per fault; survivors are listed.
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

SEED = 15
FOLDERS = (
    "threadwise/semantics",
    "threadwise/frontends/c/lower",
    "threadwise/frontends/c/library",
    "threadwise/frontends/model/lowering",
    "threadwise/ir",
)
LEFT_OUT = ("__init__", "page", "proposals")
"""Modules that say nothing about the meaning of programs."""
AGAINST_NATIVE = (
    "tests/property/test_c_against_gcc.py",
    "tests/unit/frontends/c/library",
    "tests/property/test_differential.py",
)


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


def tests_of(module: str) -> list[str]:
    """Where the tests of a module are: at the same path; of a package, if it has none itself."""
    path = ROOT / "tests" / "unit" / Path(module).relative_to("threadwise").with_suffix("")
    own = path.with_name(f"test_{path.name}.py")
    first = [own] if own.exists() else []
    folder = path.parent
    while not folder.is_dir():
        folder = folder.parent
    return [str(each.relative_to(ROOT)) for each in (*first, folder)]


def outcome(fault: Fault, seconds: int) -> str:
    """Which tests fail: those of the package, or others; or that it survives."""
    for paths in (tests_of(fault.module), list(AGAINST_NATIVE)):
        status = _status(fault, paths, seconds)
        if status != 0:
            known = {3: "not applied", 1: f"fails {paths[0]}", -signal.SIGXCPU: "too long"}
            return known.get(status, "crash")
    return "survives"


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
            if apply(fault):
                given = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *paths]
                status = int(pytest.main(given))
            else:
                status = 3
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended)


def main() -> None:
    """Run what is not there yet, and say what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=120, help="of processor time, for each")
    parser.add_argument("--only", default="", help="modules whose path contains this")
    options = parser.parse_args()
    os.chdir(ROOT)
    path = options.results
    rows = [json.loads(line) for line in path.open()] if path.exists() else []
    known = {row["fault"] for row in rows}
    for module in modules():
        importlib.import_module(module.removesuffix(".py").replace("/", "."))
    with path.open("a", encoding="utf-8") as out:
        for fault in drawn(options.faults, options.only):
            if fault.name not in known:
                said = outcome(fault, options.seconds)
                row = {"fault": fault.name, "kind": fault.kind, "text": fault.text}
                rows.append({**row, "outcome": said})
                print(json.dumps(rows[-1]), file=out, flush=True)
    counts = Counter(row["outcome"].split()[0] for row in rows)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    for row in rows:
        if row["outcome"] in ("survives", "not applied", "too long"):
            print(f"{row['outcome']}: {row['fault']} ({row['kind']}): {row['text']}")


if __name__ == "__main__":
    main()
