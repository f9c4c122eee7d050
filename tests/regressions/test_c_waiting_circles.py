"""Threads that wait for each other's mutexes are a deadlock even while another thread runs."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver import CheckOptions, check_loaded
from threadwise.frontends.c import load_c
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
    source = SourceFile("circle.c", TEXT % (first, second))
    program = load_c([source], COptions()).program
    for engine in ("explicit", "persistent"):
        options = CheckOptions(properties=("deadlocks",), engine=engine)
        result = check_loaded("circle.c", lambda: program, options, in_process=True)
        assert result.verdict.value == "UNSAFE"
