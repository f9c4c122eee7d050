"""Threads that wait for work in functions that the user calls idle."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <pthread.h>
#include <semaphore.h>
static sem_t work;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void wait_for_work(void) { sem_wait(&work); }
static void *worker(void *p) { while (1) { wait_for_work(); } }
static void *other(void *p) { %s pthread_mutex_unlock(&lock); return 0; }
int main(void)
{
    pthread_t t, u;
    sem_init(&work, 0, 1);
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, other, 0);
    while (1) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
}
"""
LOCKS = "pthread_mutex_lock(&lock);"


@pytest.mark.parametrize(
    ("idle", "text", "verdict"),
    [
        ((), LOCKS, "UNSAFE"),
        (("wait_for_work",), LOCKS, "SAFE"),
        (("worker",), LOCKS, "SAFE"),
        (("main",), LOCKS, "UNSAFE"),
        (("wait_for_work",), LOCKS + LOCKS, "UNSAFE"),
    ],
)
def test_waiting_for_work(idle: tuple[str, ...], text: str, verdict: str) -> None:
    source = SourceFile("pool.c", TEXT % text)
    program = load_c([source], COptions(idle=frozenset(idle))).program
    options = CheckOptions(properties=("deadlocks",), engine="explicit")
    result = check_loaded("pool.c", lambda: program, options, in_process=True)
    assert result.verdict.value == verdict
