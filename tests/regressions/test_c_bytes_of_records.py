"""A record that begins with an array of characters is accessed byte by byte.

    char *p = (char *)&h; for (i = 0; i < sizeof h; i++) p[i] = 0;

Locksets took the pointer for one into the array, in which it stays: what lies behind the array
was accessed by nobody (wrong SAFE), and the limit of the model there was out of reach. A pointer
that was made of an element of the array stays in it, wherever it is kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.results.verdict import Verdict

PROGRAM = """#include <pthread.h>
#include <stdlib.h>
#include <string.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct head { char magic[4]; REST; };
struct head h, k;
struct { struct head in[2]; } pair;
char *keep;
void *any;
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
    h.n = e->n = k.n = pair.in[0].n = 1;
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
OTHERS = {
    "an element of it as bytes": "char *p = &((char *)&h)[0]; clear(p, sizeof h);",
    "as a longer array": "char (*row)[8] = (void *)e; clear(*row, sizeof *e);",
    "as several arrays": "char (*row)[4] = (void *)e; row++; clear(*row, sizeof *e - 4);",
    "kept with another": "keep = e->magic; keep = (char *)e; clear(keep, sizeof *e);",
    "kept by void": "any = e->magic; any = e; keep = any; keep += 4; *keep = 1;",
    "one or the other": "char *p = e->n ? e->magic : (char *)e; clear(p, sizeof *e);",
    "the record of an array": "struct head *f = (void *)e->magic; clear((char *)f, sizeof *f);",
    "the member behind it": "struct head *f = (void *)e->magic; f->n = 2;",
    "by a number": "unsigned long u = (unsigned long)e->magic; clear((char *)u, sizeof *e);",
    "several records": "clear((char *)pair.in, sizeof pair);",
}
IN_ARRAY = {
    "indexed": "for (int i = 0; i < 4; i++) e->magic[i] = 0;",
    "moved": "for (int i = 0; i < 4; i++) *(e->magic + i) = 0;",
    "a function": "clear(e->magic, 4); clear(h.magic, 4);",
    "kept": "keep = e->magic; keep++; *keep = 1;",
    "by void": "any = e->magic; char *p = any; p++; *p = 1;",
    "in an element": "clear(pair.in[1].magic, 4);",
    "in a text": 'strcpy(e->magic, "abc"); char *p = strchr(e->magic, 98); if (p) *p = 1;',
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


@pytest.mark.parametrize("walk", OTHERS)
def test_pointers_to_records_are_no_pointers_to_their_arrays(tmp_path: Path, walk: str) -> None:
    assert verdict(tmp_path, "char n", OTHERS[walk], "locksets") is Verdict.UNKNOWN


@pytest.mark.parametrize("walk", WALKS)
def test_bytes_behind_an_array_race(tmp_path: Path, walk: str) -> None:
    assert verdict(tmp_path, "char n", WALKS[walk], "explicit") is Verdict.UNSAFE


@pytest.mark.parametrize("walk", IN_ARRAY)
def test_elements_of_the_array_are_no_others(tmp_path: Path, walk: str) -> None:
    assert verdict(tmp_path, "int n", IN_ARRAY[walk], "locksets") is Verdict.SAFE
