"""An object that is published on one of two ways only, as a flag tells afterwards.

Ways on which a thread owns other objects were put together, so that the one who frees what could
not be put into a ring was undecided. The near misses are races.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

_TEXT = """#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct frame { size_t len; int data[4]; };
static struct frame *ring[4];
static unsigned head, tail;
static int up;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int transmit(int length)
{
    int error = 0;
    struct frame *f = malloc(sizeof *f);
    if (!f)
        return -ENOMEM;
    f->len = length;
    pthread_mutex_lock(&m);
    if (!up)
        error = -ENETDOWN;
    else if (head - tail == 4)
        error = -EBUSY;
    if (!error)
        ring[head++ % 4] = f;
    pthread_mutex_unlock(&m);
    BEHIND
    return error;
}
static void *interrupt(void *unused)
{
    for (int i = 0; i < 9; i++) {
        struct frame *done = NULL;
        pthread_mutex_lock(&m);
        if (tail != head) {
            done = ring[tail % 4];
            ring[tail % 4] = NULL;
            tail++;
        }
        pthread_mutex_unlock(&m);
        free(done);
    }
    return unused;
}
static void *work(void *unused)
{
    for (int i = 0; i < 5; i++)
        transmit(i);
    return unused;
}
int main(void)
{
    pthread_t t[3], q;
    up = __VERIFIER_nondet_int();
    pthread_create(&q, 0, interrupt, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    pthread_join(q, 0);
    return 0;
}
"""
RIGHT = {
    "freed": "if (error) free(f);",
    "used and freed": "if (error != 0) { f->len = 0; free(f); }",
}
RACY = {
    "the wrong way": "if (!error) free(f);",
    "always": "free(f);",
    "another flag": "if (up) free(f);",
    "flag set anew": "if (!error) error = __VERIFIER_nondet_int(); if (error) free(f);",
    "used on both": "if (error) free(f); else f->len = 1;",
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_was_not_published(name: str) -> None:
    assert is_proved(_TEXT.replace("BEHIND", RIGHT[name]))


@pytest.mark.parametrize("name", RACY)
def test_what_was_published(name: str) -> None:
    assert not is_proved(_TEXT.replace("BEHIND", RACY[name]))
