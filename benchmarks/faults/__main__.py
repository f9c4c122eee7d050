"""Run the fault matrix, or go on with it.

    python -m benchmarks.faults --results FOLDER [--programs 200] [--per-module 10]
                                [--per-verified 3] [--seconds 60] [--only TEXT] [--among TEXT]
                                [--json FILE]

Everything is drawn with a fixed seed. Results are kept in the folder, fault by fault; what is
there is not run again, as long as the modules are the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.faults.mutations import digest, drawn
from benchmarks.faults.programs import samples
from benchmarks.faults.runs import baseline, chosen_runs, prepare, with_fault
from benchmarks.faults.table import MODULES, SHARED, matrix, outcome

SEED = 15


def main() -> None:
    """Run what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--per-module", type=int, default=10)
    parser.add_argument("--per-verified", type=int, default=3, help="of transformations")
    parser.add_argument("--runs", type=int, default=200, help="of each fault, at most")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each fault, about")
    parser.add_argument("--only", default="", help="modules whose path contains this")
    parser.add_argument("--among", default="", help="programs whose names contain this")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = options.results / digest(MODULES)
    results.mkdir(parents=True, exist_ok=True)
    prepare()
    chosen = [sample for sample in samples(options.programs) if options.among in sample.name]
    by_name = {sample.name: sample for sample in chosen}
    before = baseline(results, chosen, MODULES)
    truth = before.truth()
    path = results / "faults.jsonl"
    rows = [json.loads(line) for line in path.open()] if path.exists() else []
    known = {row["fault"] for row in rows}
    turns = []
    for module in MODULES:
        if options.only in module:
            reached = set(before.reached.get(module, {}))
            count = options.per_module if module in SHARED else options.per_verified
            turns += enumerate(drawn(module, reached, count, SEED))
    with path.open("a", encoding="utf-8") as out:
        for _, fault in sorted(turns, key=lambda turn: turn[0]):
            if fault.name in known:
                continue
            asked = chosen_runs(fault, before, truth, by_name, options.runs)
            said = list(with_fault(fault, asked, truth, options.seconds, before))
            row = outcome(fault, said, before)
            rows.append(row)
            print(json.dumps(row), file=out, flush=True)
    print(matrix(rows, before, truth))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
