"""Records in unions that are copied, filled or passed as a whole are accesses to their unions.

Which member was written last was noted for single numbers and pointers only. A record that was
assigned to a member left the other members as they were (wrong SAFE of assertions), and raced with
none of their accesses (wrong SAFE of races), by every engine: the program of record was wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
struct pair { short a, b; };
union bits { struct pair p; char c[4]; int n; };
union bits u, v, several[3];
struct { int before; union bits inner; } outer;
union { struct { int a[40]; } p; char c[160]; } large;
struct pair one = {1, 1};
static struct pair made(void) { struct pair p = {1, 1}; return p; }
static short first(struct pair p) { return p.a; }
"""
WRITES = {
    "a variable": "u.p = one;",
    "a member": "v.p = one; u.p = v.p;",
    "a pointer": "union bits *q = &u; q->p = one;",
    "a pointer to the member": "struct pair *q = &u.p; *q = one;",
    "a literal": "u.p = (struct pair){1, 1};",
    "a result": "u.p = made();",
    "memcpy": "memcpy(&u.p, &one, sizeof one);",
    "memset": "memset(&u.p, 1, sizeof u.p);",
    "characters": 'memcpy(u.c, "\\1\\1\\1", 4);',
    "scanf": 'scanf("%d", &u.n);',
}
WHOLE = [case for case in WRITES if case not in ("characters", "scanf")]
READS = {
    "assigned": "struct pair p; p = u.p; value = p.a;",
    "initial": "struct pair p = u.p; value = p.a;",
    "passed": "value = first(u.p);",
    "to another union": "v.p = u.p; value = v.p.a;",
    "memcpy": "struct pair p; memcpy(&p, &u.p, sizeof p); value = p.a;",
}
CONFLICTS = {
    "written": ("u.p = one;", "u.c[3] = 1;"),
    "read": ("struct pair p = u.p;", "u.c[3] = 1;"),
    "passed": ("first(u.p);", "u.n = 1;"),
    "filled": ("memset(&u.p, 0, sizeof u.p);", "u.c[0] = 1;"),
    "written out": ("write(1, &u.p, sizeof u.p);", "u.c[0] = 1;"),
    "nested": ("outer.inner.p = one;", "outer.inner.c[1] = 1;"),
    "in a loop": ("for (int i = 0; i < 3; i++) several[i].p = one;", "several[1].n = 2;"),
}


def _verdict(folder: Path, text: str, checked: str) -> str:
    path = folder / "union.c"
    path.write_text(HEAD + text)
    asked = threadwise.check(path, properties=checked, engine="explicit", in_process=True)
    return asked.verdict.value


@pytest.mark.parametrize("case", WRITES)
def test_what_is_written_as_a_whole_changes_the_other_members(case: str, tmp_path: Path) -> None:
    other = "u.n" if case == "characters" else "u.c[0]"
    text = f"int main(void) {{ {other} = 7; {WRITES[case]} assert({other} == 7); return 0; }}"
    assert _verdict(tmp_path, text, "assertions") == "UNKNOWN"


@pytest.mark.parametrize("case", WHOLE)
def test_what_was_written_as_a_whole_is_there(case: str, tmp_path: Path) -> None:
    """If that is the active member, its value is exact."""
    byte = 257 if case == "memset" else 1
    text = f"int main(void) {{ u.n = 7; {WRITES[case]} assert(u.p.a == {byte}); return 0; }}"
    assert _verdict(tmp_path, text, "assertions") == "SAFE"


@pytest.mark.parametrize("case", READS)
def test_what_is_read_as_a_whole_may_come_from_another_member(case: str, tmp_path: Path) -> None:
    text = f"""int main(void)
        {{ int value; u.p = one; u.c[0] = 7; {READS[case]} assert(value == 1); return 0; }}"""
    assert _verdict(tmp_path, text, "assertions") == "UNKNOWN"


@pytest.mark.parametrize("case", READS)
def test_what_is_read_as_a_whole_is_what_was_written(case: str, tmp_path: Path) -> None:
    text = f"""int main(void)
        {{ int value; u.c[0] = 7; u.p = one; {READS[case]} assert(value == 1); return 0; }}"""
    assert _verdict(tmp_path, text, "assertions") == "SAFE"


@pytest.mark.parametrize("case", CONFLICTS)
def test_members_as_a_whole_race_with_others(case: str, tmp_path: Path) -> None:
    one, other = CONFLICTS[case]
    text = f"""
        static void *f(void *a) {{ {one} return a; }}
        static void *g(void *a) {{ {other} return a; }}
        int main(void)
        {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_create(&t, 0, g, 0); return 0; }}"""
    assert _verdict(tmp_path, text, "races") == "UNSAFE"


@pytest.mark.parametrize(
    ("one", "other"), [("large.p = q;", "large.c[3] = 1;"), ("q = large.p;", "large.c[3] = 1;")]
)
def test_large_members_race_with_others(one: str, other: str, tmp_path: Path) -> None:
    """Which element of the array, a loop says: nobody knows for sure that bytes overlap."""
    text = f"""
        __typeof__(large.p) q;
        static void *f(void *a) {{ {one} return a; }}
        static void *g(void *a) {{ {other} return a; }}
        int main(void)
        {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_create(&t, 0, g, 0); return 0; }}"""
    assert _verdict(tmp_path, text, "races") == "UNKNOWN"


def test_a_union_that_is_copied_to_itself_stays_what_it_was(tmp_path: Path) -> None:
    text = """static void copy(union bits *to, union bits *of) { *to = *of; }
        int main(void) { u.p = one; copy(&u, &u); assert(u.n == 0); return 0; }"""
    assert _verdict(tmp_path, text, "assertions") == "UNKNOWN"
