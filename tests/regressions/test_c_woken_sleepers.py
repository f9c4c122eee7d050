"""Where a program has handlers of signals, they end what sleeps and waits early.

A wrong SAFE once: sleeps had no result but 0, so that nothing was known of what follows others.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

PROGRAM = """
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
int g;
sem_t s;
struct timespec second = { 1, 0 }, left, never;
static void woken(int number) { (void)number; }
void *work(void *unused) { if (WAITS) g++; return 0; }
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    INSTALLS;
    pthread_create(&t, 0, work, 0);
    g++;
    pthread_join(t, 0);
    return g;
}
"""
SIGNAL = "signal(SIGUSR1, woken)"
ACTION = "struct sigaction a = { .sa_handler = woken }; sigaction(SIGUSR1, &a, 0)"
SLEEPS = [
    "sleep(1) > 0",
    "usleep(1)",
    "nanosleep(&second, 0) < 0",
    "nanosleep(&second, &left) < 0 && errno == EINTR",
    "clock_nanosleep(CLOCK_MONOTONIC, 0, &second, 0) == EINTR",
    "thrd_sleep(&second, 0) == -1",
]
WAITS = ["sem_timedwait(&s, &second) < 0 && errno == EINTR", "sem_wait(&s) < 0"]


def verdict(waits: str, installs: str) -> str:
    text = PROGRAM.replace("WAITS", waits).replace("INSTALLS", installs)
    (told,) = set(verdicts(text, "races", engines=("locksets",))["locksets"])
    return told


@pytest.mark.parametrize("waits", SLEEPS)
@pytest.mark.parametrize("installs", [SIGNAL, ACTION])
def test_a_handler_ends_a_sleep(waits: str, installs: str) -> None:
    assert verdict(waits, installs) == "UNKNOWN"


@pytest.mark.parametrize("waits", WAITS)
def test_a_handler_ends_a_wait_that_is_not_restarted(waits: str) -> None:
    assert verdict(waits, ACTION) == "UNKNOWN"


@pytest.mark.parametrize("waits", SLEEPS)
def test_without_handlers_nothing_ends_early(waits: str) -> None:
    assert verdict(waits, "") == "SAFE"


@pytest.mark.parametrize("waits", SLEEPS)
def test_signals_that_are_ignored_end_nothing(waits: str) -> None:
    assert verdict(waits, "never.tv_sec = 0") == "SAFE"


def test_what_is_no_time_is_refused_at_once() -> None:
    assert verdict("(never.tv_nsec = 2000000000) && nanosleep(&never, 0) < 0", "") != "SAFE"
