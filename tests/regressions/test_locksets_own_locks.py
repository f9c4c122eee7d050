"""A lock among the variables of a thread is tried by the thread that holds it.

    pthread_spinlock_t s; … pthread_spin_lock(&s); assert(pthread_spin_trylock(&s) == 0);

The more precise pass of locksets knew acquired locks in shared memory only, and took any other
for free: the assertion was proved, and no audit saw it behind a long loop. So was what an
error-checking mutex answers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.results.verdict import Verdict

PROGRAM = """#include <pthread.h>
#include <assert.h>
#include <errno.h>
int g;
pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&shared);
        g = i;
        pthread_mutex_unlock(&shared);
        if (__builtin_expect(0, 0)) break;
    }
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    BODY
    return 0;
}
"""
SPIN = "pthread_spinlock_t s; pthread_spin_init(&s, 0); pthread_spin_lock(&s);"
MUTEX = "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m);"
CHECKED = """pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_t m; pthread_mutex_init(&m, &kind);"""
RECURSIVE = CHECKED.replace("ERRORCHECK", "RECURSIVE")
FAILING = {
    "a spin lock": SPIN + "assert(pthread_spin_trylock(&s) == 0);",
    "a mutex": MUTEX + "assert(pthread_mutex_trylock(&m) == 0);",
    "locked again": CHECKED + "pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m) == 0);",
    "released twice": CHECKED
    + "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); assert(pthread_mutex_unlock(&m) == 0);",
    "released after all": CHECKED
    + "pthread_mutex_lock(&m); assert(pthread_mutex_unlock(&m) == EPERM);",
    "recursive": RECURSIVE
    + "pthread_mutex_lock(&m); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"
    + "assert(pthread_mutex_unlock(&m) == EPERM);",
    "in an array": SPIN.replace("t s;", "t v[2];").replace("&s", "&v[1]")
    + "assert(pthread_spin_trylock(&v[1]) == 0);",
    "of a thread": "static _Thread_local pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
    + "pthread_mutex_lock(&m); assert(pthread_mutex_trylock(&m) == 0);",
}


@pytest.mark.parametrize("case", FAILING)
def test_a_lock_that_the_thread_holds_is_not_free(tmp_path: Path, case: str) -> None:
    path = tmp_path / "lock.c"
    path.write_text(PROGRAM.replace("BODY", FAILING[case]))
    asked = threadwise.check(path, properties="assertions", engine="locksets", in_process=True)
    assert not asked.defects
    assert asked.verdict is Verdict.UNKNOWN
