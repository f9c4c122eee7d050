"""Locks that are filled with zeros, or copied, in parts of objects, before anybody takes them.

    pool = realloc(pool, n * sizeof *pool);
    memset(pool + 1, 0, (n - 1) * sizeof *pool);

Where no thread runs that ever takes them, nobody can lose them by that: only who writes can.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved
from tests.unit.frontends.c.checking import lowered
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct conn { int data; pthread_mutex_t lock; };
static struct conn *pool;
static int n, ticks;
static pthread_mutex_t ticking = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument);
static void *clock_(void *argument) {
    pthread_mutex_lock(&ticking);
    ticks++;
    pthread_mutex_unlock(&ticking);
    CLOCK
    return 0;
}
static void *work(void *argument) {
    struct conn *conn = argument;
    pthread_mutex_lock(&conn->lock);
    conn->data++;
    pthread_mutex_unlock(&conn->lock);
    return 0;
}
static void clear(struct conn *from, int count) { memset(from, 0, count * sizeof *from); }
static void *clearing(void *argument) { clear(pool + 1, n - 1); return 0; }
int main(int argc, char **argv) {
    pthread_t t, u, c;
    n = argc + 1;
    pool = calloc(n, sizeof *pool);
    if (!pool) return 1;
    for (int i = 0; i < n; i++) pthread_mutex_init(&pool[i].lock, 0);
    BEFORE
    FILL
    pthread_create(&t, 0, work, pool + 1);
    AFTER
    pthread_mutex_lock(&pool[1].lock);
    pool[1].data++;
    pthread_mutex_unlock(&pool[1].lock);
    return 0;
}
"""
FILL = "memset(pool + 1, 0, (n - 1) * sizeof *pool);"
OTHER = "pthread_create(&c, 0, clock_, 0);"


def text(fill: str = FILL, *, before: str = "", after: str = "", clock: str = "") -> str:
    found = PROGRAM.replace("FILL", fill).replace("BEFORE", before)
    return found.replace("AFTER", after).replace("CLOCK", clock)


RIGHT = {
    "before": text(),
    "in a function": text("clear(pool + 1, n - 1);"),
    "grown": text(f"pool = realloc(pool, ++n * sizeof *pool); if (!pool) return 1; {FILL}"),
    "beside others": text(before=OTHER),
    "after all": text(before="pthread_create(&u, 0, work, pool + 1); pthread_join(u, 0);"),
    "held": text(f"pthread_mutex_lock(&pool[1].lock); {FILL}"),
}
WRONG = {
    "meanwhile": text(after=FILL),
    "while one still runs": text(before="pthread_create(&u, 0, work, pool + 1);"),
    "in a function meanwhile": text("", after="clear(pool + 1, n - 1);"),
    "by another thread": text("pthread_create(&c, 0, clearing, 0);"),
    "by another thread, meanwhile": text("", after="pthread_create(&c, 0, clearing, 0);"),
    "others take it": text(before=OTHER, clock="work(pool + 1);"),
    "others start who takes it": text(
        before=OTHER, clock="pthread_t v; pthread_create(&v, 0, work, pool + 1);"
    ),
    "held no longer": text(f"pthread_mutex_lock(&pool[1].lock); {FILL}", after="pool[1].data++;"),
    "held no longer by the caller": text(
        "pthread_mutex_lock(&pool[1].lock); clear(pool + 1, n - 1);", after="pool[1].data++;"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_locks_that_nobody_takes_may_be_overwritten(name: str) -> None:
    assert is_proved(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_locks_that_somebody_takes_may_not(name: str) -> None:
    assert not is_proved(WRONG[name])


@pytest.mark.parametrize("name", ["before", "beside others", "held"])
def test_proofs_are_checked_and_audited(name: str) -> None:
    loaded = lowered(RIGHT[name])
    options = CheckOptions(properties=("races",), engine="locksets")
    (found,) = check_loaded("t.c", lambda: loaded, options, in_process=True).properties
    assert found.verdict.value == "SAFE"
