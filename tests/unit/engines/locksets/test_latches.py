"""Latches: threads that wait until main lets them go on, and what main does before that.

Main starts the threads first and sets `level` then. Each case changes one thing; those that race,
and those in which nobody waits for what main does last, must not be proved.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.results.verdict import Verdict

PROGRAM = """
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
static sem_t go, other;
static int level, flag = BEGIN, sum, flags[2], *where = &flag;
static atomic_int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void open_it(void) { OPEN }
static void set(void) { level = 3; }
static void *more(void *a) { MORE return a; }
static void *work(void *a)
{
    FIRST
    WAIT
    pthread_mutex_lock(&m);
    sum += level;
    pthread_mutex_unlock(&m);
    LAST
    return a;
}
int main(void)
{
    pthread_t t, u, v;
    sem_init(&go, 0, COUNT);
    sem_init(&other, 0, 0);
    if (pthread_create(&t, 0, work, 0) || pthread_create(&u, 0, work, 0))
        return 1;
    if (pthread_create(&v, 0, more, 0))
        return 1;
    EARLY
    SET
    open_it();
    LATE
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    return sum;
}
"""
USUAL = {
    "BEGIN": "0",
    "COUNT": "0",
    "OPEN": "sem_post(&go); sem_post(&go);",
    "MORE": "",
    "FIRST": "",
    "WAIT": "sem_wait(&go);",
    "LAST": "",
    "EARLY": "",
    "SET": "set();",
    "LATE": "",
}
ATOMIC = {"OPEN": "atomic_store(&ready, 1);", "WAIT": "while (!atomic_load(&ready)) ;"}
LOCKED = {
    "OPEN": """pthread_mutex_lock(&m); flag = 1; pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);""",
    "WAIT": """pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);""",
}
RIGHT = {
    "a semaphore": {},
    "one that is passed on": {"OPEN": "sem_post(&go);", "LAST": "sem_post(&go);"},
    "an atomic flag": ATOMIC,
    "a flag under a lock": LOCKED,
    "set back to 0 before": {
        **LOCKED,
        "EARLY": "pthread_mutex_lock(&m); flag = 0; pthread_mutex_unlock(&m);",
    },
    "a thread that does not wait, and does something else": {
        "MORE": "pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m);"
    },
    "waiting for two": {
        "WAIT": "sem_wait(&go); sem_wait(&go);",
        "OPEN": "for (int i = 0; i < 4; i++) sem_post(&go);",
    },
}
NOT_PROVED = {
    "nobody waits": {"WAIT": ""},
    "set after it was opened": {"SET": "", "LATE": "set();"},
    "set before and after": {"LATE": "set();"},
    "used in front": {"FIRST": "pthread_mutex_lock(&m); sum += level; pthread_mutex_unlock(&m);"},
    "no waiting": {"WAIT": "sem_trywait(&go);"},
    "waiting on one way only": {"WAIT": "if (a) sem_wait(&go);"},
    "posted to begin with": {"COUNT": "1"},
    "posted before": {"EARLY": "sem_post(&go);"},
    "posted in a function before": {"EARLY": "open_it();"},
    "posted by another thread": {"MORE": "sem_post(&go);"},
    "posted by a thread that waits for another one": {
        "MORE": "sem_wait(&other); sem_post(&go);",
        "EARLY": "sem_post(&other);",
    },
    "posted in front by the same threads": {"FIRST": "sem_post(&go);"},
    "waiting for another one": {
        "WAIT": "sem_wait(&other);",
        "EARLY": "sem_post(&other); sem_post(&other);",
    },
    "waiting for one of two": {
        "WAIT": "if (a) sem_wait(&go); else sem_wait(&other);",
        "EARLY": "sem_post(&other); sem_post(&other);",
    },
    "a thread that does not wait": {
        "MORE": "pthread_mutex_lock(&m); sum += level; pthread_mutex_unlock(&m);"
    },
    "posted by a handler": {"EARLY": "signal(SIGUSR1, (void (*)(int))open_it);"},
    "a flag that is set to begin with": {**LOCKED, "BEGIN": "1"},
    "waiting for 0": {**LOCKED, "WAIT": LOCKED["WAIT"].replace("!flag", "flag")},
    "a flag that is taken back": {
        **LOCKED,
        "EARLY": "open_it(); pthread_mutex_lock(&m); flag = 0; pthread_mutex_unlock(&m);",
    },
    "a flag that is set by a pointer": {
        **LOCKED,
        "MORE": "pthread_mutex_lock(&m); *where = 1; pthread_mutex_unlock(&m);",
    },
    "a copy that is overwritten": {
        **ATOMIC,
        "WAIT": "int k = atomic_load(&ready); k = 1; if (!k) return 0;",
    },
    "another atomic variable": {
        **ATOMIC,
        "OPEN": "atomic_store(&ready, 0);",
        "EARLY": "atomic_store(&ready, 1);",
    },
}


def verdict(case: dict[str, str]) -> Verdict:
    program = PROGRAM
    for name, part in (USUAL | case).items():
        program = program.replace(name, part)
    found = loaded(program).program
    options = CheckOptions(properties=("races",), engine="locksets")
    return check_loaded("t.c", lambda: found, options, in_process=True).verdict


@pytest.mark.parametrize("case", RIGHT)
def test_what_comes_before_a_latch_is_opened_does_not_race(case: str) -> None:
    assert verdict(RIGHT[case]) is Verdict.SAFE


@pytest.mark.parametrize("case", NOT_PROVED)
def test_what_is_no_latch_proves_nothing(case: str) -> None:
    assert verdict(NOT_PROVED[case]) is not Verdict.SAFE
