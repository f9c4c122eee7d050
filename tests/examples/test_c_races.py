"""C with heap, pointers and any number of threads: races proved absent, and found."""

from __future__ import annotations

import pytest

from tests.examples.annotations import RACE_FILES, Case, read_cases
from tests.examples.running_c import check_case

CASES = [case for path in RACE_FILES for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdicts(case: Case) -> None:
    engine = "auto" if case.path.stem.endswith("_bug") else "locksets"
    assert check_case(case, engine) == case.verdicts
