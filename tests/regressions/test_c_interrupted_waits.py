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


SIGNAL = "signal(SIGUSR1, handler);"


@pytest.mark.parametrize("install", ["", SIGNAL])
def test_nothing_interrupts_without_such_handlers(install: str) -> None:
    """The handlers of `signal` restart what they interrupt."""
    assert _said(CARELESS["ignored"], install, "locksets") == {"SAFE"}


@pytest.mark.parametrize(
    "wanted", ["_XOPEN_SOURCE 700", "_POSIX_C_SOURCE 200809L", "_POSIX_SOURCE", "__STRICT_ANSI__"]
)
def test_handlers_of_signal_interrupt_where_the_program_wants_a_standard_only(wanted: str) -> None:
    """The library has two functions `signal`: that of BSD, by default, and that of System V."""
    program = PROGRAM.replace("WAIT", CARELESS["ignored"]).replace("INSTALL", SIGNAL)
    text = f"#define {wanted}\n{program}"
    found = verdicts(text, "races", engines=("locksets",))
    assert {verdict for each in found.values() for verdict in each} == {"UNKNOWN"}
    both = verdicts(f"#define _DEFAULT_SOURCE\n{text}", "races", engines=("locksets",))
    assert {verdict for each in both.values() for verdict in each} == {"SAFE"}


def test_label_of_a_system_header_says_which_signal_is_meant() -> None:
    """Programs that were preprocessed with the headers of the library."""
    program = PROGRAM.replace("WAIT", CARELESS["ignored"]).replace("INSTALL", SIGNAL)
    declared = """
# 1 "/usr/include/signal.h" 1 3 4
extern void (*signal(int number, void (*handler)(int)))(int) LABEL;
# 5 "program.c" 2
"""
    said = {}
    for label in ("", '__asm__("__sysv_signal")'):
        text = program.replace("#include <signal.h>", declared.replace("LABEL", label))
        text = text.replace("(SIGUSR1", "(10")
        found = verdicts(text, "races", engines=("locksets",))
        said[label] = {verdict for each in found.values() for verdict in each}
    assert said == {"": {"SAFE"}, '__asm__("__sysv_signal")': {"UNKNOWN"}}
