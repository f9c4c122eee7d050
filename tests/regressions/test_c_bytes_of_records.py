"""A record that begins with an array of characters is accessed byte by byte.

    char *p = (char *)&h; for (i = 0; i < sizeof h; i++) p[i] = 0;

Locksets took the pointer for one into the array, in which it stays: what lies behind the array
was accessed by nobody (wrong SAFE), and the limit of the model there was out of reach.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.results.verdict import Verdict

PROGRAM = """#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct head { char magic[4]; REST; };
struct head h, k;
void clear(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }
void copy(char *p, const char *q, int n) { while (n--) *p++ = *q++; }
void *thread(void *a)
{
    struct head *e = a;
    pthread_mutex_lock(&m);
    BODY
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    struct head *e = calloc(1, sizeof *e);
    if (!e) return 0;
    pthread_t t;
    pthread_create(&t, 0, thread, e);
    h.n = e->n = k.n = 1;
    return 0;
}
"""
WALKS = {
    "a loop": "char *p = (char *)&h; for (int i = 0; i < sizeof h; i++) p[i] = 0;",
    "a function": "clear((char *)&h, sizeof h);",
    "on the heap": "clear((char *)e, sizeof *e);",
    "copied": "copy((char *)&h, (char *)&k, sizeof h);",
    "by void": "void *v = &h; char *p = v; for (int i = 0; i < sizeof h; i++) *p++ = 0;",
}


def verdict(folder: Path, rest: str, body: str, engine: str) -> Verdict:
    path = folder / "bytes.c"
    path.write_text(PROGRAM.replace("REST", rest).replace("BODY", body))
    asked = threadwise.check(path, properties="races", engine=engine, in_process=True)
    assert not asked.defects
    return asked.verdict


@pytest.mark.parametrize("rest", ["int n", "char n"])
@pytest.mark.parametrize("walk", WALKS)
def test_all_bytes_of_a_record_are_accessed(tmp_path: Path, walk: str, rest: str) -> None:
    assert verdict(tmp_path, rest, WALKS[walk], "locksets") is Verdict.UNKNOWN


@pytest.mark.parametrize("walk", WALKS)
def test_bytes_behind_an_array_race(tmp_path: Path, walk: str) -> None:
    assert verdict(tmp_path, "char n", WALKS[walk], "explicit") is Verdict.UNSAFE


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 4; i++) e->magic[i] = 0;",
        "for (int i = 0; i < 4; i++) *(e->magic + i) = 0;",
    ],
)
def test_elements_of_the_array_are_no_others(tmp_path: Path, body: str) -> None:
    assert verdict(tmp_path, "int n", body, "locksets") is Verdict.SAFE
