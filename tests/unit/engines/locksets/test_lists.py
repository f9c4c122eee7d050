"""Objects in lists with locks: what is proved, and what comes close and must not be."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.engines.walks.walks_engine import WalksEngine
from threadwise.ir.expr import FieldPlace, IndexPlace, Place, Read, Scope, Variable, VariablePlace
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import INT, ArrayType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets.certificate import Key, LocksetCertificate
from threadwise.proofs.locksets.containers.list_locks import keys_of, lock_of
from threadwise.proofs.locksets.memory.cells import Target

TEXT = (
    INCLUDES
    + """
struct node { int v; struct node *next; };
struct bucket { pthread_mutex_t m; struct node *head; } table[2];
struct node *slot[2], *last;
pthread_mutex_t m[2], all;
pthread_rwlock_t rw[2];
int nondet(void) { return rand() % 2; }
struct node *fresh(void) { struct node *n = malloc(sizeof *n); n->v = 1; n->next = 0; return n; }
void lock(int i) { pthread_mutex_lock(&m[i]); }
void unlock(int i) { pthread_mutex_unlock(&m[i]); }
void insert(int i)
{
    struct node *n = fresh();
    lock(i);
    n->next = slot[i];
    slot[i] = n;
    unlock(i);
}
void walk(int i) { lock(i); for (struct node *p = slot[i]; p; p = p->next) p->v++; unlock(i); }
void add(struct bucket *b)
{
    struct node *n = fresh();
    pthread_mutex_lock(&b->m);
    n->next = b->head;
    b->head = n;
    pthread_mutex_unlock(&b->m);
}
struct node *find(struct bucket *b, int v)
{
    for (struct node *p = b->head; p; p = p->next)
        if (p->v == v)
            return p;
    return 0;
}
void *f(void *arg) { int i = nondet(), j = 1 - i; struct node *n, *p, *q; BODY return 0; }
int main(void)
{
    pthread_t t, u;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&m[i], 0);
        pthread_mutex_init(&table[i].m, 0);
    }
    BEFORE
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)


def program_of(body: str) -> Program:
    """Two threads that run a body, with an object in each list that it mentions."""
    before = ""
    if "slot" in body or "walk" in body or "insert" in body:
        before += "slot[0] = fresh(); slot[1] = fresh();"
    if "table" in body:
        before += "table[0].head = fresh(); table[1].head = fresh();"
    return loaded(TEXT.replace("BODY", body).replace("BEFORE", before)).program


def proof(program: Program) -> LocksetCertificate | None:
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    try:
        found: list[Finding] = list(LocksetEngine().run(Task(program, races)))
    except Unsupported:
        return None
    for finding in found:
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            assert isinstance(finding.certificate, LocksetCertificate)
            return finding.certificate
    return None


SAFE = {
    "walk": "insert(i); walk(j);",
    "behind a head": (
        "n = fresh(); lock(i); p = slot[i]; n->next = p->next; p->next = n; unlock(i);"
    ),
    "published, then linked": (
        "n = fresh(); lock(i); p = slot[i]; q = p->next; p->next = n; n->next = q; unlock(i);"
    ),
    "remove": "lock(i); p = slot[i]; if (p) { slot[i] = p->next; p->v = 0; } unlock(i);",
    "remove behind": (
        "insert(i); lock(i); p = slot[i]; if (p->next) p->next = p->next->next; unlock(i);"
        " walk(j);"
    ),
    "found": (
        "add(&table[i]); pthread_mutex_lock(&table[j].m); p = find(&table[j], 1); if (p) p->v "
        "= 4; pthread_mutex_unlock(&table[j].m);"
    ),
    "two lists of other kinds": "insert(i); add(&table[i]); walk(j);",
    "read and write locks": (
        "pthread_rwlock_rdlock(&rw[i]); p = slot[i]; if (p) j = p->v; "
        "pthread_rwlock_unlock(&rw[i]); j = 1 - i; n = fresh(); "
        "pthread_rwlock_wrlock(&rw[j]); n->next = slot[j]; slot[j] = n; n->v = 2; "
        "pthread_rwlock_unlock(&rw[j]);"
    ),
}


@pytest.mark.usefixtures("_without_resources")
@pytest.mark.parametrize("name", SAFE)
def test_proved(name: str) -> None:
    found = proof(program_of(SAFE[name]))
    assert found is not None
    assert found.homed
    assert found.gates


RACY = {
    "no lock": "insert(i); p = slot[i]; if (p) p->v = 2;",
    "after the lock": "insert(i); lock(i); p = slot[i]; unlock(i); if (p) p->v = 2;",
    "another lock": (
        "insert(i); lock(i); p = slot[i]; unlock(i); lock(j); p->v = 2; unlock(j); walk(0); "
        "walk(1);"
    ),
    "the lock of another list": "lock(i); p = slot[j]; p->v = 2; unlock(i); walk(0); walk(1);",
    "another index by now": (
        "lock(i); i = 1 - i; p = slot[i]; p->v = 2; unlock(1 - i); walk(0); walk(1);"
    ),
    "in two lists": (
        "n = fresh(); lock(0); slot[0] = n; unlock(0); lock(1); slot[1] = n; unlock(1); walk(i);"
    ),
    "linked to another list": (
        "lock(0); lock(1); p = slot[0]; if (p) p->next = slot[1]; unlock(1); unlock(0); walk(i);"
    ),
    "linked before it is known": (
        "n = fresh(); lock(0); n->next = slot[0]; unlock(0); lock(1); slot[1] = n; unlock(1); "
        "walk(i);"
    ),
    "linked by another name": (
        "n = fresh(); q = n; lock(0); q->next = slot[0]; unlock(0); lock(1); slot[1] = n; "
        "unlock(1); walk(i);"
    ),
    "linked twice": (
        "n = fresh(); lock(1); n->next = slot[1]; unlock(1); lock(0); if (i) n->next = "
        "slot[0]; slot[0] = n; unlock(0); walk(i);"
    ),
    "a link of one's own leads away": (
        "n = fresh(); p = fresh(); lock(0); p->next = slot[0]; n->next = p; unlock(0); "
        "lock(1); slot[1] = n; unlock(1); walk(i);"
    ),
    "kept elsewhere": (
        "n = fresh(); last = n; lock(i); slot[i] = n; unlock(i); walk(i); p = last; if (p) "
        "p->v = 3;"
    ),
    "kept elsewhere under a lock": (
        "lock(i); last = slot[i]; unlock(i); lock(j); p = last; if (p) p->v = 3; unlock(j);"
    ),
    "a lock for all, and the list's": (
        "pthread_mutex_lock(&all); p = slot[i]; if (p) p->v = 2; pthread_mutex_unlock(&all); "
        "walk(i);"
    ),
    "an older pointer": (
        "lock(i); p = slot[i]; q = p; unlock(i); lock(j); p = slot[j]; q->v = 1; unlock(j); "
        "walk(0); walk(1);"
    ),
    "one or the other": (
        "lock(i); lock(j); p = slot[nondet()]; unlock(j); if (p) p->v = 2; unlock(i); "
        "walk(0); walk(1);"
    ),
    "the next of the other": (
        "insert(j); lock(i); lock(j); p = slot[j]; unlock(j); if (p) p = p->next; "
        "if (p) p->v = 1; unlock(i); walk(0); walk(1);"
    ),
    "the record of another": (
        "add(&table[i]); pthread_mutex_lock(&table[j].m); p = find(&table[i], 1); if (p) p->v "
        "= 4; pthread_mutex_unlock(&table[j].m);"
    ),
    "from one table to the other": (
        "pthread_mutex_lock(&table[0].m); p = table[0].head; if (p) table[0].head = p->next; "
        "pthread_mutex_unlock(&table[0].m); if (p) { lock(0); p->next = slot[0]; slot[0] = p; "
        "unlock(0); } walk(0); pthread_mutex_lock(&table[0].m); if (table[0].head) "
        "table[0].head->v = 1; pthread_mutex_unlock(&table[0].m); p = slot[1]; if (p) p->v = "
        "2;"
    ),
    "written by readers": (
        "pthread_rwlock_rdlock(&rw[i]); p = slot[i]; if (p) p->v = 2; "
        "pthread_rwlock_unlock(&rw[i]);"
    ),
}


@pytest.mark.parametrize("name", RACY)
def test_not_proved(name: str) -> None:
    program = program_of(RACY[name])
    assert proof(program) is None
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    assert any(isinstance(f, Violated) for f in WalksEngine().run(Task(program, races)))


STATEMENTS = (
    "lock(A);",
    "unlock(A);",
    "lock(0); lock(1);",
    "unlock(1); unlock(0);",
    "n = fresh();",
    "P = slot[A];",
    "P = Q;",
    "if (Q) P = Q->next;",
    "if (P) P->next = Q;",
    "if (P) P->next = slot[A];",
    "slot[A] = P;",
    "if (P) P->v++;",
    "P = fresh(); P->next = slot[A]; slot[A] = P;",
    "i = j; j = 1 - i;",
    "walk(A);",
)


def drawn(seed: int) -> str:
    """Statements about lists in any order."""
    numbers = random.Random(seed)
    body = ["n = fresh(); p = fresh(); q = 0; lock(i);"]
    for _ in range(2 + int(numbers.random() * 7)):
        text = STATEMENTS[int(numbers.random() * len(STATEMENTS))]
        for name, values in (("A", "01ij"), ("P", "npq"), ("Q", "npq")):
            text = text.replace(name, values[int(numbers.random() * len(values))])
        body.append(text)
    return " ".join(body)


def compare(seed: int) -> str:
    """Check a random program; how it came out."""
    program = program_of(drawn(seed))
    if proof(program) is None:
        return "open"
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    task = Task(program, races, meter=Meter(Budget(steps=5_000)))
    with suppress(BudgetExhausted):
        assert not any(isinstance(f, Violated) for f in WalksEngine().run(task)), drawn(seed)
    return "proved"


@pytest.mark.slow
def test_random_programs() -> None:
    assert "proved" in {compare(seed) for seed in range(3)}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_many_random_programs(block: int) -> None:
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        compare(seed)


@pytest.mark.usefixtures("_without_resources")
def test_mutants_are_refuted() -> None:
    program = program_of("insert(i); walk(j);")
    found = proof(program)
    assert found is not None
    (gate,) = found.gates
    key = found.gates[gate]
    mutants = [
        replace(found, homed=frozenset()),
        replace(found, gates={}),
        replace(found, gates={gate: key._replace(lock="all", way=("lock",))}),
        replace(found, gates={gate: key._replace(path=())}),
        replace(found, gates={gate: key._replace(kind="record")}),
        replace(found, gates={gate: key._replace(way=("[0]", "lock"))}),
        replace(found, gates={**found.gates, Target("new 0", 1): key}),
        replace(found, homed=found.homed | {"slot"}),
    ]
    for mutant in mutants:
        with pytest.raises(Refuted):
            check_certificate(program, mutant, lambda: None)


@pytest.mark.usefixtures("_without_resources")
def test_homes_that_nobody_has_are_refuted() -> None:
    program = program_of("insert(i); walk(j);")
    found = proof(program)
    assert found is not None
    wrong = 0
    for location, texts in found.knowledge.items():
        for position, text in enumerate(texts):
            if not text.homes:
                continue
            homes = tuple((variable, "m[0].lock.owner") for variable, _ in text.homes)
            changed = [*texts[:position], text._replace(homes=homes), *texts[position + 1 :]]
            mutant = replace(found, knowledge={**found.knowledge, location: changed})
            with pytest.raises(Refuted):
                check_certificate(program, mutant, lambda: None)
            wrong += 1
    assert wrong


def test_a_lock_found_by_name() -> None:
    numbers = ArrayType(INT, 4)
    heads, locks = (
        VariablePlace(Variable(name, numbers, Scope.GLOBAL)) for name in ("heads", "locks")
    )
    i, j = (Read(VariablePlace(Variable(name, INT, Scope.LOCAL))) for name in ("i", "j"))
    assert list(keys_of(IndexPlace(heads, i), IndexPlace(locks, i))) == [
        Key("name", "heads", ("#",), "locks", ("#0",))
    ]
    assert not list(keys_of(IndexPlace(heads, i), IndexPlace(locks, j)))


def test_no_lock_where_the_key_does_not_fit() -> None:
    program = program_of("insert(i);")
    slot = next(d.variable for d in program.globals if d.variable.name == "slot")
    zero = Read(VariablePlace(Variable("i", INT, Scope.LOCAL)))
    gate: Place = IndexPlace(VariablePlace(slot), zero)
    key = Key("name", "slot", ("#",), "m", ("#0", "lock"))
    found = lock_of(key, gate, program)
    assert isinstance(found, FieldPlace)
    for wrong in (
        key._replace(base="table"),
        key._replace(path=("#", "#")),
        key._replace(lock="nowhere"),
        key._replace(way=("#1", "lock")),
        key._replace(way=("#0", "nothing")),
        key._replace(way=("lock",)),
        key._replace(way=("[x]",)),
        key._replace(kind="record"),
    ):
        assert lock_of(wrong, gate, program) is None
