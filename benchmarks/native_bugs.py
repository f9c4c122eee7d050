"""How many of the bugs that are found can be run: `threadwise reproduce` on all of them.

    python -m benchmarks.native_bugs --results FILE [--suites FOLDER] [--only TEXT] [--runs COUNT]
                                     [--sample COUNT] [--free COUNT] [--seconds 60]

Bugs are the violations that the C examples expect (`// expect races: UNSAFE`), the programs of
`tests/deadlocks`, and the entries of the development suites that are expected to be false
(`--suites`, a folder with `manifest.json`). Each is searched (`check --trace`) and then run
(`reproduce`). Results are kept, a line per bug; what is there is not done again.

`--runs 20` runs each of them so often, and the first run that does not reproduce counts;
`--sample 10` takes so many of them, evenly. `--free 1000` also compiles each program as it is
(`gcc -O0`, and `-fsanitize=thread` for a race) and counts the runs in which the bug shows.

The exit code is 1 if a run diverges or fewer than nine of ten bugs that were found are reproduced.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT

_BESIDE = re.compile(r"^// beside (.+)$", re.MULTILINE)
_CASE = re.compile(r"^// expect((?: -D \S+)*) ([a-z]+): UNSAFE$", re.MULTILINE)
PROPERTIES = {"no-data-race": "races", "unreach-call": "assertions"}
PATIENCE = 180
"""Seconds for `reproduce`; a deadlock takes two seconds to be seen."""
REPRODUCED, DIVERGED = 0, 1
OUTCOMES = {REPRODUCED: "reproduced", DIVERGED: "diverged", 2: "wrong input", 3: "not forced"}


@dataclass(frozen=True)
class Bug:
    """A program, what it violates, the options it is loaded with and files beside the first."""

    name: str
    file: Path
    asked: str
    options: tuple[str, ...] = ()


def examples() -> Iterator[Bug]:
    """The violations that examples expect, and the deadlocks that tests have."""
    for path in sorted((ROOT / "examples").rglob("*.c")):
        text = path.read_text(encoding="utf-8")
        beside = [path.parent / name for told in _BESIDE.findall(text) for name in told.split()]
        for defines, asked in _CASE.findall(text):
            name = f"{path.relative_to(ROOT)}{defines} {asked}"
            yield Bug(name, path, asked, (*map(str, beside), *defines.split()))
    for path in sorted((ROOT / "tests" / "deadlocks").glob("*_broken.c")):
        yield Bug(f"{path.relative_to(ROOT)} deadlocks", path, "deadlocks")


def suites(folder: Path) -> Iterator[Bug]:
    """The entries of a manifest that are expected to be false."""
    for entry in json.loads((folder / "manifest.json").read_text(encoding="utf-8")):
        if not entry["expected"]:
            includes = tuple(
                text for name in entry["includes"] for text in ("-I", str(folder / name))
            )
            yield Bug(entry["id"], folder / entry["file"], PROPERTIES[entry["property"]], includes)


def tried(bug: Bug, folder: Path, seconds: int, runs: int) -> dict[str, Any]:
    """What searching and running it gives."""
    trace = folder / "bug.json"
    command = [sys.executable, "-m", "threadwise", "check", str(bug.file), *bug.options]
    command += ["--property", bug.asked, "--time-limit", str(seconds), "--first", "--jobs", "1"]
    searched = _run([*command, "--trace", str(trace)], folder, seconds * 2)
    if searched is None or not trace.exists():
        return {"outcome": "not found", "check": None if searched is None else searched.returncode}
    again = [sys.executable, "-m", "threadwise", "reproduce", str(trace), "--format", "json"]
    started = time.monotonic()
    ran = _run([*again, "--runs", str(runs)], folder, PATIENCE * runs)
    took = round(time.monotonic() - started, 1)
    if ran is None:
        return {"outcome": "too long", "seconds": took}
    if not ran.stdout.strip():
        return {"outcome": OUTCOMES.get(ran.returncode, "failed"), "reason": ran.stderr[-400:]}
    told = json.loads(ran.stdout)
    outcome = {key: told[key] for key in ("outcome", "step", "reason")}
    return {**outcome, "seconds": took, "runs": runs}


def free_runs(bug: Bug, folder: Path, count: int) -> dict[str, Any]:
    """In how many of so many runs without our runtime the bug shows."""
    program = folder / "free"
    checked = ["-fsanitize=thread"] if bug.asked == "races" else []
    command = ["gcc", "-O0", "-g", "-w", *checked, *bug.options, str(bug.file), "-o", str(program)]
    if subprocess.run([*command, "-lpthread"], capture_output=True, check=False).returncode:
        return {"free": None}
    environment = {**os.environ, "TSAN_OPTIONS": "exitcode=66"}
    shown = 0
    for _ in range(count):
        try:
            done = subprocess.run(
                [program],
                capture_output=True,
                timeout=10,
                env=environment,
                check=False,
                stdin=subprocess.DEVNULL,
                cwd=folder,
            ).returncode
        except subprocess.TimeoutExpired:
            done = None
        shown += done is None if bug.asked == "deadlocks" else done in (-6, 66)
    return {"free": shown, "of": count}


def _run(
    command: Sequence[str], folder: Path, seconds: int
) -> subprocess.CompletedProcess[str] | None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def table(results: Sequence[dict[str, Any]]) -> str:
    """The answers counted, and every bug that is not reproduced with its step."""
    counted = Counter(each["outcome"] for each in results)
    lines = [f"{count:5}  {outcome}" for outcome, count in counted.most_common()]
    found = len(results) - counted["not found"]
    share = counted["reproduced"] / found if found else 0.0
    lines.append(f"{share:.1%} of {found} bugs that were found are reproduced")
    for each in results:
        if each["outcome"] not in ("reproduced", "not found"):
            step = "" if each.get("step") is None else f" at step {each['step']}"
            lines.append(f"{each['outcome']}{step}: {each['name']}: {each.get('reason', '')}")
        if each.get("free") is not None:
            lines.append(f"{each['free']} of {each['of']} free runs: {each['name']}")
    return "\n".join(lines)


def main() -> int:
    """Try what was not tried, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--suites", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--free", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60)
    asked = parser.parse_args()
    bugs = [*examples(), *(suites(asked.suites) if asked.suites else ())]
    bugs = [bug for bug in bugs if asked.only in bug.name]
    if asked.sample:
        bugs = bugs[:: max(1, len(bugs) // asked.sample)][: asked.sample]
    text = asked.results.read_text(encoding="utf-8") if asked.results.exists() else ""
    known = {each["name"]: each for each in map(json.loads, text.splitlines())}
    for bug in bugs:
        if bug.name in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            known[bug.name] = {
                "name": bug.name,
                **tried(bug, Path(folder), asked.seconds, asked.runs),
            }
            if asked.free:
                known[bug.name] |= free_runs(bug, Path(folder), asked.free)
        with asked.results.open("a", encoding="utf-8") as out:
            out.write(json.dumps(known[bug.name]) + "\n")
    results = [known[bug.name] for bug in bugs]
    print(table(results))
    found = [each for each in results if each["outcome"] != "not found"]
    good = sum(each["outcome"] == "reproduced" for each in found)
    return int(any(each["outcome"] == "diverged" for each in found) or good < 0.9 * len(found))


if __name__ == "__main__":
    sys.exit(main())
