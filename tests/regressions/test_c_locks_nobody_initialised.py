"""Locks in memory that was never written: their contents are no numbers that may be any value.

Where numbers that were never written are any value, so was the kind of a mutex, and 0 is a kind:
races were excluded by locks that nobody had initialised.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked
from threadwise.frontends.c.options import COptions
from threadwise.results.result import Result

PROGRAM = """
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct shared { HELD other; int n; } *s;
void *run(void *given) { s->n = 0; ENTER; s->n++; LEAVE; return 0; }
int main(void) {
    pthread_t t;
    s = malloc(sizeof *s);
    BEGIN;
    run(0);
    return 0;
}
"""
MUTEX = "pthread_mutex_lock(&s->other)", "pthread_mutex_unlock(&s->other)"
UNSET = {
    "mutex": ("pthread_mutex_t", *MUTEX),
    "trylock": ("pthread_mutex_t", "if (pthread_mutex_trylock(&s->other)) return 0", MUTEX[1]),
    "read lock": (
        "pthread_rwlock_t",
        "pthread_rwlock_rdlock(&s->other)",
        "pthread_rwlock_unlock(&s->other)",
    ),
    "write lock": (
        "pthread_rwlock_t",
        "pthread_rwlock_wrlock(&s->other)",
        "pthread_rwlock_unlock(&s->other)",
    ),
    "spin lock": (
        "pthread_spinlock_t",
        "pthread_spin_lock(&s->other)",
        "pthread_spin_unlock(&s->other)",
    ),
    "semaphore": ("sem_t", "sem_trywait(&s->other)", "sem_post(&s->other)"),
    "condition variable": ("pthread_cond_t", "pthread_cond_signal(&s->other)", ""),
    "barrier": ("pthread_barrier_t", "pthread_barrier_wait(&s->other)", ""),
    "locks in an array": (
        "struct { pthread_mutex_t m[2]; }",
        "pthread_mutex_lock(&s->other.m[1])",
        "pthread_mutex_unlock(&s->other.m[1])",
    ),
    "attributes": (
        "pthread_mutexattr_t",
        "pthread_mutex_t m; pthread_mutex_init(&m, &s->other)",
        "",
    ),
}


def _result(held: str, enter: str, leave: str, begin: str, doubt: str) -> Result:
    text = PROGRAM.replace("HELD", held).replace("ENTER", enter).replace("LEAVE", leave)
    options = COptions(doubts=frozenset({doubt}))
    return checked(text.replace("BEGIN", begin), "races", options=options)


@pytest.mark.parametrize("doubt", ["unstable-values", "indeterminate-values"])
@pytest.mark.parametrize("name", UNSET)
def test_what_nobody_initialised(name: str, doubt: str) -> None:
    result = _result(*UNSET[name], "", doubt)
    assert result.verdict.value == "UNKNOWN"
    assert "memory that was never written is read" in str(result.properties)


@pytest.mark.parametrize("doubt", ["unstable-values", "indeterminate-values"])
def test_what_was_initialised(doubt: str) -> None:
    begin = "pthread_mutex_init(&s->other, 0)"
    assert _result(*UNSET["mutex"], begin, doubt).verdict.value == "SAFE"
    numbers = _result("int", "int k = s->other; if (k) k = 1", "", "", doubt)
    assert "memory that was never written is read" not in str(numbers.properties)
