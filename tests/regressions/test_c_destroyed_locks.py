"""What is destroyed, or was never initialised, is not to be used."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t b;
pthread_spinlock_t s;
sem_t sem;
mtx_t mtx;
cnd_t cnd;
struct timespec until;
int main(void) {
    int value;
    CALLS;
    return 0;
}
"""
INITIALISED = {
    "mutex": "",
    "rwlock": "",
    "cond": "",
    "barrier": "pthread_barrier_init(&b, 0, 1)",
    "spin": "pthread_spin_init(&s, 0)",
    "sem": "sem_init(&sem, 0, 1)",
    "mtx": "mtx_init(&mtx, mtx_plain)",
    "cnd": "cnd_init(&cnd); mtx_init(&mtx, mtx_plain)",
}
DESTROYED = {
    "mutex": "pthread_mutex_destroy(&m)",
    "rwlock": "pthread_rwlock_destroy(&rw)",
    "cond": "pthread_cond_destroy(&c)",
    "barrier": "pthread_barrier_destroy(&b)",
    "spin": "pthread_spin_destroy(&s)",
    "sem": "sem_destroy(&sem)",
    "mtx": "mtx_destroy(&mtx)",
    "cnd": "cnd_destroy(&cnd)",
}
USES = {
    "mutex": [
        "pthread_mutex_lock(&m)",
        "pthread_mutex_trylock(&m)",
        "pthread_mutex_timedlock(&m, &until)",
    ],
    "rwlock": [
        "pthread_rwlock_rdlock(&rw)",
        "pthread_rwlock_tryrdlock(&rw)",
        "pthread_rwlock_timedrdlock(&rw, &until)",
        "pthread_rwlock_wrlock(&rw)",
        "pthread_rwlock_trywrlock(&rw)",
        "pthread_rwlock_timedwrlock(&rw, &until)",
    ],
    "cond": [
        "pthread_cond_signal(&c)",
        "pthread_cond_broadcast(&c)",
        "pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &until)",
    ],
    "barrier": ["pthread_barrier_wait(&b)"],
    "spin": ["pthread_spin_lock(&s)", "pthread_spin_trylock(&s)"],
    "sem": [
        "sem_wait(&sem)",
        "sem_trywait(&sem)",
        "sem_timedwait(&sem, &until)",
        "sem_post(&sem)",
        "sem_getvalue(&sem, &value)",
    ],
    "mtx": ["mtx_lock(&mtx)", "mtx_timedlock(&mtx, &until)"],
    "cnd": ["cnd_signal(&cnd)", "mtx_lock(&mtx); cnd_timedwait(&cnd, &mtx, &until)"],
}
CASES = [(kind, use) for kind, uses in USES.items() for use in uses]


def verdict(*calls: str) -> str:
    text = PROGRAM.replace("CALLS", "; ".join(calls))
    return checked(text, "mutex").verdict.value


@pytest.mark.parametrize(("kind", "use"), CASES)
def test_use_after_destroy_is_misuse(kind: str, use: str) -> None:
    """A wrong SAFE once, for everything but mutexes."""
    made, gone = INITIALISED[kind], DESTROYED[kind]
    assert verdict(made, gone, use) == "UNSAFE"


@pytest.mark.parametrize("kind", list(DESTROYED))
def test_what_is_destroyed_cannot_be_destroyed_again_but_initialised(kind: str) -> None:
    made, gone = INITIALISED[kind], DESTROYED[kind]
    assert verdict(made, gone, gone) == "UNSAFE"
    assert verdict(made, USES[kind][0]) == "SAFE"
    if made:
        assert verdict(made, gone, made, gone, made, USES[kind][0]) == "SAFE"


@pytest.mark.parametrize("kind", ["barrier", "spin", "sem"])
def test_what_has_no_initialiser_must_be_initialised(kind: str) -> None:
    for use in (*USES[kind], DESTROYED[kind]):
        assert verdict(use) == "UNSAFE"


WAITING = """
#include <pthread.h>
#include <semaphore.h>
pthread_barrier_t b;
sem_t sem;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *work(void *unused) { WORK; return 0; }
int main(void) {
    pthread_t t;
    FIRST;
    pthread_create(&t, 0, work, 0);
    MAIN;
    return 0;
}
"""


@pytest.mark.parametrize(
    ("first", "work", "after", "expected"),
    [
        ("pthread_barrier_init(&b, 0, 2)", "pthread_barrier_wait(&b)", "END(barrier)", "UNSAFE"),
        (
            "pthread_barrier_init(&b, 0, 2)",
            "pthread_barrier_wait(&b)",
            "pthread_barrier_wait(&b); END(barrier)",
            "SAFE",
        ),
        ("sem_init(&sem, 0, 0)", "sem_wait(&sem)", "END(sem)", "UNSAFE"),
        ("sem_init(&sem, 0, 0)", "sem_post(&sem)", "END(sem)", "UNSAFE"),
        ("sem_init(&sem, 0, 0)", "sem_post(&sem)", "sem_wait(&sem); END(sem)", "SAFE"),
        ("", "pthread_rwlock_rdlock(&rw)", "END(rwlock)", "UNSAFE"),
        (
            "",
            "pthread_rwlock_rdlock(&rw); pthread_rwlock_unlock(&rw)",
            "pthread_join(t, 0); END(rwlock)",
            "SAFE",
        ),
        ("", "pthread_rwlock_rdlock(&rw)", "pthread_join(t, 0); END(rwlock)", "UNSAFE"),
        (
            "",
            "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m)",
            "END(cond)",
            "UNSAFE",
        ),
        ("", "pthread_cond_signal(&c)", "END(cond)", "UNSAFE"),
        ("", "pthread_cond_signal(&c)", "pthread_join(t, 0); END(cond)", "SAFE"),
    ],
)
def test_nothing_is_destroyed_that_others_still_use(
    first: str, work: str, after: str, expected: str
) -> None:
    for kind in DESTROYED:
        after = after.replace(f"END({kind})", DESTROYED[kind])
    text = WAITING.replace("FIRST", first).replace("WORK", work).replace("MAIN", after)
    assert checked(text, "mutex").verdict.value == expected
