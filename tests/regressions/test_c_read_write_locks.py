"""Read-write locks: writers that are preferred, and readers known one by one."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, loaded

PREFERRED = "PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP"

RELOCKING = """
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_rwlock_t lock = INITIAL;
struct timespec until;
void *write(void *unused) { TAKE; pthread_rwlock_unlock(&lock); return 0; }
int main(void) {
    pthread_t t;
    SETUP;
    pthread_create(&t, 0, write, 0);
    pthread_rwlock_rdlock(&lock);
    AGAIN;
    pthread_rwlock_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
"""
SETUP = """
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, KIND);
    pthread_rwlock_init(&lock, &attributes);
"""
AGAIN = "pthread_rwlock_rdlock(&lock); pthread_rwlock_unlock(&lock)"
TRY = "if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock)"
TIMED = "if (pthread_rwlock_timedrdlock(&lock, &until) == 0) pthread_rwlock_unlock(&lock)"
STATIC = "PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP"


def relocking(
    kind: str = PREFERRED,
    *,
    write: str = "pthread_rwlock_wrlock(&lock)",
    again: str = AGAIN,
    static: bool = False,
) -> str:
    """A reader that asks again while a writer may be waiting."""
    text = RELOCKING.replace("SETUP", "" if static else SETUP.replace("KIND", kind))
    initial = STATIC if static else "PTHREAD_RWLOCK_INITIALIZER"
    return text.replace("INITIAL;", initial + ";").replace("TAKE", write).replace("AGAIN", again)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (relocking(), "UNSAFE"),
        (relocking(static=True), "UNSAFE"),
        (relocking("PTHREAD_RWLOCK_PREFER_WRITER_NP"), "SAFE"),
        (relocking("PTHREAD_RWLOCK_PREFER_READER_NP"), "SAFE"),
        (relocking("PTHREAD_RWLOCK_DEFAULT_NP"), "SAFE"),
        (relocking("7"), "SAFE"),
        (relocking(again=TRY), "SAFE"),
        (relocking(again=TIMED), "SAFE"),
        (relocking(again=""), "SAFE"),
        (relocking(again="", static=True), "SAFE"),
        (
            relocking(write="if (pthread_rwlock_trywrlock(&lock)) return 0"),
            "SAFE",
        ),
        (
            relocking(write="if (pthread_rwlock_timedwrlock(&lock, &until)) return 0"),
            "SAFE",
        ),
    ],
)
def test_a_waiting_writer_keeps_readers_out_where_it_is_preferred(text: str, verdict: str) -> None:
    """A wrong SAFE once: the kind of a read-write lock was ignored."""
    assert checked(text, "deadlocks").verdict.value == verdict


@pytest.mark.parametrize(
    "write",
    ["pthread_rwlock_wrlock(&lock)", "if (pthread_rwlock_timedwrlock(&lock, &until)) return 0"],
)
def test_a_waiting_writer_keeps_those_out_who_try(write: str) -> None:
    again = "assert(pthread_rwlock_tryrdlock(&lock) == 0); pthread_rwlock_unlock(&lock)"
    text = relocking(write=write, again=again)
    assert checked(text, "assertions").verdict.value == "UNSAFE"
    text = relocking("PTHREAD_RWLOCK_PREFER_READER_NP", write=write, again=again)
    assert checked(text, "assertions").verdict.value == "SAFE"


FOREIGN = """
#include <pthread.h>
pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t row[2];
struct timespec until;
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
    ("first", "work", "after", "verdict"),
    [
        ("READ(&a)", "UNLOCK(&a)", "", "UNSAFE"),
        ("READ(&a)", "UNLOCK(&a)", "pthread_join(t, 0); UNLOCK(&a)", "UNSAFE"),
        ("READ(&a); READ(&a)", "UNLOCK(&a)", "UNLOCK(&a)", "UNSAFE"),
        ("READ(&a)", "READ(&a); UNLOCK(&a); UNLOCK(&a)", "", "UNSAFE"),
        ("READ(&a)", "READ(&b); UNLOCK(&a)", "", "UNSAFE"),
        ("READ(row)", "READ(row + 1); UNLOCK(row)", "", "UNSAFE"),
        ("", "WRITE(&a); UNLOCK(&a); UNLOCK(&a)", "READ(&a)", "UNSAFE"),
        ("", "if (!pthread_rwlock_tryrdlock(&a)) { UNLOCK(&a); UNLOCK(&a); }", "", "UNSAFE"),
        (
            "READ(&a)",
            "if (pthread_rwlock_timedwrlock(&a, &until)) UNLOCK(&a);",
            "",
            "UNSAFE",
        ),
        ("WRITE(&a)", "UNLOCK(&a)", "", "UNSAFE"),
        ("READ(&a)", "READ(&a); UNLOCK(&a)", "UNLOCK(&a)", "SAFE"),
        ("READ(&a)", "READ(&b); READ(&a); UNLOCK(&b); UNLOCK(&a)", "UNLOCK(&a)", "SAFE"),
        ("READ(&a); READ(&a)", "READ(&a); UNLOCK(&a)", "UNLOCK(&a); UNLOCK(&a)", "SAFE"),
        ("READ(row)", "READ(row + 1); UNLOCK(row + 1)", "UNLOCK(row)", "SAFE"),
        ("READ(&a)", "WRITE(&a); UNLOCK(&a)", "UNLOCK(&a)", "SAFE"),
    ],
)
def test_a_lock_that_only_others_read_is_not_ours_to_unlock(
    first: str, work: str, after: str, verdict: str
) -> None:
    """A wrong SAFE once: readers were counted, not known."""
    text = FOREIGN.replace("FIRST", first).replace("WORK", work).replace("MAIN", after)
    for short, long in (("READ", "rdlock"), ("WRITE", "wrlock"), ("UNLOCK", "unlock")):
        text = text.replace(f"{short}(", f"pthread_rwlock_{long}(")
    assert checked(text, "mutex").verdict.value == verdict
    assert not any("read-write lock" in told for told in loaded(text).assumptions)
