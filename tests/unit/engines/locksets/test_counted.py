"""References that are counted: what is proved, what must not be.

Every program of the second kind has a race, or a count that is wrong: a reference is used after it
was dropped, taken without being counted, counted without the lock or not at once, dropped twice,
or another than the last one frees the object.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.engines.locksets import test_resources as lists
from tests.unit.engines.locksets.test_resources import watched
from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.claims import NO_LOCK

TEXT = (
    INCLUDES
    + """
#include <stdatomic.h>
struct obj { COUNT refs; int v; char *text; pthread_mutex_t m; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
struct obj *cur, *other;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define NEW(n) p = malloc(sizeof *p); p->refs = n; p->v = 0; p->text = 0; \\
    pthread_mutex_init(&p->m, 0)
#define GET LOCK; p = cur; if (p) p->refs++; UNLOCK
#define USE pthread_mutex_lock(&p->m); p->v++; pthread_mutex_unlock(&p->m)
#define PUT LOCK; p->refs--; last = p->refs == 0; UNLOCK; if (last) free(p)
#define DROP if (atomic_fetch_sub(&p->refs, 1) == 1) free(p)
#define CLOSE LOCK; p = cur; cur = 0; UNLOCK; if (p) { PUT; }
void *f(void *arg) { struct obj *p = arg, *o = 0; int last = 0, i = 0; F return 0; }
void *g(void *arg) { struct obj *p = arg, *o = 0; int last = 0, i = 0; G return 0; }
int main(void)
{
    struct obj *p = 0;
    pthread_t t, u, w;
    MAIN
    pthread_create(&t, 0, f, p);
    pthread_create(&u, 0, ANOTHER, p);
    AFTER
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)
LOCKED = ("NEW(1); cur = p; p = 0;", "GET; if (p) { USE; PUT; }", "CLOSE", "")
ATOMIC = ("NEW(2);", "USE; DROP;", "p->text = 0; USE; DROP;", "")
TEXTS = (
    "NEW(2); p->text = malloc(4); p->text[0] = 1;",
    "pthread_mutex_lock(&p->m); p->text[0]++; pthread_mutex_unlock(&p->m);"
    " if (atomic_fetch_sub(&p->refs, 1) == 1) { free(p->text); free(p); }",
    "G",
    "",
)
Body = tuple[str, str, str, str]


def _with(body: Body, **changes: str) -> Body:
    """The same with some of the parts replaced."""
    names = ("begin", "f", "g", "after")
    begin, f, g, after = (changes.get(n, part) for n, part in zip(names, body, strict=True))
    return begin, f, g, after


SIMPLE = _with(ATOMIC, g="USE; DROP;")
RIGHT = {
    "under a lock": LOCKED,
    "under a lock, both do the same": _with(LOCKED, g=LOCKED[1]),
    "decided at once": _with(
        LOCKED,
        f="GET; if (p) { USE; LOCK; if (--p->refs == 0) { UNLOCK; free(p); } else UNLOCK; }",
    ),
    "freed under the lock": _with(
        LOCKED, f="GET; if (p) { USE; LOCK; if (--p->refs == 0) free(p); UNLOCK; }"
    ),
    "atomic, given to threads": SIMPLE,
    "three of them": _with(
        SIMPLE, begin="NEW(3);", after="USE; if (atomic_fetch_sub(&p->refs, 1) == 1) free(p);"
    ),
    "put in a slot as well": _with(
        LOCKED,
        f="LOCK; p = cur; if (p) { p->refs++; if (!other) { p->refs++; other = p; } } UNLOCK;"
        " if (p) { USE; PUT; }",
        g="LOCK; p = other; other = 0; UNLOCK; if (p) { USE; PUT; }",
    ),
    "replaced": _with(
        LOCKED,
        g="NEW(1); LOCK; o = cur; cur = p; UNLOCK; p = o; if (p) { PUT; }",
    ),
    "with a text": TEXTS,
}
WRONG = {
    "used after it was dropped": _with(SIMPLE, f="DROP; USE;"),
    "used after it was dropped under the lock": _with(LOCKED, f="GET; if (p) { PUT; USE; }"),
    "not counted": _with(LOCKED, f="LOCK; p = cur; UNLOCK; if (p) { USE; }"),
    "counted later": _with(
        LOCKED, f="LOCK; p = cur; UNLOCK; LOCK; if (p) p->refs++; UNLOCK; if (p) { USE; PUT; }"
    ),
    "counted without lock": _with(
        LOCKED, f="LOCK; p = cur; UNLOCK; if (p) { p->refs++; USE; PUT; }"
    ),
    "dropped without lock": _with(
        LOCKED, f="GET; if (p) { USE; p->refs--; last = p->refs == 0; if (last) free(p); }"
    ),
    "dropped twice": _with(LOCKED, f="GET; if (p) { USE; PUT; else { PUT; } }"),
    "atomic, dropped twice": _with(SIMPLE, f="USE; DROP; else { DROP; }"),
    "one too few": _with(SIMPLE, begin="NEW(1);"),
    "used by who started them": _with(SIMPLE, after="USE;"),
    "decided after the lock": _with(
        LOCKED, f="GET; if (p) { USE; LOCK; p->refs--; UNLOCK; if (p->refs == 0) free(p); }"
    ),
    "decided under the lock again": _with(
        LOCKED,
        f="GET; if (p) { USE; LOCK; p->refs--; UNLOCK; LOCK; last = p->refs == 0; UNLOCK;"
        " if (last) free(p); }",
    ),
    "freed before the last one": _with(
        LOCKED,
        f="GET; if (p) { USE; LOCK; p->refs--; last = p->refs <= 1; UNLOCK; if (last) free(p); }",
    ),
    "atomic, freed before the last one": _with(
        SIMPLE, f="USE; if (atomic_fetch_sub(&p->refs, 1) == 2) free(p);"
    ),
    "freed by all but the last": _with(
        SIMPLE, f="USE; if (atomic_fetch_sub(&p->refs, 1) != 1) free(p);"
    ),
    "dropped by two": _with(
        LOCKED,
        f="GET; if (p) { USE; LOCK; p->refs -= 2; last = p->refs == 0; UNLOCK;"
        " if (last) free(p); }",
    ),
    "in a slot without being counted": _with(
        LOCKED,
        f="GET; if (p) { LOCK; if (!other) other = p; UNLOCK; USE; PUT; }",
        g="LOCK; p = other; other = 0; UNLOCK; if (p) { USE; PUT; }",
    ),
    "the slot is not counted": _with(
        LOCKED, begin="NEW(1); cur = p;", f="GET; if (p) { USE; PUT; }", g="PUT;"
    ),
    "not counted in one step": _with(
        SIMPLE, f="USE; i = p->refs - 1; p->refs = i; if (i == 0) free(p);"
    ),
    "counted twice by one number": _with(
        LOCKED,
        f="LOCK; p = cur; o = other; if (p) { i = p->refs; if (o) o->refs++; p->refs = i + 1; }"
        " UNLOCK; if (p) { USE; PUT; } p = o; if (p) { USE; PUT; }",
        g="LOCK; p = cur; if (p && !other) { p->refs++; other = p; } UNLOCK; CLOSE",
    ),
    "its text by a pointer from before": _with(
        TEXTS,
        f="char *t = p->text; LOCK; if (!other) { other = p; p = 0; } UNLOCK; LOCK; p = other;"
        " other = 0; UNLOCK; if (p) { t[0]++; " + TEXTS[1] + " }",
    ),
    "the count is set back": _with(
        LOCKED, f="GET; if (p) { LOCK; p->refs = 1; UNLOCK; USE; PUT; }"
    ),
    "put back when it was the last": _with(
        LOCKED,
        f="GET; if (p) { USE; LOCK; p->refs--; if (p->refs == 0) { cur = p; } UNLOCK; }",
    ),
    "counted again when it was dropped": _with(
        LOCKED, f="GET; if (p) { PUT; LOCK; p->refs++; UNLOCK; USE; PUT; }"
    ),
    "counted under another lock": _with(
        LOCKED,
        f="LOCK; p = cur; pthread_mutex_lock(&k); if (p) p->refs++; pthread_mutex_unlock(&k);"
        " UNLOCK; if (p) { USE; pthread_mutex_lock(&k); p->refs--; last = p->refs == 0;"
        " pthread_mutex_unlock(&k); if (last) free(p); }",
    ),
    "its text is used afterwards": _with(
        TEXTS, f="char *t = p->text; DROP_TEXT t[0]++;".replace("DROP_TEXT", TEXTS[1])
    ),
    "its text is used without lock": _with(TEXTS, f="p->text[1]++; " + TEXTS[1]),
    "its text is replaced": _with(
        TEXTS,
        f="pthread_mutex_lock(&p->m); free(p->text); p->text = malloc(4); p->text[0] = 1;"
        " pthread_mutex_unlock(&p->m);" + TEXTS[1],
        g="char *t = p->text; " + TEXTS[1] + " t = 0;",
    ),
    "its text is freed by each": _with(TEXTS, f="free(p->text); DROP;"),
    "read after it was dropped": _with(
        SIMPLE, f="USE; if (atomic_fetch_sub(&p->refs, 1) == 1) free(p); else i = p->v;"
    ),
    "written without lock": _with(SIMPLE, f="p->v++; DROP;"),
    "kept by a thread": _with(
        SIMPLE,
        f="USE; LOCK; other = p; UNLOCK; DROP;",
        g="USE; DROP; LOCK; p = other; UNLOCK; if (p) p->v = 3;",
    ),
}


def program_of(body: Body, count: str = "") -> Program:
    begin, f, g, after = body
    atomic = "PUT" not in f + g and "CLOSE" not in f + g
    count = count or ("atomic_int" if atomic else "int")
    text = TEXT.replace("COUNT refs", count if " " in count else f"{count} refs")
    text = text.replace("MAIN", begin)
    text = text.replace("ANOTHER", "f" if g == "G" else "g").replace("AFTER", after)
    return loaded(
        text.replace(" F ", f" {f} ").replace(" G ", f" {'' if g == 'G' else g} ")
    ).program


def proof_of(body: Body, count: str = "") -> LocksetCertificate | None:
    program = program_of(body, count)
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


@pytest.mark.parametrize("name", RIGHT)
def test_counted_references_are_proved(name: str) -> None:
    proof = proof_of(RIGHT[name])
    assert proof is not None
    assert proof.resources is not None
    assert proof.resources.counts


@pytest.mark.parametrize("count", ["unsigned", "long", "unsigned long long"])
def test_counts_may_be_wide(count: str) -> None:
    assert proof_of(LOCKED, f"{count} refs") is not None


@pytest.mark.parametrize(
    "count",
    ["unsigned char refs", "short refs", "unsigned refs : 2", "unsigned refs : 31", "_Bool refs"],
)
def test_narrow_counts_may_overflow(count: str) -> None:
    """Four threads with a reference each, and a count of two bits is 0: a wrong proof once."""
    assert proof_of(LOCKED, count) is None


@pytest.mark.parametrize("name", WRONG)
def test_wrong_counts_are_not_proved(name: str) -> None:
    assert proof_of(WRONG[name]) is None


def test_other_claims_about_counts_are_refused() -> None:
    program, proof = program_of(LOCKED), proof_of(LOCKED)
    assert proof is not None
    claim = proof.resources
    assert claim is not None
    ((count, key),) = claim.counts.items()
    forged = [
        replace(claim, counts={}),
        replace(claim, counts={count: NO_LOCK}),
        replace(claim, counts={count: key._replace(lock="k.lock")}),
        replace(claim, counts={count._replace(cell=count.cell + 1): key}),
        replace(claim, counts={count._replace(cell=99): key}),
        replace(claim, counts={}, flags={count: key}),
        replace(claim, flags={count: key}),
        replace(claim, granted=frozenset({"main"})),
        replace(claim, granted=frozenset({"f", "no thread"})),
    ]
    for other in forged:
        with pytest.raises(Refuted):
            check_certificate(program, replace(proof, resources=other), lambda: None)


def test_counted_objects_are_in_no_lists_with_tails() -> None:
    body = lists.RIGHT["the tail is cleared"]
    program, proof = lists.program_of(body), lists.proof_of(body)
    assert proof is not None
    claim = proof.resources
    assert claim is not None
    (site,) = claim.sites
    for key in (NO_LOCK, next(iter(claim.slots.values()))):
        other = replace(claim, counts={Target(site, 0): key})
        with pytest.raises(Refuted):
            check_certificate(program, replace(proof, resources=other), lambda: None)


def test_threads_that_are_granted_more_are_refused() -> None:
    body = _with(SIMPLE, f="USE; DROP;", g="", after="USE; DROP;")
    program, proof = program_of(body), proof_of(body)
    assert proof is not None
    claim = proof.resources
    assert claim is not None
    assert claim.granted == {"f"}
    for granted in (frozenset({"f", "g"}), frozenset({"g"}), frozenset[str]()):
        other = replace(claim, granted=granted)
        with pytest.raises(Refuted):
            check_certificate(program, replace(proof, resources=other), lambda: None)


def test_runs_show_counts_as_claimed_and_not_as_forged() -> None:
    program, proof = program_of(LOCKED), proof_of(LOCKED)
    assert proof is not None
    claim = proof.resources
    assert claim is not None
    seen = watched(program, proof, runs=20)
    assert seen["counts"]
    ((count, key),) = claim.counts.items()
    others = replace(claim, counts={count._replace(cell=count.cell + 1): key})
    with pytest.raises(Broken, match="resources"):
        watched(program, replace(proof, resources=others), runs=60)
