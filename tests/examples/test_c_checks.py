"""Small programs as regression tests of race analysers have them, each right and racy by a macro.

Verdicts are facts about the programs; what is beyond us says why. The everyday run sees that some
of the racy ones are not proved by locksets.
"""

from __future__ import annotations

import pytest

from tests.examples.annotations import CHECK_FILES, Case, read_cases
from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.loading import load_input
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.frontends.c.options import COptions
from threadwise.results.verdict import Verdict, overall

CASES = [case for path in CHECK_FILES for case in read_cases(path)]
RACY = [case for case in CASES if case.defines]
BEYOND = {
    "heap_argument_freed_by_thread.c": "each job leads to an element of its own",
    "parallel_ranges.c": "bounds of ranges are stored for each thread",
    "lock_array.c -D RACY": "the race needs two equal numbers of many",
    "own_elements.c -D RACY": "the race comes after a thousand rounds",
    "string_buffer.c -D RACY": "the text depends on what snprintf writes",
}
"""What is not decided, and why."""


def test_every_check_is_a_pair() -> None:
    assert len(CHECK_FILES) == 40
    for case in CASES:
        assert case.verdicts == {"races": Verdict.UNSAFE if case.defines else Verdict.SAFE}
    assert len(CASES) == 2 * len(RACY)
    assert set(BEYOND) <= {str(case) for case in CASES}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdicts(case: Case) -> None:
    options = CheckOptions(properties=("races",), budget=Budget(time_s=120), load=_load(case))
    verdict = overall(p.verdict for p in check_file(str(case.path), options).properties)
    if str(case) in BEYOND:
        assert verdict in (case.verdicts["races"], Verdict.UNKNOWN)
    else:
        assert verdict is case.verdicts["races"]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, marks=() if n % 5 == 0 else pytest.mark.slow, id=c.path.stem)
        for n, c in enumerate(RACY)
    ],
)
def test_racy_checks_are_not_proved(case: Case) -> None:
    program = load_input(str(case.path), _load(case)).worked_on
    races = tuple(p for p in program.properties if p.name == "races")
    findings = list(LocksetEngine().run(Task(program, races)))
    assert findings
    assert not any(isinstance(finding, Proved) for finding in findings)


def _load(case: Case) -> LoadOptions:
    return LoadOptions(c=COptions(define=case.defines))
