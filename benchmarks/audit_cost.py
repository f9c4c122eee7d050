"""Which share of a run its audits take, in processor time.

    python -m benchmarks.audit_cost PATH… [--sample N] [--time-limit 30] [--property races …]
                                    [--include FOLDER …] [--results FILE]

PATH is a program or a folder of programs; `--sample` takes every n-th so that N remain. The
default command is run on each in processes of its own; shares count where something was proved.
Rows that are in the file are not measured again. Ends with 1 if the median is above the bar.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import threadwise
from benchmarks.measuring import ROOT
from threadwise.core.c_options import COptions
from threadwise.driver.running import evidence
from threadwise.driver.verdicts import auditing

BAR = 0.15
"""The largest share that the median program may have."""


def measured(
    path: Path, limit: float, properties: str | None, include: Sequence[str] = ()
) -> dict[str, Any]:
    """What a run of the default command takes, and its audits."""
    with tempfile.NamedTemporaryFile("w+") as notes:
        told = f"run({str(path)!r}, {limit!r}, {properties!r}, {list(include)!r}, {notes.name!r})"
        command = [sys.executable, "-c", f"from benchmarks.audit_cost import run; {told}"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        rows = [line.split() for line in Path(notes.name).read_text().splitlines()]
    audits = sum(float(row[1]) for row in rows if row[0] == "audit")
    proved = sum(int(row[1]) for row in rows if row[0] == "proved")
    total = used.ru_utime + used.ru_stime
    return {
        "path": str(path),
        "proved": proved,
        "audits": audits,
        "total": total,
        "rc": process.returncode,
    }


def run(path: str, limit: float, properties: str | None, include: list[str], notes: str) -> None:
    """Run the default command; audits are timed in whichever process they are."""
    audit = auditing.audit_behind_steps

    def timed(*arguments: Any, **named: Any) -> Any:
        started = time.process_time()
        try:
            return audit(*arguments, **named)
        finally:
            _note(notes, f"audit {time.process_time() - started:.4f}")

    vars(evidence)["audit_behind_steps"] = timed
    asked: dict[str, Any] = {} if properties is None else {"properties": properties}
    asked |= {"c": COptions(include=tuple(include))} if include else {}
    result = threadwise.check(path, time_limit=limit, **asked)
    verdicts = [found.verdict.value for found in result.properties]
    _note(notes, f"proved {verdicts.count('SAFE')}")


def _note(file: str, line: str) -> None:
    with open(file, "a", encoding="utf-8") as out:
        print(line, file=out)


def programs(paths: list[Path], sample: int | None) -> list[Path]:
    """The programs of files and folders, or some of them, evenly chosen."""
    found = sorted(_all(paths))
    if sample is None or len(found) <= sample:
        return found
    return [found[n * len(found) // sample] for n in range(sample)]


def _all(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (f for f in path.rglob("*") if f.suffix in (".c", ".tw"))
        else:
            yield path


def main() -> None:
    """Measure, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--property", default=None)
    parser.add_argument("--include", action="append", default=[], help="folder of headers")
    parser.add_argument("--results", type=Path)
    options = parser.parse_args()
    old = options.results.read_text().splitlines() if _exists(options.results) else []
    rows = {row["path"]: row for row in map(json.loads, old)}
    chosen = programs([path.resolve() for path in options.paths], options.sample)
    for path in chosen:
        if str(path) not in rows:
            rows[str(path)] = measured(path, options.time_limit, options.property, options.include)
            if options.results is not None:
                _note(str(options.results), json.dumps(rows[str(path)]))
    proved = [row for path in chosen if (row := rows[str(path)])["proved"] and row["audits"]]
    shares = sorted((row["audits"] / row["total"], row["path"]) for row in proved)
    for share, name in shares[-10:]:
        print(f"{share:6.1%}  {name}")
    middle = median(share for share, _ in shares) if shares else 0.0
    whole = sum(row["audits"] for row in proved) / max(sum(row["total"] for row in proved), 1e-9)
    print(
        f"{len(chosen)} programs, {len(shares)} with proofs: median share of audits {middle:.1%}"
    )
    print(f"of all processor time of these: {whole:.1%}; bar for the median {BAR:.0%}")
    sys.exit(middle > BAR)


def _exists(path: Path | None) -> bool:
    return path is not None and path.exists()


if __name__ == "__main__":
    main()
