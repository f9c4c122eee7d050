"""Ways in which real programs share memory, each right and racy: what `check` says of them.

Verdicts are facts about the programs; what is beyond us says why. The everyday run looks at a few.
"""

from __future__ import annotations

import pytest

from tests.examples.annotations import IDIOM_FILES, Case, read_cases
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.results.verdict import Verdict, overall

CASES = [case for path in IDIOM_FILES for case in read_cases(path)]
EVERYDAY = ("created_in_helper", "objects_in_two_statements", "rounds_of_threads_bug")
BEYOND = {
    "created_under_condition_bug.c": "the race needs a command line with a certain word",
    "done_flag_of_pool.c": "jobs are used without lock once they are out of the queue",
    "rows_by_stride.c": "rows of one remainder",
    "tree_of_threads.c": "threads that are started by threads, and lent local variables",
}
"""What is not decided, and why."""


def test_every_idiom_is_a_pair() -> None:
    names = {case.path.stem for case in CASES}
    right = {name for name in names if not name.endswith("_bug")}
    assert names - right == {f"{name}_bug" for name in right}
    for case in CASES:
        racy = case.path.stem.endswith("_bug")
        assert case.verdicts == {"races": Verdict.UNSAFE if racy else Verdict.SAFE}


@pytest.mark.parametrize("racy", [False, True])
def test_nine_of_ten_are_decided(racy: bool) -> None:
    asked = [case.path.name for case in CASES if case.path.stem.endswith("_bug") == racy]
    assert len(asked) >= 30
    assert sum(name in BEYOND for name in asked) <= len(asked) / 10


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, marks=() if c.path.stem in EVERYDAY else pytest.mark.slow, id=c.path.stem)
        for c in CASES
    ],
)
def test_verdicts(case: Case) -> None:
    options = CheckOptions(properties=("races",), budget=Budget(time_s=120))
    verdict = overall(p.verdict for p in check_file(str(case.path), options).properties)
    if case.path.name in BEYOND:
        assert verdict in (case.verdicts["races"], Verdict.UNKNOWN)
    else:
        assert verdict is case.verdicts["races"]
