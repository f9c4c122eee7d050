"""A lock of one's own object is given back by another name than it was taken by.

While a thread owns an object, nobody else takes its locks; but the thread itself may know one of
them by two names, and what is released by one of them is no longer held by the other.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

_HEAD = """#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct s { int x; pthread_mutex_t m; struct s *self; };
static struct s *g;
static void *other(void *unused)
{
    pthread_mutex_lock(&g[1].m);
    g[1].x = 2;
    pthread_mutex_unlock(&g[1].m);
    return 0;
}
int main(void)
{
    pthread_t t;
    struct s *p = malloc(2 * sizeof *p);
    if (!p)
        return 1;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&p[i].m, 0);
        p[i].x = 0;
        p[i].self = &p[i];
    }
    int j = __VERIFIER_nondet_int();
    if (j < 0 || j > 1 || (j & 1) != 1)
        return 0;
"""
_TAIL = """
    g = p;
    pthread_create(&t, 0, other, 0);
    p[1].x = 1;
    pthread_join(t, 0);
    return 0;
}
"""
GIVEN_BACK = {
    "by an index": "pthread_mutex_lock(&p[1].m); pthread_mutex_unlock(&p[j].m);",
    "taken by an index": "pthread_mutex_lock(&p[j].m); pthread_mutex_unlock(&p[1].m);",
    "by a copy": (
        "struct s *q = __VERIFIER_nondet_int() ? &p[j] : &p[1];"
        "pthread_mutex_lock(&p[1].m); pthread_mutex_unlock(&q->m);"
    ),
    "taken by a copy": (
        "struct s *q = __VERIFIER_nondet_int() ? &p[j] : &p[1];"
        "pthread_mutex_lock(&q->m); pthread_mutex_unlock(&p[1].m);"
    ),
    "by a pointer in the object": (
        "struct s *q = p[1].self; pthread_mutex_lock(&p[1].m); pthread_mutex_unlock(&q->m);"
    ),
    "taken by a pointer in the object": (
        "struct s *q = p[1].self; pthread_mutex_lock(&q->m); pthread_mutex_unlock(&p[1].m);"
    ),
}


@pytest.mark.parametrize("name", GIVEN_BACK)
def test_it_is_not_held_any_more(name: str) -> None:
    assert not is_proved(_HEAD + GIVEN_BACK[name] + _TAIL)


def test_locks_of_other_objects_stay_held() -> None:
    """A lock begins in a new object while another one, allocated at the same place, is held."""
    assert is_proved(
        _HEAD
        + """
    g = p;
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&g[1].m);
    struct s *q = malloc(2 * sizeof *q);
    if (!q)
        return 1;
    pthread_mutex_init(&q[0].m, 0);
    g[1].x = 3;
    pthread_mutex_unlock(&g[1].m);
    pthread_join(t, 0);
    return 0;
}
"""
    )
