"""Run the fault matrix, or go on with it.

    python -m benchmarks.faults --results FOLDER [--programs 320] [--per-module 10]
                                [--per-verified 3] [--seconds 60] [--only TEXT] [--among TEXT]
                                [--jobs 2] [--json FILE]

Everything is drawn with a fixed seed. Results are kept in the folder, fault by fault; what is
there is not run again, as long as the modules are the same.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.faults.mutations import Fault, digest, drawn
from benchmarks.faults.programs import Sample, samples
from benchmarks.faults.runs import Baseline, baseline, chosen_runs, prepare, with_fault
from benchmarks.faults.table import MODULES, SHARED, matrix, outcome

SEED = 15


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.open()] if path.exists() else []


def _run(
    path: Path,
    faults: Sequence[Fault],
    before: Baseline,
    by_name: dict[str, Sample],
    options: argparse.Namespace,
) -> None:
    """Add what becomes of each fault to a file, in one write: others add to it, too."""
    truth = before.truth()
    out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for fault in faults:
        asked = chosen_runs(fault, before, truth, by_name, options.runs)
        said = list(with_fault(fault, asked, truth, options.seconds, before))
        os.write(out, (json.dumps(outcome(fault, said, before)) + "\n").encode())
    os.close(out)


def _run_side_by_side(
    path: Path,
    faults: Sequence[Fault],
    before: Baseline,
    by_name: dict[str, Sample],
    options: argparse.Namespace,
) -> None:
    children = []
    for job in range(options.jobs):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _run(path, faults[job :: options.jobs], before, by_name, options)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    ends = [os.waitpid(child, 0)[1] for child in children]
    if any(ends):
        raise SystemExit("the faults were not run to their end")


def main() -> None:
    """Run what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=320)
    parser.add_argument("--per-module", type=int, default=10)
    parser.add_argument(
        "--per-verified",
        type=int,
        default=3,
        help="of transformations, and of checkers that no engine uses",
    )
    parser.add_argument("--runs", type=int, default=200, help="of each fault, at most")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each fault, about")
    parser.add_argument("--only", default="", help="modules whose path contains this")
    parser.add_argument("--among", default="", help="programs whose names contain this")
    parser.add_argument("--jobs", type=int, default=2, help="faults that run at the same time")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = options.results / digest(MODULES)
    results.mkdir(parents=True, exist_ok=True)
    prepare()
    chosen = [sample for sample in samples(options.programs) if options.among in sample.name]
    by_name = {sample.name: sample for sample in chosen}
    before = baseline(results, chosen, MODULES)
    path = results / "faults.jsonl"
    known = {row["fault"] for row in _rows(path)}
    turns = []
    for module in MODULES:
        if options.only in module:
            reached = set(before.reached.get(module, {}))
            count = options.per_module if module in SHARED else options.per_verified
            turns += enumerate(drawn(module, reached, count, SEED))
    turns.sort(key=lambda turn: turn[0])
    left = [fault for _, fault in turns if fault.name not in known]
    _run_side_by_side(path, left, before, by_name, options)
    rows = _rows(path)
    print(matrix(rows, before, before.truth()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
