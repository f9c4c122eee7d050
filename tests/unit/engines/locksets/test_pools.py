"""Elements of arrays that are handed over: what is proved, what must not be.

Every program of the second kind has a race, or loses what makes the first kind safe: an element is
in two lists, or used by who has given it away, or found from its neighbour.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.engines.locksets.test_handover import proof, watch
from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.texts import UnusedText

TEXT = (
    INCLUDES
    + """
struct node { int v; struct node *next; char text[8]; };
struct node pool[4];
struct pair { struct node a, b; };
struct node GLOBALS;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define LOCK2 pthread_mutex_lock(&m2)
#define UNLOCK2 pthread_mutex_unlock(&m2)
#define PUSH(i) pool[i].next = head; head = &pool[i];
#define FILL for (i = 0; i < 4; i++) { PUSH(i) }
#define GET LOCK; p = head; if (p) head = p->next; UNLOCK;
#define PUT LOCK; p->next = head; head = p; UNLOCK;
#define POP_OTHER LOCK2; q = other; if (q) other = q->next; UNLOCK2; if (q) q->v++;
#define TAKE GET if (p) p->v++;
#define USE GET if (p) { p->v++; PUT }
void *f(void *arg) { struct node *p, *q; int i; BODY return 0; }
int main(void)
{
    pthread_t t, u;
    struct node *c, *d;
    int i, k;
    FIRST
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    MEANWHILE
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)
GLOBALS = "*head, *other, *box"
HALF = "for (i = 0; i < 2; i++) { PUSH(i) }"


def text_of(first: str, body: str, meanwhile: str = "", declared: str = GLOBALS) -> str:
    """Two threads that run a body, after the first thread has prepared something."""
    text = TEXT.replace("GLOBALS", declared).replace("FIRST", first)
    return text.replace("BODY", body).replace("MEANWHILE", meanwhile)


def program_of(parts: tuple[str, ...]) -> Program:
    return loaded(text_of(*parts)).program


SAFE: dict[str, tuple[str, ...]] = {
    "one by one": ("FILL", "USE"),
    "by a pointer": ("for (i = 0; i < 4; i++) { c = &pool[i]; c->next = head; head = c; }", "USE"),
    "in a chain": (
        "for (i = 0; i < 3; i++) pool[i].next = &pool[i + 1]; pool[3].next = 0; head = &pool[0];",
        "USE",
    ),
    "downwards": ("for (i = 3; i >= 0; i--) { PUSH(i) }", "USE"),
    "from the second": ("for (i = 1; i < 4; i++) { PUSH(i) }", "USE"),
    "emptied before": (
        "for (i = 0; i < 4; i++) { pool[i].next = 0; pool[i].v = 0; } FILL",
        "USE",
    ),
    "through two lists": (
        "FILL",
        "GET if (p) { p->v = 1; LOCK2; p->next = other; other = p; UNLOCK2; }"
        "LOCK2; q = other; if (q) other = q->next; UNLOCK2; if (q) { p = q; p->v++; PUT }",
    ),
    "two lists from the beginning": (
        "for (i = 0; i < 2; i++) { PUSH(i) } "
        "for (i = 2; i < 4; i++) { pool[i].next = other; other = &pool[i]; }",
        "USE POP_OTHER",
    ),
    "initial values": (
        "for (i = 2; i < 4; i++) { PUSH(i) }",
        "USE LOCK; q = box; box = 0; UNLOCK; if (q) q->v++;",
        "",
        "*head = &pool[0], *box = &pool[1]",
    ),
    "more while others run": (HALF, "USE", "LOCK; PUSH(2) UNLOCK;"),
    "main uses some before": (
        HALF,
        "USE",
        "for (i = 2; i < 4; i++) { c = &pool[i]; c->v = 1; "
        "LOCK; c->next = head; head = c; UNLOCK; }",
    ),
    "looked at under the lock": (
        "FILL",
        "LOCK; for (q = head; q; q = q->next) q->v++; UNLOCK; USE",
    ),
    "an array inside": ("FILL", "GET if (p) { i = p->v & 7; p->text[i]++; PUT }"),
}


@pytest.mark.usefixtures("_without_resources")
@pytest.mark.parametrize("name", SAFE)
def test_proved(name: str) -> None:
    program = program_of(SAFE[name])
    found = proof(program)
    assert found is not None
    assert found.handed == {"pool"}
    evaluated = watch(program, found)
    assert evaluated["handed"] > 10
    assert evaluated["taken"]
    assert evaluated["unused"]


RACY: dict[str, tuple[str, ...]] = {
    "looked at, not taken": ("FILL", "LOCK; p = head; UNLOCK; if (p) p->v++;"),
    "taken without the lock": ("FILL", "p = head; if (p) { head = p->next; p->v++; }"),
    "used after it was put back": ("FILL", "USE if (p) p->v++;"),
    "put twice": (
        "FILL pool[3].next = 0; other = &pool[3];",
        "USE POP_OTHER",
    ),
    "put twice, by one variable": (
        "for (i = 0; i < 4; i++) { c = &pool[i]; head = c; other = c; }",
        "TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
    ),
    "put twice, by two variables": (
        "for (i = 0; i < 4; i++) { c = &pool[i]; d = &pool[i]; head = c; other = d; }",
        "TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
    ),
    "put twice, by its number": (
        "FILL k = 3; other = &pool[k];",
        "TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
    ),
    "two loops over all": (
        "FILL for (i = 0; i < 4; i++) { pool[i].next = other; other = &pool[i]; }",
        "USE POP_OTHER",
    ),
    "loops that overlap": (
        "for (i = 0; i < 3; i++) { PUSH(i) } "
        "for (i = 2; i < 4; i++) { pool[i].next = other; other = &pool[i]; }",
        "TAKE POP_OTHER POP_OTHER",
    ),
    "a number that comes again": (
        "for (i = 0, k = 0; k < 4; k++) { pool[i].next = 0; if (k % 2) head = &pool[i]; "
        "else other = &pool[i]; i = (i + 1) % 1; }",
        "TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
    ),
    "a number that goes back": (
        "for (i = 0, k = 0; k < 4; k++, i--) { if (k % 2) head = &pool[i]; "
        "else other = &pool[i]; i++; }",
        "TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
    ),
    "linked, and put elsewhere": (
        "FILL pool[0].next = head; other = &pool[0];",
        "TAKE POP_OTHER POP_OTHER",
    ),
    "linked, and another is put": (
        "for (i = 0; i < 3; i++) { pool[i].next = head; if (i) head = &pool[i]; "
        "else other = &pool[i]; } pool[3].next = head; other = &pool[3]; ",
        "TAKE POP_OTHER POP_OTHER",
    ),
    "the neighbour": ("FILL", "GET if (p) { (p + 1)->v++; PUT }"),
    "the neighbour, by a variable": ("FILL", "GET if (p) { i = 1; q = p + i; q->v++; PUT }"),
    "the neighbour, as an array": ("FILL", "GET if (p) { (*(struct node (*)[4])p)[1].v++; PUT }"),
    "the neighbour, as a part": ("FILL", "GET if (p) { ((struct pair *)p)->b.v++; PUT }"),
    "by name": ("FILL", "USE pool[1].v++;"),
    "by name, of main": ("FILL", "USE", "pool[3].v++;"),
    "all of it": ("FILL", "USE memset(pool, 0, sizeof pool);"),
    "put by others, too": ("FILL", "TAKE LOCK; pool[3].next = 0; head = &pool[3]; UNLOCK; TAKE"),
    "put again while others run": ("FILL", "TAKE", "LOCK; PUSH(3) UNLOCK;"),
    "linked by name while others run": (
        HALF,
        "TAKE TAKE",
        "LOCK; c = head; UNLOCK; pool[2].next = c; LOCK; head = &pool[2]; UNLOCK; "
        "LOCK; if (head) head->v++; UNLOCK;",
    ),
    "main keeps it, too": ("FILL c = &pool[3];", "USE", "c->v++;"),
    "main keeps its name": ("FILL", "USE", "i = 3; pool[i].v++;"),
    "initial values twice": (
        "for (i = 2; i < 4; i++) { pool[i].next = other; other = &pool[i]; }",
        "TAKE LOCK; q = box; box = 0; UNLOCK; if (q) q->v++; POP_OTHER",
        "",
        "*head = &pool[0], *other, *box = &pool[0]",
    ),
    "initial values and again": (
        "for (i = 0; i < 4; i++) { pool[i].next = other; other = &pool[i]; }",
        "TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
        "",
        "*head = &pool[3], *other",
    ),
    "initial values are linked": (
        "for (i = 2; i < 4; i++) { PUSH(i) }",
        "TAKE TAKE TAKE TAKE LOCK2; q = other; other = 0; UNLOCK2; if (q) q->v++;",
        "",
        "spare[2] = {{0, &pool[1]}}, *head = &spare[0], *other = &pool[1]",
    ),
    "a third pointer": ("FILL box = &pool[2];", "USE LOCK2; if (box) box->v++; UNLOCK2;"),
    "one field is put": (
        "FILL",
        "GET if (p) { p->v++; PUT } LOCK; q = head; UNLOCK; if (q) q->text[0]++;",
    ),
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
    program = program_of(SAFE["one by one"])
    found = proof(program)
    assert found is not None
    forged = [
        replace(found, handed=frozenset()),
        replace(found, handed=found.handed | {"head"}),
        replace(found, handed=found.handed | {"t"}),
        replace(found, slots={}),
    ]
    for certificate in forged:
        with pytest.raises(Refuted):
            check_certificate(program, certificate, lambda: None)


@pytest.mark.usefixtures("_without_resources")
@pytest.mark.parametrize("procedure", ["f", "main"])
def test_what_was_used_is_not_claimed_to_be_unused(procedure: str) -> None:
    program = program_of(SAFE["one by one"])
    found = proof(program)
    assert found is not None
    claim = (UnusedText("pool", "0", "", False),)
    everywhere = {
        location: [text._replace(unused=claim) for text in texts]
        for location, texts in found.knowledge.items()
        if program.procedure_of[location].name == procedure
    }
    forged = replace(found, knowledge={**found.knowledge, **everywhere})
    with pytest.raises(Refuted):
        check_certificate(program, forged, lambda: None)
