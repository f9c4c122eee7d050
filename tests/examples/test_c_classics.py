"""What every suite of concurrent C has, each right and with a bug by a macro.

Verdicts are facts about the programs; what is beyond us says why.
"""

from __future__ import annotations

import pytest

from tests.examples.annotations import CLASSIC_FILES, Case, read_cases
from tests.examples.running_c import check_case
from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.frontends.c.options import COptions
from threadwise.results.verdict import Verdict, overall

CASES = [case for path in CLASSIC_FILES for case in read_cases(path)]
BEYOND = {
    "array_parts.c": "bounds of parts are stored in records",
    "bakery_two.c": "numbers grow without bound, in a protocol of many flags",
    "message_passing_many.c": "two numbers that grow, one behind the other",
    "once_table.c": "who runs the routine owns the table until the others may read it",
    "pool_results.c": "each number is taken by one thread, of a table with sixteen places",
    "rwlock_pair.c": "an unlock gives back whatever is held, for reading or writing",
    "semaphore_slots.c": "the numbers of two threads agree through a slot",
    "sum_unknown_count.c": "the amounts are on the heap",
    "ticket_blocks.c": "tickets of any number of threads differ",
}
"""What is not decided, and why."""

ENGINES = {
    "peterson_atomic.c": "explicit",
    "dekker_loop.c -D BUG": "explicit",
    "records_of_threads.c": "persistent",
    "sums_of_ranges.c -D BUG": "persistent",
}
"""A few for every day, each by the engine that decides it at once."""


def test_every_program_is_a_pair() -> None:
    assert len(CLASSIC_FILES) == 41
    for case in CASES:
        (verdict,) = case.verdicts.values()
        assert verdict is (Verdict.UNSAFE if case.defines else Verdict.SAFE)
    assert len(CASES) == 2 * len(CLASSIC_FILES)
    assert set(BEYOND) | set(ENGINES) <= {str(case) for case in CASES}


@pytest.mark.parametrize("case", [case for case in CASES if str(case) in ENGINES], ids=str)
def test_a_few(case: Case) -> None:
    assert check_case(case, ENGINES[str(case)]) == case.verdicts


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdicts(case: Case) -> None:
    ((selector, wanted),) = case.verdicts.items()
    options = CheckOptions(
        properties=(selector,),
        budget=Budget(time_s=120),
        load=LoadOptions(c=COptions(define=case.defines)),
    )
    verdict = overall(p.verdict for p in check_file(str(case.path), options).properties)
    assert verdict is wanted or (str(case) in BEYOND and verdict is Verdict.UNKNOWN)
