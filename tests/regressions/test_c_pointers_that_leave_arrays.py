"""Pointers are moved out of an array that lies in a larger object.

    pthread_mutex_t *l = &t.head[0] + k;

with a negative `k` led into the member before `head`; proofs say that pointers stay in arrays, and
audits refuted them. C gives no meaning to what such a run does: it refutes nothing, shows no race,
and the answer is UNKNOWN with the line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.driver.verdicts.presumptions import LEAVES_ARRAY

PROGRAM = """#include <pthread.h>
#include <stdlib.h>
#include <stddef.h>
struct item { int left, right; };
struct one { int only; };
struct table {
    int n, head[4], next[4], x; struct item items[3]; char c; struct one ones[2];
    int m[2][3], y, *p;
};
struct table t;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *next(int *p) { return p + 1; }
void set(int *p, int k) { *(p + k) = 1; }
void *thread(void *arg)
{
    struct table *h = arg;
    pthread_mutex_lock(&lock);
    BODY
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t id;
    struct table *h = calloc(2, sizeof *h);
    if (!h) return 0;
    pthread_create(&id, 0, thread, h);
    t.n = 1; t.x = 1; t.next[0] = t.next[1] = 1; t.items[1].left = 1; t.y = 1; t.m[1][2] = 1;
    h[0].n = 1; h[1].n = 1; h[0].y = 1;
    return 0;
}
"""
LEAVING = {
    "loop backwards": "for (int *l = &t.head[3], i = 0; i < 5; i++) *l-- = 1;",
    "loop forwards": "int *l = t.head; for (int i = 0; i < 5; i++) *l++ = 1;",
    "through a parameter": "set(&t.head[1], -2);",
    "on the heap": "int *q = &h->head[3]; for (int i = 0; i < 5; i++) *q-- = 1;",
    "in the second of two": "int *q = &h[1].head[3]; for (int i = 0; i < 5; i++) *q-- = 1;",
    "from behind the end": "int *q = t.head + 4; for (int i = 0; i < 5; i++) *--q = 1;",
    "elements of one member": "int *q = &t.ones[1].only; q += 8; *q = 1;",
    "behind a matrix": "int *q = &t.m[1][2]; q++; *q = 1;",
    "followed behind the end": "for (int *q = t.head; q <= t.head + 4; q++) *q = 1;",
    "followed by a function": "set(t.head, 4);",
    "returned from a function": "*next(&t.head[3]) = 1;",
    "kept in memory": "t.p = &t.head[4]; *t.p = 1;",
    "one array behind another": "int *q = t.head + 3; q++; q += 1; *q = 1;",
}
STAYING = {
    "a row of a matrix": "int *q = &t.m[0][2]; for (int i = 0; i < 4; i++) *q++ = 1;",
    "elements of an array": "struct item *q = t.items; q++; q->left = 1;",
    "backwards from the end": "struct item *q = t.items + 3; q -= 2; q->left = 1;",
    "the second of two arrays": "int *q = t.next; q++; q--; *q = 1; *(t.next + 1) = 1;",
    "from behind the first of two": "int *q = &t.head[4]; q--; *q = 1; t.next[0] = 1;",
    "right behind an array": "int *q = &t.x; *q = 1;",
    "of the whole object": "struct table *q = h + 2; q--; q->n = 1;",
    "members beside each other": "int *q = &t.items[1].right; q--; *q = 1;",
}


def answer(folder: Path, statement: str, engine: str) -> tuple[str, str]:
    path = folder / "arrays.c"
    path.write_text(PROGRAM.replace("BODY", statement))
    asked = threadwise.check(path, properties="races", engine=engine, in_process=True)
    assert not asked.defects
    return asked.verdict.value, str(asked.properties[0].blockers)


@pytest.mark.parametrize("engine", ["locksets", "explicit"])
@pytest.mark.parametrize("case", LEAVING)
def test_who_leaves_an_array_is_told_where(tmp_path: Path, case: str, engine: str) -> None:
    verdict, told = answer(tmp_path, LEAVING[case], engine)
    assert verdict == "UNKNOWN"
    if engine == "explicit":
        assert (
            LEAVES_ARRAY in told or f"arrays.c:{13 if 'set(' in LEAVING[case] else 18}: " in told
        )


@pytest.mark.parametrize("case", STAYING)
def test_who_stays_races(tmp_path: Path, case: str) -> None:
    assert answer(tmp_path, STAYING[case], "explicit")[0] == "UNSAFE"


def test_an_address_before_its_variable_is_somewhere_in_it(tmp_path: Path) -> None:
    """Members are subtracted that lie before the second element: a constant before `t`."""
    moved = "int *q = arg; struct table *s = (void *)((char *)&t.head[1] - 8); s->n = *q;"
    assert answer(tmp_path, moved, "locksets")[0] == "UNKNOWN"
