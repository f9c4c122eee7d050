"""Locksets of programs with calls: every function is a procedure; pairs that differ in a race."""

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.frontends.c.lower import inlining

BEFORE = """#include <pthread.h>
#include <stdlib.h>
struct acc { pthread_mutex_t m; int n; };
struct acc a, b;
struct node { int v; struct node *next; };
struct node *head; struct acc *found;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
_Thread_local struct acc *mine;
int x;
void lock(pthread_mutex_t *p) { pthread_mutex_lock(p); }
void unlock(pthread_mutex_t *p) { pthread_mutex_unlock(p); }
void bump(struct acc *p) { p->n++; }
void add(struct acc *p) { pthread_mutex_lock(&p->m); bump(p); pthread_mutex_unlock(&p->m); }
void init(struct node *p, int v) { p->v = v; p->next = 0; }
void push(struct node *p) { pthread_mutex_lock(&m); p->next = head; head = p;
                            pthread_mutex_unlock(&m); }
void show(struct node *p) { pthread_mutex_lock(&m); head = p; pthread_mutex_unlock(&m); }
void drop(struct acc *p) { pthread_mutex_unlock(&p->m); }
void other(struct acc *p) { p = &b; p->n++; }
void both(struct acc *p, struct acc *q) { pthread_mutex_lock(&p->m); q->n++;
                                          pthread_mutex_unlock(&p->m); }
void turn(void) { mine = &b; }
void *look(void *p) { pthread_mutex_lock(&m); int r = head ? head->v : 0;
                      pthread_mutex_unlock(&m); return r ? p : 0; }
void *set(void *p) { x = 1; return 0; }
void start(void) { pthread_t t; pthread_create(&t, 0, set, 0); }
int down(struct acc *p, int n) { if (n == 0) return 0; p->n++; return down(p, n - 1); }
"""
MAIN = """int main(void) { pthread_t t; BEGIN pthread_create(&t, 0, work, 0);
                            MEANWHILE pthread_join(t, 0); AFTER return 0; }"""


def program(work: str, meanwhile: str = "", begin: str = "", after: str = "") -> str:
    """A program with one thread beside `main`."""
    main = MAIN.replace("BEGIN", begin).replace("MEANWHILE", meanwhile).replace("AFTER", after)
    return f"{BEFORE}void *work(void *p) {{ {work} return 0; }}\n{main}"


NODE = "struct node *q = malloc(sizeof *q); if (!q) return 0; "
PROVED = {
    "the lock of a parameter": program("add(&a); add(&b);", "add(&b); add(&a);"),
    "a procedure with and without threads": program("add(&a);", "add(&a);", "bump(&a);"),
    "after a join": program("add(&a);", "", "", "bump(&a);"),
    "an object of one's own": program(NODE + "init(q, 1); init(q, 2); push(q);", "look(0);"),
    "recursion under a lock": program(
        "pthread_mutex_lock(&a.m); down(&a, 2); pthread_mutex_unlock(&a.m);", "add(&a);"
    ),
    "the same record twice": program("both(&a, &a);", "both(&a, &a);"),
    "before a thread is started by a procedure": program("return 0;", "x = 2; start();"),
}
REFUSED = {
    "one without the lock": program("add(&a); add(&b);", "bump(&b); add(&a);"),
    "the lock of another parameter": program("both(&a, &b);", "both(&b, &b);"),
    "a lock that the procedure releases": program(
        "pthread_mutex_lock(&a.m); drop(&a); a.n++;", "add(&a);"
    ),
    "a lock that is released by its address": program(
        "pthread_mutex_lock(&a.m); unlock(&a.m); a.n++;", "add(&a);"
    ),
    "a parameter that is assigned": program(
        "pthread_mutex_lock(&a.m); other(&a); pthread_mutex_unlock(&a.m);", "add(&b);"
    ),
    "an object that a procedure publishes": program(
        NODE + "init(q, 1); push(q); init(q, 2);", "look(0);"
    ),
    "an object in one that a procedure publishes": program(
        NODE + "struct node *r = malloc(sizeof *r); if (!r) return 0; init(r, 1); init(q, 1);"
        " r->next = q; show(r); init(q, 2);",
        "pthread_mutex_lock(&m); if (head && head->next) x = head->next->v;"
        " pthread_mutex_unlock(&m);",
    ),
    "a variable of the thread that a procedure changes": program(
        "mine = &a; pthread_mutex_lock(&mine->m); turn(); bump(mine); pthread_mutex_unlock(&a.m);",
        "add(&b);",
    ),
    "after a thread was started by a procedure": program("return 0;", "start(); x = 2;"),
    "threads that a procedure starts twice": program("return 0;", "start(); start();"),
    "a procedure of two threads that starts a third": program("start(); x = 2;", "start();"),
    "no join of the thread that a procedure started": program(
        "return 0;", "start();", "", "x = 2;"
    ),
    "recursion without a lock": program("down(&a, 2);", "add(&a);"),
    "before and after the start": program("bump(&a);", "bump(&a);", "bump(&a);"),
}


def verdict(text: str, engine: str) -> str:
    """The verdict about races."""
    loaded = lowered(text)
    options = CheckOptions(properties=("races",), engine=engine)
    return check_loaded("t.c", lambda: loaded, options, in_process=True).verdict.value


@pytest.fixture(autouse=True)
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all functions be procedures that can be."""
    monkeypatch.setattr(inlining, "POLICY", inlining.EVERYTHING)


@pytest.mark.parametrize("text", PROVED.values(), ids=PROVED)
def test_what_callers_hold_and_own_is_known_in_procedures(text: str) -> None:
    assert verdict(text, "locksets") == "SAFE"


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_races_are_not_called_safe(text: str) -> None:
    assert verdict(text, "locksets") == "UNKNOWN"


@pytest.mark.slow
@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_they_are_races(text: str) -> None:
    assert verdict(text, "walks") == "UNSAFE"
