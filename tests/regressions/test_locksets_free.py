"""`free` while another thread may use the object, which nobody took away from it before."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.driver import CheckOptions, check_loaded

HEAD = """
#include <pthread.h>
#include <stdlib.h>
struct job { pthread_mutex_t m; int v; struct job *next; };
struct job *top;
pthread_mutex_t lock;
"""
GIVEN = """
void *work(void *arg) { struct job *job = arg; job->v = 1; return 0; }
int main(void) {
    pthread_t t;
    struct job *job = malloc(sizeof *job);
    pthread_create(&t, 0, work, job);
    STEPS
    return 0;
}
"""
SET_BEFORE = """
void *work(void *arg) {
    pthread_mutex_lock(&top->m);
    top->v = 1;
    pthread_mutex_unlock(&top->m);
    return 0;
}
int main(void) {
    pthread_t t;
    top = calloc(1, sizeof *top);
    pthread_create(&t, 0, work, 0);
    STEPS
    return 0;
}
"""
STACK = """
void *push(void *arg) {
    struct job *job = malloc(sizeof *job);
    job->v = 1;
    pthread_mutex_lock(&lock);
    job->next = top;
    top = job;
    pthread_mutex_unlock(&lock);
    return 0;
}
void *pop(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *job = top;
    if (job) top = job->next;
    pthread_mutex_unlock(&lock);
    free(job);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, push, 0);
    pthread_create(&t, 0, pop, 0);
    pthread_create(&t, 0, pop, 0);
    pthread_exit(0);
}
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (GIVEN.replace("STEPS", "free(job); pthread_join(t, 0);"), "UNKNOWN"),
        (GIVEN.replace("STEPS", "pthread_join(t, 0); free(job);"), "SAFE"),
        (SET_BEFORE.replace("STEPS", "free(top); pthread_join(t, 0);"), "UNKNOWN"),
        (SET_BEFORE.replace("STEPS", "pthread_join(t, 0); free(top);"), "SAFE"),
        (STACK, "SAFE"),
    ],
)
def test_free_is_a_write_unless_the_object_was_taken_out(text: str, verdict: str) -> None:
    """The first and the third were SAFE once, where `explicit` finds a race with `free`."""
    program = lowered(HEAD + text)
    options = CheckOptions(properties=("races",), engine="locksets")
    (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
    assert found.verdict.value == verdict
    if verdict == "UNKNOWN":
        options = CheckOptions(properties=("races",), engine="explicit")
        (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
        assert found.verdict.value == "UNSAFE"
