"""Variables that go out of scope while a thread that got their addresses runs."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

HEAD = """
#include <pthread.h>
struct job { int in; int out[2]; };
void *work(void *arg) { struct job *job = arg; job->out[1] = job->in; return 0; }
"""
BLOCK = """
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        struct job job = { i };
        pthread_create(&t[i], 0, work, &job);
        JOIN
    }
    return 0;
}
"""
FUNCTION = """
void run(void) {
    pthread_t t[2];
    struct job jobs[2] = { { 1 }, { 2 } };
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &jobs[i]);
    for (int i = 0; i < LAST; i++) pthread_join(t[i], 0);
}
int main(void) { for (int i = 0; i < 2; i++) run(); return 0; }
"""


def _races(text: str, engine: str) -> str:
    program = lowered(HEAD + text)
    options = CheckOptions(properties=("races",), engine=engine)
    (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
    return found.verdict.value


@pytest.mark.parametrize("text", [BLOCK.replace("JOIN", ""), FUNCTION.replace("LAST", "1")])
def test_the_end_of_a_variable_is_a_write(text: str) -> None:
    """`locksets` once called the first one SAFE, where `explicit` finds the race."""
    assert _races(text, "explicit") == "UNSAFE"
    assert _races(text, "locksets") == "UNKNOWN"


def test_threads_that_were_joined_before_are_no_danger() -> None:
    """What belongs to a function may be given to threads that it waits for."""
    assert _races(FUNCTION.replace("LAST", "2"), "locksets") == "SAFE"
    assert _races(BLOCK.replace("JOIN", "pthread_join(t[i], 0);"), "explicit") == "SAFE"


LENGTH = """
pthread_t t;
void run(int n) {
    struct job jobs[n];
    jobs[0].in = n;
    pthread_create(&t, 0, work, &jobs[0]);
    JOIN
}
int main(void) { run(2); LAST return 0; }
"""
JOIN = "pthread_join(t, 0);"


@pytest.mark.parametrize("asked", ["races", "memory"])
def test_arrays_of_variable_length_end_with_their_functions(asked: str) -> None:
    """They once lived for ever: the use of one that is gone was SAFE."""

    def verdict(text: str) -> str:
        options = CheckOptions(properties=(asked,), engine="explicit")
        loaded = lowered(HEAD + text)
        (found,) = check_loaded("t.c", lambda: loaded, options, in_process=True).properties
        return found.verdict.value

    assert verdict(LENGTH.replace("JOIN", "").replace("LAST", JOIN)) == "UNSAFE"
    assert verdict(LENGTH.replace("JOIN", JOIN).replace("LAST", "run(3);")) == "SAFE"


def test_arrays_of_variable_length_end_before_they_are_declared_again() -> None:
    text = """
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        struct job jobs[i + 1];
        jobs[0].in = i;
        pthread_create(&t[i], 0, work, jobs);
        JOIN
    }
    return 0;
}
"""
    assert _races(text.replace("JOIN", ""), "explicit") == "UNSAFE"
    assert _races(text.replace("JOIN", "pthread_join(t[i], 0);"), "explicit") == "SAFE"
