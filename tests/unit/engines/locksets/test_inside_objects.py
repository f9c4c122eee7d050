"""Pointers that are moved inside a record with a lock, and near misses.

    struct buf *b = &dev->ring[dev->head % 4]; b->len = n;     under dev->lock

That b leads into the record that dev leads to is known as long as both keep their values. Each
program of the second kind has a race, or its record may be part of another object.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

TEXT = (
    INCLUDES
    + """
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
#define ANY (__VERIFIER_nondet_uint() % 4)
struct buf { int len; int data[4]; };
struct dev {
    pthread_mutex_t l, m; pthread_rwlock_t r; struct buf ring[4]; int a[4]; unsigned head;
};
struct pair { struct dev one, two; };
struct dev *given[2];
pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
#define LOCK(x) pthread_mutex_lock(x)
#define UNLOCK(x) pthread_mutex_unlock(x)
static struct dev *make(void)
{
    struct dev *d = ALLOCATE;
    pthread_mutex_init(&d->l, 0); pthread_mutex_init(&d->m, 0); pthread_rwlock_init(&d->r, 0);
    d->head = 0;
    for (int i = 0; i < 4; i++) { d->ring[i].len = 0; d->a[i] = 0; }
    return d;
}
static struct dev *get(void)
{
    struct dev *d;
    LOCK(&g); d = given[ANY % 2]; UNLOCK(&g);
    return d;
}
void *f(void *u)
{
    struct dev *d = get(), *e = get();
    struct buf *b = 0; int *p = 0; unsigned h = ANY;
    if (!d || !e) return 0;
    BODY
    return 0;
}
int main(void)
{
    pthread_t t;
    for (;;) {
        struct dev *d = make();
        LOCK(&g); given[ANY % 2] = d; UNLOCK(&g);
        pthread_create(&t, 0, f, 0);
    }
}
"""
)
ONE = "malloc(sizeof(struct dev))"


def verdict(body: str, allocate: str = ONE, engine: str = "locksets") -> str:
    text = TEXT.replace("BODY", body).replace("ALLOCATE", allocate)
    program = loaded(text).program
    options = CheckOptions(properties=("races",), engine=engine, budget=Budget(steps=2_000_000))
    return check_loaded("t.c", lambda: program, options, in_process=True).verdict.value


PROVED = [
    "LOCK(&d->l); b = &d->ring[h]; b->len++; UNLOCK(&d->l);",
    "LOCK(&d->l); b = &d->ring[d->head % 4]; b->len++; d->head++; UNLOCK(&d->l);",
    "b = &d->ring[h]; h = 9; LOCK(&d->l); b->len++; UNLOCK(&d->l);",
    "LOCK(&d->l); p = &d->a[h]; h = ANY; *p = 1; UNLOCK(&d->l);",
    "LOCK(&d->l); b = &d->ring[h]; h = ANY; p = &b->data[h]; h = ANY; *p = 1; UNLOCK(&d->l);",
    "pthread_rwlock_wrlock(&d->r); b = &d->ring[h]; b->len++; pthread_rwlock_unlock(&d->r);",
]


@pytest.mark.parametrize("body", PROVED)
def test_locks_of_the_record_protect_what_is_inside(body: str) -> None:
    assert verdict(body) == "SAFE"


RACY = [
    "b = &d->ring[h]; LOCK(&e->l); b->len++; UNLOCK(&e->l);",
    "b = &d->ring[h]; d = e; LOCK(&d->l); b->len++; UNLOCK(&d->l);",
    "b = &d->ring[h]; if (h) b = &e->ring[h]; LOCK(&d->l); b->len++; UNLOCK(&d->l);",
    "LOCK(&d->l); b = &d->ring[h]; UNLOCK(&d->l); b->len++;",
    "b = &d->ring[h]; h = ANY; if (h) { LOCK(&d->l); b->len++; UNLOCK(&d->l); }"
    " else { LOCK(&d->m); b->len++; UNLOCK(&d->m); }",
    "pthread_rwlock_rdlock(&d->r); b = &d->ring[h]; b->len++; pthread_rwlock_unlock(&d->r);",
    "for (int i = 0; i < 2; i++) { LOCK(&d->l); if (b) b->len++; b = &d->ring[h]; UNLOCK(&d->l);"
    " d = e; }",
    "b = &d->ring[h]; p = &e->ring[0].len; LOCK(&e->l); b->len++; UNLOCK(&e->l); (void)p;",
]


@pytest.mark.parametrize("body", RACY)
def test_other_locks_do_not(body: str) -> None:
    assert verdict(body) == "UNKNOWN"


@pytest.mark.slow
@pytest.mark.parametrize("body", RACY)
def test_these_are_races(body: str) -> None:
    assert verdict(body, engine="walks") == "UNSAFE"


@pytest.mark.parametrize(
    "allocate",
    [
        "malloc((1 + ANY) * sizeof(struct dev))",
        "&((struct pair *)malloc(sizeof(struct pair)))->two",
    ],
)
def test_records_that_are_parts_of_objects_may_have_neighbours(allocate: str) -> None:
    body = "LOCK(&d->l); b = &d->ring[h]; h = ANY; b->len++; UNLOCK(&d->l);"
    assert verdict(body, allocate) == "UNKNOWN"
