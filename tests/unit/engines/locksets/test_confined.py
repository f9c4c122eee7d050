"""Memory that only the thread knows that made it; and near misses, each with a race.

Ownership ends where a pointer is published and where a pointer is no longer told by the variable
that owns; what is confined needs neither.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

TEXT = (
    INCLUDES
    + """
#include <stdint.h>
struct node { int v; char *text; struct node *next; } *list;
char *shared, *slot[2];
uintptr_t number;
void unknown(void *);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t t, u;
static int length(const char *s) { int n = 0; while (*s) { s++; n++; } return n; }
static void fill(char *s) { for (int i = 0; i < 7; i++) s[i] = 'a'; s[7] = 0; }
static void publish(void)
{
    struct node *n = malloc(sizeof *n);
    n->v = 1;
    pthread_mutex_lock(&m);
    n->next = list;
    list = n;
    pthread_mutex_unlock(&m);
}
void *g(void *arg) { char *p = arg; if (p) p[0] = 'x'; return p; }
void *f(void *arg) { char word[8], *p; void *r; int i; BODY return 0; }
int main(void)
{
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    return 0;
}
"""
)


def is_proved(body: str) -> bool:
    """Whether a race is excluded; the proof passes its check."""
    program: Program = loaded(TEXT.replace("BODY", body)).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    try:
        findings = list(LocksetEngine().run(Task(program, races)))
    except Unsupported:
        return False
    found = [f for f in findings if isinstance(f, Proved)]
    for finding in found:
        check_certificate(program, finding.certificate, lambda: None)
    return bool(found)


RIGHT = {
    "a buffer": "fill(word); i = length(word);",
    "after something else is published": "publish(); fill(word); publish(); i = length(word);",
    "memory that leads to a buffer": (
        "struct node *n = malloc(sizeof *n); n->text = word; publish(); fill(n->text); free(n);"
    ),
}
RACES = {
    "a pointer in a variable": "shared = word; fill(word); if (shared) shared[0] = 1;",
    "a pointer in an array": "slot[1] = word; fill(word); p = slot[1]; if (p) p[0] = 1;",
    "a pointer in shared memory": (
        "fill(word); pthread_mutex_lock(&m); if (list) { if (list->text) list->text[0] = 1;"
        " list->text = word; } pthread_mutex_unlock(&m); publish(); word[0] = 2;"
    ),
    "the argument of a thread": "fill(word); pthread_create(&t, 0, g, word); word[0] = 2;",
    "the result of a thread": (
        "p = malloc(8); pthread_create(&t, 0, g, p); pthread_join(t, &r); shared = r;"
        " if (shared) shared[0] = 1;"
    ),
    "a pointer as a number": (
        "fill(word); p = (char *)number; if (p) p[0] = 1; number = (uintptr_t)word; word[1] = 2;"
    ),
    "known to unknown functions": "fill(word); unknown(word); word[0] = 2;",
    "a pointer as bytes": (
        "fill(word); p = word; memcpy(&shared, &p, sizeof p); if (shared) shared[0] = 1;"
    ),
    "two sites, one of them published": (
        "p = arg ? word : malloc(8); i = p == word; p[0] = 1; shared = i ? 0 : p;"
        " if (shared) shared[0] = 1;"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_memory_of_one_thread(name: str) -> None:
    assert is_proved(RIGHT[name])


@pytest.mark.parametrize("name", RACES)
def test_memory_of_several_threads(name: str) -> None:
    assert not is_proved(RACES[name])
