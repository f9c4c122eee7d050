"""Mutated C: whatever comes out, it is a program, a located error or a named limit."""

from __future__ import annotations

import random
import re

import pytest

from threadwise.core.errors import InputError, Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

SEEDS = (
    """
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
struct node { int v; struct { int a, b; }; struct node *next; unsigned bits : 3; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, table[4] = { 1, [2] = 3, 4 };
_Atomic int at;
enum colour { RED, GREEN = 5 };
void *worker(void *arg) {
    struct node *p = malloc(sizeof(struct node));
    if (!p) return 0;
    p->v = (int)(long)arg; p->a = 2; p->bits = 9;
    pthread_mutex_lock(&m);
    for (int i = 0, j = 1; i < 3; i++, j <<= 1) { x += table[i] * j; if (x > 9) break; }
    pthread_mutex_unlock(&m);
    at++;
    free(p);
    return 0;
}
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)i);
    switch (x) { case RED: x = 1; break; case GREEN ... 7: x--; default: x ^= 3; }
    pthread_join(t[0], 0); pthread_join(t[1], 0);
    assert(x >= 0 && at <= 2);
    return 0;
}
""",
    """
#include <semaphore.h>
#include <pthread.h>
#include <stdio.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int old(a, c) int a; char c; { return a - c; }
union u { int i; char c[4]; };
sem_t s; volatile int flag; _Thread_local int mine;
int f(int n, ...) { int vla[n]; vla[0] = n; return n ? f(n - 1) : vla[0]; }
void *t(void *a) { op o = a ? add : 0; mine = o(1, 2); sem_wait(&s);
    do { flag = flag ? 0 : 1; } while (flag != 1); goto out; out: sem_post(&s); return &mine; }
int main() {
    union u w = { .i = 7 }; pthread_t h; char text[8] = "ab\\n"; void *r;
    sem_init(&s, 0, 1); __asm__ volatile("" ::: "memory");
    pthread_create(&h, 0, t, text);
    printf("%d %s\\n", ({ int k = w.i; k * 2; }), text);
    pthread_join(h, &r);
    return old(*(int *)r, 'c') + sizeof text + (flag ?: 2) + _Generic(flag, int: 1, default: 2.0);
}
""",
)
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_SPICE = ("*", "&", "(", ")", "{", "}", ";", "[0]", "->", "sizeof", "int", "0", '"', "'", "#",
          "goto x;", "return", "const", "struct node", "(void *)", "\\", "=", "x", "1.5", "\x01",
          "_Complex", "__int128", "static", "...", "asm(\"nop\")", "typeof(x)")  # fmt: skip


def mutated(text: str, random_: random.Random) -> str:
    """The text with a few of its tokens deleted, doubled, exchanged or replaced."""
    tokens = _TOKEN.findall(text)
    for _ in range(random_.randint(1, 4)):
        place, other = random_.randrange(len(tokens)), random_.randrange(len(tokens))
        match random_.randrange(6):
            case 0:
                tokens[place] = ""
            case 1:
                tokens[place] *= 2
            case 2:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case 3:
                tokens[place] = random_.choice(_SPICE)
            case 4:
                tokens.insert(place, f" {random_.choice(_SPICE)} ")
            case _:
                del tokens[place : place + random_.randint(1, 8)]
                tokens.append("")
    return "".join(tokens)


_ALIKE = (
    ("+", "-", "*", "/", "%", "&", "|", "^", "<", ">"),
    ("int", "char", "long", "short", "unsigned", "_Bool", "double", "float", "void"),
    ("x", "at", "table", "m", "p", "worker", "t", "flag", "mine", "w", "add", "s", "f"),
    ("0", "1", "2", "3", "4", "5", "7", "9"),
    ("static", "const", "volatile", "_Atomic", "extern", "_Thread_local", "register"),
    ("for", "while", "if", "switch"),
    ("break", "continue", "return"),
)


def disguised(text: str, random_: random.Random) -> str:
    """The text with a few of its tokens exchanged for others of the same kind: often valid."""
    tokens = _TOKEN.findall(text)
    for _ in range(random_.randint(1, 3)):
        kinds = random_.choice(_ALIKE)
        places = [index for index, token in enumerate(tokens) if token in kinds]
        if places:
            tokens[random_.choice(places)] = random_.choice(kinds)
    return "".join(tokens)


def mutant(seed: int) -> str:
    random_ = random.Random(seed)
    change = disguised if seed % 2 else mutated
    return change(random_.choice(SEEDS), random_)


def outcome(text: str) -> str:
    """How loading ends; raises what must not happen."""
    try:
        load_c([SourceFile("mutant.c", text)], COptions())
    except InputError as error:
        located = any(each.span is not None for each in error.diagnostics)
        return "located error" if located else f"error without a place: {error}"
    except Unsupported as error:
        return "named limit" if error.construct else "limit without a name"
    return "program"


def examine(seed: int) -> str:
    text = mutant(seed)
    try:
        found = outcome(text)
    except Exception as error:
        raise AssertionError(f"seed {seed}:\n{text}") from error
    assert found in {"located error", "named limit", "program"}, f"seed {seed}: {found}"
    return found


def test_mutants() -> None:
    assert {examine(seed) for seed in range(40)} >= {"located error", "program"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_many_mutants(start: int) -> None:
    assert {examine(seed) for seed in range(start, start + 100)} >= {"located error", "program"}
