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


MEMBERS = """
union {
    struct { int a, b; } s;
    struct { int a, c; } r;
    struct { char x; int y; } gap;
    struct __attribute__((packed)) { char x; int y; } tight;
    struct { char x; _Alignas(4) char y; } wide;
    struct { struct { int k; } in[2]; int *p; int after; } deep;
    union { int n; char c[4]; } inner;
    int *p;
    long l;
    char c[32];
} v;
"""


def verdict_of_members(folder: Path, one: str, two: str) -> str:
    path = folder / "members.c"
    before, _, after = PROGRAM.partition("union {")
    text = before + MEMBERS + after.partition(" v;")[2]
    path.write_text(text.replace("ONE", one).replace("TWO", two))
    asked = threadwise.check(path, properties="races", engine="explicit", in_process=True)
    return asked.verdict.value


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("v.s.a = 1", "v.r.c = 1"),
        ("v.s.b = 1", "v.c[3] = 1"),
        ("v.c[2] = 1", "seen = v.r.c"),
        ("v.gap.y = 1", "v.c[1] = 1"),
        ("v.tight.y = 1", "v.c[5] = 1"),
        ("v.tight.y = 1", "v.c[7] = 1"),
        ("v.wide.y = 1", "v.c[1] = 1"),
        ("v.deep.in[1].k = 1", "v.s.a = 1"),
        ("v.inner.c[1] = 1", "v.c[2] = 1"),
        ("v.inner.c[1] = 1", "v.r.c = 1"),
        ("v.inner.c[0] = 1", "v.inner.c[1] = 1"),
        ("v.deep.after = 1", "v.l = 1"),
        ("for (int i = 0; i < 2; i++) v.c[i] = 1", "v.c[2] = 1"),
        ("for (int i = 0; i < 4; i++) v.c[i] = 1", "v.s.b = 1"),
    ],
)
def test_no_race_between_other_bytes_of_two_members(one: str, two: str, tmp_path: Path) -> None:
    """UNSAFE once, because any two members counted as the same memory."""
    assert verdict_of_members(tmp_path, one, two) != "UNSAFE"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("v.s.a = 1", "v.r.a = 1"),
        ("v.s.b = 1", "v.r.c = 1"),
        ("v.s.b = 1", "v.c[7] = 1"),
        ("v.gap.y = 1", "v.c[4] = 1"),
        ("v.gap.x = 1", "seen = v.p != 0"),
        ("v.p = &seen", "v.l = 1"),
        ("v.deep.in[1].k = 1", "v.s.b = 1"),
        ("v.inner.c[1] = 1", "v.s.a = 1"),
        ("v.inner.c[1] = 1", "v.inner.n = 1"),
        ("v.deep.in[1].k = 1", "v.l = 1"),
    ],
)
def test_common_bytes_of_two_members_race(one: str, two: str, tmp_path: Path) -> None:
    assert verdict_of_members(tmp_path, one, two) == "UNSAFE"
