"""What `auto` costs against the engine that decides fastest, property by property.

    python -m benchmarks.auto_vs_engines FILE... [--time-limit 60] [--jobs 2] [--out rows.json]

A pair is a program and what is asked about it: `races` and `assertions` of C, what models state.
`auto` runs first, then engines of `auto` alone, no longer than twice what the fastest took so far.
A pair counts if `auto` or an engine decides it within the limit; `auto` should decide it within
twice the time of the fastest, or a second more. Times are how long one waits, from the start to
the end, evidence included (`--first`: what is told of other locations after the first race is
not), so nothing else should be at work; with `--processor`, they are processor seconds of all
processes together, where it is no gain to be at work side by side. A pair that `auto` decides
within a second of what loading takes is near whatever engines take, which are not asked then.
With `--likely` only the few engines that decide most are asked, and those that decided here.

A file may be written with options behind it, separated by commas: `ring.tw,-D,N=3`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from benchmarks.measuring import check
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_input
from threadwise.engines.features import Feature, features_of
from threadwise.engines.registry import ENGINES

FACTOR, GRACE_S = 2.0, 1.0
"""`auto` may take so many times as long as the fastest, or so much longer."""

WORST_FACTOR, WORST_GRACE_S = 5.0, 5.0
"""In the worst case."""

LEAST_S = 2.0
"""How long an engine may take at least: a busy machine makes everything slower."""

LIKELY = ("locksets", "explicit", "walks", "horn")
"""The engines that decide most."""

LOADING = "lock-order"
"""An engine that has nothing to say about these properties: what it takes is loading."""


@dataclass(frozen=True)
class Row:
    """A pair that `auto` or some engine decides."""

    file: str
    property: str
    verdict: str
    engine: str
    """The fastest; `auto`: none was faster, or none could have been faster by much."""
    best_s: float
    auto_s: float | None
    """None: `auto` did not decide it within the limit."""
    contradicts: bool
    """Whether `auto` says the contrary of an engine."""
    loading_s: float = 0.0
    """What loading takes."""
    alone: Mapping[str, float] = field(default_factory=dict)
    """Engines that decide it alone, and how long they take, loading included. Those that take more
    than twice as long as the fastest, and those that were not asked, are not there."""
    features: tuple[str, ...] = ()
    """What the plan goes by."""

    def within(self, factor: float, grace_s: float) -> bool:
        """Whether `auto` takes no longer than that."""
        allowed = max(factor * self.best_s, self.best_s + grace_s)
        return self.auto_s is not None and self.auto_s <= allowed

    @property
    def excess_s(self) -> float:
        """How much longer `auto` takes."""
        return float("inf") if self.auto_s is None else self.auto_s - self.best_s


@dataclass(frozen=True)
class Run:
    """What a run said."""

    verdict: str | None
    """None: UNKNOWN."""
    time_s: float
    engines: Mapping[str, float] = field(default_factory=dict)
    """Those that decided something, and how long they were at work."""


def decided(file: str, engine: str, options: Sequence[str], *, processor: bool) -> Run:
    """One run."""
    path, *own = file.split(",")
    began = time.monotonic()
    answer, used_s = check(Path(path).resolve(), "--engine", engine, *own, *options)
    seconds = used_s if processor else time.monotonic() - began
    if answer is None:
        return Run(None, seconds)
    names = {str(each["engine"]) for each in answer["properties"] if each.get("engine")}
    times = dict.fromkeys(names, 0.0)
    for tried in answer["tried"]:
        if tried["engine"] in times:
            times[tried["engine"]] += tried["time_s"]
    verdict = str(answer["verdict"])
    return Run(verdict if verdict in ("SAFE", "UNSAFE") else None, seconds, times)


def features(file: str, asked: Sequence[str]) -> tuple[str, ...]:
    """What the plan goes by, for a file with its options."""
    path, *options = file.split(",")
    pairs = list(zip(options[::2], options[1::2], strict=True))
    defines = dict(value.split("=") for option, value in pairs if option == "-D" and "=" in value)
    folders = tuple(value for option, value in pairs if option == "-I")
    c = replace(LoadOptions().c, include=folders)
    given = load_input(path, LoadOptions(defines=defines, c=c))
    found = features_of(given.worked_on)
    if asked and asked[-1] == "races":
        found |= {Feature.RACES}
    return tuple(sorted(feature.name for feature in found))


def compare(
    file: str,
    asked: Sequence[str],
    limit_s: float,
    jobs: int,
    *,
    likely: bool = False,
    processor: bool = False,
) -> Row | None:
    """The row of a pair, if anything decides it."""

    def run(engine: str, time_s: float) -> Run:
        limits = ("--time-limit", f"{time_s:.1f}", "--jobs", str(jobs))
        return decided(file, engine, (*asked, *limits, "--first"), processor=processor)

    first = run("auto", limit_s)
    ours, auto_s = first.verdict, first.time_s
    loading_s = run(LOADING, limit_s).time_s
    best = (auto_s, "auto", ours)
    alone_s = {name: loading_s + time_s for name, time_s in first.engines.items()}
    verdicts = {ours} - {None}
    if ours is None or auto_s > loading_s + GRACE_S:
        few = {*LIKELY, *first.engines}
        known = [info.name for info in ENGINES.values() if info.in_auto]
        wanted = [name for name in known if name in few or not likely]
        for engine in sorted(wanted, key=lambda name: name not in few):
            allowed = limit_s if best[2] is None else min(limit_s, max(LEAST_S, 2 * best[0]))
            alone = run(engine, allowed)
            if alone.verdict is not None:
                verdicts.add(alone.verdict)
                alone_s[engine] = alone.time_s
                if best[2] is None or alone.time_s < best[0]:
                    best = (alone.time_s, engine, alone.verdict)
    best_s, engine, verdict = best
    if verdict is None:
        return None
    told = asked[-1] if asked else "all"
    took = None if ours is None else round(auto_s, 2)
    return Row(
        file,
        told,
        verdict,
        engine,
        round(best_s, 2),
        took,
        len(verdicts) > 1,
        round(loading_s, 2),
        {name: round(time_s, 2) for name, time_s in sorted(alone_s.items())},
        features(file, asked),
    )


def questions(file: str) -> Iterable[Sequence[str]]:
    """What is asked about a file."""
    if file.split(",")[0].endswith(".c"):
        return (("--property", "races"), ("--property", "assertions"))
    return ((),)


def report(rows: Sequence[Row]) -> Iterable[str]:
    """The figures, and the worst ten."""
    near = sum(row.within(FACTOR, GRACE_S) for row in rows)
    bearable = sum(row.within(WORST_FACTOR, WORST_GRACE_S) for row in rows)
    lost = sum(row.auto_s is None for row in rows)
    share = 100 * near / len(rows) if rows else 100.0
    yield f"{len(rows)} pairs, {near} near the fastest engine ({share:.0f} %), {lost} lost"
    yield f"{bearable} within {WORST_FACTOR:g} times or {WORST_GRACE_S:g} s more"
    yield f"{sum(row.contradicts for row in rows)} contradictions"
    for row in sorted(rows, key=lambda row: row.excess_s, reverse=True)[:10]:
        yield told(row)


def told(row: Row) -> str:
    """A row in words."""
    ours = "lost" if row.auto_s is None else f"{row.auto_s:.2f} s"
    return f"  {row.file} {row.property}: {row.engine} {row.best_s:.2f} s, auto {ours}"


def main() -> None:
    """Compare on the files of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--likely", action="store_true")
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--out")
    given = parser.parse_args()
    rows: list[Row] = []
    for file in given.files:
        for asked in questions(file):
            row = compare(
                file,
                asked,
                given.time_limit,
                given.jobs,
                likely=given.likely,
                processor=given.processor,
            )
            if row is not None:
                rows.append(row)
                print(told(row), flush=True)
    if given.out is not None:
        with open(given.out, "w", encoding="utf-8") as file:
            json.dump([asdict(row) for row in rows], file, indent=2)
    print("\n".join(report(rows)))


if __name__ == "__main__":
    main()
