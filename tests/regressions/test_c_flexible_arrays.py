"""Arrays without length at the end of records: as long as what was allocated, and no longer."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct text { int length; char body[]; };
struct padded { long first; char tag; int words[]; };
struct node { struct node *next; pthread_mutex_t lock; int size; int cells[]; };
struct outer { int before; struct text inner; };
struct pair { int left; int right; };
struct pairs { int count; struct pair each[]; };
struct text *shared;
struct node *list;
int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
ONE = HEAD + "int main(void) { BODY return 0; }"
HOLDS = {
    "written and read": """struct text *t = malloc(sizeof *t + 3); t->length = 3;
        for (int i = 0; i < 3; i++) t->body[i] = i; assert(t->body[2] == 2);""",
    "through a pointer": """struct text *t = malloc(sizeof *t + 3); char *p = t->body; p[1] = 7;
        assert(t->body[1] == 7 && *(t->body + 1) == 7 && &t->body[1] == p + 1);""",
    "none": "struct text *t = malloc(sizeof *t); t->length = 0; assert(t->length == 0);",
    "behind padding": """struct padded *t = malloc(sizeof *t + 2 * sizeof(int)); t->first = 1;
        t->tag = 2; t->words[0] = 3; t->words[1] = 4;
        assert(t->first + t->tag + t->words[0] + t->words[1] == 10);""",
    "in padding": """struct padded *t = malloc(offsetof(struct padded, words) + sizeof(int));
        t->words[0] = 3; assert(t->words[0] == 3);""",
    "cleared": "struct text *t = calloc(1, sizeof *t + 2); assert(!t->body[1] && !t->length);",
    "grown": """struct text *t = malloc(sizeof *t + 1); t->length = 1; t->body[0] = 5;
        t = realloc(t, sizeof *t + 2); t->body[1] = 6;
        assert(t->length == 1 && t->body[0] == 5 && t->body[1] == 6);""",
    "copied without it": """struct text *t = malloc(sizeof *t + 1), *u = malloc(sizeof *u + 1);
        t->length = 1; t->body[0] = 1; u->length = 2; u->body[0] = 2; *u = *t;
        assert(u->length == 1 && u->body[0] == 2);""",
    "copied to it": """struct text *t = malloc(sizeof *t + 4); strcpy(t->body, "abc");
        assert(strlen(t->body) == 3 && t->body[2] == 'c');""",
    "records": """struct pairs *t = malloc(sizeof *t + 2 * sizeof(struct pair));
        t->each[0].right = 1; t->each[1].left = 2; assert(t->each[0].right < t->each[1].left);""",
}
FAILS = {
    "another value": """struct text *t = malloc(sizeof *t + 3); t->body[1] = 1; char *p = t->body;
        p[1] = 2; assert(t->body[1] == 1);""",
    "its own memory": """struct text *t = malloc(sizeof *t + 1); t->length = 4; t->body[0] = 1;
        assert(t->length != 4);""",
}
LEAVES = {
    "behind it": "struct text *t = malloc(sizeof *t + 3); t->body[3] = 0;",
    "before it": "struct text *t = malloc(sizeof *t + 3); int i = -1; t->body[i] = 0;",
    "by a pointer": "struct text *t = malloc(sizeof *t + 3); char *p = t->body; p[3] = 0;",
    "none there": "struct text *t = malloc(sizeof *t); t->body[0] = 0;",
    "of a variable": "struct text t; struct text *p = &t; p->body[0] = 0;",
    "part of an element": """struct padded *t = malloc(offsetof(struct padded, words) + 6);
        t->words[1] = 0;""",
}
NO_MEANING = {
    "the next record": """struct text *t = calloc(2, sizeof *t); struct text *u = t + 1;
        assert(u->length == 0);""",
    "initialised": "static struct text t = { 2, { 'a', 'b' } }; assert(t.body[1] == 'b');",
    "initialised, by a pointer": """static struct text t = { 2, { 'a', 'b' } };
        struct text *p = &t; assert(p->body[1] == 'b');""",
    "another type": """int *p = calloc(4, sizeof(int)); struct text *t = (struct text *)p;
        t->body[0] = 1; assert(t->body[0] == 1);""",
    "too small": "int n = total; struct padded *t = malloc(n); t->first = 1; assert(t->first);",
}
THREADS = (
    HEAD
    + """
static void *f(void *a) { F return a; }
int main(void)
{
    pthread_t t, u;
    START
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)
NEW = "list = calloc(1, sizeof *list + 2 * sizeof(int)); pthread_mutex_init(&list->lock, 0);"
APART = {
    "under the lock of the record": (
        NEW,
        "pthread_mutex_lock(&list->lock); list->cells[1]++; pthread_mutex_unlock(&list->lock);",
    ),
    "under the lock of the record, by a pointer": (
        NEW,
        """pthread_mutex_lock(&list->lock); int *p = list->cells; p[1]++;
        pthread_mutex_unlock(&list->lock);""",
    ),
    "only read": (NEW + "list->cells[0] = list->cells[1] = 1;", "int x = list->cells[1];"),
    "its own": ("", "struct text *t = malloc(sizeof *t + 2); t->body[1] = 1; free(t);"),
    "another member": (
        NEW + "list->cells[0] = 1;",
        """int x = list->cells[0];
        pthread_mutex_lock(&m); list->size = x; pthread_mutex_unlock(&m);""",
    ),
}
MEET = {
    "without the lock": (NEW, "list->cells[1]++;"),
    "without the lock, by a pointer": (NEW, "int *p = list->cells; p[1]++;"),
    "freed": ("shared = malloc(sizeof *shared + 2); shared->body[1] = 0;", "free(shared);"),
    "the lock of another": (
        NEW,
        """struct node *n = malloc(sizeof *n); pthread_mutex_init(&n->lock, 0);
        pthread_mutex_lock(&n->lock); list->cells[0] = 1; pthread_mutex_unlock(&n->lock);""",
    ),
}


def said(text: str, name: str, *engines: str) -> set[str]:
    """What engines say, all in all."""
    found = verdicts(text, name, engines=engines) if engines else verdicts(text, name)
    return {each for answers in found.values() for each in answers}


@pytest.mark.parametrize("case", HOLDS)
def test_what_holds(case: str) -> None:
    text = ONE.replace("BODY", HOLDS[case])
    assert said(text, "assertions", "explicit") == {"SAFE"}
    assert said(text, "memory", "explicit") == {"SAFE"}
    assert "UNSAFE" not in said(text, "assertions")


@pytest.mark.parametrize("case", FAILS)
def test_what_fails(case: str) -> None:
    text = ONE.replace("BODY", FAILS[case])
    assert said(text, "assertions", "explicit") == {"UNSAFE"}
    assert "SAFE" not in said(text, "assertions")


@pytest.mark.parametrize("case", LEAVES)
def test_what_leaves_memory(case: str) -> None:
    text = ONE.replace("BODY", LEAVES[case])
    assert said(text, "memory", "explicit") == {"UNSAFE"}
    assert "SAFE" not in said(text, "memory")


@pytest.mark.parametrize("case", NO_MEANING)
def test_what_is_not_modelled(case: str) -> None:
    text = ONE.replace("BODY", NO_MEANING[case])
    assert said(text, "assertions", "explicit") == {"UNKNOWN"}
    assert said(text, "memory") == {"UNKNOWN"}


@pytest.mark.parametrize("case", APART)
def test_accesses_that_are_apart(case: str) -> None:
    start, body = APART[case]
    text = THREADS.replace("START", start).replace("F return", f"{body} return")
    assert said(text, "races", "locksets") == {"SAFE"}
    assert said(text, "races", "explicit") == {"SAFE"}


@pytest.mark.parametrize("case", MEET)
def test_accesses_that_meet(case: str) -> None:
    start, body = MEET[case]
    text = THREADS.replace("START", start).replace("F return", f"{body} return")
    assert "UNSAFE" in said(text, "races", "explicit")
    assert "SAFE" not in said(text, "races")
