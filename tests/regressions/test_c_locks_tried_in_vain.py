"""A lock that is tried in vain orders nothing in C, though interleavings look as if it did.

    x = 1; pthread_mutex_lock(&m);        if (pthread_mutex_trylock(&m) != 0) x = 2;

Who finds the lock taken knows that it was taken before, and no interleaving has the two writes
next to each other: this was SAFE, without an assumption. The same with semaphores and read-write
locks, and with who only looks at the value of a semaphore. Fences do not help: these are no atomic
accesses that a fence could order.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise

_TEXT = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t s;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static struct timespec t;
static int x, v;
static void *first(void *unused)
{
    %s
    return unused;
}
static void *second(void *unused)
{
    %s
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&s, 0);
    sem_init(&sem, 0, 1);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""
RACY = {
    "a mutex": ("x = 1; pthread_mutex_lock(&m);", "if (pthread_mutex_trylock(&m) != 0) x = 2;"),
    "a spin lock": ("x = 1; pthread_spin_lock(&s);", "if (pthread_spin_trylock(&s) != 0) x = 2;"),
    "a semaphore": ("x = 1; sem_wait(&sem);", "if (sem_trywait(&sem) != 0) x = 2;"),
    "a semaphore, for a time": ("x = 1; sem_wait(&sem);", "if (sem_timedwait(&sem, &t)) x = 2;"),
    "a value": ("x = 1; sem_wait(&sem);", "sem_getvalue(&sem, &v); if (v == 0) x = 2;"),
    "a value that grows": ("x = 1; sem_post(&sem);", "sem_getvalue(&sem, &v); if (v > 1) x = 2;"),
    "read": ("x = 1; pthread_rwlock_wrlock(&rw);", "if (pthread_rwlock_tryrdlock(&rw)) x = 2;"),
    "write": ("x = 1; pthread_rwlock_rdlock(&rw);", "if (pthread_rwlock_trywrlock(&rw)) x = 2;"),
    "read, for a time": (
        "x = 1; pthread_rwlock_wrlock(&rw);",
        "if (pthread_rwlock_timedrdlock(&rw, &t)) x = 2;",
    ),
    "write, for a time": (
        "x = 1; pthread_rwlock_rdlock(&rw);",
        "if (pthread_rwlock_timedwrlock(&rw, &t)) x = 2;",
    ),
}
RIGHT = {
    "had": (
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
        "if (pthread_mutex_trylock(&m) == 0) { x = 2; pthread_mutex_unlock(&m); }",
    ),
    "tried again": (
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
        "while (pthread_mutex_trylock(&m) != 0) ; x = 2; pthread_mutex_unlock(&m);",
    ),
    "taken afterwards": (
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
        "if (pthread_mutex_trylock(&m)) pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);",
    ),
    "a semaphore": (
        "sem_wait(&sem); x = 1; sem_post(&sem);",
        "if (sem_trywait(&sem) == 0) { x = 2; sem_post(&sem); }",
    ),
    "a value": (
        "sem_wait(&sem); x = 1; sem_post(&sem);",
        "sem_getvalue(&sem, &v); sem_wait(&sem); x = v; sem_post(&sem);",
    ),
    "write": (
        "pthread_rwlock_rdlock(&rw); v = x; pthread_rwlock_unlock(&rw);",
        "if (pthread_rwlock_trywrlock(&rw) == 0) { x = 2; pthread_rwlock_unlock(&rw); }",
    ),
    "read": (
        "pthread_rwlock_wrlock(&rw); x = 2; pthread_rwlock_unlock(&rw);",
        "if (pthread_rwlock_tryrdlock(&rw) == 0) { v = x; pthread_rwlock_unlock(&rw); }",
    ),
    "write, for a time": (
        "pthread_rwlock_rdlock(&rw); v = x; pthread_rwlock_unlock(&rw);",
        "if (pthread_rwlock_timedwrlock(&rw, &t) == 0) { x = 2; pthread_rwlock_unlock(&rw); }",
    ),
}


def _verdict(folder: Path, text: tuple[str, str]) -> str:
    path = folder / "t.c"
    path.write_text(_TEXT % text, encoding="utf-8")
    result = threadwise.check(path, properties="races", engine="explicit", in_process=True)
    assert not result.defects
    return result.verdict.value


@pytest.mark.parametrize("name", RACY)
def test_it_is_no_proof(name: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, RACY[name]) == "UNKNOWN"


@pytest.mark.parametrize("name", RACY)
def test_fences_do_not_make_it_one(name: str, tmp_path: Path) -> None:
    first, second = RACY[name]
    fence = "{ atomic_thread_fence(memory_order_acq_rel); x = 2; }"
    assert _verdict(tmp_path, (first, second.replace("x = 2;", fence))) == "UNKNOWN"


@pytest.mark.parametrize("name", RIGHT)
def test_locks_that_are_had(name: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, RIGHT[name]) == "SAFE"
