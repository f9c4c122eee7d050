"""Semaphores that serve as locks, taken by the thread that initialised them, too.

It knows which value they have at the beginning, as a number. Programs of the second kind have a
race: what is known of the value does not say that nobody else has the token, or what is done with
it does not keep its value and the tokens at 1.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

TEXT = """
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static sem_t s;
static atomic_int flag;
static int x;
static void *work(void *a)
{
    WAIT
    x++;
    POST
    return a;
}
int main(void)
{
    pthread_t t, u;
    INIT
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, 0);
    MAIN
    return 0;
}
"""
USUAL = {"WAIT": "sem_wait(&s);", "POST": "sem_post(&s);", "INIT": "sem_init(&s, 0, 1);"}
RIGHT = {
    "once": {"MAIN": "sem_wait(&s); x = 0; sem_post(&s);"},
    "twice": {"MAIN": "sem_wait(&s); x = 0; sem_post(&s); sem_wait(&s); x = 0; sem_post(&s);"},
    "in a loop": {"MAIN": "for (int i = 0; i < 3; i++) { sem_wait(&s); x = i; sem_post(&s); }"},
    "before threads, too": {
        "INIT": "sem_init(&s, 0, 1); sem_wait(&s); x = 1; sem_post(&s);",
        "MAIN": "sem_wait(&s); x = 0; sem_post(&s);",
    },
    "held while threads start": {
        "INIT": "sem_init(&s, 0, 1); sem_wait(&s);",
        "MAIN": "x = 0; sem_post(&s);",
    },
    "after one of them has ended": {
        "MAIN": "pthread_join(t, 0); sem_wait(&s); x = 0; sem_post(&s);",
    },
}
RACY = {
    "not taken": {"MAIN": "x = 0;"},
    "given back too early": {"MAIN": "sem_wait(&s); sem_post(&s); x = 0;"},
    "given back twice": {"MAIN": "sem_wait(&s); x = 0; sem_post(&s); sem_post(&s); x = 1;"},
    "given before it is taken": {"MAIN": "sem_post(&s); sem_wait(&s); x = 0; sem_post(&s);"},
    "two to begin with": {
        "INIT": "sem_init(&s, 0, 2);",
        "MAIN": "sem_wait(&s); x = 0; sem_post(&s);",
    },
    "given before threads": {
        "INIT": "sem_init(&s, 0, 1); sem_post(&s);",
        "MAIN": "sem_wait(&s); x = 0; sem_post(&s);",
    },
    "initialised again": {
        "MAIN": "sem_wait(&s); sem_init(&s, 0, 1); x = 0;",
    },
    "initialised again when it was taken before": {
        "INIT": "sem_init(&s, 0, 1); sem_wait(&s); sem_init(&s, 0, 1);",
        "MAIN": "x = 0; sem_post(&s);",
    },
    "tried": {"MAIN": "sem_trywait(&s); x = 0;"},
    "a flag that is not cleared by who set it": {
        "INIT": "flag = 1;",
        "WAIT": "int e = 0; while (!atomic_compare_exchange_strong(&flag, &e, 1)) e = 0;",
        "POST": "flag = 0;",
        "MAIN": "flag = 2; flag = 0; x = 0;",
    },
}


def _said(parts: dict[str, str]) -> set[str]:
    text = TEXT
    for name, part in (USUAL | parts).items():
        text = text.replace(name, part)
    found = verdicts(text, "races", engines=("locksets",))
    return {verdict for each in found.values() for verdict in each}


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_done_with_the_token_does_not_race(case: str) -> None:
    assert _said(RIGHT[case]) == {"SAFE"}


@pytest.mark.parametrize("case", RACY)
def test_what_is_done_without_it_is_not_proved(case: str) -> None:
    assert _said(RACY[case]) == {"UNKNOWN"}
