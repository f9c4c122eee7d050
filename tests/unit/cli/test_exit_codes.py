import itertools

import pytest

from threadwise.cli.exit_codes import ExitCode, worst
from threadwise.results.verdict import Verdict


def test_numbers_are_those_of_the_documentation() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "SAFE": 0,
        "UNSAFE": 1,
        "REJECTED": 2,
        "UNKNOWN": 3,
        "INTERNAL": 70,
    }


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_code(verdict: Verdict) -> None:
    assert ExitCode.of(verdict).name == verdict.name


def test_the_gravest_counts_in_any_order() -> None:
    order = [70, 2, 1, 3, 0]
    for first, second in itertools.product(order, repeat=2):
        expected = min(first, second, key=order.index)
        assert worst([ExitCode(first), ExitCode(second)]) == expected


def test_nothing_is_fine() -> None:
    assert worst([]) is ExitCode.SAFE
