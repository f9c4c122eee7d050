"""Property `memory`: invalid pointers, indices out of bounds, wrong frees."""

from __future__ import annotations

import pytest

from tests.every_engine import PROVERS, loaded, verdicts

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int v; int *p; struct node *next; int tail[1]; };
int x, a[4], grid[2][3];
struct node *head, one;
void (*call)(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
_Atomic(struct node *) top;
void nothing(void) {}
int *gone(void) { int here = 1; int *p = &here; return p; }
"""
BROKEN = {
    "null": "int *p = 0; *p = 1;",
    "null in a global": "head->v = 1;",
    "null in a member": "a[0] = *one.p;",
    "null at the end of a list": "struct node *n = &one; while (1) { x = n->v; n = n->next; }",
    "call of null": "call();",
    "freed": "int *p = malloc(sizeof *p); *p = 1; free(p); x = *p;",
    "freed, written": "int *p = malloc(sizeof *p); free(p); *p = 1;",
    "freed, other name": "int *p = malloc(sizeof *p), *q = p; free(p); *q = 1;",
    "reallocated": "int *p = malloc(4), *q = p; p = realloc(p, 8); *q = 1;",
    "freed twice": "int *p = malloc(sizeof *p); free(p); free(p);",
    "free of a variable": "int *p = &x; free(p);",
    "free of the middle": "int *p = malloc(2 * sizeof *p); free(p + 1);",
    "index": "a[4] = 1;",
    "index by input": "int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 5) a[i] = 1;",
    "index in two dimensions": "int i = 2; grid[i][0] = 1;",
    "pointer behind an array": "int *p = a + 4; *p = 1;",
    "pointer before an array": "int *p = a; p--; *p = 1;",
    "behind an allocation": "int *p = malloc(2 * sizeof *p); p[2] = 1;",
}
FINE = {
    "variable": "int *p = &x; *p = 1;",
    "list": "struct node *n = &one; while (n) { n->v = 1; n = n->next; }",
    "freed once": "int *p = malloc(sizeof *p); *p = 1; free(p);",
    "free of null": "int *p = 0; free(p);",
    "pointer to the end": "for (int *p = a, *end = a + 4; p != end; p++) *p = 1;",
    "address of the end": "int *end = &a[4]; for (int *p = a; p < end; p++) *p = 1;",
    "index": "for (int i = 0; i < 4; i++) a[i] = i;",
    "reallocated": "int *p = malloc(4); p = realloc(p, 8); p[1] = 1; free(p);",
    "tested": "if (head) head->v = 1; if (call) call();",
    "null compared": "int *p = malloc(sizeof *p); free(p); p = 0; if (p == &x) x = 1;",
}
NOT_OURS_TO_SAY = {
    "number as an address": "*(volatile int *)0x4000 = 1;",
    "number from an argument": "long n = 64; int *p = (int *)n; *p = 1;",
    "longer than its type": "struct node *n = malloc(sizeof *n + 16); n->tail[2] = 1;",
    "division": "x = 1 / x;",
    "header and data": "int *p = malloc(sizeof(struct node) + 12); x = 20; p[x] = 1;",
    "measured as another type": "int *p = malloc(2 * sizeof(struct node)); p[20] = 1;",
    "part of an element": "int *p = malloc(10); p[2] = 1;",
    "never written": "int *p = malloc(sizeof *p); x = *p;",
}


def program(statements: str) -> str:
    """A program with one thread."""
    return f"{HEAD} int main(void) {{ {statements} return 0; }}"


@pytest.mark.parametrize("statements", BROKEN.values(), ids=BROKEN)
def test_what_leaves_the_memory_is_found(statements: str) -> None:
    """These were limits of the model; other properties still are not proved across them."""
    found = verdicts(program(statements), "memory")
    assert found["explicit"] == ("UNSAFE",)
    assert ("SAFE",) not in found.values(), found
    others = [engine for engine in PROVERS if engine != "locksets"]
    text = program(statements + " assert(x == 7);")
    found = verdicts(text, "races", "assertions", engines=others)
    assert not any("SAFE" in each for each in found.values()), found


@pytest.mark.parametrize("statements", FINE.values(), ids=FINE)
def test_what_stays_in_its_memory_is_proved(statements: str) -> None:
    found = verdicts(program(statements), "memory")
    assert found["locksets"] == ("UNKNOWN",)
    assert found["explicit"] == ("SAFE",)
    assert ("UNSAFE",) not in found.values(), found


@pytest.mark.parametrize("statements", NOT_OURS_TO_SAY.values(), ids=NOT_OURS_TO_SAY)
def test_what_is_not_modelled_is_neither(statements: str) -> None:
    found = verdicts(program(statements), "memory")
    assert set(found.values()) == {("UNKNOWN",)}, found


THREADS = """
void *use(void *arg) { USE return 0; }
void *end(void *arg) { END return 0; }
int main(void) {
    pthread_t t, u;
    head = calloc(1, sizeof *head);
    atomic_store(&top, head);
    pthread_create(&t, 0, use, 0);
    pthread_create(&u, 0, end, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
LOCKED = "pthread_mutex_lock(&m); struct node *n = head; BODY pthread_mutex_unlock(&m);"


@pytest.mark.parametrize(
    ("use", "end", "verdict"),
    [
        ("if (n) n->v = 1;", "head = 0; free(n);", "SAFE"),
        ("n->v = 1;", "head = 0; free(n);", "UNSAFE"),
        ("if (n) n->v = 1;", "free(n);", "UNSAFE"),
        ("free(n);", "free(n);", "UNSAFE"),
        ("if (n) free(n); head = 0;", "if (n) free(n); head = 0;", "SAFE"),
    ],
)
def test_order_of_threads(use: str, end: str, verdict: str) -> None:
    """No races, but an object may be gone."""
    text = THREADS.replace("USE", LOCKED.replace("BODY", use))
    found = verdicts(HEAD + text.replace("END", LOCKED.replace("BODY", end)), "memory")
    assert found["explicit"] == (verdict,)
    wrong = "UNSAFE" if verdict == "SAFE" else "SAFE"
    assert (wrong,) not in found.values(), found


def test_the_assumption_of_locksets_names_the_property() -> None:
    from threadwise.proofs.locksets.kernel_first import MEMORY

    assert "--property memory" in MEMORY


SAME_ADDRESS = {
    "compared": "int *p = malloc(4); free(p); int *q = malloc(4); assert(p != q);",
    "compared for equality": "int *p = malloc(4); free(p); int *q = malloc(4); assert(p == q);",
    "a branch": "int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) x++; assert(!x);",
    "in memory": "one.p = malloc(4); free(one.p); int *q = malloc(4); x = one.p == q; assert(!x);",
    "exchanged": """struct node *old = malloc(sizeof *old); atomic_store(&top, 0); free(old);
        struct node *new = calloc(1, sizeof *new); atomic_store(&top, new);
        assert(!atomic_compare_exchange_strong(&top, &old, (struct node *)0));""",
    "swapped": """struct node *old = malloc(sizeof *old); free(old); head = malloc(sizeof *head);
        assert(!__sync_bool_compare_and_swap(&head, old, (struct node *)0));""",
    "of an array": "int *p = malloc(8), *e = p + 2; free(p); p = malloc(8); assert(p + 2 != e);",
    "unequal to both": """int *p = malloc(4); free(p); int *q = malloc(4), *r = malloc(4);
        x = (p != q) + (p != r); assert(x == 2);""",
    "in a condition": "int *p = malloc(4), *q = 0; free(p); q = malloc(4); assert(p != q || x);",
}


@pytest.mark.parametrize("statements", SAME_ADDRESS.values(), ids=SAME_ADDRESS)
def test_new_objects_may_be_where_old_ones_were(statements: str) -> None:
    """A pointer whose object has ended was unequal to all newer ones."""
    found = verdicts(program(statements), "assertions")
    assert not any("SAFE" in each or "UNSAFE" in each for each in found.values()), found


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        ("int *p; for (int i = 0; i < 2; i++) { int k = i; p = &k; } *p = 1;", "blocks ended"),
        ("*gone() = 1;", "functions returned"),
    ],
)
def test_ends_of_scopes_that_are_not_followed_are_listed(statements: str, what: str) -> None:
    assert any(what in each for each in loaded(program(statements)).assumptions)
