"""What only the first thread writes is settled for it: counts that grow while threads run."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.results.verdict import Verdict

HEAD = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct pool { pthread_t *threads; COUNT n; pthread_mutex_t lock; long served; };
static struct pool *other;
static void *serve(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    pool->served++;
    IN_THREAD
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}
static struct pool *begin(int wanted)
{
    struct pool *pool = malloc(sizeof *pool);
    pool->threads = calloc(wanted, sizeof *pool->threads);
    pool->n = 0;
    pool->served = 0;
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}
"""
MAIN = """
int main(void)
{
    int wanted = __VERIFIER_nondet_int();
    struct pool *pool = begin(wanted);
    other = pool;
    BEFORE
    for (int i = 0; i < wanted; i++) {
        pthread_create(&pool->threads[i], NULL, serve, pool);
        COUNTED
    }
    BETWEEN
    for (int i = FIRST; i < pool->n; i++)
        pthread_join(pool->threads[i], NULL);
    AFTER
    return pool->served > 0;
}
"""
USUAL = {
    "COUNTED": "pool->n++;",
    "COUNT": "int",
    "IN_THREAD": "",
    "BEFORE": "",
    "BETWEEN": "",
    "FIRST": "0",
    "AFTER": "",
}

HOLDS: dict[str, dict[str, str]] = {
    "a count that grows": {},
    "a count that is stored": {"COUNTED": "", "BETWEEN": "pool->n = wanted;"},
    "by another name": {"BEFORE": "struct pool *q = pool;", "COUNTED": "q->n += 1;"},
}

RACY: dict[str, dict[str, str]] = {
    "one thread is left out": {"BETWEEN": "pool->n--;"},
    "the first is left out": {"FIRST": "1"},
    "every second is counted": {"COUNTED": "if (i % 2) pool->n++;"},
    "the count is changed by another name": {"BETWEEN": "other->n = 1;"},
    "the count is changed by its address": {"BETWEEN": "int *p = &pool->n; *p -= 1;"},
    "the count is cleared as bytes": {"BETWEEN": "memset(pool, 0, sizeof pool->n + 8);"},
    "a thread changes the count": {"IN_THREAD": "pool->n--;"},
    "a small count": {"COUNT": "unsigned char"},
    "the count of another pool": {
        "BETWEEN": "struct pool *p = pool; pool = begin(2); pool->n = 1;"
        "pool->threads = p->threads; pool->lock = p->lock;",
        "AFTER": "pool = p;",
    },
    "ids are written over": {"BETWEEN": "if (wanted > 1) pool->threads[1] = pool->threads[0];"},
    "another array of ids": {
        "BETWEEN": "pthread_t *t = calloc(wanted, sizeof *t);"
        "for (int i = 0; i < wanted; i++) t[i] = pool->threads[0]; pool->threads = t;"
    },
    "one more is started later": {
        "AFTER": "pthread_t t; pthread_create(&t, NULL, serve, pool);",
    },
}
EVERYDAY = {"a count that grows", "the count is changed by another name"}


def _verdict(changes: dict[str, str]) -> Verdict:
    text = HEAD + MAIN
    for name, code in sorted({**USUAL, **changes}.items(), key=lambda item: -len(item[0])):
        text = text.replace(name, code)
    program = loaded(text).program
    options = CheckOptions(properties=("races",), engine="locksets", audit=False)
    result = check_loaded("t.c", lambda: program, options, in_process=True)
    (checked,) = result.properties
    return checked.verdict


def _cases(table: dict[str, dict[str, str]]) -> list[object]:
    return [
        pytest.param(changes, id=name, marks=() if name in EVERYDAY else pytest.mark.slow)
        for name, changes in table.items()
    ]


@pytest.mark.parametrize("changes", _cases(HOLDS))
def test_proved(changes: dict[str, str]) -> None:
    assert _verdict(changes) is Verdict.SAFE


@pytest.mark.slow
@pytest.mark.parametrize("changes", _cases(RACY))
def test_not_proved(changes: dict[str, str]) -> None:
    assert _verdict(changes) is not Verdict.SAFE
