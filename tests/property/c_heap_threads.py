"""Random C with threads that share, take, free and compare heap objects under all kinds of locks.

Smaller than the programs of `c_threads`, so that search comes to its end; about half of them have
a race, an assertion that fails, or an access to memory that is gone.
"""

from __future__ import annotations

from random import Random

_HEAD = """#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
int g, ready;
struct node *p, *q;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
sem_t se;
"""
_USES = (
    "g = 1;",
    "t = g;",
    "l->v = 1;",
    "t = l->v;",
    "if (l) l->v = 2;",
    "if (l) t = l->v;",
    "if (p) p->v = 1;",
    "l = p;",
    "l = q;",
    "p = l;",
    "q = l;",
    "p = 0;",
    "l = p; p = 0;",
    "l = p; if (l) p = l->next;",
    "l = malloc(sizeof *l); l->v = 0; l->next = 0;",
    "l = malloc(sizeof *l); l->v = 1; l->next = p; p = l;",
    "free(l);",
    "free(l); l = 0;",
    "if (p == l) g = 2;",
    "assert(!l || l == p || l == q);",
    "assert(g < 2);",
    "ready = 1; pthread_cond_signal(&cv);",
)


def _guarded(random: Random, inner: str) -> str:
    """Statements under a lock, or without one."""
    kind = random.randrange(8)
    if kind < 3:
        return f"pthread_mutex_lock(&m); {inner} pthread_mutex_unlock(&m);"
    if kind == 3:
        return f"pthread_rwlock_wrlock(&rw); {inner} pthread_rwlock_unlock(&rw);"
    if kind == 4:
        return f"pthread_rwlock_rdlock(&rw); {inner} pthread_rwlock_unlock(&rw);"
    if kind == 5:
        return f"sem_wait(&se); {inner} sem_post(&se);"
    if kind == 6:
        waits = "while (!ready) pthread_cond_wait(&cv, &m);"
        return f"pthread_mutex_lock(&m); {waits} {inner} pthread_mutex_unlock(&m);"
    return inner


def _block(random: Random) -> str:
    found = []
    for _ in range(random.randint(1, 2)):
        inner = " ".join(random.choice(_USES) for _ in range(random.randint(1, 3)))
        found.append(_guarded(random, inner))
    return " ".join(found)


def generate(seed: int) -> str:
    """A program; the same for the same seed."""
    random = Random(seed)
    text = _HEAD
    for name in ("f", "e"):
        start = random.choice(["0", "p", "u"])
        text += f"void *{name}(void *u) {{ int t = 0; struct node *l = {start}; "
        text += f"{_block(random)} return 0; }}\n"
    text += "int main(void) { pthread_t y, z; int t = 0; struct node *l = malloc(sizeof *l);\n"
    text += f" l->v = 0; l->next = 0; p = l; sem_init(&se, 0, {random.choice([1, 1, 2])});\n"
    text += f" pthread_create(&y, 0, f, {random.choice(['0', 'l'])});\n"
    if random.random() < 0.3:
        text += " pthread_join(y, 0);\n"
    text += f" pthread_create(&z, 0, {random.choice('fe')}, {random.choice(['0', 'l'])});\n"
    if random.random() < 0.6:
        text += " pthread_join(y, 0); pthread_join(z, 0);\n"
    last = random.choice(["", "free(p);", "free(l);", _block(random)])
    return text + f" {last} return 0; }}\n"
