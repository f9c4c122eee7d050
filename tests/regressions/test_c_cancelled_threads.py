"""A thread that is cancelled ends before its last statement: whoever joins it goes on."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

PROGRAM = """
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int pthread_tryjoin_np(pthread_t, void **);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t x, y;
void *r;
int g;
void *other(void *unused) { OTHER; return 0; }
void *work(void *unused) { WORK; return 0; }
int main(void) {
    pthread_create(&y, 0, other, 0);
    pthread_create(&x, 0, work, 0);
    AFTER;
    pthread_exit(0);
}
"""
FOREVER = "for (;;) pthread_testcancel()"


def verdict(other: str, work: str, after: str, name: str) -> str:
    text = PROGRAM.replace("OTHER", other).replace("WORK", work).replace("AFTER", after)
    told = set(verdicts(text, name, engines=("locksets",))["locksets"])
    return told.pop() if len(told) == 1 else str(told)


@pytest.mark.parametrize(
    ("work", "after"),
    [
        (FOREVER, "pthread_cancel(x); pthread_join(x, 0); g++"),
        (FOREVER, "pthread_cancel(x); if (!pthread_tryjoin_np(x, 0)) g++"),
        (FOREVER, "pthread_cancel(x); pthread_join(x, &r); if (r == PTHREAD_CANCELED) g++"),
        ("while (1) sleep(1)", "pthread_cancel(x); pthread_join(x, 0); g++"),
        ("pthread_cancel(pthread_self());" + FOREVER, "pthread_join(x, 0); g++"),
        ("sleep(1); pthread_join(y, 0)", "pthread_cancel(x); pthread_join(x, 0); g++"),
    ],
)
def test_what_comes_after_the_join_races(work: str, after: str) -> None:
    """A wrong SAFE once: joins waited for threads that never return."""
    assert verdict("g++", work, after, "races") == "UNKNOWN"


@pytest.mark.parametrize(
    ("work", "after"),
    [
        (FOREVER, "pthread_cancel(x); pthread_join(x, &r); assert(r != PTHREAD_CANCELED)"),
        (FOREVER, "pthread_cancel(x); pthread_join(x, 0); assert(0)"),
        (FOREVER, "pthread_cancel(x); if (!pthread_tryjoin_np(x, 0)) assert(0)"),
        ("sleep(1); g = 1", "pthread_cancel(x); pthread_join(x, 0); assert(g == 1)"),
    ],
)
def test_what_comes_after_the_join_is_reached(work: str, after: str) -> None:
    """A wrong SAFE once."""
    assert verdict("", work, after, "assertions") == "UNKNOWN"


def test_locks_protect_all_the_same() -> None:
    locked = "pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m)"
    after = f"pthread_cancel(x); pthread_join(x, 0); {locked}"
    assert verdict(locked, FOREVER, after, "races") == "SAFE"


def test_joins_wait_where_nobody_is_cancelled() -> None:
    assert verdict("g++", FOREVER, "pthread_join(x, 0); g++", "races") == "SAFE"


COUNTING = "for (;;) g++"
STARTING = "pthread_create(&y, 0, other, 0); " + FOREVER


@pytest.mark.parametrize(
    ("work", "after"),
    [
        (COUNTING, "pthread_cancel(x); pthread_join(x, 0); g++"),
        (COUNTING, "pthread_cancel(x); pthread_join(x, &r); if (r == PTHREAD_CANCELED) g++"),
        (COUNTING, "pthread_cancel(x); if (!pthread_tryjoin_np(x, 0)) g++"),
        ("pthread_cancel(pthread_self()); g++;" + FOREVER, "pthread_join(x, 0); g++"),
    ],
)
def test_who_was_joined_does_not_run(work: str, after: str) -> None:
    """Joins once proved nothing in programs that cancel threads."""
    assert verdict("", work, after, "races") == "SAFE"


@pytest.mark.parametrize(
    ("other", "work", "after"),
    [
        ("", COUNTING, "pthread_cancel(x); g++; pthread_join(x, 0)"),
        ("", COUNTING, "pthread_cancel(x); pthread_tryjoin_np(x, 0); g++"),
        ("", COUNTING, "pthread_cancel(x); pthread_join(y, 0); g++"),
        ("g++", STARTING, "pthread_join(y, 0); pthread_cancel(x); pthread_join(x, 0); g++"),
        ("g++", COUNTING, "pthread_join(y, 0); pthread_cancel(x); g++"),
        ("g++; pthread_cancel(x); pthread_join(x, 0)", COUNTING, "pthread_join(y, 0)"),
    ],
)
def test_who_was_only_cancelled_may_run(other: str, work: str, after: str) -> None:
    """Nor is it known of who was joined by another thread, or of whom it started."""
    assert verdict(other, work, after, "races") == "UNKNOWN"


KEYED = "pthread_setspecific(k, &g); "


@pytest.mark.parametrize(
    ("work", "destroying"),
    [
        (KEYED + FOREVER, "g++"),
        (KEYED + "for (;;) pause()", "++*(int *)p"),
        (KEYED + "sleep(1); pthread_mutex_lock(&m)", "g++; pthread_mutex_unlock(&m)"),
        (KEYED + "sleep(1); pthread_setspecific(k, 0)", "g++"),
    ],
)
def test_destructors_run_wherever_a_thread_is_cancelled(work: str, destroying: str) -> None:
    """A wrong SAFE once: they ran where threads end by themselves."""
    locked = "pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m)"
    begun = PROGRAM.replace(
        "int g;", f"int g; pthread_key_t k; void d(void *p) {{ {destroying}; }}"
    )
    begun = begun.replace("int main(void) {", "int main(void) { pthread_key_create(&k, d);")
    for use in ("g++", locked):
        text = begun.replace("OTHER", "").replace("WORK", work)
        text = text.replace("AFTER", f"pthread_cancel(x); {use}; pthread_join(x, 0)")
        assert verdicts(text, "races", engines=("locksets",))["locksets"] == ("UNKNOWN",)
