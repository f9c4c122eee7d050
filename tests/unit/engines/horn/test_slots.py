"""Own slots of many threads: proofs about one followed thread and its cells of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from tests.unit.engines.tallies.proving import assert_not_proved, assert_proved
from threadwise.engines.api import EngineOptions, Finding, Task
from threadwise.engines.following import with_creation_index
from threadwise.engines.horn.horn_engine import Hints, HornEngine

MOST_UNITS = 1_000_000
"""What a query may cost: enough for what is guessed, too little to unroll loops."""


def followed(task: Task) -> Iterator[Finding]:
    """Proofs of the program that follows a thread, with one representative."""
    limited = Task(task.program, task.properties, EngineOptions(max_solver_units=MOST_UNITS))
    run = partial(HornEngine()._run, hints=Hints(limited), k=1, narrow=True)
    return with_creation_index(limited, run, lambda _: iter(()))


OWN = """#include <assert.h>
#include <pthread.h>
int slot[200];
void *work(void *argument)
{
    INDEX me = (INDEX)(long)argument;
    slot[me] = me;
    slot[me] = slot[me] + 1;
    assert(slot[me] == me + 1);
    return 0;
}
int main(void)
{
    pthread_t thread;
    for (long i = 0; i < 200; i++)
        pthread_create(&thread, 0, work, (void *)(PASSED));
    return 0;
}
"""
MAPPED = """#include <assert.h>
#include <pthread.h>
#define N 30
extern int __VERIFIER_nondet_int(void);
int from[N], to[N];
void *work(void *argument)
{
    int i = (int)(long)argument;
    to[i] = from[i] + 1;
    return 0;
}
int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        from[i] = __VERIFIER_nondet_int() % 100;
    for (long i = 0; i < N; i++)
        pthread_create(&thread[i], 0, work, (void *)i);
    LATER
    for (int i = FIRST; i < N; i++)
        pthread_join(thread[i], 0);
    for (int i = 0; i < N; i++)
        assert(to[i] == from[i] + 1);
    return 0;
}
"""


def own(index: str = "int", passed: str = "i") -> str:
    return OWN.replace("INDEX", index).replace("PASSED", passed)


def mapped(later: str = "", first: str = "0", change: tuple[str, str] = ("", "")) -> str:
    return MAPPED.replace("LATER", later).replace("FIRST", first).replace(*change)


@pytest.mark.parametrize(
    "text",
    [own(), own("short"), pytest.param(mapped(), marks=pytest.mark.slow)],
    ids=["int", "short", "map"],
)
def test_each_thread_has_its_cell(text: str) -> None:
    assert_proved(followed, text)


NEAR_MISSES = {
    "neighbours share a slot": own(passed="i / 2"),
    "a byte is too small": own("signed char", "i + 100"),
    "the first is not joined": mapped(first="1"),
    "an input changes later": mapped(later="from[3] = 7;"),
    "a result changes later": mapped(later="to[3] = 7;"),
    "another is computed": mapped(change=("from[i] + 1;", "from[i] + 2;")),
    "its neighbour's input": mapped(change=("from[i] + 1;", "from[(i + 1) % N] + 1;")),
}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=() if "slot[200]" in text else pytest.mark.slow)
        for text in NEAR_MISSES.values()
    ],
    ids=NEAR_MISSES,
)
def test_near_misses_are_not_proved(text: str) -> None:
    assert_not_proved(followed, text)
