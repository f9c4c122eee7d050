"""Numbers that are frozen: counts and flags that threads go by."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

POOL = (
    INCLUDES
    + """
struct pool { int count, queued; pthread_mutex_t m; pthread_t *threads; };
int total;
void *work(void *arg)
{
    struct pool *p = arg;
    pthread_mutex_lock(&p->m);
    p->queued--;
    total++;
    pthread_mutex_unlock(&p->m);
    return 0;
}
int main(void)
{
    int n = COUNT;
    struct pool *p = malloc(sizeof *p);
    pthread_mutex_init(&p->m, 0);
    p->queued = n;
    p->count = n;
    p->threads = malloc(n * sizeof(pthread_t));
    for (int i = 0; i < n; i++)
        pthread_create(&p->threads[i], 0, work, p);
    BETWEEN
    for (int i = 0; i < p->count; i++)
        pthread_join(p->threads[i], 0);
    return total;
}
"""
)
FLAG = (
    INCLUDES
    + """
int threaded, data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void update(int lock)
{
    if (lock)
        pthread_mutex_lock(&m);
    data++;
    if (lock)
        pthread_mutex_unlock(&m);
}
void *work(void *arg) { update(1); return 0; }
int main(void)
{
    pthread_t a;
    update(threaded);
    threaded = 1;
    pthread_create(&a, 0, work, 0);
    update(threaded);
    pthread_join(a, 0);
    threaded = 0;
    update(threaded);
    return 0;
}
"""
)


def proves(text: str) -> bool:
    program = loaded(text).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for finding in LocksetEngine().run(Task(program, races)):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            return True
    return False


@pytest.mark.parametrize("count", ["3", "rand() % 10 + 1"])
def test_as_many_are_joined_as_were_started(count: str) -> None:
    assert proves(POOL.replace("COUNT", count).replace("BETWEEN", ""))


@pytest.mark.parametrize("between", ["p->count--;", "p->count = n - 1;", "*(&p->count) = 0;"])
def test_not_if_the_count_has_changed(between: str) -> None:
    assert not proves(POOL.replace("COUNT", "3").replace("BETWEEN", between))


def test_a_flag_that_says_whether_to_lock() -> None:
    assert proves(FLAG)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("threaded = 1;", ""),
        ("    pthread_join(a, 0);\n    threaded = 0;", "    threaded = 0;"),
        ("update(1); return", "threaded = 0; return"),
        ("pthread_join(a, 0);", ""),
    ],
)
def test_not_if_the_flag_is_wrong(old: str, new: str) -> None:
    assert old in FLAG
    assert not proves(FLAG.replace(old, new))


KINDS = (
    INCLUDES
    + """
int data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *arg) { pthread_mutex_lock(&m); data++; pthread_mutex_unlock(&m); return 0; }
void *g(void *arg) { pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m); return 0; }
int main(void)
{
    pthread_t t[20];
    for (int i = 0; i < 20; i++)
        pthread_create(&t[i], 0, i % 2 ? f : g, 0);
    for (int i = 0; i < 20; i++)
        pthread_join(t[i], 0);
    return data;
}
"""
)


def test_threads_of_two_kinds_in_one_loop() -> None:
    assert proves(KINDS)


def test_not_all_of_two_kinds_are_joined() -> None:
    assert not proves(
        KINDS.replace("i < 20; i++)\n        pthread_join", "i < 19; i++)\n        pthread_join")
    )


NAMES = (
    INCLUDES
    + """
struct bucket { pthread_mutex_t m; int n; } table[8];
void use(unsigned h)
{
    struct bucket *b = &table[h % 8];
    h = 0;
    pthread_mutex_lock(&b->m);
    CHANGE
    b->n++;
    pthread_mutex_unlock(&b->m);
}
void *f(void *arg) { use(rand()); use(rand()); return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    return 0;
}
"""
)


@pytest.mark.parametrize(
    ("change", "expected"), [("", True), ("b = &table[(h + 1) % 8];", False), ("b++;", False)]
)
def test_names_that_lose_a_part(change: str, expected: bool) -> None:
    assert proves(NAMES.replace("CHANGE", change)) == expected
