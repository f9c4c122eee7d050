"""The end of an object while another thread may use it: a race, wherever the pointer came from.

The names of the families say how the thread that ends the object got it, or how it ends it.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
struct job { pthread_mutex_t m; int v; int *data; struct job *next; };
struct job *top, *jobs[2];
_Atomic(struct job *) shared;
int sum;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t done;
"""
TWO = """
void *use(void *arg) { struct job *p; USE return 0; }
void *end(void *arg) { struct job *p; END return 0; }
int main(void) {
    pthread_t a, b;
    top = calloc(1, sizeof *top);
    FIRST
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, end, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""
TAKE = "pthread_mutex_lock(&lock); p = top; top = 0; pthread_mutex_unlock(&lock);"
LOOK = "pthread_mutex_lock(&lock); p = top; pthread_mutex_unlock(&lock);"
READ = f"{LOOK} if (p) sum = p->v;"


def two(use: str, end: str, first: str = "") -> str:
    """One thread that uses an object, and one that ends it."""
    return HEAD + TWO.replace("USE", use).replace("END", end).replace("FIRST", first)


RACY = {
    "taken out": two(READ, f"{TAKE} free(p);"),
    "taken out, written": two(f"{LOOK} if (p) p->v = 1;", f"{TAKE} free(p);"),
    "reallocated": two(READ, f"{TAKE} if (p) p = realloc(p, sizeof *p);"),
    "another lock": two(
        "pthread_mutex_lock(&lock); if (top) sum = top->v; pthread_mutex_unlock(&lock);",
        "pthread_mutex_lock(&other); p = top; free(p); pthread_mutex_unlock(&other);",
    ),
    "lock for reading": two(
        "pthread_rwlock_rdlock(&rw); sum = top->v; pthread_rwlock_unlock(&rw);",
        "pthread_rwlock_rdlock(&rw); free(top); pthread_rwlock_unlock(&rw);",
    ),
    "lock inside": two(
        "p = top; pthread_mutex_lock(&p->m); p->v = 1; pthread_mutex_unlock(&p->m);",
        "p = top; pthread_mutex_lock(&p->m); pthread_mutex_unlock(&p->m); free(p);",
    ),
    "part of a list": two(
        f"{LOOK} if (p && p->next) sum = p->next->v;",
        "pthread_mutex_lock(&lock); p = top->next; top->next = 0; pthread_mutex_unlock(&lock);"
        "free(p);",
        "top->next = calloc(1, sizeof *top);",
    ),
    "behind a member": two(
        f"{LOOK} sum = *p->data;",
        f"{TAKE} free(p->data);",
        "top->data = malloc(sizeof(int)); *top->data = 1;",
    ),
    "element of an array": two(
        "pthread_mutex_lock(&lock); p = jobs[1]; pthread_mutex_unlock(&lock); if (p) p->v = 1;",
        "pthread_mutex_lock(&lock); p = jobs[1]; jobs[1] = 0; pthread_mutex_unlock(&lock);"
        "free(p);",
        "jobs[1] = top;",
    ),
    "exchanged": two(
        "p = atomic_load(&shared); if (p) sum = p->v;",
        "p = atomic_exchange(&shared, 0); free(p);",
        "atomic_store(&shared, top);",
    ),
    "twice": two(f"{LOOK} if (p) free(p);", f"{LOOK} if (p) free(p);"),
    "after a post": two(
        f"sem_post(&done); {READ}",
        "sem_wait(&done); p = top; free(p);",
        "sem_init(&done, 0, 0);",
    ),
    "by a function": two(READ, f"{TAKE} if (p) destroy(p);").replace(
        "void *use", "void destroy(struct job *j) { free(j->data); free(j); }\nvoid *use"
    ),
    "end of a block": two(
        READ,
        "for (int i = 0; i < 2; i++) { struct job mine; mine.v = 1;"
        " pthread_mutex_lock(&lock); top = &mine; pthread_mutex_unlock(&lock); }",
    ),
    "end of a function": two(READ, "for (int i = 0; i < 2; i++) give();").replace(
        "void *use",
        "void give(void) { struct job mine; mine.v = 1;"
        " pthread_mutex_lock(&lock); top = &mine; pthread_mutex_unlock(&lock); }\nvoid *use",
    ),
    "not waited for": two(READ, "").replace("pthread_join(a, 0);", "free(top);"),
}


@pytest.mark.parametrize("text", RACY.values(), ids=RACY)
def test_the_end_of_an_object_is_a_write_to_all_of_it(text: str) -> None:
    """Those where an object was taken out of memory that changes were SAFE by `locksets`."""
    found = verdicts(text, "races")
    assert found["explicit"] == ("UNSAFE",)
    assert ("SAFE",) not in found.values(), found


FREE = {
    "joined before": two("p = top; p->v = 1;", "").replace(
        "return 0;\n}", "free(top); return 0;}"
    ),
    "same lock": two(
        "pthread_mutex_lock(&lock); if (top) top->v = 1; pthread_mutex_unlock(&lock);",
        "pthread_mutex_lock(&lock); p = top; top = 0; free(p); pthread_mutex_unlock(&lock);",
    ),
    "own object": two("p = malloc(sizeof *p); p->v = 1; free(p);", ""),
    "lock for writing": two(
        "pthread_rwlock_rdlock(&rw); if (top) sum = top->v; pthread_rwlock_unlock(&rw);",
        "pthread_rwlock_wrlock(&rw); p = top; top = 0; free(p); pthread_rwlock_unlock(&rw);",
    ),
}


@pytest.mark.parametrize("text", FREE.values(), ids=FREE)
def test_protected_ends_are_proved(text: str) -> None:
    found = verdicts(text, "races", engines=["locksets", "explicit"])
    assert set(found.values()) == {("SAFE",)}
