"""Pointers to links of lists with locks, and objects that are parts of others; and near misses.

    for (link = &bucket->head; *link; link = &(*link)->next) …

Each program of the second kind has a race, or puts an object where its home is not.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.certificate import LocksetCertificate

TEXT = (
    INCLUDES
    + """
struct entry { int v; char *key; struct entry *next; };
struct bucket { pthread_mutex_t lock; struct entry *head; };
struct bucket b[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
struct pair {
    pthread_mutex_t one;
    struct entry *first;
    pthread_mutex_t two;
    struct entry *second;
} pair = {PTHREAD_MUTEX_INITIALIZER, 0, PTHREAD_MUTEX_INITIALIZER, 0};
struct table { pthread_mutex_t lock; struct entry *head[4]; } tables[2] = {
    {PTHREAD_MUTEX_INITIALIZER, {0}}, {PTHREAD_MUTEX_INITIALIZER, {0}}
};
pthread_mutex_t of_row[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
struct entry *row[2][4];
char *kept;
#define LOCK(i) pthread_mutex_lock(&b[i].lock)
#define UNLOCK(i) pthread_mutex_unlock(&b[i].lock)
#define FRESH e = malloc(sizeof *e); e->v = 1; e->key = 0; e->next = 0;
#define KEY k = malloc(2); k[0] = 'a';
#define PUT(i) LOCK(i); e->next = b[i].head; b[i].head = e; UNLOCK(i);
#define FIND(p) for (link = &(p); *link && (*link)->v; link = &(*link)->next) (*link)->v++;
#define TABLE q = &tables[arg != 0]; pthread_mutex_lock(&q->lock);
#define TABLED(i) FRESH TABLE e->next = q->head[i]; q->head[i] = e; pthread_mutex_unlock(&q->lock);
#define ROW(r, i) FRESH pthread_mutex_lock(&of_row[r]); e->next = row[r][i]; row[r][i] = e; \
    pthread_mutex_unlock(&of_row[r]);
#define REMOVE e = *link; if (e) { *link = e->next; e->v = 0; free(e); }
void *f(void *arg)
{
    struct entry *e, *o, **link;
    struct bucket *p = &b[arg != 0];
    struct table *q;
    unsigned h = __VERIFIER_nondet_uint(), i;
    char *k;
    BODY
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, &b);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)
BOTH = "FRESH PUT(0) FRESH PUT(1) "

RIGHT = {
    "a link is followed": BOTH + "LOCK(1); FIND(b[1].head) UNLOCK(1);",
    "in any of the lists": (
        BOTH + "pthread_mutex_lock(&p->lock); FIND(p->head) REMOVE pthread_mutex_unlock(&p->lock);"
    ),
    "with a part": (
        "FRESH KEY e->key = k; PUT(0) FRESH KEY e->key = k; PUT(1) LOCK(0);"
        " for (e = b[0].head; e; e = e->next) if (e->key) e->key[0]++; UNLOCK(0);"
    ),
}
RIGHT |= {
    "from one list of several": (
        "TABLED(h % 4) TABLE FIND(q->head[h % 4]) REMOVE pthread_mutex_unlock(&q->lock);"
    ),
    "from each list": (
        "TABLED(h % 4) TABLE for (i = 0; i < 4; i++) { FIND(q->head[i]) REMOVE }"
        " pthread_mutex_unlock(&q->lock);"
    ),
    "to the end of one of several": (
        "FRESH TABLE for (link = &q->head[h % 4]; *link; link = &(*link)->next) (*link)->v++;"
        " *link = e; pthread_mutex_unlock(&q->lock);"
    ),
    "from one list of a row": (
        "ROW(0, h % 4) ROW(1, h % 4) pthread_mutex_lock(&of_row[1]);"
        " FIND(row[1][h % 4]) REMOVE pthread_mutex_unlock(&of_row[1]);"
    ),
}
WRONG = {
    "beyond the lists": (
        "TABLED(h % 4) TABLE FIND(q->head[h % 12]) REMOVE pthread_mutex_unlock(&q->lock);"
    ),
    "before the lists": (
        "TABLED(h % 4) TABLE FIND(q->head[(int)(h % 4) - 1]) pthread_mutex_unlock(&q->lock);"
    ),
    "one list too far": (
        "TABLED(h % 4) TABLE for (i = 0; i <= 4; i++) { FIND(q->head[i]) }"
        " pthread_mutex_unlock(&q->lock);"
    ),
    "to the end of one of several, without the lock": (
        "FRESH TABLE for (link = &q->head[h % 4]; *link; link = &(*link)->next) (*link)->v++;"
        " pthread_mutex_unlock(&q->lock); *link = e;"
    ),
    "of any row": (
        "ROW(0, h % 4) ROW(1, h % 4) pthread_mutex_lock(&of_row[0]);"
        " FIND(*(&row[0][0] + h % 8)) pthread_mutex_unlock(&of_row[0]);"
    ),
    "from one list, of the other table": (
        "TABLED(h % 4) TABLE FIND(tables[arg == 0].head[h % 4]) pthread_mutex_unlock(&q->lock);"
    ),
    "from one list, moved to the next": (
        "TABLED(h % 4) TABLE link = &q->head[h % 4]; link += 5; if (*link) (*link)->v++;"
        " pthread_mutex_unlock(&q->lock);"
    ),
    "the next gate": BOTH + "LOCK(0); link = &b[0].head; link += 2; e = *link;"
    " if (e) e->v++; UNLOCK(0); LOCK(1); FIND(b[1].head) UNLOCK(1);",
    "the other lock": BOTH + "LOCK(0); FIND(b[1].head) UNLOCK(0);",
    "one of two gates": BOTH + "LOCK(0); link = arg ? &b[0].head : &b[1].head;"
    " if (*link) (*link)->v++; UNLOCK(0);",
    "of two gates of a record": (
        "FRESH pthread_mutex_lock(&pair.one); e->next = pair.first; pair.first = e;"
        " pthread_mutex_unlock(&pair.one);"
        " FRESH pthread_mutex_lock(&pair.two); e->next = pair.second; pair.second = e;"
        " pthread_mutex_unlock(&pair.two);"
        " pthread_mutex_lock(&pair.one); FIND(pair.second) pthread_mutex_unlock(&pair.one);"
    ),
    "without the lock": BOTH + "LOCK(0); link = &b[0].head; UNLOCK(0); e = *link; if (e) e->v++;",
    "moved to another list": BOTH
    + "LOCK(0); link = &b[0].head; e = *link; if (e) *link = e->next;"
    " UNLOCK(0); if (e) { PUT(1) LOCK(1); e->v++; UNLOCK(1); LOCK(0); e->v++; UNLOCK(0); }",
    "put where the link leads": BOTH + "LOCK(0); LOCK(1); e = b[0].head; link = &b[1].head;"
    " *link = e; UNLOCK(1); UNLOCK(0); LOCK(0); FIND(b[0].head) UNLOCK(0);"
    " LOCK(1); FIND(b[1].head) UNLOCK(1);",
    "a part of two": (
        "KEY FRESH e->key = k; o = e; FRESH e->key = k; PUT(1) e = o; PUT(0)"
        " LOCK(0); e->key[0]++; UNLOCK(0); LOCK(1); if (b[1].head) b[1].head->key[0]++; UNLOCK(1);"
    ),
    "a part that is kept": (
        "FRESH KEY e->key = k; kept = k; PUT(0) LOCK(0); e->key[0]++; UNLOCK(0);"
        " if (kept) kept[0]++;"
    ),
    "a part that is used": "FRESH KEY e->key = k; PUT(0) k[0] = 'b';"
    " LOCK(0); for (e = b[0].head; e; e = e->next) if (e->key) e->key[0]++; UNLOCK(0);",
    "a part that is given to another": (
        "FRESH KEY e->key = k; o = e; FRESH e->key = o->key; PUT(1) e = o; PUT(0)"
        " LOCK(0); e->key[0]++; UNLOCK(0); LOCK(1); if (b[1].head) b[1].head->key[0]++; UNLOCK(1);"
    ),
    "a part of what was put already": (
        "FRESH PUT(0) KEY o = e; FRESH e->key = k; PUT(1) LOCK(0); o->key = k; UNLOCK(0);"
        " LOCK(0); if (o->key) o->key[0]++; UNLOCK(0);"
        " LOCK(1); if (b[1].head && b[1].head->key) b[1].head->key[0]++; UNLOCK(1);"
    ),
}


def certificate_of(body: str) -> LocksetCertificate | None:
    """A proof that there is no race; it passes its check."""
    program = loaded(TEXT.replace("BODY", body)).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    try:
        findings = list(LocksetEngine().run(Task(program, races)))
    except Unsupported:
        return None
    for finding in findings:
        if isinstance(finding, Proved):
            assert isinstance(finding.certificate, LocksetCertificate)
            check_certificate(program, finding.certificate, lambda: None)
            return finding.certificate
    return None


@pytest.mark.parametrize("name", RIGHT)
def test_links(name: str) -> None:
    assert certificate_of(RIGHT[name]) is not None


@pytest.mark.parametrize("name", WRONG)
def test_links_that_lead_elsewhere(name: str) -> None:
    assert certificate_of(WRONG[name]) is None
