"""What the library keeps between calls is shared, and what it returns is not fixed."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, loaded

PROGRAM = """
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
char one[4] = "a b", other[4] = "c d";
sigset_t set;
struct timespec now;
int number;
char *text;
void *work(void *unused) { WORK; return 0; }
int main(void) {
    pthread_t t;
    BEFORE;
    pthread_create(&t, 0, work, 0);
    MAIN;
    return 0;
}
"""


def verdict(work: str, main: str, *, before: str = "", asked: str = "races") -> str:
    text = PROGRAM.replace("WORK", work).replace("MAIN", main).replace("BEFORE", before)
    return checked(text, asked).verdict.value


@pytest.mark.parametrize(
    ("work", "main"),
    [
        ("strerror(1)", "strerror(2)"),
        ("strerror(1)", "puts(text)"),
        ("strerror(1)", 'printf("%s", text)'),
        ("strerror(1)", 'fprintf(stderr, "%d %s", 1, text)'),
        ('strtok(one, " ")', 'strtok(other, " ")'),
        ("drand48()", "drand48()"),
        ("lrand48()", "srand48(1)"),
        ("sigaddset(&set, 1)", "sigaddset(&set, 2)"),
        ("sigemptyset(&set)", "pthread_sigmask(SIG_BLOCK, &set, 0)"),
        ("clock_gettime(CLOCK_REALTIME, &now)", "clock_gettime(CLOCK_MONOTONIC, &now)"),
    ],
)
def test_calls_that_share_a_state_race(work: str, main: str) -> None:
    """A wrong SAFE once: `strerror` had no memory of its own."""
    before = "text = strerror(3); sigemptyset(&set)"
    assert verdict(work, main, before=before) == "UNSAFE"
    assert verdict(work, f"pthread_join(t, 0); {main}", before=before) == "SAFE"


@pytest.mark.parametrize(
    ("work", "main"),
    [
        ('putenv("A=b")', "clearenv()"),
        ('setenv("A", "b", 1)', 'unsetenv("A")'),
        ("lgamma(0.5)", "lgammaf(0.5f)"),
        ("gamma(0.5)", "number = signgam"),
        ("setpwent()", "endpwent()"),
        ("setlogmask(1)", "setlogmask(2)"),
        ("putchar_unlocked('a')", "putc_unlocked('b', stdout)"),
        ("getchar_unlocked()", "clearerr_unlocked(stdin)"),
    ],
)
def test_calls_that_change_what_the_library_keeps_race(work: str, main: str) -> None:
    """A wrong SAFE once: the environment, the sign of `lgamma` and others were nobody's memory."""
    assert verdict(work, main) == "UNSAFE"
    assert verdict("", f"{main}; pthread_join(t, 0); {work}") == "SAFE"


@pytest.mark.parametrize(
    ("work", "before", "expected"),
    [
        ('setenv("A", "b", 1)', "", "UNSAFE"),
        ("clearenv()", "", "UNSAFE"),
        ("", 'setenv("A", "b", 1)', "UNKNOWN"),
    ],
)
@pytest.mark.parametrize("look", ["getenv", "secure_getenv"])
def test_looking_at_an_environment_that_changes(
    look: str, work: str, before: str, expected: str
) -> None:
    """What is found in it is not computed, so that search ends there."""
    assert verdict(work, f'{look}("A")', before=before) == expected


def test_each_thread_may_use_a_stream_of_its_own_without_its_lock() -> None:
    work = 'FILE *f = fopen("a", "r"); if (f) getc_unlocked(f)'
    assert verdict(work, work) == "SAFE"


def test_streams_that_the_program_locks_are_not_judged() -> None:
    locked = "flockfile(stdout); putchar_unlocked('a'); funlockfile(stdout)"
    assert verdict(locked, locked) == "UNKNOWN"
    assert verdict(locked, "putchar_unlocked('a')") == "UNKNOWN"


@pytest.mark.parametrize(
    "claim",
    [
        'strcmp(strerror(3), "error") == 0',
        "strlen(strerror(3)) == 5",
        "strerror(3)[0] == 'e'",
        "strerror(3)[0]",
    ],
)
def test_the_text_of_an_error_is_not_known(claim: str) -> None:
    assert verdict("", f"assert({claim})", asked="assertions") == "UNKNOWN"


@pytest.mark.parametrize(
    ("before", "claim", "expected"),
    [
        (
            "",
            "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &number) == 0 && number == 0",
            "SAFE",
        ),
        (
            "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &number)",
            "pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &number) == 0 && number == 1",
            "SAFE",
        ),
        ("", "pthread_setcanceltype(7, &number) == EINVAL", "SAFE"),
        ("pthread_attr_t a", "pthread_attr_setdetachstate(&a, 5) == EINVAL", "SAFE"),
        ("", "pthread_setschedprio(pthread_self(), 1) == 0", "UNSAFE"),
    ],
)
def test_settings_are_kept(before: str, claim: str, expected: str) -> None:
    assert verdict("", f"assert({claim})", before=before, asked="assertions") == expected


def test_threads_that_are_started_detached_are_not_joined() -> None:
    """No assumption once: only pthread_detach said so."""
    before = "pthread_attr_t a; pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED)"
    text = PROGRAM.replace("WORK", "").replace("MAIN", "pthread_join(t, 0)")
    told = "threads that are detached are not joined"
    assert told in loaded(text.replace("BEFORE", before)).assumptions
    assert told not in loaded(text.replace("BEFORE", "")).assumptions
