"""Random C whose first thread sets up objects, lists and numbers before it creates others.

About what programs do before there is a second thread, and what they do with it afterwards: loops
that allocate, locks that are initialised at run time, choices and early exits, inputs in between,
objects that come later; about half of them have a race or an assertion that fails.
"""

from __future__ import annotations

from random import Random

_HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
int g, n;
struct node *p, *q;
pthread_mutex_t m;
_Bool __VERIFIER_nondet_bool(void);
"""
_SETUP = (
    "g = 1;",
    "g = 2; g--;",
    "n = 2;",
    "n = g + 1;",
    "p = malloc(sizeof *p); p->v = 1; p->next = 0;",
    "p = malloc(sizeof *p); p->v = g; p->next = q;",
    "q = calloc(1, sizeof *q);",
    "q = p;",
    "for (int i = 0; i < 2; i++) { struct node *x = malloc(sizeof *x); x->v = i; x->next = p;"
    " p = x; }",
    "for (int i = 0; i < 3; i++) { q = malloc(sizeof *q); q->v = i; q->next = 0; }",
    "pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m);",
    "if (p) p->v++;",
    "if (p && p->next) q = p->next;",
    "while (g < 2) g++;",
    "if (g == 7) g = p->v;",
    "if (__VERIFIER_nondet_bool()) n = 1;",
    "if (q) { free(q); q = 0; }",
)
_WORK = (
    "g = 1;",
    "g++;",
    "if (p) p->v = 1;",
    "if (p) p->v++;",
    "if (p && p->next) g = p->next->v;",
    "if (p) p = p->next;",
    "if (q) t = q->v;",
    "q = p;",
    "p = q;",
    "t = n;",
    "assert(g < 4);",
    "assert(!p || p->v >= 0);",
    "assert(!q || q->v < 3);",
    "assert(n <= 2);",
    "if (!q) { q = malloc(sizeof *q); q->v = 1; q->next = 0; }",
)


def _guarded(random: Random, inner: str) -> str:
    """Statements under the lock, most of the time."""
    if random.randrange(5):
        return f"pthread_mutex_lock(&m); {inner} pthread_mutex_unlock(&m);"
    return inner


def _some(random: Random, choices: tuple[str, ...], least: int, most: int) -> str:
    return " ".join(random.choice(choices) for _ in range(random.randint(least, most)))


def generate(seed: int) -> str:
    """A program; the same for the same seed."""
    random = Random(seed)
    text = _HEAD
    for name in ("f", "e"):
        work = " ".join(
            _guarded(random, _some(random, _WORK, 1, 2)) for _ in range(random.randint(1, 2))
        )
        text += f"void *{name}(void *u) {{ int t = 0; {work} return 0; }}\n"
    setup = _some(random, _SETUP, 2, 5)
    second = "e" if random.randrange(2) else "f"
    middle = _guarded(random, random.choice(_WORK)) if random.randrange(3) == 0 else ""
    end = f"pthread_join(a, 0); pthread_join(b, 0); {random.choice(_WORK)}"
    text += (
        "int main(void) { int t = 0; pthread_t a, b; pthread_mutex_init(&m, 0); "
        f"{setup} pthread_create(&a, 0, f, 0); {middle} pthread_create(&b, 0, {second}, 0); "
        f"{end if random.randrange(2) else ''} return 0; }}\n"
    )
    return text
