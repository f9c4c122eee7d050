"""Initialisers, as the standard reads them (C17 6.7.9)."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, checked

BEFORE = """
struct point { int x, y; };
struct line { struct point from, to; int tags[3]; };
union value { int number; struct point place; };
int braced = {7};
int grid[2][3] = {1, 2, 3, 4};
int parts[2][3] = {{1}, {4, 5}};
int jumps[6] = {[4] = 9, 10, [1] = 2};
struct line flat = {1, 2, 3, 4, 5};
struct line named = {.to = {.y = 6}, .tags = {[2] = 8}};
struct line mixed = {{1}, 2, 3, {4}};
union value held = {.place = {3, 4}};
char text[4] = "ab", exact[2] = "ab", listed[] = {'a', 0};
static int zero[2];
"""
HELD = [
    "braced == 7",
    "grid[0][2] == 3 && grid[1][0] == 4 && grid[1][1] == 0",
    "parts[0][0] == 1 && parts[0][1] == 0 && parts[1][1] == 5 && parts[1][2] == 0",
    "jumps[0] == 0 && jumps[1] == 2 && jumps[4] == 9 && jumps[5] == 10",
    "flat.from.x == 1 && flat.to.y == 4 && flat.tags[0] == 5 && flat.tags[1] == 0",
    "named.from.x == 0 && named.to.x == 0 && named.to.y == 6 && named.tags[2] == 8",
    "mixed.from.x == 1 && mixed.from.y == 0 && mixed.to.x == 2 && mixed.to.y == 3",
    "mixed.tags[0] == 4",
    "held.place.x == 3 && held.place.y == 4",
    "text[0] == 'a' && text[1] == 'b' && text[2] == 0 && text[3] == 0",
    "exact[1] == 'b' && sizeof listed == 2 && listed[1] == 0",
    "zero[0] == 0 && zero[1] == 0",
]


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
def test_initial_values(local: bool) -> None:
    checks = " ".join(f"assert({each});" for each in HELD)
    outside, inside = ("", BEFORE) if local else (BEFORE, "")
    text = f"{INCLUDES}{outside}\nint main(void) {{ {inside} {checks} return 0; }}\n"
    result = checked(text, "assertions")
    told = [(each.name, each.verdict.value, each.reason) for each in result.properties]
    assert result.verdict.value == "SAFE", told
    assert len(told) == len(HELD)
