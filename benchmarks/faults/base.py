"""Faults in the trusted base: front end, library tables' reader, reference semantics.

    python -m benchmarks.faults.base --results FILE [--faults 100] [--seconds 60] [--only TEXT]
                                     [--tests PATH …] [--night] [--again]

There no checker and no audit can help, since these say what a program means: a fault must fail a
*test*. Faults are drawn with a fixed seed, alike from all modules (`modules`), wherever they are:
a line that no test reaches survives. The tests run once without fault, which says what each
reaches (`reaching`, kept beside the results). Each fault lives in the memory of a forked process,
which runs the tests that reach its line, those of its module and the quickest first, until one
fails.
Results are kept, a line per fault, as long as its module stays the same; survivors are listed.
`--again` asks those once more, after tests were added; `--night` asks slow tests and whole
families, too, as `make nightly` runs them, and not the sample of `make test`.
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

from benchmarks.faults.mutations import ROOT, Fault, apply, digest, faults_of
from benchmarks.faults.reaching import quiet, reaching
from tests.sampling import SAMPLED

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
    "tests/library",
    "tests/regressions",
    "tests/property/test_c_against_gcc.py",
    "tests/property/test_c_early_stores.py",
    "tests/property/test_deadlocks.py",
    "tests/property/test_differential.py",
    "tests/property/test_footprints.py",
    "tests/property/test_ir_roundtrip.py",
)
"""The tests of these packages, library functions against native ones, programs that once got a
wrong answer, random C against the compiler's, and engines against brute force."""
NOTICED = ("fails", "crash")


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


def outcome(fault: Fault, tests: Sequence[str], seconds: int, *, night: bool = False) -> str:
    """Whether a test fails; or that the fault survives those that reach it, or that none does."""
    if not tests:
        return "unreached"
    status = _status(fault, [*quiet(night=night), *tests], seconds)
    known = {0: "survives", 1: "fails", 3: "not applied", -signal.SIGXCPU: "too long"}
    return known.get(status, "crash")


def _status(fault: Fault, arguments: Sequence[str], seconds: int) -> int:
    """How the tests end in a process with the fault; 3: no function has it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.dup2(nowhere, sys.stderr.fileno())
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            status = int(pytest.main(["-x", *arguments])) if apply(fault) else 3
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended)


def _results(path: Path) -> dict[str, dict[str, str]]:
    """What is known of each fault: the last line about it that is about its module as it is."""
    if not path.exists():
        return {}
    rows = map(json.loads, path.open(encoding="utf-8"))
    return {row["fault"]: row for row in rows if row["digest"] == digest([row["module"]])}


def main() -> None:
    """Run what is not there yet, and say what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60, help="of processor time, for each")
    parser.add_argument("--only", default="", help="modules whose path contains this")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="which are asked")
    parser.add_argument("--night", action="store_true", help="ask slow tests and whole families")
    parser.add_argument("--again", action="store_true", help="ask once more what survived")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ.setdefault("HYPOTHESIS_PROFILE", "ci")
    os.environ[SAMPLED] = "" if options.night else "1"
    for module in modules():
        importlib.import_module(module.removesuffix(".py").replace("/", "."))
    beside = options.results.with_suffix(".night.json" if options.night else ".tests.json")
    asked = reaching(beside, modules(), options.tests, night=options.night)
    known = _results(options.results)
    faults = drawn(options.faults, options.only)
    with options.results.open("a", encoding="utf-8") as out:
        for fault in faults:
            row = known.get(fault.name)
            if row is None or (options.again and row["outcome"] not in NOTICED):
                tests = asked.tests(fault.module, fault.line)
                said = outcome(fault, tests[:MOST], options.seconds, night=options.night)
                known[fault.name] = _row(fault, said)
                print(json.dumps(known[fault.name]), file=out, flush=True)
    _tell([known[fault.name] for fault in faults])


def _row(fault: Fault, said: str) -> dict[str, str]:
    return {
        "fault": fault.name,
        "module": fault.module,
        "digest": digest([fault.module]),
        "kind": fault.kind,
        "text": fault.text,
        "outcome": said,
    }


def _tell(rows: Sequence[dict[str, str]]) -> None:
    counts = Counter(row["outcome"] for row in rows)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    for row in rows:
        if row["outcome"] not in NOTICED:
            print(f"{row['outcome']}: {row['fault']} ({row['kind']}): {row['text']}")


if __name__ == "__main__":
    main()
