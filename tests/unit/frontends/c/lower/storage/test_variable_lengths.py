"""Arrays of variable length, and their sizes."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import holds, main_verdict

SUM = """
static int sum(int n) {
    int a[n], s = 0;
    n = 100;
    memset(a, 0, sizeof a);
    for (unsigned i = 0; i < sizeof a / sizeof a[0]; i++)
        s += a[i] + 1;
    return s;
}
"""


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_size_is_that_of_the_declaration(length: int) -> None:
    assert holds(f"assert(sum({length}) == {length});", SUM)


def test_every_life_has_its_size() -> None:
    body = "for (int n = 1; n < 4; n++) { short a[n]; a[0] = 1; assert(sizeof a == 2 * n); }"
    assert holds(body)


def test_a_wrong_size_is_noticed() -> None:
    assert main_verdict("int n = 3; int a[n]; a[0] = 0; assert(sizeof a == 8);") == "UNSAFE"


def test_the_size_of_a_type_with_a_length_is_a_limit() -> None:
    assert main_verdict("int n = 3; assert(sizeof(int[n]) == 12);") == "UNKNOWN"
