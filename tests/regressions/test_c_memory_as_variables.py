"""Programs with pointers, and the same without: they fail in the same ways."""

from __future__ import annotations

import pytest

from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.resolving import resolved
from threadwise.ir.check.validate import validate
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, RaceProperty
from threadwise.proofs.simplified.check import is_verified

TEXT = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
static unsigned below(unsigned n) {{
    unsigned i = __VERIFIER_nondet_int(); __VERIFIER_assume(i < n); return i;
}}
struct pair {{ int one, two; }};
struct node {{ int value; struct node *next; }};
struct box {{ pthread_mutex_t lock; int value; int *where; }};
int x, y, a[3];
struct pair pairs[3];
struct box box = {{ PTHREAD_MUTEX_INITIALIZER }};
struct node *head;
int *shared, **handle = &shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, locks[2];
pthread_t t, u;
{before}
void *work(void *argument) {{ {work} return 0; }}
int main(void) {{ {main} }}
"""

RUN = "pthread_create(&t, 0, work, 0); "
JOIN = "pthread_join(t, 0); "
TWO = "pthread_create(&t, 0, work, {}); pthread_create(&u, 0, work, {}); "
BOTH = "pthread_join(t, 0); pthread_join(u, 0); "
WITH = TWO + BOTH

PROGRAMS = [
    # aliases
    ("*shared = 1;", "shared = below(2) ? &x : &y; " + RUN + JOIN + "assert(x + y == 1);"),
    ("*shared = 1;", "shared = below(2) ? &x : &y; " + RUN + JOIN + "assert(x == 1);"),
    ("**handle = 2;", "shared = &a[below(3)]; " + RUN + JOIN + "assert(*shared == 2);"),
    ("**handle = 2;", "shared = &a[below(3)]; " + RUN + JOIN + "assert(a[1] == 2);"),
    ("shared = &y;", "shared = &x; " + RUN + "*shared = 1; " + JOIN + "assert(x || y);"),
    ("shared = &y;", "shared = &x; " + RUN + "*shared = 1; " + JOIN + "assert(x);"),
    # pointers as arguments: to locals, elements, members
    ("++*(int *)argument;", "int v = 1; " + WITH.format("&v", "&v") + "assert(v >= 2);"),
    ("++*(int *)argument;", "int v = 1; " + WITH.format("&v", "&v") + "assert(v == 3);"),
    (
        "*(int *)argument = 4;",
        "int own[2]; " + WITH.format("&own[0]", "&own[1]") + "assert(own[0] == own[1]);",
    ),
    (
        "struct pair *p = argument; p->two = p->one + 1;",
        "unsigned i = below(3); pairs[i].one = 6; "
        + WITH.format("&pairs[i]", "&pairs[0]")
        + "assert(pairs[i].two == 7);",
    ),
    (
        "struct pair *p = argument; p->two = p->one + 1;",
        "unsigned i = below(3); pairs[i].one = 6; "
        + WITH.format("&pairs[i]", "&pairs[0]")
        + "assert(pairs[0].two == 7);",
    ),
    # ends of arrays, null, differences, offsets below zero
    ("for (int *p = a; p != a + 3; p++) *p = 1;", RUN + JOIN + "assert(a[0] + a[2] == 2);"),
    ("for (int *p = a; p <= &a[2]; p++) *p = 1;", RUN + JOIN + "assert(a[2] == 1);"),
    ("int *p = a + 3; shared = p; *shared = 1;", RUN + JOIN + "assert(x);"),
    ("if (shared) *shared = 1;", RUN + "shared = &x; " + JOIN + "assert(!x || shared);"),
    ("if (shared) *shared = 1;", RUN + "shared = &x; " + JOIN + "assert(x);"),
    ("shared = a + 2; shared[-1] = 3;", RUN + JOIN + "assert(a[1] == 3 && shared - a == 2);"),
    ("shared = a + below(4);", RUN + JOIN + "assert(shared - a < 3);"),
    ("shared = a + below(4); *shared = 1;", RUN + JOIN + "assert(a[0] + a[1] + a[2] == 1);"),
    ("*shared = 1;", RUN + JOIN + "assert(x);"),
    # pointers in objects, and to pointers
    ("*box.where = 5;", "box.where = &box.value; " + RUN + JOIN + "assert(box.value == 5);"),
    ("*box.where = 5;", "box.where = &x; " + RUN + JOIN + "assert(box.value == 5);"),
    (
        "struct pair *p = &pairs[1]; int *q = &p->two; q--; *q = 3;",
        RUN + JOIN + "assert(pairs[1].one == 3);",
    ),
    ("*handle = &y; *shared = 3;", RUN + JOIN + "assert(y == 3 && *handle == &y);"),
    # integers in pointers
    ("x = (int)(long)argument;", WITH.format("(void *)5", "(void *)5") + "assert(x == 5);"),
    ("x = (int)(long)argument;", WITH.format("(void *)5", "0") + "assert(x == 5);"),
    (
        "shared = argument; if (shared == 0) y = 1;",
        "pthread_create(&t, 0, work, (void *)1); " + JOIN + "assert(!y);",
    ),
    # locks behind pointers
    (
        "struct box *b = argument; pthread_mutex_lock(&b->lock); b->value++; "
        "pthread_mutex_unlock(&b->lock);",
        WITH.format("&box", "&box") + "assert(box.value == 2);",
    ),
    (
        "pthread_mutex_t *l = argument; pthread_mutex_lock(l); x++; pthread_mutex_unlock(l);",
        WITH.format("&m", "&m") + "assert(x == 2);",
    ),
    (
        "pthread_mutex_t *l = argument; pthread_mutex_lock(l); x++; pthread_mutex_unlock(l);",
        "pthread_mutex_init(&locks[0], 0); pthread_mutex_init(&locks[1], 0); "
        + WITH.format("&locks[0]", "&locks[1]")
        + "assert(x == 2);",
    ),
    # the heap
    ("*shared = 3;", "shared = malloc(4); *shared = 1; " + RUN + JOIN + "assert(*shared == 3);"),
    ("*shared = 3;", "shared = malloc(4); *shared = 1; " + RUN + "assert(*shared == 1);"),
    ("*shared = 3;", "shared = malloc(4); *shared = 1; " + RUN + "free(shared); " + JOIN),
    ("x = *shared;", "shared = malloc(4); " + RUN + JOIN + "assert(x == 0);"),
    ("x = *shared;", "shared = calloc(1, 4); " + RUN + JOIN + "assert(x == 0);"),
    (
        "int *p = malloc(4); *p = 1; pthread_mutex_lock(&m); if (!shared) { shared = p; y++; } "
        "pthread_mutex_unlock(&m);",
        WITH.format(0, 0) + "assert(y == 1 && *shared == 1);",
    ),
    (
        "int *p = malloc(4); *p = 1; pthread_mutex_lock(&m); if (!shared) shared = p; "
        "else y = shared == p; pthread_mutex_unlock(&m);",
        WITH.format(0, 0) + "assert(y);",
    ),
    (
        "struct node *n = malloc(sizeof *n); n->value = 1; pthread_mutex_lock(&m); "
        "n->next = head; head = n; pthread_mutex_unlock(&m);",
        WITH.format(0, 0) + "assert(head->next->value == 1 && !head->next->next);",
    ),
    (
        "struct node *n = malloc(sizeof *n); n->value = 1; n->next = head; head = n;",
        WITH.format(0, 0) + "assert(head->next);",
    ),
    (
        "pthread_mutex_lock(&m); if (!shared) { shared = malloc(4); *shared = 0; } ++*shared; "
        "pthread_mutex_unlock(&m);",
        WITH.format(0, 0) + "assert(*shared == 2);",
    ),
    (
        "int *p = malloc(4), *q = malloc(4); *p = 1; *q = 2; free(p); x = *q;",
        RUN + JOIN + "assert(x == 2);",
    ),
    (
        "int *p = malloc(8); p[0] = 1; p[1] = 2; shared = p + 1; x = shared[-1];",
        RUN + JOIN + "assert(x == 1 && *shared == 2);",
    ),
    (
        "int *p = malloc(8); p[0] = 1; p[1] = 2; shared = p + 1; x = shared[0];",
        RUN + JOIN + "assert(x == 1);",
    ),
    ("int *p = malloc(4); free(p); free(p);", RUN + JOIN),
    (
        "int *p = malloc(3 * sizeof *p); for (int i = 0; i < 3; i++) p[i] = i; shared = p;",
        RUN + JOIN + "assert(shared[2] == 2);",
    ),
    ("shared = calloc(3, sizeof *shared); shared[below(3)] = 1;", RUN + JOIN + "assert(*shared);"),
    # records are copied, unions
    (
        "pairs[1].one = 3; pairs[2] = pairs[1]; shared = &pairs[2].one;",
        RUN + JOIN + "assert(*shared == 3);",
    ),
    (
        "union { int i; int j; } v; int *p = &v.i; *p = 4; x = v.j;",
        RUN + JOIN + "assert(x == 4);",
    ),
]


def _simplified(work: str, main: str, before: str = "") -> Program:
    text = TEXT.format(work=work, main=main, before=before)
    return load_c_sources([SourceFile("memory.c", text)], LoadOptions()).program


def _task(program: Program) -> Task:
    kinds = (FailureProperty, RaceProperty)
    asked = tuple(p for p in program.properties if isinstance(p, kinds))
    return Task(program, asked, accepts=is_verified)


def _found(program: Program) -> tuple[set[str], set[str], list[str]]:
    """What is violated, what is proved, and the limits that are reached."""
    violated: set[str] = set()
    proved: set[str] = set()
    limits: list[str] = []
    task = _task(program)
    task.at_limit = limits.append
    for finding in ExplicitEngine().run(task):
        if isinstance(finding, Violated):
            violated.add(finding.trace.property)
        elif isinstance(finding, Proved):
            proved |= set(finding.properties)
    return violated, proved, sorted(set(limits))


@pytest.mark.parametrize(("work", "main"), PROGRAMS)
def test_both_programs_fail_in_the_same_ways(work: str, main: str) -> None:
    program = _simplified(work, main)
    if not uses_memory(program):
        pytest.skip("all pointers were resolved before")
    simpler = resolved(_task(program))
    assert not simpler.refused
    for after in simpler.programs:
        assert validate(after) == []
    assert not uses_memory(simpler.program)
    violated, proved, limits = _found(program)
    others = _found(simpler.program)
    assert others[0] == violated
    assert others[1] == proved
    assert bool(others[2]) == bool(limits)


REFUSED = [
    ("while (below(2)) shared = malloc(4);", RUN, ""),
    ("shared = malloc(4 * below(9));", RUN, ""),
    ("x = depth(&y, 2);", RUN, "int depth(int *p, int n) { return n ? depth(p, n - 1) : *p; }"),
]


@pytest.mark.parametrize(("work", "main", "before"), REFUSED)
def test_what_is_not_treated(work: str, main: str, before: str) -> None:
    program = _simplified(work, main, before)
    assert uses_memory(program)
    with pytest.raises(Unsupported):
        resolved(_task(program))
