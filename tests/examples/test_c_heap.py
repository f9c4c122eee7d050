"""Lists, queues, pools, tables and trees with assertions: proved, and refuted."""

from __future__ import annotations

import pytest

from tests.examples.annotations import HEAP_FILES, Case, read_cases
from tests.examples.running_c import check_case
from threadwise.results.verdict import Verdict

CASES = [case for path in HEAP_FILES for case in read_cases(path)]
FEW = [case for case in CASES if case.path.stem in {"stack_size", "singleton_bug"}]


def test_there_are_forty_in_pairs() -> None:
    names = {path.stem for path in HEAP_FILES}
    assert len(names) == 40
    assert {f"{name}_bug" for name in names if not name.endswith("_bug")} <= names


@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_few(case: Case) -> None:
    engine = "explicit" if case.verdicts["assertions"] is Verdict.SAFE else "walks"
    assert check_case(case, engine) == case.verdicts


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_none_is_wrong(case: Case) -> None:
    """Not all is decided within the limits of a test; none is decided wrongly."""
    found = check_case(case, "auto")
    for selector, wanted in case.verdicts.items():
        assert found[selector] in (wanted, Verdict.UNKNOWN)
