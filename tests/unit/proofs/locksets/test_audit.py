"""The monitor of lockset proofs: silent about true claims, not about false ones.

Faults are put into the rules that engine and checker share, so that both believe a racy program to
be safe: no check of the certificate can find out, but a run does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.proofs.base.audited import c_program
from threadwise.driver.loading import load_input
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets import lockset_engine as engine
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.expr import Const, Expr, Place, Read, Scope, Variable, VariablePlace
from threadwise.ir.fold import rebuild_place
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.registry import check_certificate, monitor_of
from threadwise.proofs.locksets import belonging, frozen, ground, locks, step
from threadwise.proofs.locksets.audit import LocksetMonitor, audit_locksets
from threadwise.proofs.locksets.certificate import Discipline, LocksetCertificate
from threadwise.proofs.locksets.knowledge import Event, Knowledge
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.texts import KnowledgeText
from threadwise.proofs.locksets.threads import creation, numbering, starts
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.step import Interpreter

ROOT = Path(__file__).parents[4]
RACY = ROOT / "tests" / "unit" / "engines" / "locksets" / "racy"
INPUTS = (0, 1, 2, 3, -1, 100)


@cache
def loaded(path: Path) -> Program:
    """The program of a file."""
    return load_input(str(path)).worked_on


def proof_of(program: Program) -> LocksetCertificate:
    """What the engine proves, and the checker believes."""
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for finding in LocksetEngine().run(Task(program, races)):
        if isinstance(finding, Proved):
            assert isinstance(finding.certificate, LocksetCertificate)
            check_certificate(program, finding.certificate, lambda: None)
            return finding.certificate
    raise AssertionError("no proof")


TEXTS = {
    "a procedure that calls itself": """
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void down(int n) { if (n > 0) { x += n; down(n - 1); } }
void *work(void *arg) { pthread_mutex_lock(&m); down(2); pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    down(1);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    down(1);
    return 0;
}
""",
    "an object of one's own": """
#include <pthread.h>
#include <stdlib.h>
struct job { int v; };
void *work(void *arg) { struct job *own = arg; own->v++; free(own); return 0; }
int main(void) {
    pthread_t a;
    for (int i = 0; i < 3; i++) {
        struct job *job = malloc(sizeof *job);
        if (!job) return 1;
        job->v = i;
        pthread_create(&a, 0, work, job);
    }
    return 0;
}
""",
    "an object for some": """
#include <pthread.h>
#include <stdlib.h>
void *work(void *arg) { int *own = arg; if (own) *own = 1; return 0; }
int main(void) {
    pthread_t a;
    for (int i = 0; i < 4; i++) {
        int *object = malloc(sizeof *object);
        if (i > 1) object = NULL;
        pthread_create(&a, 0, work, object);
    }
    return 0;
}
""",
    "one object for all": """
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared;
void *work(void *arg) {
    pthread_mutex_lock(&m);
    (*(int *)arg)++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    for (int i = 0; i < 3; i++) pthread_create(&a, 0, work, &shared);
    return 0;
}
""",
    "one number for all": """
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared[3];
void *work(void *arg) {
    pthread_mutex_lock(&m);
    shared[(long)arg]++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    for (long i = 0; i < 3; i++) pthread_create(&a, 0, work, (void *)(i / 2));
    return 0;
}
""",
    "one after the other": """
#include <pthread.h>
int shared;
void *first(void *arg) { shared = 1; return 0; }
void *second(void *arg) { shared++; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(b, 0);
    return shared;
}
""",
    "an object with frozen members ends": """
#include <pthread.h>
#include <stdlib.h>
struct node { int v; } *p;
int g;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *arg) { pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t a;
    p = malloc(sizeof *p);
    if (!p) return 1;
    p->v = 1;
    pthread_create(&a, 0, f, 0);
    free(p);
    return 0;
}
""",
    "a thread that never ends, without arguments": """
#include <pthread.h>
int g, ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *f(void *arg) {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    g++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, f, 0);
    pthread_join(a, 0);
    pthread_create(&a, 0, f, 0);
    return 0;
}
""",
}


APART = "separated "


@cache
def true_proof(name: str) -> tuple[Program, LocksetCertificate]:
    """An example and its proof: by rules about knowledge, or by separation logic."""
    path = ROOT / "examples" / name.removeprefix(APART)
    program = c_program(TEXTS[name]) if name in TEXTS else loaded(path)
    if name.startswith(APART):
        return program, proof_of(program)
    with patch.object(engine, "resources_of", lambda *_: None):
        return program, proof_of(program)


ORDERED = "not ordered"
"""What is said of conflicting accesses, whatever a certificate claims."""


def watched(
    program: Program,
    certificate: LocksetCertificate,
    runs: int,
    steps: int = 150,
    *,
    ordered: bool = True,
) -> LocksetMonitor:
    """Watch runs; raises Broken."""
    fixed = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    monitor = audit_locksets(fixed, certificate)
    if not ordered:
        monitor.ordered.watched.clear()
    interpreter = Interpreter(fixed, INPUTS)
    for seed in range(runs):
        schedule = RandomSchedule(seed)
        state = schedule.start(interpreter)
        monitor.start(state)
        for transition in run(interpreter, schedule, state, steps):
            monitor.step(state, transition.move, transition.state)
            state = transition.state
    return monitor


# -- true claims ---------------------------------------------------------------------------------

TRUE = [
    *TEXTS,
    "c_races/argument_each.c",
    "c_races/bucket_lists.c",
    "c_races/driver.c",
    "c_races/intrusive_list.c",
    "c_races/locked_list.c",
    "c_races/slots.c",
    "c_races/threads_of_any_number.c",
    "c/bank_transfer.c",
    "c/flag_spinlock.c",
    "c/heap_nodes.c",
    "c/integer_arguments.c",
    "c/ownership.c",
    "c/recursive_mutex.c",
    "c/recursive_mutex_bug.c",
    "c/rwlock_pair.c",
    "c/semaphore_mutex.c",
    "c/trylock.c",
    "c_idioms/queue_of_objects.c",
    f"{APART}c_idioms/queue_of_objects.c",
]
EVERY_KIND = [
    "a thread that never ends, without arguments",
    "an object of one's own",
    "a procedure that calls itself",
    "one after the other",
    "c/flag_spinlock.c",
    "c_races/slots.c",
    "c_idioms/queue_of_objects.c",
    f"{APART}c_idioms/queue_of_objects.c",
]
"""Together their proofs make claims of every kind."""


@pytest.mark.parametrize("name", TRUE)
def test_true_claims_are_not_broken(name: str) -> None:
    monitor = watched(*true_proof(name), runs=4)
    assert monitor.evaluated["memory"] > 10
    seen = [key for key, times in monitor.evaluated.items() if times and "location" in key]
    assert len(seen) > 5


@pytest.mark.slow
def test_every_kind_of_claim_is_looked_at_somewhere() -> None:
    seen: set[str] = set()
    for name in EVERY_KIND:
        evaluated = watched(*true_proof(name), runs=4).evaluated
        seen |= {key.split()[0] for key, times in evaluated.items() if times}
    knowledge = set(KnowledgeText._fields)
    always = {"memory", "spoilt", "frozen", "numbers", "given", "numbered", "homed"}
    always |= {"handed", "slots", "resources"}
    assert knowledge | always | {"alone", "identified"} <= seen


def test_the_kind_offers_the_monitor() -> None:
    program, certificate = true_proof("c/trylock.c")
    assert isinstance(monitor_of(program, certificate), LocksetMonitor)


# -- false claims --------------------------------------------------------------------------------


def everywhere(
    certificate: LocksetCertificate, change: Callable[[KnowledgeText], KnowledgeText]
) -> LocksetCertificate:
    """A certificate whose threads know something else."""
    knowledge = {
        location: [change(text) for text in texts]
        for location, texts in certificate.knowledge.items()
    }
    return replace(certificate, knowledge=knowledge)


def one_value_less(certificate: LocksetCertificate) -> LocksetCertificate:
    memory = [(t, v if v is None else frozenset(list(v)[1:])) for t, v in certificate.memory]
    return replace(certificate, memory=memory)


HEADS = "queue.lock.lock.owner"
FALSE: dict[str, tuple[str, Callable[[LocksetCertificate], LocksetCertificate]]] = {
    "memory": ("c/bank_transfer.c", one_value_less),
    "held": (
        "c/trylock.c",
        lambda c: everywhere(
            c,
            lambda k: k._replace(
                held=next(t.held for ts in c.knowledge.values() for t in ts if t.held)
            ),
        ),
    ),
    "facts": (
        "c/bank_transfer.c",
        lambda c: everywhere(c, lambda k: k._replace(facts=("false",))),
    ),
    "absent": (
        "c/bank_transfer.c",
        lambda c: everywhere(c, lambda k: k._replace(absent=tuple(sorted(c.absent)))),
    ),
    "started": ("c/bank_transfer.c", lambda c: everywhere(c, lambda k: k._replace(started=()))),
    "running": ("c/bank_transfer.c", lambda c: everywhere(c, lambda k: k._replace(running=()))),
    "handles": (
        "c/bank_transfer.c",
        lambda c: everywhere(
            c, lambda k: k._replace(handles=tuple((p, e, t + 1) for p, e, t in k.handles))
        ),
    ),
    "alone": (
        "c/integer_arguments.c",
        lambda c: replace(c, alone=c.alone | set(c.absent)),
    ),
    "exclusive": (
        "c_races/driver.c",
        lambda c: replace(c, exclusive=frozenset(combinations(sorted(c.absent), 2))),
    ),
    "identified": (
        "c_races/bucket_lists.c",
        lambda c: replace(c, identified=frozenset(c.absent)),
    ),
    "numbered": ("one object for all", lambda c: replace(c, numbered=frozenset(c.absent))),
    "numbered twice": ("one number for all", lambda c: replace(c, numbered=frozenset(c.absent))),
    "frozen": (
        "c/bank_transfer.c",
        lambda c: replace(c, frozen=frozenset(target for target, _ in c.memory)),
    ),
    "numbers": (
        "c/bank_transfer.c",
        lambda c: replace(
            c, numbers={t: Discipline.FLAG for t, _ in c.memory if "@" not in t.object}
        ),
    ),
    "homed": ("c_races/locked_list.c", lambda c: replace(c, homed=frozenset({"new 0"}), gates={})),
    "handed": ("c_races/locked_list.c", lambda c: replace(c, handed=frozenset({"new 0"}))),
    "taken": (
        "c_idioms/queue_of_objects.c",
        lambda c: everywhere(
            c, lambda k: k._replace(taken=tuple(v for v, _ in k.lent), lent=(), same=())
        ),
    ),
    "lent": (
        "c_idioms/queue_of_objects.c",
        lambda c: everywhere(c, lambda k: k._replace(lent=tuple((v, HEADS) for v in k.taken))),
    ),
    "knowledge": (
        "c/bank_transfer.c",
        lambda c: replace(
            c, knowledge={loc: k for loc, k in c.knowledge.items() if not any(t.held for t in k)}
        ),
    ),
}
"""Which claim is made false, in the proof of which example, and how."""


@pytest.mark.parametrize("claim", FALSE)
def test_false_claims_are_broken(claim: str) -> None:
    name, change = FALSE[claim]
    program, certificate = true_proof(name)
    with pytest.raises(Broken, match=claim.split()[0]):
        watched(program, change(certificate), runs=30)


# -- faults in the rules -------------------------------------------------------------------------


def _nothing(*_: object) -> list[Target]:
    return []


def _all_joined(_: object, edge: Edge, known: Knowledge) -> Knowledge:
    joins = any(True for _ in creation.joined_threads(edge.action.guard))
    return replace(known, running=frozenset()) if joins else known


def _one_index(
    place: Place, held: frozenset[Place], shared: frozenset[Place]
) -> belonging.Relative:
    def change(expr: Expr) -> Expr:
        if isinstance(expr, Const):
            return expr
        return Read(VariablePlace(Variable("#0", expr.type, Scope.LOCAL)))

    exclusive, beside = (
        frozenset(rebuild_place(lock, change) for lock in locks) for locks in (held, shared)
    )
    return rebuild_place(place, change), exclusive, beside


Fault = tuple[object, str, Callable[..., Any], str, str]

FAULTS: dict[str, Fault] = {
    "a release releases nothing": (
        locks.Locks, "released", lambda _, mutex, known, procedure: known, "goto_unlock", "held",
    ),
    "a pointer is stored, and nothing published": (
        step.Steps, "_published", lambda _, t, v, b, after, p: after, "field_published", "owned",
    ),
    "what is known of frozen cells stays known": (
        frozen.Frozen, "melted", lambda _, known, t, p, w: known, "frozen_count_lowered", "facts",
    ),
    "frozen cells may be written": (
        starts.Starts, "shared_writes", _nothing, "index_moving", "frozen",
    ),
    "flags may be cleared by others": (step.Steps, "misused", _nothing, "flag_steal", "numbers"),
    "semaphores may be raised by others": (step.Steps, "misused", _nothing, "sem_two", "numbers"),
    "gifts may be kept": (step.Steps, "keeps", _nothing, "give_keep", "given"),
    "gifts may be stored": (step.Steps, "keeps", _nothing, "give_stored", "given"),
    "gifts may be given twice": (step.Steps, "keeps", _nothing, "give_twice", "given"),
    "gifts are not lost": (
        step.Steps, "_gave", lambda _, e, b, after: after, "give_alias", "lost",
    ),
    "threads that are started do not run": (
        step, "started", lambda known, edge: (known, Event(edge, 0)), "bitfield", "started",
    ),
    "any join ends all threads": (step.Steps, "_join", _all_joined, "join_other", "running"),
    "every thread is alone": (starts.Found, "is_alone", lambda *_: True, "once", "alone"),
    "ids are ended that were not joined": (
        numbering, "has_ended", lambda *_: True, "join_other", "running",
    ),
    "only the first thread writes ids": (
        ground.Ground, "is_firsts", lambda *_: True, "id_by_other", "facts",
    ),
    "locks of one array belong to all elements": (
        belonging, "_relative", _one_index, "index_hashed", ORDERED,
    ),
    "everybody is absent": (creation.Threads, "is_absent", lambda *_: True, "chg_idx", "absent"),
}  # fmt: skip
"""What is replaced by what, the racy program that is proved then, and the claim that is false."""


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_in_the_rules_are_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, wrong, racy, claim = FAULTS[fault]
    program = loaded(RACY / f"{racy}.c")
    with monkeypatch.context() as patched:
        patched.setattr(where, name, wrong)
        certificate = proof_of(program)
    with pytest.raises(Broken, match=claim):
        watched(program, certificate, runs=40, ordered=claim == ORDERED)
