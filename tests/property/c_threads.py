"""Random C with threads: locks, pointers, heap objects, starts and joins, most of it racy."""

from __future__ import annotations

from random import Random

_HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct node { pthread_mutex_t m; int v; int w; struct node *next; };
int g, h, a[2];
pthread_mutex_t m, n, ms[2];
pthread_rwlock_t rw;
sem_t se;
int flag;
struct node s, *p, *q;
_Thread_local int mine;
"""


class _Writer:
    """Writes the statements of one function."""

    def __init__(self, random: Random, *, main: bool) -> None:
        self.random = random
        self.main = main

    def block(self, size: int, depth: int = 0) -> str:
        """Some statements."""
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, size)))

    def place(self) -> str:
        """Something to read or write."""
        return self.random.choice(
            ["g", "h", "a[0]", "a[1]", "a[i]", "s.v", "s.w", "l->v", "l->w", "p->v", "q->v", "*x"]
        )

    def access(self) -> str:
        """A read or a write."""
        place = self.place()
        return self.random.choice([f"{place} = 1;", f"t = {place};", f"{place}++;"])

    def lock(self) -> str:
        """The address of a mutex."""
        return self.random.choice(["&m", "&n", "&ms[0]", "&ms[i]", "&s.m", "&l->m", "&p->m", "k"])

    def statement(self, depth: int) -> str:
        """Any statement."""
        kind = self.random.randrange(20)
        inner = self.block(3, depth + 1) if depth < 2 else self.access()
        if kind < 5:
            return self.access()
        if kind < 9:
            mutex = self.lock()
            return f"pthread_mutex_lock({mutex}); {inner} pthread_mutex_unlock({mutex});"
        if kind == 9:
            return f"if (!pthread_mutex_trylock(&m)) {{ {inner} pthread_mutex_unlock(&m); }}"
        if kind == 10:
            how = self.random.choice(["rd", "wr"])
            return f"pthread_rwlock_{how}lock(&rw); {inner} pthread_rwlock_unlock(&rw);"
        if kind == 11:
            return self.random.choice(
                ["l = p;", "l = &s;", "l = q;", "p = l;", "q = &s;", "x = &g;"]
            )
        if kind == 12:
            return self.random.choice(
                ["k = &n;", "k = &m;", "k = &l->m;", "x = &l->v;", "x = &a[i];"]
            )
        if kind == 13:
            return f"if (c) {{ {inner} }}"
        if kind == 14:
            return "l = calloc(1, sizeof *l); l->v = 2;"
        if kind == 15:
            return f"sem_wait(&se); {inner} sem_post(&se);"
        if kind == 16:
            taken = "while (__sync_lock_test_and_set(&flag, 1));"
            return f"{taken} {inner} __sync_lock_release(&flag);"
        if kind == 17:
            taken = "while (!__sync_bool_compare_and_swap(&flag, 0, 1));"
            return f"{taken} {inner} __sync_lock_release(&flag);"
        if kind == 18 and self.random.random() < 0.3:
            return self.random.choice(["sem_post(&se);", "__sync_lock_release(&flag);"])
        return self.random.choice(["i = 0;", "i = 1;", "i = 1 - i;", "mine++;", "c = !c;"])


def generate(seed: int) -> str:
    """A program; the same for the same seed."""
    random = Random(seed)
    text = _HEAD
    locals_ = (
        "int t = 0, i = {}, c = {}; struct node *l = {}; int *x = &h; pthread_mutex_t *k = &m;"
    )
    for name in ("f", "e"):
        given = random.choice(["&s", "u ? u : &s"])
        body = _Writer(random, main=False).block(4)
        start = locals_.format(random.randint(0, 1), random.randint(0, 1), given)
        text += f"void *{name}(void *u) {{ {start} {body} return 0; }}\n"
    writer = _Writer(random, main=True)
    start = locals_.format(0, random.randint(0, 1), "&s")
    text += f"int main(void) {{ pthread_t y, z; p = q = &s; {start}\n"
    text += f" sem_init(&se, 0, {random.choice([1, 1, 2])}); {writer.block(2)}\n"
    argument = random.choice(["0", "&s", "l", "p"])
    text += f" pthread_create(&y, 0, f, {argument}); {writer.block(2)}\n"
    early = random.random() < 0.4
    text += " pthread_join(y, 0);\n" if early else ""
    text += f" pthread_create(&z, 0, {random.choice('fe')}, {random.choice(['0', 'l'])});\n"
    text += f" {writer.block(2)}\n"
    if not early and random.random() < 0.6:
        text += " pthread_join(y, 0);\n"
    if random.random() < 0.6:
        text += " pthread_join(z, 0);\n"
    return text + f" {writer.block(2)} return 0; }}\n"
