"""A claim that fails only warns: nothing hides behind `lockdep_assert_held`."""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.results.verdict import Verdict

PROGRAM = """\
#include <assert.h>
#include <pthread.h>
void lockdep_assert_held(pthread_mutex_t *mutex);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *unused) {
    BEFORE
    lockdep_assert_held(&mutex);
    BEHIND
    return 0;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    MEANWHILE
    pthread_join(other, 0);
    return 0;
}
"""
LOCK, UNLOCK = "pthread_mutex_lock(&mutex);", "pthread_mutex_unlock(&mutex);"


def verdict(folder: Path, name: str, *, before: str = "", behind: str, meanwhile: str = "") -> str:
    """The verdict for a property of a thread that makes the claim."""
    path = folder / "claim.c"
    text = PROGRAM.replace("BEFORE", before).replace("BEHIND", behind)
    path.write_text(text.replace("MEANWHILE", meanwhile))
    return str(threadwise.check(path, properties=name, in_process=True).verdict)


def test_a_race_behind_it(tmp_path: Path) -> None:
    found = verdict(tmp_path, "races", behind="count++;", meanwhile="count++;")
    assert found == Verdict.UNSAFE


@pytest.mark.parametrize("name", ["races", "assertions"])
def test_a_claim_that_holds(tmp_path: Path, name: str) -> None:
    meanwhile = f"{LOCK} count++; {UNLOCK}"
    behind = f"count++; {UNLOCK}"
    assert verdict(tmp_path, name, before=LOCK, behind=behind, meanwhile=meanwhile) == Verdict.SAFE


def test_a_deadlock_behind_it(tmp_path: Path) -> None:
    found = verdict(tmp_path, "deadlocks", behind=f"{LOCK} {LOCK}")
    assert found == Verdict.UNSAFE


def test_the_claim_itself(tmp_path: Path) -> None:
    assert verdict(tmp_path, "assertions", behind="count++;") == Verdict.UNSAFE
