"""What memory may hold: what only unknown steps would write is not there before they are taken."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.engines.locksets.points_to import memory_of
from threadwise.proofs.locksets.beyond import readable
from threadwise.proofs.locksets.memory.contents import includes

HEAD = """
#include <pthread.h>
#include <stdlib.h>
struct pool { int count; void (*work)(struct pool *); pthread_mutex_t lock; pthread_cond_t some; };
void unknown(void *);
static void work(struct pool *p) { p->count++; }
static void *run(void *given) {
    struct pool *p = given;
    pthread_mutex_lock(&p->lock);
    %s
    pthread_mutex_unlock(&p->lock);
    return 0;
}
int main(void) {
    struct pool *p = malloc(sizeof *p);
    pthread_t a, b;
    p->count = 0;
    p->work = work;
    pthread_mutex_init(&p->lock, 0);
    pthread_cond_init(&p->some, 0);
    %s
    pthread_create(&a, 0, run, p);
    pthread_create(&b, 0, run, p);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""


def verdict(text: str) -> str:
    """What `locksets` says about races, without a defect."""
    options = CheckOptions(properties=("races",), engine="locksets", budget=Budget(steps=40_000))
    found = check_loaded("t.c", lambda: loaded(text), options, in_process=True)
    assert not found.defects
    return found.verdict.value


@pytest.mark.parametrize(
    "step",
    [
        "p->work(p);",
        "while (p->count > 3) pthread_cond_wait(&p->some, &p->lock); p->count++;",
        "if ((unsigned long)p->work == (unsigned long)((void *)0)) p->count = 1; p->work(p);",
    ],
)
def test_what_is_only_feared_is_no_reason(step: str) -> None:
    """A pointer that means no function, a lock taken twice: neither can happen here."""
    assert verdict(HEAD % (step, "")) == "SAFE"


def test_what_may_happen_counts() -> None:
    """A function that nobody describes may write the pointer before it is called."""
    assert verdict(HEAD % ("p->work(p);", "unknown(p);")) == "UNKNOWN"
    assert verdict(HEAD % ("p->work(p); unknown(p);", "")) == "UNKNOWN"


def test_edges_that_are_given_are_all_that_counts() -> None:
    """With the edges that threads may take by its own account, memory holds the same."""
    program = readable(loaded(HEAD % ("p->work(p);", "")).worked_on)
    edges = frozenset(edge.id for edge in program.edges)
    everything = memory_of(program, lambda: None, edges).values
    least = memory_of(program, lambda: None).values
    for cell, values in least.items():
        assert includes(everything[cell], values)
    assert memory_of(program, lambda: None, ()).values != least
