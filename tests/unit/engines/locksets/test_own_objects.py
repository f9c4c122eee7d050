"""Threads that get an object each: in one statement or several, of one site or several."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

HEAD = (
    INCLUDES
    + """
#include <stdlib.h>
struct job { int n; int sum; struct job *next; };
struct job *global;
static struct job *new_job(int n)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        exit(1);
    j->n = n;
    j->sum = 0;
    j->next = 0;
    return j;
}
static struct job *cached(void)
{
    if (!global)
        global = new_job(1);
    return global;
}
"""
)
MAIN = """
int main(int argc, char **argv)
{
    pthread_t a, b;
    struct job *x, *y, *z;
    BODY
    return 0;
}
"""
ADD = "void *f(void *p) { struct job *j = p; j->sum += j->n; return 0; }"
ADD_AND_FREE = "void *f(void *p) { struct job *j = p; j->sum += j->n; free(j); return 0; }"
OF_NEXT = (
    "void *f(void *p) { struct job *j = p; j->sum++; if (j->next) j->next->sum++; return 0; }"
)
FOR_EVER = "void *f(void *p) { struct job *j = p; for (;;) j->sum++; return 0; }"
KEEPS = "void *f(void *p) { struct job *j = p; global = j; j->sum++; return 0; }"
BY_GLOBAL = (
    "void *f(void *p) { struct job *j = p; j->sum++; if (global) global->sum++; return 0; }"
)
PASSES_ON = """
void *f(void *p)
{
    struct job *j = p;
    if (j->n-- > 0) { pthread_t t; pthread_create(&t, 0, f, j); j->sum++; }
    return 0;
}"""
SPAWNS = """
void *g(void *p) { struct job *j = p; j->sum++; free(j); return 0; }
void *f(void *p)
{
    pthread_t t;
    struct job *j = new_job(2);
    j->sum = 1;
    pthread_create(&t, 0, g, j);
    return 0;
}"""
SPAWNS_ONE_TWICE = SPAWNS.replace(
    "pthread_create(&t, 0, g, j);", "pthread_create(&t, 0, g, j); pthread_create(&t, 0, g, j);"
)
TWO = "x = new_job(1); y = new_job(2); "
JOIN = " pthread_join(a, 0); pthread_join(b, 0); "
RIGHT = {
    "in two statements": (
        ADD,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); {JOIN} "
        "x->sum += y->sum;",
    ),
    "freed by the threads": (
        ADD_AND_FREE,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); {JOIN}",
    ),
    "the second one is made later": (
        ADD,
        f"x = new_job(1); pthread_create(&a, 0, f, x); y = new_job(2); y->sum = 3; "
        f"pthread_create(&b, 0, f, y); {JOIN} free(x); free(y);",
    ),
    "of two sites": (
        ADD,
        "x = new_job(1); y = malloc(sizeof *y); if (!y) return 1; y->n = 1; y->sum = 0; "
        f"pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); {JOIN} x->sum += y->sum;",
    ),
    "of threads that never end": (
        FOR_EVER,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); {JOIN}",
    ),
    "started by threads": (SPAWNS, "pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);"),
}
NEAR_MISSES = {
    "one object twice": (
        ADD,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, x);",
    ),
    "one object twice, for ever": (
        FOR_EVER,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, x);",
    ),
    "one object by two names": (
        ADD,
        f"{TWO} z = x; pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, z);",
    ),
    "perhaps one object": (
        ADD,
        f"{TWO} if (argc > 1) z = x; else z = new_job(3); "
        "pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, z);",
    ),
    "one object in a loop": (
        ADD,
        f"{TWO} for (int i = 0; i < argc; i++) pthread_create(&a, 0, f, x);",
    ),
    "the one before once more": (
        ADD,
        "z = new_job(1); for (int i = 0; i < argc; i++) { y = new_job(i); "
        "pthread_create(&a, 0, f, z); z = y; pthread_create(&b, 0, f, y); }",
    ),
    "one leads to the other": (
        OF_NEXT,
        f"{TWO} x->next = y; pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y);",
    ),
    "both lead to a third": (
        OF_NEXT,
        f"{TWO} x->next = y->next = new_job(3); "
        "pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y);",
    ),
    "the first thread writes": (
        ADD,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); x->sum = 1;",
    ),
    "the first thread frees": (
        ADD,
        f"{TWO} pthread_create(&a, 0, f, x); free(x); pthread_create(&b, 0, f, y);",
    ),
    "one is joined only": (
        ADD,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); pthread_join(a, 0); "
        "y->sum = 1;",
    ),
    "found in a variable": (
        BY_GLOBAL,
        f"{TWO} global = x; pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y);",
    ),
    "a thread keeps it": (
        KEEPS,
        f"{TWO} pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y);",
    ),
    "made once only": (
        ADD,
        "x = cached(); y = cached(); pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y);",
    ),
    "a thread passes its own on": (PASSES_ON, "x = new_job(3); pthread_create(&a, 0, f, x);"),
    "a thread gives one twice": (SPAWNS_ONE_TWICE, "pthread_create(&a, 0, f, 0);"),
}


def is_proved(threads: str, body: str) -> bool:
    program = loaded(HEAD + threads + MAIN.replace("BODY", body)).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for finding in LocksetEngine().run(Task(program, races)):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            return True
    return False


@pytest.mark.parametrize(("threads", "body"), RIGHT.values(), ids=RIGHT)
def test_objects_of_their_own(threads: str, body: str) -> None:
    assert is_proved(threads, body)


@pytest.mark.parametrize(("threads", "body"), NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_objects_that_are_shared(threads: str, body: str) -> None:
    assert not is_proved(threads, body)
