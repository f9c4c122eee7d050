"""A pointer that was moved by no constant leads into the object that a thread owns.

    n = read(c->fd, c->buf + c->used, sizeof c->buf - c->used);

was undecided, although nobody else has a pointer to what `c` points to. The near misses are races.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

_HEAD = """#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
struct conn { int fd; char buf[64]; size_t used; };
static struct conn *shared;
static void fill(char *p, unsigned n) { for (unsigned i = 0; i < n; i++) p[i] = 1; }
static void *serve(void *arg)
{
    struct conn *c = arg;
"""
_TAIL = """
    free(c);
    return NULL;
}
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        struct conn *c = calloc(1, sizeof *c);
        if (!c)
            continue;
        pthread_t t;
        pthread_create(&t, 0, serve, c);
    }
    return 0;
}
"""
OWNED = {
    "read": "c->used += read(c->fd, c->buf + c->used, sizeof c->buf - c->used);",
    "filled": "fill(c->buf + c->used, 4);",
    "moved twice": "char *p = c->buf + c->used; p += c->fd; fill(p, 4);",
    "moved in a loop": "for (char *p = c->buf + c->used; p < c->buf + 64; p++) *p = 1;",
}
RACY = {
    "published": "char *p = c->buf + c->used; shared = c; fill(p, 4); return 0;",
    "published in between": "char *p = c->buf + c->used; fill(p, 2); shared = c; fill(p, 2);",
    "of another": """
        struct conn *d = shared; char *p = d->buf + d->used; d = c; fill(p, 4);""",
    "assigned anew": """
        char *p = c->buf + c->used; shared = c; c = calloc(1, sizeof *c); if (!c) return 0;
        fill(p, 4);""",
    "one of two": """
        char *p = __VERIFIER_nondet_int() ? c->buf + c->used : shared->buf + c->used;
        fill(p, 4);""",
    "given": """
        struct conn *d = calloc(1, sizeof *d); if (!d) return 0; char *p = d->buf + c->used;
        pthread_t t; pthread_create(&t, 0, serve, d); fill(p, 4);""",
}


@pytest.mark.parametrize("name", OWNED)
def test_what_is_owned(name: str) -> None:
    assert is_proved(_HEAD + OWNED[name] + _TAIL)


@pytest.mark.parametrize("name", RACY)
def test_what_others_find(name: str) -> None:
    assert not is_proved(_HEAD + RACY[name] + _TAIL)
