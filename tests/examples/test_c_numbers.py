"""Relations between numbers under locks: proved for any number of threads, and refuted."""

from __future__ import annotations

import pytest

from tests.examples.annotations import NUMBER_FILES, Case, read_cases
from tests.examples.running_c import check_case
from threadwise.results.verdict import Verdict

CASES = [case for path in NUMBER_FILES for case in read_cases(path)]
OPEN = {"counter_atomic_pair", "reserve"}
"""Assertions that are not decided within the limits of a test: they are never decided wrongly."""
FEW = [case for case in CASES if case.path.stem in {"twice", "twice_bug"}]


def test_there_are_thirty_in_pairs() -> None:
    names = {path.stem for path in NUMBER_FILES}
    assert len(names) == 30
    assert {f"{name}_bug" for name in names if not name.endswith("_bug")} <= names


@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_few(case: Case) -> None:
    wanted = {"assertions": case.verdicts["assertions"]}
    engine = "horn" if wanted["assertions"] is Verdict.SAFE else "walks"
    assert check_case(Case(case.path, case.defines, wanted), engine) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_all(case: Case) -> None:
    found = check_case(case, "auto")
    for selector, wanted in case.verdicts.items():
        if selector == "assertions" and case.path.stem in OPEN:
            assert found[selector] in (wanted, Verdict.UNKNOWN)
        else:
            assert found[selector] is wanted
