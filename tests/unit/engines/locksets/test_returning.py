"""Objects that come back, and arrays of slots with one lock: what is proved, what must not be.

Every program of the second kinds has a race: a request is used before it is back or after it was
given back, goes round with its flag set, has two threads that wait for it; or an object is left in
a slot, or put in two.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.engines.locksets.test_resources import watched
from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.claims import NO_LOCK, Owned

TEXT = (
    INCLUDES
    + """
#include <stdatomic.h>
struct req {
    int done, v; FLAG flag; char *text; pthread_mutex_t m; pthread_cond_t c; struct req *next;
};
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
struct req *head, *other, *seen;
struct req *table[4];
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define WAIT pthread_cond_wait(&c, &m)
#define BACK LOCK; p->done = 1; pthread_cond_broadcast(&c); UNLOCK;
#define FRESH r = calloc(1, sizeof *r); pthread_mutex_init(&r->m, 0); pthread_cond_init(&r->c, 0);
#define PUSH r->next = head; head = r;
#define POP p = head; if (p) { head = p->next; p->next = 0; }
void *client(void *arg) { struct req *r = 0, *p; int i = 0; CLIENT return 0; }
void *server(void *arg) { struct req *p = 0, *r; char *t; int i = 0; SERVER return 0; }
int main(void)
{
    pthread_t t, u, w;
    pthread_create(&t, 0, client, 0);
    pthread_create(&u, 0, client, 0);
    pthread_create(&w, 0, server, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(w, 0);
    return 0;
}
"""
)


def program_of(client: str, server: str) -> Program:
    flag = "_Atomic int" if "r->flag" in client else "int"
    text = TEXT.replace("FLAG", flag).replace("CLIENT", client).replace("SERVER", server)
    return loaded(text).program


def proof_of(client: str, server: str) -> LocksetCertificate | None:
    program = program_of(client, server)
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


ASK = "FRESH LOCK; PUSH while (!r->done) WAIT; UNLOCK; r->v++; free(r);"
SERVE = "LOCK; POP UNLOCK; if (p) { p->v = 1; BACK }"
LATE = "LOCK; POP UNLOCK; if (p) { BACK p->v = 1; }"
RIGHT = {
    "a request and its answer": (ASK, SERVE),
    "signalled to the one that waits": (
        "FRESH LOCK; PUSH while (!r->done) pthread_cond_wait(&r->c, &m); UNLOCK; r->v++; free(r);",
        "LOCK; POP UNLOCK; if (p) { p->v = 1; LOCK; p->done = 1;"
        " pthread_cond_signal(&p->c); UNLOCK; }",
    ),
    "the answer is set under the lock, after the flag": (
        ASK,
        "LOCK; POP UNLOCK; if (p) { LOCK; p->done = 1; p->v = 1;"
        " pthread_cond_broadcast(&c); UNLOCK; }",
    ),
    "answered or refused": (
        ASK,
        "LOCK; POP UNLOCK; if (p) { LOCK; if (p->v) p->done = 1; else p->done = 2;"
        " pthread_cond_broadcast(&c); UNLOCK; }",
    ),
    "with a text": (
        "FRESH LOCK; PUSH while (!r->done) WAIT; UNLOCK; if (r->text) { r->text[0]++;"
        " free(r->text); } free(r);",
        "LOCK; POP UNLOCK; if (p) { t = malloc(4); if (t) t[0] = 1; LOCK; p->text = t;"
        " UNLOCK; BACK }",
    ),
    "an atomic flag": (
        "FRESH LOCK; PUSH UNLOCK; while (!r->flag) ; r->v++; free(r);",
        "LOCK; POP UNLOCK; if (p) { p->v = 1; p->flag = 1; }",
    ),
    "a lock of its own": (
        "FRESH LOCK; PUSH UNLOCK; pthread_mutex_lock(&r->m); while (!r->done)"
        " pthread_cond_wait(&r->c, &r->m); pthread_mutex_unlock(&r->m); r->v++; free(r);",
        "LOCK; POP UNLOCK; if (p) { p->v = 1; pthread_mutex_lock(&p->m); p->done = 1;"
        " pthread_cond_signal(&p->c); pthread_mutex_unlock(&p->m); }",
    ),
    "used again": (
        "FRESH for (i = 0; i < 3; i++) { r->done = 0; LOCK; PUSH while (!r->done) WAIT; UNLOCK;"
        " r->v++; } free(r);",
        SERVE,
    ),
}
WRONG = {
    "the flag is set first": (ASK, LATE),
    "used after it was given back": (ASK, SERVE.replace("BACK", "BACK p->v = 2;")),
    "freed by both": (ASK, SERVE.replace("BACK", "BACK free(p);")),
    "nobody waits": (ASK.replace("while (!r->done) WAIT;", ""), SERVE),
    "waits once": (ASK.replace("while", "if"), SERVE),
    "waits a while": (
        ASK.replace("while (!r->done) WAIT;", "while (!r->done && i++ < 2) WAIT;"),
        SERVE,
    ),
    "the flag is read without lock": (
        "FRESH LOCK; PUSH UNLOCK; while (!r->done) ; r->v++; free(r);",
        SERVE,
    ),
    "goes round with its flag set": (
        "FRESH for (i = 0; i < 3; i++) { LOCK; PUSH while (!r->done) WAIT; UNLOCK; r->v++; }",
        SERVE,
    ),
    "set to begin with": (ASK.replace("FRESH", "FRESH r->done = 1;"), SERVE),
    "two wait": (
        "FRESH LOCK; seen = r; PUSH UNLOCK; LOCK; r = seen; while (!r->done) WAIT; UNLOCK;"
        " r->v++;",
        SERVE,
    ),
    "set under another lock": (
        ASK,
        SERVE.replace(
            "BACK",
            "pthread_mutex_lock(&k); p->done = 1; pthread_cond_broadcast(&c);"
            " pthread_mutex_unlock(&k);",
        ),
    ),
    "set by who has not taken it": (
        ASK,
        "LOCK; p = head; UNLOCK; if (p) { p->v = 1; BACK }",
    ),
    "passed on when it was given back": (
        ASK,
        SERVE.replace("BACK", "LOCK; p->done = 1; p->next = other; other = p; UNLOCK; BACK")
        + "LOCK; p = other; if (p) other = p->next; UNLOCK; if (p) p->v = 3;",
    ),
    "its text is still used": (
        RIGHT["with a text"][0],
        RIGHT["with a text"][1].replace("BACK", "BACK if (t) t[0] = 2;"),
    ),
    "its text is kept, and it is forgotten": (
        RIGHT["with a text"][0],
        "LOCK; POP UNLOCK; if (p) { t = malloc(4); LOCK; p->text = t; p->done = 1; p = 0;"
        " pthread_cond_broadcast(&c); UNLOCK;"
        " if (t) t[0] = 2; }",
    ),
    "served by who asks, and used": (
        "FRESH LOCK; PUSH UNLOCK; LOCK; POP UNLOCK; if (p) { BACK } LOCK;"
        " while (!r->done) WAIT; UNLOCK; r->v++; if (p) p->v = 2;",
        SERVE,
    ),
    "an atomic flag that is set first": (
        "FRESH LOCK; PUSH UNLOCK; while (!r->flag) ; r->v++; free(r);",
        "LOCK; POP UNLOCK; if (p) { p->flag = 1; p->v = 1; }",
    ),
    "given back without lock, asked with it": (
        ASK,
        "LOCK; POP UNLOCK; if (p) { p->v = 1; p->done = 1; }",
    ),
    "the lock of another request": (
        RIGHT["a lock of its own"][0],
        "LOCK; POP r = head; UNLOCK; if (p && r) { p->v = 1; pthread_mutex_lock(&r->m);"
        " p->done = 1; pthread_mutex_unlock(&r->m); }",
    ),
    "cleared again by the server": (
        ASK,
        SERVE.replace("BACK", "BACK LOCK; p->done = 0; UNLOCK;"),
    ),
    "used after its condition was signalled": (
        RIGHT["signalled to the one that waits"][0],
        "LOCK; POP UNLOCK; if (p) { p->v = 1; LOCK; p->done = 1; pthread_cond_signal(&p->c);"
        " UNLOCK; p->v++; }",
    ),
    "its condition is signalled without the lock": (
        RIGHT["signalled to the one that waits"][0],
        "LOCK; POP UNLOCK; if (p) { p->v = 1; LOCK; p->done = 1; UNLOCK;"
        " pthread_cond_signal(&p->c); }",
    ),
}
PUT = "FRESH i = (arg != 0); LOCK; if (!table[i]) { table[i] = r; r = 0; } UNLOCK; free(r);"
DROP = "LOCK; p = table[i]; table[i] = 0; UNLOCK; if (p) { p->v++; free(p); }"
SLOTS_RIGHT = {
    "one slot each": (PUT, DROP),
    "all slots": (
        PUT,
        "for (i = 0; i < 4; i++) { LOCK; p = table[i]; table[i] = 0; UNLOCK;"
        " if (p) { p->v++; free(p); } }",
    ),
    "buckets": (
        "FRESH r->v = 3; LOCK; r->next = table[r->v % 4]; table[r->v % 4] = r; UNLOCK;",
        "i = 3; LOCK; p = table[i]; if (p) table[i] = p->next; UNLOCK;"
        " if (p) { p->v++; free(p); }",
    ),
    "from the middle of a bucket": (
        "FRESH LOCK; r->next = table[i]; table[i] = r; UNLOCK;",
        "LOCK; struct req **l = &table[i]; while (*l && (*l)->v) l = &(*l)->next; p = *l;"
        " if (p) *l = p->next; UNLOCK; if (p) { p->v++; free(p); }",
    ),
}
SLOTS_WRONG = {
    "left in its slot": (PUT, DROP.replace("table[i] = 0;", "")),
    "another slot is cleared": (PUT, DROP.replace("table[i] = 0;", "table[i + 1] = 0;")),
    "the number changes": (PUT, DROP.replace("table[i] = 0;", "i++; table[i] = 0;")),
    "used after it was put": (PUT.replace("r = 0; }", "}").replace("free(r)", "r->v++"), DROP),
    "in two slots": (
        PUT.replace("table[i] = r;", "table[i] = r; table[i + 1] = r;"),
        "for (i = 0; i < 4; i++) { " + DROP + " }",
    ),
    "moved, and left": (
        PUT + "LOCK; table[i + 1] = table[i]; UNLOCK;",
        "for (i = 0; i < 4; i++) { " + DROP + " }",
    ),
    "without the lock": (PUT, "p = table[i]; table[i] = 0; if (p) { p->v++; free(p); }"),
    "taken later": (
        PUT,
        "LOCK; p = table[i]; UNLOCK; LOCK; table[i] = 0; UNLOCK; if (p) { p->v++; free(p); }",
    ),
    "the slot by another name": (
        PUT,
        "LOCK; p = table[i]; struct req **l = &table[i]; UNLOCK; LOCK; p = *l; UNLOCK;"
        " if (p) p->v++;",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_objects_that_come_back_are_proved(name: str) -> None:
    proof = proof_of(*RIGHT[name])
    assert proof is not None
    assert proof.resources is not None
    assert proof.resources.flags


@pytest.mark.parametrize("name", WRONG)
def test_races_on_requests_are_not_proved(name: str) -> None:
    assert proof_of(*WRONG[name]) is None


@pytest.mark.parametrize("name", SLOTS_RIGHT)
def test_arrays_of_slots_are_proved(name: str) -> None:
    assert proof_of(*SLOTS_RIGHT[name]) is not None


@pytest.mark.parametrize("name", SLOTS_WRONG)
def test_races_on_slots_are_not_proved(name: str) -> None:
    assert proof_of(*SLOTS_WRONG[name]) is None


SIGNALLED = "signalled to the one that waits"


def test_other_claims_about_flags_are_refused() -> None:
    program, proof = program_of(*RIGHT[SIGNALLED]), proof_of(*RIGHT[SIGNALLED])
    assert proof is not None
    claim = proof.resources
    assert claim is not None
    ((flag, key),) = claim.flags.items()
    forged = [
        replace(claim, flags={}),
        replace(claim, flags={flag: NO_LOCK}),
        replace(claim, flags={flag: key._replace(lock="k.lock")}),
        replace(claim, flags={flag._replace(cell=flag.cell + 1): key}),
        replace(claim, flags={flag: key, flag._replace(cell=flag.cell + 1): key}),
        replace(claim, flags={Target("head", 0): key}),
    ]
    for other in forged:
        with pytest.raises(Refuted):
            check_certificate(program, replace(proof, resources=other), lambda: None)


def test_runs_show_flags_as_claimed_and_not_as_forged() -> None:
    client, server = RIGHT[SIGNALLED]
    client = client.replace("PUSH", "r->v = 1; PUSH")
    program, proof = program_of(client, server), proof_of(client, server)
    assert proof is not None
    claim = proof.resources
    assert claim is not None
    seen = watched(program, proof, runs=20)
    assert seen["flags"]
    assert seen["owned"]
    ((flag, key),) = claim.flags.items()
    early = replace(claim, flags={flag._replace(cell=flag.cell + 1): key})
    first = min(location for location, _ in claim.owned if _asks(program, location))
    kept = {
        (LocId(location), 0): Owned(("r",))
        for location in range(first, len(program.locations))
        if _asks(program, LocId(location))
    }
    for other in (early, replace(claim, owned=kept)):
        with pytest.raises(Broken, match="resources"):
            watched(program, replace(proof, resources=other), runs=60)


def _asks(program: Program, location: LocId) -> bool:
    """Whether a location is one of those that make requests."""
    return program.procedure_of[location].name == "client"
