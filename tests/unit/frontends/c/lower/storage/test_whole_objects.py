"""Copies of as many objects as a product says are copies of whole objects."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, holds, lowered

IN_PARTS = "memory that is copied or filled in parts of objects"
COPY = """
struct three {{ int a, b, c; }};
static void copy({held} *to, const {held} *from, size_t n) {{ memcpy(to, from, {size}); }}
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {{
    {held} one[4] = {{ 0 }}, two[4];
    copy(two, one, __VERIFIER_nondet_ulong());
}}
"""


def is_limited(held: str, size: str) -> bool:
    program = lowered(INCLUDES + COPY.format(held=held, size=size))
    failures = [location.failure for location in program.locations]
    return any(each is not None and IN_PARTS in each.message for each in failures)


@pytest.mark.parametrize(
    ("held", "size"),
    [
        ("int", "n * sizeof(int)"),
        ("int", "n * sizeof *to + sizeof *to"),
        ("int", "sizeof *to * (n - 1)"),
        ("long", "n * 16"),
        ("char", "n"),
    ],
)
def test_products_are_whole_objects(held: str, size: str) -> None:
    assert not is_limited(held, size)


@pytest.mark.parametrize(
    ("held", "size"),
    [
        ("int", "n"),
        ("int", "n * 2"),
        ("int", "n * sizeof *to + 1"),
        ("int", "n * sizeof *to / 2"),
        ("int", "n + sizeof *to"),
        ("struct three", "n * sizeof *to"),
    ],
)
def test_others_may_end_inside_of_one(held: str, size: str) -> None:
    """A product that wraps around need not be a multiple of 12."""
    assert is_limited(held, size)


def test_as_many_are_copied() -> None:
    before = "static void copy(int *to, int *from, size_t n) { memcpy(to, from, n * sizeof *to); }"
    body = "int a[3] = { 1, 2, 3 }, b[3] = { 0 }; copy(b, a, 2);"
    assert holds(f"{body} assert(b[0] == 1 && b[1] == 2 && b[2] == 0);", before)
