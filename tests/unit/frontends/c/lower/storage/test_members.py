"""From a member to its record and back, in the ways that programs spell it."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, verdicts

TEXT = (
    INCLUDES
    + """
#include <stddef.h>
#include <stdint.h>
struct inner {{ char c; int x; }};
struct item {{ int a[2]; struct inner in; long v; char tail; }};
struct item item = {{ {{ 1, 2 }}, {{ 'c', 3 }}, 4, 't' }};
struct inner alone = {{ 'd', 5 }};
int main(void)
{{
    long *v = &item.v;
    int *x = &item.in.x;
    {body}
}}
"""
)


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("struct item *p = (struct item *)((char *)v - offsetof(struct item, v));"
         "assert(p == &item && p->a[1] == 2);", "SAFE"),
        ("struct item *p = (struct item *)((void *)v - (size_t)&((struct item *)0)->v);"
         "assert(p->in.x == 3);", "SAFE"),
        ("struct item *p = (struct item *)((uintptr_t)v - offsetof(struct item, v));"
         "assert(p->in.x == 3);", "SAFE"),
        ("struct item *p = (struct item *)((char *)x - offsetof(struct item, in.x));"
         "assert(p->v == 5);", "UNSAFE"),
        ("struct item *p = (struct item *)((char *)&item.in - offsetof(struct item, in));"
         "assert(&p->in == &item.in && p->v == 4);", "SAFE"),
        # The wrong member: what is there is no item.
        ("struct item *p = (struct item *)((char *)x - offsetof(struct item, v));"
         "assert(p->v);", "UNKNOWN"),
        # No item around it: it may come back, but not be followed.
        ("struct inner *q = &alone;"
         "struct item *p = (struct item *)((char *)q - offsetof(struct item, in));"
         "assert(&p->in == &alone && p->in.x == 5);", "UNKNOWN"),
        ("struct inner *q = &alone;"
         "struct item *p = (struct item *)((char *)q - offsetof(struct item, in));"
         "assert(&p->in == &alone);", "SAFE"),
        # Characters may be anything: not from them.
        ("char *t = &item.tail; struct item *p = (struct item *)(t - offsetof(struct item, tail));"
         "assert(p == &item);", "UNKNOWN"),
        ("struct item *p = malloc(sizeof *p); p->v = 7; long *w = &p->v;"
         "struct item *q = (struct item *)((char *)w - offsetof(struct item, v));"
         "assert(p == q && q->v == 7);", "SAFE"),
    ],
)  # fmt: skip
def test_container(body: str, verdict: str) -> None:
    assert set(verdicts(TEXT.format(body=body), "assertions").values()) == {verdict}
