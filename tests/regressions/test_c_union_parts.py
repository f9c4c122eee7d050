"""Parts of one member of a union are different memory: no race of theirs is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise

PROGRAM = """
#include <pthread.h>
union { struct { int a, b; } s; long l; char c[8]; } v;
int seen;
void *one(void *unused) { ONE; return 0; }
void *two(void *unused) { TWO; return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    return 0;
}
"""


def verdict(folder: Path, one: str, two: str) -> str:
    path = folder / "union.c"
    path.write_text(PROGRAM.replace("ONE", one).replace("TWO", two))
    asked = threadwise.check(path, properties="races", engine="explicit", in_process=True)
    return asked.verdict.value


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("v.s.a = 1", "v.s.b = 1"),
        ("v.s.a = 1", "seen = v.s.b"),
        ("v.c[0] = 1", "v.c[1] = 1"),
    ],
)
def test_no_race_between_parts_of_one_member(one: str, two: str, tmp_path: Path) -> None:
    """UNSAFE once, because both name the active member."""
    assert verdict(tmp_path, one, two) == "UNKNOWN"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("v.s.a = 1", "v.s.a = 2"),
        ("v.s.a = 1", "seen = v.s.a"),
        ("v.s.a = 1", "v.c[2] = 1"),
        ("v.s.b = 1", "v.l = 1"),
        ("v.l = 1", "v.l = 2"),
        ("v.l = 1", "seen = v.s.b"),
    ],
)
def test_what_overlaps_races(one: str, two: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, one, two) == "UNSAFE"
