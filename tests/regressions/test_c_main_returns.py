"""What threads do with the variables of `main` when it has returned is not checked: it is said."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.report.doubts import assumed_doubts

TEXT = """
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
int global;
struct pair { int a, b; pthread_mutex_t lock; };
sem_t done;
void *run(void *p) { WORK return 0; }
int main(void) {
    BODY
    return 0;
}
"""
START = "pthread_t t; pthread_create(&t, 0, run, &x);"
JOIN = "pthread_join(t, 0);"
WRITE = "*(int *)p = 1;"
USED = "threads do not use local variables of main when it has returned"

PROGRAMS = {
    "not joined": (WRITE, f"int x = 0; {START}", 9),
    "joined": (WRITE, f"int x = 0; {START} {JOIN}", None),
    "joined sometimes": (WRITE, f"int x = 0; {START} if (global) {JOIN}", 9),
    "left by pthread_exit": (WRITE, f"int x = 0; {START} pthread_exit(0);", 10),
    "exit": (WRITE, f"int x = 0; {START} exit(0);", None),
    "only joined before exit": (WRITE, f"int x = 0; {START} {JOIN} exit(0);", None),
    "static": (WRITE, f"static int x; {START}", None),
    "global": (WRITE, "pthread_t t; pthread_create(&t, 0, run, &global);", None),
    "not given": (
        "global = 1;",
        "int x = 0; pthread_t t; pthread_create(&t, 0, run, 0); x++;",
        None,
    ),
    "on the heap": (
        WRITE,
        "int *x = malloc(sizeof *x); pthread_t t; if (x) pthread_create(&t, 0, run, x);",
        None,
    ),
    "one of two": (
        WRITE,
        f"int x = 0, y = 0; {START} {JOIN}\npthread_t u; pthread_create(&u, 0, run, &y);",
        9,
    ),
    "two joined": (
        "pthread_mutex_lock(&((struct pair *)p)->lock); ((struct pair *)p)->a++;"
        "pthread_mutex_unlock(&((struct pair *)p)->lock);",
        "struct pair x = { 0, 0, PTHREAD_MUTEX_INITIALIZER }; pthread_t t, u;"
        "pthread_create(&t, 0, run, &x); pthread_create(&u, 0, run, &x);"
        "pthread_join(t, 0); pthread_join(u, 0);",
        None,
    ),
    "two, one joined": (
        "pthread_mutex_lock(&((struct pair *)p)->lock); ((struct pair *)p)->a++;"
        "pthread_mutex_unlock(&((struct pair *)p)->lock);",
        "struct pair x = { 0, 0, PTHREAD_MUTEX_INITIALIZER }; pthread_t t, u;"
        "pthread_create(&t, 0, run, &x); pthread_create(&u, 0, run, &x);"
        "pthread_join(t, 0);",
        9,
    ),
    "threads in an array": (
        "global = 0;",
        "pthread_t t[1]; pthread_create(&t[global], 0, run, 0); global = 0;",
        None,
    ),
    "posted": (
        WRITE + " sem_post(&done);",
        f"int x = 0; sem_init(&done, 0, 0); {START} sem_wait(&done);",
        9,
    ),
}


@pytest.mark.parametrize("engine", ["explicit", "auto"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_assumed_where_a_thread_may_still_run(name: str, engine: str) -> None:
    work, body, line = PROGRAMS[name]
    text = TEXT.replace("WORK", work).replace("BODY", body)
    load = LoadOptions()
    options = CheckOptions(("mutex",), engine, load, Budget(steps=200_000))
    source = [SourceFile("t.c", text)]
    result = check_loaded("t.c", lambda: load_c_sources(source, load), options, in_process=True)
    assert result.verdict.value == "SAFE"
    expected = [] if line is None else [f"{USED} (t.c:{line})"]
    assert assumed_doubts(result) == expected
