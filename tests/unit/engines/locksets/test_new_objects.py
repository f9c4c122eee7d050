"""Objects that are allocated for a thread and in a list as well: each thread has its own.

What a thread finds by its argument no other one does, although others may find it by the list.
Each case changes one thing; those in which two threads may get one object must not be proved.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
struct conn { int fd; long bytes; struct conn *next; };
static struct conn *conns, *last;
static int many = 3;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *serve(void *a)
{
    struct conn *c = a;
    for (int i = 0; i < c->fd; i++)
        c->bytes++;
    WORK
    return 0;
}
static void start(struct conn *c) { pthread_t t; pthread_create(&t, 0, serve, c); }
static void *other(void *a) { OTHER return a; }
static void add(struct conn *c)
{
    pthread_mutex_lock(&m);
    c->next = conns;
    conns = c;
    ADD
    pthread_mutex_unlock(&m);
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&u, 0, other, 0);
    struct conn *kept = malloc(sizeof *kept);
    struct conn *c = kept;
    if (!kept)
        return 1;
    kept->fd = many; kept->bytes = 0;
    FIRST
    for (int i = 0; i < many; i++) {
        ALLOCATE
        ADDED
        START
    }
    return 0;
}
"""
USUAL = {
    "WORK": "",
    "OTHER": "",
    "ALLOCATE": """c = malloc(sizeof *c);
        if (!c) break;
        c->fd = i; c->bytes = 0;""",
    "ADDED": "add(c);",
    "START": "pthread_create(&t, 0, serve, c);",
    "FIRST": "",
    "ADD": "",
}
RIGHT = {
    "in a list": {},
    "calloc": {"ALLOCATE": "c = calloc(1, sizeof *c); if (!c) break; c->fd = i;"},
    "under a condition": {"START": "if (i > 1) pthread_create(&t, 0, serve, c);"},
    "a copy": {"START": "struct conn *d = c; pthread_create(&t, 0, serve, d);"},
    "others walk the list": {
        "OTHER": """pthread_mutex_lock(&m); int k = 0;
            for (struct conn *c = conns; c; c = c->next) k++; pthread_mutex_unlock(&m);"""
    },
}
NOT_PROVED = {
    "one for all": {"ALLOCATE": ""},
    "one for some": {"ALLOCATE": "if (i % 2) { " + USUAL["ALLOCATE"] + " }"},
    "twice": {"START": USUAL["START"] * 2},
    "one kept before": {"START": USUAL["START"] + "pthread_create(&t, 0, serve, kept);"},
    "taken from the list": {"START": "c = conns; pthread_create(&t, 0, serve, c);"},
    "from the list by another thread": {
        "OTHER": "pthread_t t; pthread_mutex_lock(&m); if (conns) "
        "pthread_create(&t, 0, serve, conns); pthread_mutex_unlock(&m);"
    },
    "by a copy in the list's function": {"ADD": "pthread_t t; pthread_create(&t, 0, serve, c);"},
    "by a function": {"ADDED": "add(c); start(c);"},
    "in the next round": {
        "START": "if (last) pthread_create(&t, 0, serve, last); last = c;"
        "pthread_create(&t, 0, serve, c);"
    },
    "the thread writes what the list leads to": {
        "WORK": "pthread_mutex_lock(&m); for (c = conns; c; c = c->next) c->bytes = 0;"
        "pthread_mutex_unlock(&m);"
    },
    "others write it": {
        "OTHER": "pthread_mutex_lock(&m); if (conns) conns->bytes = 0; pthread_mutex_unlock(&m);"
    },
    "allocated after it was passed": {
        "ALLOCATE": "",
        "START": USUAL["START"] + "if (i > 0) { " + USUAL["ALLOCATE"] + " }",
    },
}


def left(case: dict[str, str]) -> list[str]:
    program = PROGRAM
    for name, part in (USUAL | case).items():
        program = program.replace(name, part)
    found = loaded(program).program
    options = CheckOptions(properties=("races",), engine="locksets")
    [races] = check_loaded("t.c", lambda: found, options, in_process=True).properties
    if races.verdict.value == "SAFE":
        return []
    assert races.part is not None, races.reason
    return [each.name for each in races.part.locations if not each.is_proved]


@pytest.mark.parametrize("case", RIGHT)
def test_each_thread_has_its_own_object(case: str) -> None:
    assert not [name for name in left(RIGHT[case]) if "bytes" in name]


@pytest.mark.parametrize("case", NOT_PROVED)
def test_two_threads_may_have_one_object(case: str) -> None:
    assert [name for name in left(NOT_PROVED[case]) if "bytes" in name]
