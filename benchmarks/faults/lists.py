"""Pairs of C programs about memory that locks hand from thread to thread, one right, one wrong.

Three threads put objects of their own into a list, take some out and use them. What is replaced in
the wrong one: an object is used before it is taken, after it was given away, or without the lock;
a list is left behind in pieces.
"""

from __future__ import annotations

_HEAD = """#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
struct n { int v; struct n *next; char *text; } *head, *tail, *spare;
"""
_MAIN = (
    "int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); "
    "f(0); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n"
)
_L, _U = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
_NEW = "l = malloc(sizeof *l); l->v = 1; l->next = 0; l->text = 0;"
_PUSH = f"{_L} l->next = head; head = l; {_U}"
_POP = f"{_L} o = head; if (o) head = o->next; {_U}"
_APPEND = f"{_L} if (tail) tail->next = l; else head = l; tail = l; {_U}"
_FIRST = f"{_L} o = head; if (o) {{ head = o->next; if (!head) tail = 0; }} {_U}"
_USE = "if (o) { o->v++; free(o); }"

_BODIES: dict[str, tuple[str, str, str]] = {
    "popped": (f"{_NEW} {_PUSH} {_POP} {_USE}", "if (o) head = o->next;", ""),
    "given": (
        f"{_NEW} l->v = 3; {_PUSH} {_POP} {_USE}",
        f"l->v = 3; {_PUSH}",
        f"{_PUSH} l->v = 3;",
    ),
    "tailed": (f"{_NEW} {_APPEND} {_FIRST} {_USE}", "if (!head) tail = 0;", ""),
    "last": (
        f"{_NEW} {_APPEND} {_FIRST} {_USE}",
        f"tail = l; {_U}",
        f"{_U} {_L} tail = l; {_U}",
    ),
    "swapped": (
        f"{_NEW} {_L} o = head; head = l; {_U} {_USE}",
        f"head = l; {_U}",
        f"{_U} {_L} head = l; {_U}",
    ),
    "emptied": (
        f"{_NEW} {_PUSH} {_L} o = head; head = 0; {_U} "
        "while (o) { l = o->next; o->v++; free(o); o = l; }",
        "head = 0;",
        "",
    ),
    "moved": (
        f"{_NEW} {_PUSH} {_L} o = head; if (o) {{ head = o->next; o->next = spare; spare = o; }} "
        f"{_U} {_L} o = spare; if (o) spare = o->next; {_U} {_USE}",
        "head = o->next; o->next = spare;",
        "o->next = spare;",
    ),
    "part": (
        f"{_NEW} l->text = malloc(1); l->text[0] = 1; {_PUSH} {_POP} "
        "if (o) { o->text[0]++; free(o->text); free(o); }",
        _PUSH,
        f"char *t = l->text; {_PUSH} t[0] = 2;",
    ),
    "read": (
        f"{_NEW} pthread_rwlock_wrlock(&w); l->next = head; head = l; pthread_rwlock_unlock(&w); "
        "pthread_rwlock_rdlock(&w); o = head; int x = o ? o->v : 0; pthread_rwlock_unlock(&w); "
        "(void)x;",
        "int x = o ? o->v : 0;",
        "int x = o ? o->v++ : 0;",
    ),
    "pushed": (f"{_NEW} {_PUSH} {_POP} {_USE}", _PUSH, "l->next = head; head = l;"),
    "cut": (f"{_NEW} {_PUSH} {_POP} {_USE}", _PUSH, f"{_PUSH} l->next = 0;"),
    "freed": (
        f"{_NEW} {_L} o = head; head = l; head->v++; {_U} free(o);",
        "o = head; head = l; head->v++;",
        "if (!head) head = l; o = head; o->v++;",
    ),
    "relinked": (
        f"{_NEW} pthread_rwlock_wrlock(&w); l->next = head; head = l; pthread_rwlock_unlock(&w); "
        "pthread_rwlock_rdlock(&w); o = head; if (o) o = o->next; pthread_rwlock_unlock(&w);",
        "o = o->next;",
        "o->next = 0;",
    ),
    "walked": (
        f"{_NEW} {_PUSH} {_L} for (o = head; o; o = o->next) o->v++; {_U}",
        f"o->v++; {_U}",
        f"o->v++; {_U} if (head) head->v++;",
    ),
}


def texts() -> list[tuple[str, str]]:
    """Name and text of all of them, originals and variants in turn."""
    found = []
    for name, (body, right, wrong) in _BODIES.items():
        if right not in body:
            raise ValueError(f"{name}: nothing to replace")
        for suffix, told in (("", body), ("_wrong", body.replace(right, wrong))):
            text = f"{_HEAD}void *f(void *p) {{ struct n *l, *o = 0; {told} return 0; }}\n{_MAIN}"
            found.append((f"lists/{name}{suffix}.c", text))
    return found
