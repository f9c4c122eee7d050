"""Memory as C allows it: bytes, numbers, unknown functions. Pairs of programs, one of them racy.

What is no cell of one type ends no proof, and proves nothing that races: each program is `SAFE`
with a lock, and must not be proved where the line with the lock is left out, or where a pointer
travels as bytes to somebody who uses what it leads to.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.errors import Unsupported
from threadwise.driver.loading import load_input
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import explain_proof

START = """
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
MAIN = """
int main(void) {
  pthread_t s, t;
  %s
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
"""


def program(globals_: str, one: str, two: str, first: str = "") -> str:
    """Two threads, and what happens before them."""
    bodies = f"void *one(void *u) {{ {one} return 0; }}\nvoid *two(void *u) {{ {two} return 0; }}"
    return START + globals_ + bodies + MAIN % first


RECORD = "struct r { int k; int *to; char text[8]; } r, copy; int x, y;\n"
HASH = """
unsigned hash(const void *p, int n) {
  const unsigned char *c = p; unsigned h = 0;
  for (int i = 0; i < n; i++) h += c[i];
  return h;
}
unsigned sum;
"""
NUMBERS = "int a[4], b[4];\n"
ROWS = "int (*rows)[16];\n"
MATRIX = "int *all = calloc(16 * 4, sizeof(int)); rows = (int (*)[16])all;"
COPY = """
void move_bytes(void *to, const void *from, int n) {
  char *a = to; const char *b = from;
  for (int i = 0; i < n; i++) a[i] = b[i];
}
"""

SAFE = {
    "bytes are read": program(
        RECORD + HASH, "LOCK; sum += hash(&r, sizeof r); UNLOCK;", "LOCK; r.k++; UNLOCK;"
    ),
    "bytes are written": program(
        RECORD, "LOCK; char *c = (char *)&r; c[3] = 1; UNLOCK;", "LOCK; r.k++; UNLOCK;"
    ),
    "others are untouched": program(
        RECORD, "char *c = (char *)&r; c[3] = 1; LOCK; x++; UNLOCK;", "LOCK; x++; UNLOCK;"
    ),
    "an unknown function": program(
        RECORD + "int ask(int *);\n",
        "LOCK; ask(&x); UNLOCK;",
        "LOCK; x++; UNLOCK; LOCK; y++; UNLOCK;",
    ),
    "an unknown function gets nothing": program(
        RECORD + "int ask(int);\n", "ask(3); LOCK; x++; UNLOCK;", "LOCK; x++; UNLOCK;"
    ),
    "bytes move a pointer": program(
        RECORD + COPY,
        "LOCK; move_bytes(&copy, &r, sizeof r); *copy.to = 1; UNLOCK;",
        "LOCK; x++; UNLOCK;",
        "r.to = &x;",
    ),
    "a number is a pointer again": program(
        RECORD,
        "LOCK; uintptr_t n = (uintptr_t)&x; n |= 1; int *p = (int *)(n & ~1ul); *p = 1; UNLOCK;",
        "LOCK; x++; UNLOCK;",
    ),
    "signed and unsigned": program(
        RECORD, "LOCK; unsigned *p = (unsigned *)&x; *p += 1; UNLOCK;", "LOCK; x++; UNLOCK;"
    ),
    "an unknown function gets a member": program(
        RECORD + "int ask(char *);\n", "ask(r.text); LOCK; r.k++; UNLOCK;", "LOCK; r.k++; UNLOCK;"
    ),
    "what are no bytes is compared": program(
        NUMBERS + "int x;\n",
        "if (memcmp(a, b, sizeof a)) return u; LOCK; x++; UNLOCK;",
        "if (memcmp(b, a, sizeof a)) return u; LOCK; x++; UNLOCK;",
    ),
    "a part is copied": program(
        RECORD,
        "struct r mine; memcpy(&mine, &r, 3); LOCK; x++; UNLOCK;",
        "struct r mine; memcpy(&mine, &r, 16); LOCK; x++; UNLOCK;",
    ),
    "text is moved within a member": program(
        RECORD + "int n;\n",
        "memmove(r.text, r.text + n, 8 - n); LOCK; r.k++; UNLOCK;",
        "LOCK; r.k++; UNLOCK;",
    ),
    "rows of an array": program(
        RECORD + ROWS,
        "int *row = rows[1]; LOCK; row[3]++; UNLOCK; LOCK; x++; UNLOCK;",
        "LOCK; rows[2][0]++; UNLOCK; LOCK; x++; UNLOCK;",
        MATRIX,
    ),
}

RACY = {
    "bytes are read": program(RECORD + HASH, "sum += hash(&r, sizeof r);", "LOCK; r.k++; UNLOCK;"),
    "bytes are written": program(
        RECORD, "char *c = (char *)&r; c[3] = 1;", "LOCK; r.k++; UNLOCK;"
    ),
    "an unknown function": program(RECORD + "int ask(int *);\n", "ask(&x);", "LOCK; x++; UNLOCK;"),
    "an unknown function follows pointers": program(
        RECORD + "int ask(struct r *);\n",
        "LOCK; ask(&r); UNLOCK;",
        "x++;",
        "r.to = &x;",
    ),
    "an unknown function remembers": program(
        RECORD + "int ask(int *); int again(int *);\n",
        "again(&y);",
        "x++;",
        "ask(&x);",
    ),
    "an unknown function gives back what it got": program(
        RECORD + "int ask(int *); int *again(void);\n",
        "int *p = again(); if (p) *p = 1;",
        "x++;",
        "ask(&x);",
    ),
    "an unknown function stores a pointer": program(
        RECORD + "int ask(struct r *, int *);\n",
        "if (r.to) *r.to = 1;",
        "LOCK; x++; UNLOCK;",
        "ask(&r, &x);",
    ),
    "an unknown function gets a member that others use": program(
        RECORD + "int ask(char *);\n", "ask(r.text);", "r.text[1] = 1;"
    ),
    "an unknown function gets the first member, which may be all": program(
        RECORD + "int ask(int *);\n", "ask(&r.k);", "r.text[1] = 1;"
    ),
    "an unknown function follows the pointer in a member": program(
        RECORD + "int ask(int **);\n", "ask(&r.to);", "x++;", "r.to = &x;"
    ),
    "an unknown function gives back a member": program(
        RECORD + "int ask(char *); char *again(void);\n",
        "char *p = again(); if (p) p[2] = 1;",
        "r.text[1] = 2;",
        "ask(r.text);",
    ),
    "a member that comes back leads to all": program(
        RECORD + "int ask(char *); char *again(void);\n",
        "char *p = again(); if (p) { struct r *q = (struct r *)(p - 16); q->k = 1; }",
        "r.k++;",
        "ask(r.text);",
    ),
    "what are no bytes is compared": program(
        NUMBERS, "if (memcmp(a, b, sizeof a)) return u;", "b[1] = 1;"
    ),
    "a part is copied from what changes": program(
        RECORD, "struct r mine; memcpy(&mine, &r, 3);", "r.k = 1;"
    ),
    "a part is copied to what is read": program(
        RECORD, "struct r mine = { 0 }; memcpy(&r, &mine, 3);", "y = r.k;"
    ),
    "a part with a pointer is copied": program(
        RECORD, "struct r mine; memcpy(&mine, &r, 16); *mine.to = 1;", "x++;", "r.to = &x;"
    ),
    "text is moved within a member that others use": program(
        RECORD + "int n;\n", "memmove(r.text, r.text + n, 8 - n);", "r.text[0] = 1;"
    ),
    "rows of an array": program(
        ROWS, "int *row = rows[1]; row[3]++;", "LOCK; rows[1][3]++; UNLOCK;", MATRIX
    ),
    "bytes move a pointer": program(
        RECORD + COPY,
        "LOCK; move_bytes(&copy, &r, sizeof r); UNLOCK; *copy.to = 1;",
        "LOCK; x++; UNLOCK;",
        "r.to = &x; copy.to = &y;",
    ),
    "a number is a pointer again": program(
        RECORD,
        "uintptr_t n = (uintptr_t)&x; n |= 1; int *p = (int *)(n & ~1ul); *p = 1;",
        "LOCK; x++; UNLOCK;",
    ),
    "a number in memory is a pointer again": program(
        RECORD + "uintptr_t n;\n",
        "int *p = (int *)n; if (p) *p = 1;",
        "LOCK; x++; UNLOCK;",
        "n = (uintptr_t)&x;",
    ),
    "bytes of an address become a number": program(
        RECORD + COPY + "int *p;\n",
        "uintptr_t n = 0; move_bytes(&n, &p, sizeof n); int *q = (int *)n; *q = 1;",
        "LOCK; x++; UNLOCK;",
        "p = &x;",
    ),
    "bytes of a lock are written": program(
        "struct b { pthread_mutex_t m; int x; } b;\n",
        "pthread_mutex_lock(&b.m); b.x++; pthread_mutex_unlock(&b.m);",
        "char *c = (char *)&b; c[0] = 0;"
        "pthread_mutex_lock(&b.m); b.x++; pthread_mutex_unlock(&b.m);",
    ),
    "bytes publish an object": program(
        COPY + "struct n { int v; struct n *next; }; char buffer[8]; int ready;\n",
        "struct n *mine = malloc(sizeof *mine); LOCK; move_bytes(buffer, &mine, 8); ready = 1;"
        "UNLOCK; mine->v = 1;",
        "struct n *p = 0; LOCK; if (ready) move_bytes(&p, buffer, 8); UNLOCK; if (p) p->v = 2;",
    ),
    "a number publishes an object": program(
        "struct n { int v; struct n *next; }; uintptr_t number;\n",
        "struct n *mine = malloc(sizeof *mine); LOCK; number = (uintptr_t)mine; UNLOCK;"
        "mine->v = 1;",
        "struct n *p; LOCK; p = (struct n *)number; UNLOCK; if (p) p->v = 2;",
    ),
    "bytes change a frozen pointer": program(
        RECORD + COPY,
        "*r.to = 1;",
        "y++;",
        "int *q = &y; r.to = &x; move_bytes(&r.to, &q, 8);",
    ),
    "another type leads to the next member": program(
        "struct pair { int a, b; } pair;\n",
        "LOCK; long *p = (long *)&pair; *p = 1; UNLOCK;",
        "pair.b++;",
    ),
    "a branch that only bytes open": program(
        "int flag; int x;\n",
        "if (flag) x++;",
        "x++;",
        "char *c = (char *)&flag; c[0] = 1;",
    ),
}


def proof(text: str, folder: Path) -> tuple[Program, Proved | None]:
    """The proof that no race is there, if there is one; nothing is refused."""
    path = folder / "program.c"
    path.write_text(text)
    loaded = load_input(str(path)).worked_on
    races = tuple(p for p in loaded.properties if isinstance(p, RaceProperty))
    try:
        found = LocksetEngine().run(Task(loaded, races))
        return loaded, next((f for f in found if isinstance(f, Proved)), None)
    except Unsupported:
        return loaded, None


@pytest.mark.parametrize("name", SAFE)
def test_what_is_locked_is_proved_and_explained(name: str, tmp_path: Path) -> None:
    program, found = proof(SAFE[name], tmp_path)
    assert found is not None
    (told,) = explain_proof(program, found.certificate)
    assert told.notes


@pytest.mark.parametrize("name", RACY)
def test_what_races_is_not(name: str, tmp_path: Path) -> None:
    assert proof(RACY[name], tmp_path)[1] is None
