"""Which shares of the engines would have been better for what was measured, by cross-validation.

    python -m benchmarks.auto_vs_engines FILE... --out rows.json
    python -m benchmarks.fit_plan rows.json... [--folds 5] [--jobs 2]

A row says which engines decide a pair alone, and how long they take. From that and a plan follows
about when `auto` decides it (`predicted`): engines take turns as in `driver.running.racing`, and
the first that has had what it needs ends the race. A plan is better if fewer pairs are over the
bar, and among equals if `auto` takes fewer times as long as the fastest engine.

Fitting changes one share at a time, to one of a few weights and rounds, and keeps what makes the
plan better. Files are dealt to folds; what was fitted on all others is told for each fold beside
the plan as it is. **A fitted plan that is not better on the folds it has not seen is none.** What
is printed at the end is fitted on all rows, as lines of the tables in `threadwise.engines.plan`.

No row knows of what engines tell each other, so this compares plans and predicts no times.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path

from benchmarks.auto_vs_engines import FACTOR, GRACE_S
from threadwise.engines.auto import FIRST_GRANTS, GRANT
from threadwise.engines.features import Feature
from threadwise.engines.plan import CASES, PLAN, Case, Share, row_of
from threadwise.ir.properties import FailureProperty, RaceProperty

WEIGHTS = (1, 2, 3, 4, 6, 9, 12)
ROUNDS = (0, 1, 2)
START_S = 0.1
"""What it takes to start an engine."""
LIMIT_S = 120.0
"""When a race is given up that nobody wins."""
WORTH = 0.01
"""A change is kept that makes `auto` so much faster, relatively, in the mean."""
ASKED = {"races": (RaceProperty,), "assertions": (FailureProperty,)}

Plan = Sequence[Case]
OTHERWISE = Case(
    "otherwise",
    frozenset(),
    frozenset(),
    {engine: Share(row.weight, row.joins, row.place) for engine, row in PLAN.items()},
)
"""The rows of the plan where no case is about an engine."""
AS_IT_IS: Plan = (*CASES, OTHERWISE)


@dataclass(frozen=True)
class Pair:
    """What was measured about a program and what is asked about it."""

    file: str
    question: str
    features: frozenset[Feature]
    needs: Mapping[str, float]
    """How long engines take that decide it, without loading."""
    loading_s: float

    @property
    def best_s(self) -> float:
        """What the fastest engine takes, with loading."""
        return self.loading_s + min(self.needs.values())


def pairs_of(rows: Iterable[Mapping[str, object]], jobs: int) -> Iterator[Pair]:
    """The rows that name engines."""
    for row in rows:
        alone, loading = row["alone"], row["loading_s"]
        names = row["features"]
        assert isinstance(alone, dict)
        assert isinstance(loading, float)
        assert isinstance(names, list)
        features = frozenset(Feature[name] for name in names)
        if jobs > 1:
            features |= {Feature.CORES}
        needs = {engine: max(0.0, took - loading) for engine, took in alone.items()}
        if needs:
            yield Pair(str(row["file"]), str(row["property"]), features, needs, loading)


def predicted(pair: Pair, plan: Plan, jobs: int) -> float:
    """About how many processor seconds `auto` takes with a plan."""
    engines = [name for name in PLAN if _takes_part(name, pair)]
    rows = {name: row_of(name, pair.features, plan) for name in engines}
    engines.sort(key=lambda name: rows[name].place)
    left = {name: pair.needs.get(name, math.inf) for name in engines}
    free = [(0.0, core) for core in range(jobs)]
    idle_from: dict[str, float] = {}
    spent, first = 0.0, math.inf
    for number, grant in enumerate(chain(FIRST_GRANTS, repeat(GRANT))):
        for name in engines:
            if rows[name].joins > number:
                continue
            now, core = heapq.heappop(free)
            begins = max(now, idle_from.get(name, 0.0))
            if begins >= min(first, LIMIT_S):
                return pair.loading_s + spent
            turn = grant / 1e6 * rows[name].weight
            if name not in idle_from and math.isinf(left[name]):
                turn = max(turn, START_S)
            turn = min(turn, left[name])
            left[name] -= turn
            ends = begins + turn
            if left[name] <= 0:
                first = min(first, ends)
            spent += min(ends, first) - begins
            idle_from[name] = ends
            heapq.heappush(free, (ends, core))
    raise AssertionError("rounds go on without end")


def _takes_part(name: str, pair: Pair) -> bool:
    row = PLAN[name]
    if row.refuses & pair.features:
        return False
    return any(kind in row.answers for kind in ASKED.get(pair.question, row.answers))


@dataclass(frozen=True, order=True)
class Score:
    """How good a plan is for some pairs; less is better."""

    over: int
    """How many are over the bar."""
    slowdown: float
    """The sum of logarithms of how many times as long `auto` takes as the fastest."""


class Scores:
    """Scores of plans that differ in little: pairs with the same shares have the same time."""

    def __init__(self, pairs: Sequence[Pair], jobs: int) -> None:
        self._pairs = pairs
        self._jobs = jobs
        self._known: dict[tuple[int, tuple[Share, ...]], float] = {}

    def of(self, plan: Plan) -> Score:
        """The score of a plan."""
        over, slowdown = 0, 0.0
        for number, pair in enumerate(self._pairs):
            took = self._time(number, pair, plan)
            over += took > max(FACTOR * pair.best_s, pair.best_s + GRACE_S)
            slowdown += math.log(max(took, pair.best_s) / pair.best_s)
        return Score(over, round(slowdown, 6))

    def _time(self, number: int, pair: Pair, plan: Plan) -> float:
        rows = (row_of(name, pair.features, plan) for name in PLAN)
        key = number, tuple(Share(row.weight, row.joins, row.place) for row in rows)
        if key not in self._known:
            self._known[key] = predicted(pair, plan, self._jobs)
        return self._known[key]


def fitted(pairs: Sequence[Pair], jobs: int, plan: Plan = AS_IT_IS) -> Plan:
    """A plan that is better for these pairs, if there is one."""
    scores = Scores(pairs, jobs)
    best = scores.of(plan)
    cells = [
        (number, engine)
        for number, case in enumerate(plan)
        if any(case.covers(pair.features) for pair in pairs)
        for engine in case.table
    ]
    for number, engine in cells:
        for share in _others(plan[number].table[engine]):
            changed = with_share(plan, number, engine, share)
            score = scores.of(changed)
            worth = best.slowdown - score.slowdown > WORTH * len(pairs)
            if score.over < best.over or (score.over == best.over and worth):
                plan, best = changed, score
    return plan


def _others(share: Share) -> Iterator[Share]:
    for weight in WEIGHTS:
        for joins in ROUNDS:
            if (weight, joins) != (share.weight, share.joins):
                yield replace(share, weight=weight, joins=joins)


def with_share(plan: Plan, number: int, engine: str, share: Share) -> Plan:
    """The same plan with another share of an engine in a case."""
    case = plan[number]
    changed = replace(case, table={**case.table, engine: share})
    return (*plan[:number], changed, *plan[number + 1 :])


def folds_of(pairs: Sequence[Pair], count: int) -> list[list[Pair]]:
    """The pairs of each fold; those of a file are in the same one."""
    files = list(dict.fromkeys(pair.file for pair in pairs))
    place = {file: number % count for number, file in enumerate(files)}
    return [[pair for pair in pairs if place[pair.file] == number] for number in range(count)]


def changes(before: Plan, after: Plan) -> Iterator[str]:
    """What differs, as lines of the tables."""
    for old, new in zip(before, after, strict=True):
        for engine, share in new.table.items():
            was = old.table[engine]
            if share != was:
                yield f"  {new.name}: {engine} {_told(was)} -> {_told(share)}"


def _told(share: Share) -> str:
    return f"weight {share.weight} from round {share.joins}"


def report(pairs: Sequence[Pair], folds: int, jobs: int) -> Iterator[str]:
    """What cross-validation says, and the plan fitted on everything."""
    ours, theirs = Score(0, 0.0), Score(0, 0.0)
    for number, fold in enumerate(folds_of(pairs, folds), 1):
        others = [pair for pair in pairs if pair not in fold]
        plan, unseen = fitted(others, jobs), Scores(fold, jobs)
        was, now = unseen.of(AS_IT_IS), unseen.of(plan)
        ours, theirs = _sum(ours, was), _sum(theirs, now)
        yield f"fold {number}, {len(fold)} pairs: as it is {_score(was)}; fitted {_score(now)}"
    yield f"together, {len(pairs)} pairs: as it is {_score(ours)}; fitted {_score(theirs)}"
    yield "fitted on all of them:"
    lines = list(changes(AS_IT_IS, fitted(pairs, jobs)))
    yield from lines or ["  no change"]


def _sum(first: Score, second: Score) -> Score:
    return Score(first.over + second.over, first.slowdown + second.slowdown)


def _score(score: Score) -> str:
    return f"{score.over} over the bar, slowdown {score.slowdown:.2f}"


def main() -> None:
    """Fit to the rows of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="+", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    rows = chain.from_iterable(json.loads(path.read_text()) for path in given.rows)
    for line in report(list(pairs_of(rows, given.jobs)), given.folds, given.jobs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
