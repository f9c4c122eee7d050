"""Timed waits: a spurious wake-up is not forgotten."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, loaded

PROGRAM = """
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
struct timespec until;
int ready;
int main(void) {
    pthread_mutex_lock(&m);
    WAIT;
    pthread_mutex_unlock(&m);
    return 0;
}
"""
DOUBT = "a spurious wake-up"


@pytest.mark.parametrize(
    "wait",
    [
        "assert(pthread_cond_timedwait(&c, &m, &until))",
        "assert(pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT)",
        "if (pthread_cond_timedwait(&c, &m, &until) == 0) assert(ready)",
        "int r = pthread_cond_timedwait(&c, &m, &until); assert(r)",
        "assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &until))",
        "assert(cnd_timedwait(&c, &m, &until) == thrd_timedout)",
        "while (!pthread_cond_timedwait(&c, &m, &until)) assert(ready)",
        "if (!pthread_cond_timedwait(&c, &m, &until)) assert(ready)",
        "pthread_cond_timedwait(&c, &m, &until) ? 0 : assert(0)",
        "ready = pthread_cond_timedwait(&c, &m, &until); assert(ready)",
    ],
)
def test_a_timed_wait_that_returns_0_need_not_have_been_signalled(wait: str) -> None:
    """A wrong SAFE once: nobody said that spurious wake-ups do not happen."""
    text = PROGRAM.replace("WAIT", wait)
    assert checked(text, "assertions").verdict.value != "UNSAFE"
    assert any(doubt.text == DOUBT for doubt in loaded(text).doubts)


def test_a_result_that_nobody_looks_at_leaves_nothing_to_doubt() -> None:
    text = PROGRAM.replace("WAIT", "while (!ready) pthread_cond_timedwait(&c, &m, &until)")
    assert loaded(text).doubts == ()


def test_a_timed_wait_times_out() -> None:
    text = PROGRAM.replace("WAIT", "assert(pthread_cond_timedwait(&c, &m, &until) == 0)")
    assert checked(text, "assertions").verdict.value == "UNSAFE"
