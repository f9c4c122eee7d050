"""Jumps into loops whose beginning no path leads to; once they ended in an internal error."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import holds


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < 3; i++) { s += 10; in: s++; }",
        "while (i < 3) { s += 10; in: s++; i++; }",
        "do { s += 10; in: s++; i++; } while (i < 3);",
        "for (;; i++) { if (i == 3) break; s += 10; in: s++; }",
        "while (1) { s += 10; if (0) { in: ; } s++; if (++i == 3) break; }",
        "for (; i < 3; i++) { s += 10; switch (i) { in: default: s++; } }",
        "for (; i < 3; i++) for (int j = 0; j < 1; j++) { s += 10; in: s++; j = 0; }",
    ],
)
def test_goto(loop: str) -> None:
    assert holds(f"int i = 0, s = 0; goto in; {loop} assert(s == 23);")


def test_switch() -> None:
    loop = "switch (1) { for (; i < 3; i++) { s += 10; case 1: s++; } }"
    assert holds(f"int i = 0, s = 0; {loop} assert(s == 23);")


def test_nested_loops() -> None:
    loop = "for (i = 0; i < 2; i++) { for (j = 0; j < 2; j++) { s += 10; in: s++; } }"
    assert holds(f"int i = 0, j = 0, s = 0; goto in; {loop} assert(s == 34);")


def test_behind_a_return() -> None:
    before = "int f(int k) { if (k) goto in; return 1; while (k < 3) { k++; in: k++; } return k; }"
    assert holds("assert(f(1) == 4 && f(0) == 1);", before)
