"""A handler of signals may end `sem_wait` before the semaphore was posted: EINTR.

Handlers that are installed by `sigaction` without SA_RESTART interrupt it. That it only returns
with the semaphore taken was believed: what the poster did before was wrongly SAFE.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

PROGRAM = """
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
int x;
sem_t s;
static void handler(int number) { }
static void *work(void *a)
{
    WAIT
    x++;
    sem_post(&s);
    return a;
}
int main(void)
{
    pthread_t t;
    INSTALL
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, work, 0);
    x = 1;
    sem_post(&s);
    pthread_join(t, 0);
    return 0;
}
"""
ACTION = """struct sigaction action; memset(&action, 0, sizeof action);
    action.sa_handler = handler; sigaction(SIGUSR1, &action, 0);"""
CARELESS = {
    "ignored": "sem_wait(&s);",
    "tried again once": "if (sem_wait(&s)) sem_wait(&s);",
    "other errors": "while (sem_wait(&s) && errno != EINTR) ;",
}


def _said(wait: str, install: str, *engines: str) -> set[str]:
    text = PROGRAM.replace("WAIT", wait).replace("INSTALL", install)
    found = verdicts(text, "races", engines=engines)
    return {verdict for each in found.values() for verdict in each}


@pytest.mark.parametrize("case", CARELESS)
def test_a_wait_that_was_interrupted_has_not_taken_the_semaphore(case: str) -> None:
    assert _said(CARELESS[case], ACTION, "locksets", "explicit") == {"UNKNOWN"}


@pytest.mark.parametrize("install", ["", "signal(SIGUSR1, handler);"])
def test_nothing_interrupts_without_such_handlers(install: str) -> None:
    """The handlers of `signal` restart what they interrupt."""
    assert _said(CARELESS["ignored"], install, "locksets") == {"SAFE"}
