"""Objects taken out of containers and used without their locks: what is proved, what must not be.

Every program of the second kind has a race, or loses what makes the first kind safe: an object is
looked at and not taken, taken without the lock, kept by who gave it away, put into two containers.
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
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.audit import audit_locksets
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.step import Interpreter

TEXT = (
    INCLUDES
    + """
struct node { int v; struct node *next; } *head, *other, *box, *ring[4], *last;
struct holder { struct node *kept; } *holder;
int first, count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define LOCK2 pthread_mutex_lock(&m2)
#define UNLOCK2 pthread_mutex_unlock(&m2)
#define READ pthread_rwlock_rdlock(&rw)
#define WRITE pthread_rwlock_wrlock(&rw)
#define END pthread_rwlock_unlock(&rw)
#define FRESH n = malloc(sizeof *n); n->v = 1; n->next = 0;
#define PUSH FRESH LOCK; n->next = head; head = n; UNLOCK;
#define POP LOCK; p = head; if (p) head = p->next; UNLOCK;
#define USE(p) if (p) { (p)->v++; free(p); }
void *f(void *arg) { struct node *n, *p, *q; int i; BODY return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)


def program_of(body: str) -> Program:
    """Two threads that run a body."""
    return loaded(TEXT.replace("BODY", body)).program


def proof(program: Program) -> LocksetCertificate | None:
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


def watch(program: Program, certificate: LocksetCertificate) -> dict[str, int]:
    """How often claims are looked at in runs; raises Broken."""
    fixed = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    monitor = audit_locksets(fixed, certificate)
    interpreter = Interpreter(fixed, (0, 1, 2))
    for seed in range(6):
        schedule = RandomSchedule(seed)
        state = schedule.start(interpreter)
        monitor.start(state)
        for transition in run(interpreter, schedule, state, 120):
            monitor.step(state, transition.move, transition.state)
            state = transition.state
    return dict(monitor.evaluated)


SAFE = {
    "pop": "PUSH POP USE(p)",
    "mailbox": "FRESH LOCK; if (!box) { box = n; n = 0; } UNLOCK; LOCK; p = box; box = 0; UNLOCK; "
    "USE(p) USE(n)",
    "exchange": "FRESH LOCK; p = box; box = n; UNLOCK; USE(p)",
    "ring": "FRESH LOCK; ring[(first + count) % 4] = n; count++; UNLOCK; p = 0; LOCK; if (count) {"
    " p = ring[first]; ring[first] = 0; first = (first + 1) % 4; count--; } UNLOCK; USE(p)",
    "all at once": "PUSH LOCK; p = head; head = 0; UNLOCK; "
    "while (p) { q = p->next; p->v++; free(p); p = q; }",
    "to another list": "PUSH POP if (p) { LOCK2; p->next = other; other = p; UNLOCK2; }"
    " LOCK2; q = other; if (q) other = q->next; UNLOCK2; USE(q)",
    "behind the first": "PUSH q = 0; LOCK; p = head; if (p) { q = p->next; if (q) p->next = "
    "q->next; } UNLOCK; USE(q)",
    "put back": "PUSH POP if (p) { p->v++; LOCK; p->next = head; head = p; UNLOCK; }",
    "looked at under the lock": "PUSH LOCK; for (q = head; q; q = q->next) q->v++; UNLOCK; POP "
    "USE(p)",
    "read locks": "FRESH READ; if (box) i = box->v; END; WRITE; p = box; box = n; END; USE(p)",
}


@pytest.mark.usefixtures("_without_resources")
@pytest.mark.parametrize("name", SAFE)
def test_proved(name: str) -> None:
    program = program_of(SAFE[name])
    found = proof(program)
    assert found is not None
    assert found.handed
    evaluated = watch(program, found)
    assert evaluated["handed"] > 10
    assert evaluated["slots"]
    assert evaluated["taken"]


RACY = {
    "looked at, not taken": "PUSH LOCK; p = head; UNLOCK; if (p) p->v++;",
    "taken without the lock": "PUSH p = head; if (p) head = p->next; USE(p)",
    "taken under another lock": "PUSH LOCK2; p = head; if (p) head = p->next; UNLOCK2; USE(p)",
    "used after it was put": "PUSH n->v++; POP USE(p)",
    "a second pointer to it": "FRESH LOCK; n->next = head; head = n; last = n; UNLOCK; POP USE(p)"
    " LOCK; if (last) last->v++; UNLOCK;",
    "put into two lists": "PUSH LOCK2; other = n; UNLOCK2; POP USE(p) "
    "LOCK2; q = other; other = 0; UNLOCK2; USE(q)",
    "the next one is used": "PUSH PUSH q = 0; LOCK; p = head; if (p) { q = p->next; head = q; } "
    "UNLOCK; if (q) q->v++;",
    "the list goes on elsewhere": "PUSH PUSH LOCK; p = head; head = 0; UNLOCK; "
    "LOCK; if (last) last->v++; last = p; UNLOCK; USE(p)",
    "removed later": "PUSH LOCK; p = head; UNLOCK; LOCK; if (p) head = p->next; UNLOCK; USE(p)",
    "emptied later": "FRESH LOCK; box = n; UNLOCK; LOCK; p = box; UNLOCK; LOCK; box = 0; UNLOCK; "
    "USE(p)",
    "put back, and used": "PUSH POP if (p) { LOCK; p->next = head; head = p; UNLOCK; p->v++; }",
    "a link that is old": "PUSH PUSH POP if (p) { q = p->next; if (q) q->v++; }",
    "an old link is put": "PUSH PUSH POP LOCK2; other = p; UNLOCK2; "
    "LOCK2; for (q = other; q; q = q->next) q->v++; UNLOCK2; POP USE(p)",
    "linked without the lock": "FRESH n->next = head; LOCK; head = n; UNLOCK; POP USE(p)",
    "linked under the lock, put later": "FRESH LOCK; n->next = head; UNLOCK; LOCK; head = n; "
    "UNLOCK; POP USE(p)",
    "copied to a second slot": "FRESH LOCK; box = n; UNLOCK; LOCK; last = box; UNLOCK; "
    "LOCK; p = box; box = 0; UNLOCK; USE(p) LOCK; q = last; last = 0; UNLOCK; USE(q)",
    "a slot that is not cleared": "FRESH LOCK; ring[first] = n; UNLOCK; LOCK; p = ring[first]; "
    "UNLOCK; USE(p)",
    "another slot is cleared": "FRESH LOCK; ring[first] = n; UNLOCK; LOCK; p = ring[first]; "
    "first = (first + 1) % 4; ring[first] = 0; UNLOCK; USE(p)",
    "the index is not protected": "FRESH LOCK; ring[first] = n; UNLOCK; first = (first + 1) % 4; "
    "LOCK; p = ring[first]; ring[first] = 0; UNLOCK; USE(p)",
    "taken by readers": "FRESH WRITE; box = n; END; READ; p = box; box = 0; END; USE(p)",
    "written by readers": "FRESH WRITE; box = n; END; READ; if (box) box->v++; END; "
    "WRITE; p = box; box = 0; END; USE(p)",
    "kept in a record": "FRESH holder = malloc(sizeof *holder); holder->kept = n; PUSH "
    "LOCK; n->next = head; head = n; UNLOCK; POP USE(p) holder->kept->v++;",
    "only sometimes locked": "PUSH if (rand() % 2) { LOCK; p = head; if (p) head = p->next; "
    "UNLOCK; } else { p = head; if (p) head = p->next; } USE(p)",
    "its own link": "FRESH n->next = n; LOCK; head = n; UNLOCK; POP USE(p)",
    "two names of one": "PUSH LOCK; p = head; q = head; if (p) head = p->next; UNLOCK; "
    "if (q) { LOCK2; q->next = other; other = q; UNLOCK2; } if (p) p->v++;",
}


MANY = [
    name if n % 3 == 0 else pytest.param(name, marks=pytest.mark.slow)
    for n, name in enumerate(RACY)
]


@pytest.mark.parametrize("name", MANY)
def test_not_proved(name: str) -> None:
    assert proof(program_of(RACY[name])) is None


@pytest.mark.usefixtures("_without_resources")
def test_forged_claims_are_refuted() -> None:
    program = program_of(SAFE["pop"])
    found = proof(program)
    assert found is not None
    (slot,) = found.slots
    forged = [
        replace(found, handed=frozenset()),
        replace(found, slots={}),
        replace(found, handed=found.handed | {"head"}),
        replace(found, handed=found.handed | {"new 7"}),
        replace(found, slots={**found.slots, Target("new 0", 1): found.slots[slot]}),
        replace(found, slots={slot: found.slots[slot]._replace(lock="m2")}),
        replace(found, slots={slot: found.slots[slot]._replace(kind="record")}),
    ]
    for certificate in forged:
        with pytest.raises(Refuted):
            check_certificate(program, certificate, lambda: None)


@pytest.mark.usefixtures("_without_resources")
def test_claims_that_were_not_found_are_refuted() -> None:
    program = program_of(SAFE["pop"])
    found = proof(program)
    assert found is not None
    everywhere = {
        location: [text._replace(taken=("p",), whole=("p",)) for text in texts]
        for location, texts in found.knowledge.items()
        if program.procedure_of[location].name == "f"
    }
    forged = replace(found, knowledge={**found.knowledge, **everywhere})
    with pytest.raises(Refuted):
        check_certificate(program, forged, lambda: None)
