"""What `auto` costs against the engine that decides fastest, property by property.

    python -m benchmarks.auto_vs_engines FILE... [--time-limit 60] [--jobs 2] [--out rows.json]

Every engine of `auto` runs alone on every file, then `auto`. A pair of program and property counts
if some engine decides it within the limit. `auto` should decide it within twice the time of the
fastest, or a second more. Times are from the beginning of a run to when the property was decided,
so a run that goes on with other properties costs nothing here. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from threadwise.core.budget import Budget
from threadwise.core.c_options import COptions
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.running.collector import Collector
from threadwise.engines.registry import ENGINES
from threadwise.results.verdict import Verdict

FACTOR = 2.0
GRACE_S = 1.0


@dataclass(frozen=True)
class Row:
    """A pair that some engine decides."""

    file: str
    property: str
    verdict: str
    engine: str
    best_s: float
    auto_s: float | None
    """None: `auto` did not decide it within the limit."""
    contradicts: bool
    """Whether `auto` says the contrary."""

    @property
    def near(self) -> bool:
        """Whether `auto` is as fast as it should be."""
        return self.auto_s is not None and self.auto_s <= max(
            FACTOR * self.best_s, self.best_s + GRACE_S
        )

    @property
    def factor(self) -> float:
        """How many times as long `auto` takes."""
        return float("inf") if self.auto_s is None else self.auto_s / self.best_s


def decided(file: str, engine: str, options: CheckOptions) -> dict[str, tuple[str, float]]:
    """What a run decides, and after how many seconds."""
    began = time.monotonic()
    seen: dict[str, float] = {}

    def watch(known: Collector) -> None:
        for name, result in known.decided.items():
            if result.verdict is not Verdict.UNKNOWN:
                seen.setdefault(name, time.monotonic() - began)

    chosen = CheckOptions(
        engine=engine, load=options.load, budget=options.budget, jobs=options.jobs, watch=watch
    )
    result = check_file(file, chosen)
    end = time.monotonic() - began
    return {
        checked.name: (checked.verdict.value, seen.get(checked.name, end))
        for checked in result.properties
        if checked.verdict is not Verdict.UNKNOWN
    }


def compare(file: str, options: CheckOptions) -> list[Row]:
    """The pairs of a file."""
    best: dict[str, tuple[float, str, str]] = {}
    for engine in (info.name for info in ENGINES.values() if info.in_auto):
        for name, (verdict, time_s) in decided(file, engine, options).items():
            found = (time_s, engine, verdict)
            best[name] = min(best.get(name, found), found)
    ours = decided(file, "auto", options)
    rows: list[Row] = []
    for name, (best_s, engine, verdict) in best.items():
        said, auto_s = ours.get(name, (verdict, None))
        rows.append(Row(file, name, verdict, engine, best_s, auto_s, said != verdict))
    return rows


def report(rows: Sequence[Row]) -> Iterable[str]:
    """The figures, and the worst ten."""
    near = sum(row.near for row in rows)
    lost = sum(row.auto_s is None for row in rows)
    share = 100 * near / len(rows) if rows else 100.0
    yield f"{len(rows)} pairs, {near} near the fastest engine ({share:.0f} %), {lost} lost"
    yield f"{sum(row.contradicts for row in rows)} contradictions"
    for row in sorted(rows, key=lambda row: row.factor, reverse=True)[:10]:
        ours = "lost" if row.auto_s is None else f"{row.auto_s:.2f} s"
        yield f"  {row.file} {row.property}: {row.engine} {row.best_s:.2f} s, auto {ours}"


def main() -> None:
    """Compare on the files of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--out")
    given = parser.parse_args()
    options = CheckOptions(
        load=LoadOptions(c=COptions(include=tuple(given.include))),
        budget=Budget(time_s=given.time_limit),
        jobs=given.jobs,
    )
    rows = [row for file in given.files for row in compare(file, options)]
    if given.out is not None:
        with open(given.out, "w", encoding="utf-8") as file:
            json.dump([asdict(row) for row in rows], file, indent=2)
    print("\n".join(report(rows)))


if __name__ == "__main__":
    main()
