"""Samples of large families of tests: fixed, and never empty."""

import pytest

from tests.sampling import ONE_IN, WHOLE, undrawn


def names(count: int, family: str = "test_f") -> list[str]:
    return [f"{family}[{number}]" for number in range(count)]


def test_small_families_are_whole() -> None:
    assert undrawn(names(WHOLE)) == set()


@pytest.mark.parametrize("count", [WHOLE + 1, 3 * WHOLE, 100, 1000])
def test_no_family_is_left_out(count: int) -> None:
    for family in ("test_a", "test_b", "test_c"):
        left = undrawn(names(count, family))
        assert 0 < len(left) < count
        assert len(left) > count * (1 - 3 / ONE_IN) or count <= 3 * WHOLE


def test_a_case_stays_when_others_come() -> None:
    few, many = names(50), names(500)
    drawn = set(few) - undrawn(few)
    assert len(drawn & undrawn(many)) <= 1
