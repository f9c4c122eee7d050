"""The plan is fitted by what follows from times of single engines."""

from __future__ import annotations

import pytest

from benchmarks.fit_plan import (
    AS_IT_IS,
    Pair,
    Plan,
    Scores,
    changes,
    fitted,
    folds_of,
    pairs_of,
    predicted,
    with_share,
)
from threadwise.engines.features import Feature
from threadwise.engines.plan import PLAN, Share, row_of


def pair(needs: dict[str, float], *features: Feature, file: str = "x.c") -> Pair:
    return Pair(file, "assertions", frozenset(features), needs, 0.5)


def otherwise(engine: str, weight: int) -> Plan:
    return with_share(AS_IT_IS, len(AS_IT_IS) - 1, engine, Share(weight, PLAN[engine].joins))


def test_without_a_case_the_rows_of_the_plan_hold() -> None:
    for engine, row in PLAN.items():
        assert row_of(engine, frozenset(), AS_IT_IS) == row == row_of(engine)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("engine", ["explicit", "horn", "tar"])
def test_no_race_is_faster_than_its_fastest_engine(engine: str, jobs: int) -> None:
    for needs in (0.01, 1.0, 20.0):
        given = pair({engine: needs})
        assert predicted(given, AS_IT_IS, jobs) >= given.best_s


def test_the_first_engine_that_has_what_it_needs_ends_the_race() -> None:
    alone, beside = pair({"explicit": 5.0}), pair({"explicit": 5.0, "thread-modular": 0.05})
    assert predicted(beside, AS_IT_IS, 1) < 1.0 < 5.0 < predicted(alone, AS_IT_IS, 1)


def test_more_weight_for_the_engine_that_decides_is_faster() -> None:
    given = pair({"horn": 8.0})
    times = [predicted(given, otherwise("horn", weight), 2) for weight in (1, 3, 12)]
    assert times == sorted(times, reverse=True)
    assert times[0] > times[-1]


def test_an_engine_that_refuses_the_program_costs_nothing() -> None:
    given = pair({"explicit": 6.0})
    with_heap = pair({"explicit": 6.0}, Feature.HEAP, Feature.MEMORY)
    heavy = otherwise("horn", 12)
    assert predicted(given, heavy, 1) > predicted(given, AS_IT_IS, 1)
    assert predicted(with_heap, heavy, 1) == predicted(with_heap, AS_IT_IS, 1)


def test_fitting_gives_weight_to_what_decides_and_is_told_as_lines() -> None:
    pairs = [pair({"counting": 6.0 + number}, file=f"{number}.c") for number in range(4)]
    plan = fitted(pairs, 2)
    before, after = Scores(pairs, 2).of(AS_IT_IS), Scores(pairs, 2).of(plan)
    assert after < before
    counting = row_of("counting", frozenset(), plan).weight
    assert counting > PLAN["counting"].weight
    assert any(
        "counting weight 1 from round 1 -> weight" in line for line in changes(AS_IT_IS, plan)
    )


def test_what_cannot_be_better_stays_as_it_is() -> None:
    """What the fastest engine needs is spent before any other has begun."""
    pairs = [pair({"walks": 0.0})]
    assert fitted(pairs, 1) == AS_IT_IS


def test_pairs_of_a_file_are_in_the_same_fold() -> None:
    pairs = [pair({"explicit": 1.0}, file=f"{number // 2}.c") for number in range(10)]
    folds = folds_of(pairs, 3)
    assert sorted(map(len, folds)) == [2, 4, 4]
    files = [{each.file for each in fold} for fold in folds]
    assert sum(map(len, files)) == len(set().union(*files)) == 5


def test_rows_become_pairs_unless_no_engine_is_named() -> None:
    row = {
        "file": "a.c",
        "property": "races",
        "alone": {"locksets": 1.5, "explicit": 0.4},
        "loading_s": 0.5,
        "features": ["SMALL"],
    }
    (found,) = pairs_of([row, {**row, "alone": {}}], 2)
    assert found.needs == {"locksets": 1.0, "explicit": 0.0}
    assert found.features == {Feature.SMALL, Feature.CORES}
    assert found.best_s == 0.5
