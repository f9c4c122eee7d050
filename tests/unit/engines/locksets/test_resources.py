"""Lists with tails, and what is handed over by them: what is proved, what must not be.

Every program of the second kind has a race, or breaks the list that makes the first kind safe: the
tail stays where its object was freed, an object is looked at and not taken, is in two lists, is
used after it was put into one, or a list is left unfinished when its lock is given back.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.audit import audit_locksets
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.check import LocksetChecker
from threadwise.proofs.locksets.resources.claims import Shape
from threadwise.proofs.locksets.resources.ground import Meaning
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.step import Interpreter

TEXT = (
    INCLUDES
    + """
struct node { int v; char *name; struct node *next; };
struct queue { pthread_mutex_t m; struct node *head, *tail, **end; } q, r;
struct node *kept;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
#define LOCK pthread_mutex_lock(&q.m)
#define UNLOCK pthread_mutex_unlock(&q.m)
#define FRESH n = malloc(sizeof *n); n->v = 1; n->name = 0; n->next = 0;
#define APPEND if (q.tail) q.tail->next = n; else q.head = n; q.tail = n;
#define APPEND2 if (q.head == 0) q.head = n; else q.tail->next = n; q.tail = n;
#define APPEND3 *q.end = n; q.end = &n->next;
#define TAKE p = q.head; if (p) { q.head = p->next; if (!q.head) q.tail = 0; }
#define TAKE2 p = q.head; if (p) q.head = p->next;
#define TAKE3 p = q.head; if (p) { q.head = p->next; if (!q.head) q.end = &q.head; }
#define ALL p = q.head; q.head = q.tail = 0;
#define USE if (p) { p->v++; free(p); }
#define USE_ALL while (p) { o = p->next; p->v++; free(p); p = o; }
void put(int deep) { if (deep) put(deep - 1); else q.head = kept; }
void *f(void *arg) { struct node *n, *p = 0, *o, **l; int i; BODY return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_mutex_init(&q.m, 0);
    pthread_mutex_init(&r.m, 0);
    q.end = &q.head;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)


def program_of(body: str) -> Program:
    return loaded(TEXT.replace("BODY", body)).program


def proof_of(body: str) -> LocksetCertificate | None:
    program = program_of(body)
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    try:
        for finding in LocksetEngine().run(Task(program, races)):
            if isinstance(finding, Proved):
                assert isinstance(finding.certificate, LocksetCertificate)
                check_certificate(program, finding.certificate, lambda: None)
                return finding.certificate
    except Unsupported:
        pass
    return None


REPLACED = (
    "FRESH n->name = malloc(4); if (n->name) n->name[0] = 0; pthread_rwlock_wrlock(&rw); p = kept;"
    " kept = n; pthread_rwlock_unlock(&rw); if (p) { free(p->name); free(p); }"
)
"""A node, and a text that it may have, take the place of others."""
RIGHT = {
    "the tail is cleared": "FRESH LOCK; APPEND UNLOCK; LOCK; TAKE UNLOCK; USE",
    "the tail is stale": "FRESH LOCK; APPEND2 UNLOCK; LOCK; TAKE2 UNLOCK; USE",
    "the end is a link": "FRESH LOCK; APPEND3 UNLOCK; LOCK; TAKE3 UNLOCK; USE",
    "all are taken": "FRESH LOCK; APPEND UNLOCK; LOCK; ALL UNLOCK; USE_ALL",
    "in a loop under the lock": "FRESH LOCK; APPEND TAKE while (p) { USE TAKE } UNLOCK;",
    "with a part": (
        "FRESH n->name = malloc(4); n->name[0] = 1; LOCK; APPEND UNLOCK; LOCK; TAKE UNLOCK;"
        " if (p) { p->name[0]++; free(p->name); free(p); }"
    ),
    "from the middle": (
        "FRESH LOCK; n->next = q.head; q.head = n; for (l = &q.head; *l && (*l)->v > 1;"
        " l = &(*l)->next) ; p = *l; if (p) *l = p->next; UNLOCK; USE"
    ),
    "a text that readers go through, if there is one": (
        f"{REPLACED} pthread_rwlock_rdlock(&rw); for (i = 0; kept->name[i]; i++) ;"
        " pthread_rwlock_unlock(&rw);"
    ),
}
WRONG = {
    "a text that readers go through without lock": (
        f"{REPLACED} for (i = 0; kept->name[i]; i++) ;"
    ),
    "a text that readers go on with afterwards": (
        f"{REPLACED} pthread_rwlock_rdlock(&rw); i = 0; o = kept; pthread_rwlock_unlock(&rw);"
        " while (o->name[i]) i++;"
    ),
    "a text that readers change": (
        f"{REPLACED} pthread_rwlock_rdlock(&rw); i = 0; do kept->name[i] = 1;"
        " while (kept->name[i++]); pthread_rwlock_unlock(&rw);"
    ),
    "the tail is not cleared": "FRESH LOCK; APPEND UNLOCK; LOCK; TAKE2 UNLOCK; USE",
    "the tail is used though stale": (
        "FRESH LOCK; APPEND2 UNLOCK; LOCK; TAKE2 if (q.tail) q.tail->v++; UNLOCK; USE"
    ),
    "the end is not set back": "FRESH LOCK; APPEND3 UNLOCK; LOCK; TAKE2 UNLOCK; USE",
    "looked at, not taken": "FRESH LOCK; APPEND UNLOCK; LOCK; p = q.head; UNLOCK; if (p) p->v++;",
    "freed, not taken": "FRESH LOCK; APPEND UNLOCK; LOCK; p = q.head; UNLOCK; USE",
    "the last one is used": "FRESH LOCK; APPEND p = q.tail; UNLOCK; p->v++;",
    "used after it was put": "FRESH LOCK; APPEND UNLOCK; n->v++; LOCK; TAKE UNLOCK; USE",
    "freed after it was put": "FRESH LOCK; APPEND UNLOCK; free(n); LOCK; TAKE UNLOCK; USE",
    "put twice": "FRESH LOCK; APPEND APPEND UNLOCK; LOCK; TAKE UNLOCK; USE",
    "put without the lock": "FRESH APPEND LOCK; TAKE UNLOCK; USE",
    "taken without the lock": "FRESH LOCK; APPEND UNLOCK; TAKE USE",
    "the tail is set later": (
        "FRESH LOCK; if (q.tail) q.tail->next = n; else q.head = n; UNLOCK;"
        " LOCK; q.tail = n; UNLOCK; LOCK; TAKE UNLOCK; USE"
    ),
    "all are taken but the tail stays": (
        "FRESH LOCK; APPEND UNLOCK; LOCK; p = q.head; q.head = 0; UNLOCK; USE_ALL"
    ),
    "the tail is freed": (
        "FRESH LOCK; APPEND UNLOCK; LOCK; p = q.tail; q.tail = 0; UNLOCK; USE"
        " LOCK; TAKE UNLOCK; USE"
    ),
    "the next one is freed": (
        "FRESH LOCK; APPEND UNLOCK; LOCK; TAKE UNLOCK; if (p) { free(p->next); free(p); }"
    ),
    "the next one is used": (
        "FRESH LOCK; APPEND UNLOCK; LOCK; TAKE UNLOCK; if (p && p->next) p->next->v++;"
    ),
    "kept elsewhere": "FRESH kept = n; LOCK; APPEND UNLOCK; LOCK; TAKE UNLOCK; USE kept->v++;",
    "the wrong lock": (
        "FRESH LOCK; APPEND UNLOCK; pthread_mutex_lock(&r.m); TAKE pthread_mutex_unlock(&r.m); USE"
    ),
    "in two lists": (
        "FRESH LOCK; APPEND UNLOCK; pthread_mutex_lock(&r.m); n->next = r.head; r.head = n;"
        " pthread_mutex_unlock(&r.m); LOCK; TAKE UNLOCK; USE"
    ),
    "one is taken, another freed": (
        "FRESH LOCK; APPEND UNLOCK; LOCK; o = q.head; TAKE p = q.head; UNLOCK; USE"
    ),
    "the part is kept": (
        "FRESH n->name = malloc(4); n->name[0] = 1; LOCK; APPEND UNLOCK; n->name[0] = 2;"
        " LOCK; TAKE UNLOCK; if (p) { free(p->name); free(p); }"
    ),
    "the part of one not taken": (
        "FRESH n->name = malloc(4); n->name[0] = 1; LOCK; APPEND UNLOCK; LOCK; p = q.head; UNLOCK;"
        " if (p) p->name[0]++;"
    ),
    "two nodes share a part": (
        "FRESH n->name = malloc(4); o = n; LOCK; APPEND UNLOCK; FRESH n->name = o->name;"
        " LOCK; APPEND UNLOCK; LOCK; TAKE UNLOCK; if (p) { p->name[0] = 1; free(p); }"
    ),
    "freed in the middle, still linked": (
        "FRESH LOCK; n->next = q.head; q.head = n; for (l = &q.head; *l && (*l)->v > 1;"
        " l = &(*l)->next) ; p = *l; UNLOCK; USE"
    ),
    "readers change": (
        "FRESH pthread_rwlock_rdlock(&rw); n->next = kept; kept = n; pthread_rwlock_unlock(&rw);"
        " pthread_rwlock_rdlock(&rw); p = kept; if (p) kept = p->next; pthread_rwlock_unlock(&rw);"
        " USE"
    ),
    "put by a procedure": (
        "FRESH LOCK; kept = n; put(1); UNLOCK; n->v++; LOCK; TAKE2 UNLOCK; if (p) p->v++;"
    ),
    "left unfinished at the end": (
        "FRESH LOCK; if (q.tail) q.tail->next = n; else q.head = n; if (arg) return 0; q.tail = n;"
        " UNLOCK; LOCK; TAKE2 UNLOCK; USE"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_lists_with_tails_are_proved(name: str) -> None:
    assert proof_of(RIGHT[name]) is not None


MANY = [
    name if n % 3 == 0 else pytest.param(name, marks=pytest.mark.slow)
    for n, name in enumerate(WRONG)
]


@pytest.mark.parametrize("name", MANY)
def test_races_are_not_proved(name: str) -> None:
    assert proof_of(WRONG[name]) is None


def test_other_claims_about_a_list_are_refused() -> None:
    program, certificate = (
        program_of(RIGHT["the tail is cleared"]),
        proof_of(RIGHT["the tail is cleared"]),
    )
    assert certificate is not None
    claim = certificate.resources
    assert claim is not None
    (unit,) = claim.tails
    forged = [
        replace(claim, tails=frozenset()),
        replace(claim, tails=frozenset({unit._replace(shape=Shape.STALE)})),
        replace(claim, tails=frozenset({unit._replace(shape=Shape.LINK)})),
        replace(claim, slots={}),
        replace(claim, sites=frozenset({"new ?"})),
        replace(claim, sites=frozenset({"new 99"})),
        None,
    ]
    for other in forged:
        with pytest.raises(Refuted):
            check_certificate(program, replace(certificate, resources=other), lambda: None)


def test_a_list_and_its_end_are_slots_of_one_lock() -> None:
    body = RIGHT["the tail is cleared"]
    program, certificate = program_of(body), proof_of(body)
    assert certificate is not None
    claim = certificate.resources
    assert claim is not None
    (unit,) = claim.tails
    assert unit.tail is not None
    ground = LocksetChecker(program, certificate, lambda: None).steps.ground
    elsewhere = unit.tail._replace(way=("other",))
    moved = {c: elsewhere if k == unit.tail else k for c, k in claim.slots.items()}
    without = {
        key: {c: k for c, k in claim.slots.items() if k != key} for key in (unit.head, unit.tail)
    }
    forged = [
        replace(claim, slots=without[unit.head]),
        replace(claim, slots=without[unit.tail]),
        replace(claim, slots=moved, tails=frozenset({unit._replace(tail=elsewhere)})),
        replace(claim, tails=frozenset({unit._replace(tail=unit.head)})),
        replace(claim, tails=frozenset({unit, unit._replace(link=unit.link + 1)})),
    ]
    assert not list(Meaning(ground, claim).unfit())
    for other in forged:
        assert unit.head in set(Meaning(ground, other).unfit())


def watched(program: Program, certificate: LocksetCertificate, runs: int = 8) -> dict[str, int]:
    """How often runs looked at claims; raises Broken."""
    fixed = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    monitor = audit_locksets(fixed, certificate)
    interpreter = Interpreter(fixed, (0, 1, 2))
    for seed in range(runs):
        schedule = RandomSchedule(seed)
        state = schedule.start(interpreter)
        monitor.start(state)
        for transition in run(interpreter, schedule, state, 200):
            monitor.step(state, transition.move, transition.state)
            state = transition.state
    return dict(monitor.evaluated)


def test_runs_show_lists_as_claimed_and_not_as_forged() -> None:
    body = "for (i = 0; i < 3; i++) { FRESH LOCK; APPEND UNLOCK; } LOCK; TAKE UNLOCK; USE"
    program, certificate = program_of(body), proof_of(body)
    assert certificate is not None
    claim = certificate.resources
    assert claim is not None
    assert watched(program, certificate)["resources"]
    (unit,) = claim.tails
    assert unit.tail is not None
    turned = replace(claim, tails=frozenset({unit._replace(head=unit.tail, tail=unit.head)}))
    with pytest.raises(Broken, match="resources"):
        watched(program, replace(certificate, resources=turned))
