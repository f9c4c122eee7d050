"""Threads that merely wait for work, told apart from deadlocks: `idle` where nobody asked."""

from __future__ import annotations

import pytest

from threadwise.core.budget import UNLIMITED, Meter
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.driver.running.messages import Decided, Idle
from threadwise.driver.running.work import Work
from threadwise.engines.api import EngineOptions
from threadwise.engines.registry import ENGINES
from threadwise.frontends.c.options import COptions
from threadwise.ir.properties import DeadlockProperty

HEAD = """
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static sem_t s, t;
static pthread_barrier_t barrier;
static int items;
"""
TAKE = """
static void *worker(void *p)
{
    while (1) {
        pthread_mutex_lock(&lock);
        while (items == 0) pthread_cond_wait(&full, &lock);
        items--;
        %s
        pthread_mutex_unlock(&lock);
    }
}
"""
GIVE = """
    pthread_mutex_lock(&lock);
    %s
    items++;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&lock);
"""
LOOP = "static void *loop(void *p) { while (1) ; }\n"


def program(functions: str, body: str) -> str:
    return (
        HEAD
        + LOOP
        + functions
        + "int main(void)\n{\n    pthread_t a, b, c;\n"
        + "    sem_init(&s, 0, 0); sem_init(&t, 0, 0);\n"
        + "    pthread_barrier_init(&barrier, 0, 2); pthread_create(&c, 0, loop, 0);\n"
        + body
        + "    pthread_exit(0);\n}\n"
    )


START = "    pthread_create(&a, 0, worker, 0);\n"
BOTH = START + "    pthread_create(&b, 0, second, 0);\n"
POSTED = "static void *worker(void *p) { while (1) { sem_wait(&s); } }\n"
ONCE = "static void *worker(void *p) { sem_wait(&s); %s return 0; }\n"

IDLE = {
    "condition": program(TAKE % "", START + GIVE % ""),
    "semaphore": program(POSTED, START + "    sem_post(&s);\n"),
    "two conditions": program(
        TAKE % "pthread_cond_signal(&empty);",
        START + GIVE % "while (items > 0) pthread_cond_wait(&empty, &lock);",
    ),
    "two workers": program(POSTED, START + START + "    sem_post(&s);\n"),
    "producer ended": program(
        POSTED + "static void *second(void *p) { sem_post(&s); return 0; }\n", BOTH
    ),
}
STUCK = {
    "main joins": program(TAKE % "", START + GIVE % "" + "    pthread_join(a, 0);\n"),
    "main waits": program("", "    sem_post(&s); sem_wait(&s); sem_wait(&s);\n"),
    "cycle of semaphores": program(
        ONCE % "sem_post(&t);"
        + "static void *second(void *p) { sem_wait(&t); sem_post(&s); return 0; }\n",
        BOTH,
    ),
    "semaphore as a lock": program(
        "static void *worker(void *p) { sem_wait(&s); if (items++) sem_post(&s); return 0; }\n",
        "    sem_post(&s);\n" + START + "    pthread_create(&b, 0, worker, 0);\n",
    ),
    "nobody ever posts": program(POSTED, START),
    "barrier": program(
        "static void *worker(void *p) { pthread_barrier_wait(&barrier); return 0; }\n", START
    ),
    "work under a lock": program(
        "static void *worker(void *p)\n"
        "{ pthread_mutex_lock(&other); sem_wait(&s); pthread_mutex_unlock(&other); return 0; }\n"
        "static void *second(void *p)\n"
        "{ pthread_mutex_lock(&other); sem_post(&s); pthread_mutex_unlock(&other); return 0; }\n",
        BOTH,
    ),
    "lock of an ended thread": program(
        POSTED + "static void *second(void *p) { pthread_mutex_lock(&lock); return 0; }\n",
        BOTH + "    pthread_create(&b, 0, second, 0); sem_post(&s);\n",
    ),
}


def answer(text: str) -> str:
    """What explicit search says if nobody asked."""
    program = load_c([SourceFile("pool.c", text)], COptions()).program
    (checked,) = (p for p in program.properties if isinstance(p, DeadlockProperty))
    told: list[object] = []
    work = Work(program, [checked], EngineOptions(), Meter(UNLIMITED), told.append)
    work.suffers_idleness = True
    work.attempt(ENGINES["explicit"], None)
    decided = {r.verdict.value for m in told if isinstance(m, Decided) for r in m.results}
    for verdict in ("UNSAFE", "SAFE"):
        if verdict in decided:
            return verdict
    return "idle" if any(isinstance(message, Idle) for message in told) else "nothing"


@pytest.mark.parametrize("name", IDLE)
def test_threads_that_merely_wait_for_work(name: str) -> None:
    assert answer(IDLE[name]) == "idle"


@pytest.mark.parametrize("name", STUCK)
def test_every_other_deadlock(name: str) -> None:
    assert answer(STUCK[name]) == "UNSAFE"


def test_no_deadlock() -> None:
    assert answer(program(POSTED, "    sem_post(&s);\n")) == "SAFE"
