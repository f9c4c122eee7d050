"""Thousands of threads created in loops: proved as any number, bugs found with few."""

from __future__ import annotations

import pytest

from tests.examples.annotations import MANY_FILES, Case, read_cases
from tests.examples.running_c import check_case
from threadwise.results.verdict import Verdict

CASES = [case for path in MANY_FILES for case in read_cases(path)]
OPEN = {
    "heap_argument": {"assertions"},
    "joined_bug": {"assertions"},
    "ticket": {"assertions", "races"},
    "ticket_bug": {"assertions"},
}
"""What is not decided within the limits of a test: it is never decided wrongly."""
FEW = [case for case in CASES if case.path.stem in {"flag", "try_lock", "try_lock_bug"}]


def test_there_are_many_in_pairs() -> None:
    names = {path.stem for path in MANY_FILES}
    assert len(names) >= 30
    for name in names:
        partner = name.removesuffix("_bug") if name.endswith("_bug") else f"{name}_bug"
        assert partner in names


@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_few(case: Case) -> None:
    wanted = case.verdicts["assertions"]
    engine = "horn" if wanted is Verdict.SAFE else "walks"
    assert check_case(Case(case.path, case.defines, {"assertions": wanted}), engine) == {
        "assertions": wanted
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_all(case: Case) -> None:
    found = check_case(case, "auto")
    for selector, wanted in case.verdicts.items():
        if selector in OPEN.get(case.path.stem, ()):
            assert found[selector] in (wanted, Verdict.UNKNOWN)
        else:
            assert found[selector] is wanted
