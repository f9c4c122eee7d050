"""Races of real programs, location by location: what the default command says of each.

    python -m benchmarks.real_programs FOLDER --results FILE [--seconds 120] [--only TEXT]

Every C file under the folder is one program. Each is read in a process of its own, for the time
and memory of the front end, and then checked (`check --property races`). Results are kept, a line
per program; what is there is not done again. The table counts shared locations, those proved and
those with a trace, and then, over all programs, why the others are undecided: what most pairs of
accesses to them have in common. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, check
from threadwise.proofs.locksets.naming import ESCAPED_MEMORY

Row = dict[str, Any]
_PART = re.compile(r"\.\w+|\[[^]]*\]")
_WHOLE = re.compile(r"\*(\w|…)+")


def load(file: str) -> Row:
    """Read a program here: CPU seconds of reading and of simplification, MB, edges."""
    from threadwise.core.processes.garbage import collect_seldom
    from threadwise.driver.loading import load_input

    collect_seldom()  # as the command line does
    begin = time.process_time()
    loaded = load_input(file)
    read = time.process_time()
    edges = len(loaded.worked_on.edges)
    simplified = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"read": read - begin, "simplify": simplified - read, "mb": memory, "edges": edges}


def measure(file: Path, seconds: int) -> Row:
    """What is known of one program afterwards."""
    command = [sys.executable, "-m", "benchmarks.real_programs", "--load", str(file)]
    loaded = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=20 * seconds
    )
    row: Row = {"lines": file.read_text(errors="replace").count("\n")}
    if loaded.returncode:
        return row | {"failed": loaded.stderr.strip().splitlines()[-1:]}
    row |= json.loads(loaded.stdout)
    options = ("--property", "races", "--time-limit", str(seconds))
    report, cpu = check(file, *options)
    if report is None:
        return row | {"failed": ["no report"], "cpu": cpu}
    return row | _answer(report) | {"cpu": cpu}


def _answer(report: Mapping[str, Any]) -> Row:
    """What a report says of the races of a program."""
    [races] = report["properties"]
    locations = races.get("locations") or []
    left = [each for each in locations if not each["proved"] and "witness" not in each]
    return {
        "verdict": races["verdict"],
        "reason": races["reason"],
        "limits": len(report.get("limits", [])),
        "past": [told for told in report["assumptions"] if told.startswith("no run gets past")],
        "shared": len(locations),
        "proved": sum(each["proved"] for each in locations),
        "unsafe": sum("witness" in each for each in locations),
        "causes": [cause_of(each["name"], each["undecided"]) for each in left],
    }


def cause_of(name: str, pairs: Sequence[Mapping[str, Any]]) -> str:
    """Why a location is undecided, in a few words: of the pair that most others are like."""
    if not pairs:
        return "too many pairs of accesses"
    if name.startswith("__"):
        return "static memory of library functions"
    return Counter(map(_common, pairs)).most_common(1)[0][0]


def _common(pair: Mapping[str, Any]) -> str:
    """What makes two accesses a pair that is undecided."""
    sides = pair["accesses"]
    if any(side["place"] == ESCAPED_MEMORY for side in sides):
        return "an unknown function may access whatever it was given"
    if any(side["thread"] == "__library_handler" for side in sides):
        return "a signal handler"
    if any(side["write"] and _WHOLE.fullmatch(side["place"]) for side in sides):
        return "a write to a whole object: free, memset, bytes"
    return f"{pair['lacking']}: {' and '.join(sorted(map(_access, sides)))}"


def _access(side: Mapping[str, Any]) -> str:
    """What an access is, without names."""
    what = "write" if side["write"] else "read"
    pointer = "->" in side["place"] or side["place"].startswith(("*", "(*", "…"))
    through = "through a pointer" if pointer else "of a variable"
    index = "[" in "".join(_PART.findall(side["place"]))
    return f"{what} {through}{' by an index' if index else ''}"


def shown(name: str, row: Row) -> str:
    """A line of the table."""
    if "failed" in row:
        return f"{name:28} {row['lines']:6}  {row['failed']}"
    front = row["read"] + row["simplify"]
    settled = row["proved"] + row["unsafe"]
    share = f"{100 * settled // row['shared']} %" if row["shared"] else ""
    return (
        f"{name:28} {row['lines']:6} {front:6.1f} {1000 * front / row['lines']:6.2f} "
        f"{row['mb']:5} {row['shared']:6} {row['proved']:6} {row['unsafe']:6} {share:>6} "
        f"{row['cpu']:6.0f}  {row['verdict']}{' *' if row['past'] else ''}"
    )


def table(rows: Mapping[str, Row]) -> Iterator[str]:
    """All programs, and the causes of what is undecided."""
    yield (
        f"{'program':28} {'lines':>6} {'front':>6} {'s/1000':>6} {'MB':>5} {'shared':>6} "
        f"{'proved':>6} {'unsafe':>6} {'':>6} {'CPU s':>6}  verdict (* in front of a limit)"
    )
    yield from (shown(name, row) for name, row in rows.items())
    good = [row for row in rows.values() if "failed" not in row]
    shared, proved, unsafe = (
        sum(row[key] for row in good) for key in ("shared", "proved", "unsafe")
    )
    yield f"{shared} shared locations, {proved} proved, {unsafe} with a trace"
    causes = Counter(cause for row in good for cause in row["causes"])
    yield from (f"{count:6}  {cause}" for cause, count in causes.most_common(20))


def main() -> None:
    """Measure what was not measured before, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--only", default="")
    parser.add_argument("--load")
    chosen = parser.parse_args()
    if chosen.load:
        print(json.dumps(load(chosen.load)))
        return
    if chosen.folder is None or chosen.results is None:
        parser.error("a folder and --results are needed")
    rows: dict[str, Row] = {}
    if chosen.results.exists():
        lines = chosen.results.read_text(encoding="utf-8").splitlines()
        rows = dict(json.loads(line) for line in lines)
    for file in sorted(chosen.folder.rglob("*.c")):
        name = os.fspath(file.relative_to(chosen.folder))
        if name in rows or chosen.only not in name:
            continue
        rows[name] = measure(file, chosen.seconds)
        with chosen.results.open("a", encoding="utf-8") as kept:
            kept.write(json.dumps([name, rows[name]]) + "\n")
        print(shown(name, rows[name]), file=sys.stderr, flush=True)
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
