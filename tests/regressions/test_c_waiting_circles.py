"""Threads that wait for each other's mutexes are a deadlock even while another thread runs."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <pthread.h>
static pthread_mutex_t a, b;
static _Atomic int stop;
static void *one(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); return 0; }
static void *two(void *p) { pthread_mutex_lock(&%s); pthread_mutex_lock(&%s); return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_mutex_init(&a, 0);
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    while (!stop)
        ;
    pthread_mutex_destroy(&a);
}
"""


@pytest.mark.parametrize(("first", "second"), [("b", "a"), ("a", "b")])
def test_main_spins(first: str, second: str) -> None:
    source = SourceFile("cycle.c", TEXT % (first, second))
    program = load_c([source], COptions()).program
    for engine in ("explicit", "persistent"):
        options = CheckOptions(properties=("deadlocks",), engine=engine)
        result = check_loaded("cycle.c", lambda: program, options, in_process=True)
        assert result.verdict.value == "UNSAFE"


POINTERS = """
#include <pthread.h>
static pthread_mutex_t a, b, *p, *q;
static _Atomic int stop;
static void *one(void *u) { pthread_mutex_lock(p); pthread_mutex_lock(q); return 0; }
static void *two(void *u) { pthread_mutex_lock(%s); pthread_mutex_lock(%s); return 0; }
int main(void)
{
    pthread_t t, u;
    p = &a;
    q = &b;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    while (!stop)
        ;
}
"""
JOINS = """
#include <pthread.h>
static pthread_t t, u;
static _Atomic int go, stop;
static void *one(void *p) { while (!go); pthread_join(%s, 0); return 0; }
static void *two(void *p) { while (!go); pthread_join(%s, 0); return 0; }
int main(void)
{
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    go = 1;
    while (!stop)
        ;
}
"""


@pytest.mark.parametrize(
    ("text", "names", "verdict"),
    [
        (POINTERS, ("q", "p"), "UNSAFE"),
        (POINTERS, ("p", "q"), "UNSAFE"),
        (JOINS, ("u", "t"), "UNSAFE"),
        (JOINS, ("u", "u"), "SAFE"),
    ],
)
def test_what_a_thread_cannot_do_is_no_way_out(
    text: str, names: tuple[str, str], verdict: str
) -> None:
    """A case for each target of a pointer, and a failure beside a join, hid cycles: SAFE once."""
    program = load_c([SourceFile("cycle.c", text % names)], COptions()).program
    for engine in ("explicit", "persistent", "auto"):
        options = CheckOptions(properties=("deadlocks",), engine=engine)
        result = check_loaded("cycle.c", lambda: program, options, in_process=True)
        assert result.verdict.value == verdict
