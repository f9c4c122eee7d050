"""A second look at failures: locks that are destroyed, and numbers under locks; and near misses.

What is right is proved, and the proof checked and read back; of a near miss, which goes wrong in
some run, nothing may be proved. The audit has no part in it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.files import read_locksets
from threadwise.proofs.locksets.kernel_first import check_locksets
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.refined.texts import RefinementText
from threadwise.proofs.locksets.written_files import write_locksets

MAIN = """
int main(void)
{
    pthread_t t[2];
    START
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, 0);
    RUN
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    END
    return 0;
}
"""


def text_of(head: str, *, start: str = "", run: str = "", end: str = "") -> str:
    """Two threads that run f, and what the first one does before, meanwhile and after."""
    return head + MAIN.replace("START", start).replace("RUN", run).replace("END", end)


@cache
def program_of(text: str) -> Program:
    """What engines work on."""
    return loaded(INCLUDES + text).program


def certificates(program: Program) -> list[tuple[tuple[str, ...], LocksetCertificate]]:
    """What is proved of assertions and the use of locks."""
    kept = tuple(
        p
        for p in program.properties
        if isinstance(p, FailureProperty)
        and p.kind in (PropertyKind.MUTEX, PropertyKind.ASSERTION)
    )
    found: list[tuple[tuple[str, ...], LocksetCertificate]] = []
    for finding in LocksetEngine().run(Task(program, kept)):
        if isinstance(finding, Proved):
            assert isinstance(finding.certificate, LocksetCertificate)
            found.append((finding.properties, finding.certificate))
    return found


def proved(program: Program) -> set[str]:
    """The names of the properties that are proved; the proofs pass their check."""
    names: set[str] = set()
    for properties, certificate in certificates(program):
        data = json.loads(json.dumps(write_locksets(certificate)))
        again = read_locksets(data, certificate.program_hash, certificate.properties)
        check_locksets(program, again, lambda: None)
        names |= set(properties)
    return names


LOCK = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *a)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return 0;
}
"""
ARRAY = """
struct bucket { pthread_mutex_t lock; int size; };
struct bucket b[4];
void *f(void *a)
{
    int i = x() % 4;
    pthread_mutex_lock(&b[i].lock);
    b[i].size++;
    pthread_mutex_unlock(&b[i].lock);
    return 0;
}
"""
ARRAY = "unsigned __VERIFIER_nondet_uint(void);" + ARRAY.replace(
    "int i = x() % 4", "unsigned i = __VERIFIER_nondet_uint() % 4"
)
INIT = "for (int i = 0; i < 4; i++) pthread_mutex_init(&b[i].lock, 0);"
DESTROY = "for (int i = 0; i < 4; i++) pthread_mutex_destroy(&b[i].lock);"
CONDITION = """
struct pool { pthread_mutex_t lock; pthread_cond_t ready; int open; };
struct pool *pool;
void *f(void *a)
{
    pthread_mutex_lock(&pool->lock);
    while (!pool->open)
        pthread_cond_wait(&pool->ready, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return 0;
}
"""
MAKE = """
    pool = malloc(sizeof *pool);
    pool->open = 0;
    pthread_mutex_init(&pool->lock, 0);
    pthread_cond_init(&pool->ready, 0);
"""
OPEN = """
    pthread_mutex_lock(&pool->lock);
    pool->open = 1;
    pthread_cond_broadcast(&pool->ready);
    pthread_mutex_unlock(&pool->lock);
"""
END = "pthread_cond_destroy(&pool->ready); pthread_mutex_destroy(&pool->lock); free(pool);"
READERS = """
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *f(void *a)
{
    pthread_rwlock_rdlock(&l);
    int y = x;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_wrlock(&l);
    x = y + 1;
    pthread_rwlock_unlock(&l);
    return 0;
}
"""
QUEUE = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int count;
void *f(void *a)
{
    for (;;) {
        pthread_mutex_lock(&m);
        while (count == 4)
            pthread_cond_wait(&c, &m);
        assert(count < 4);
        count++;
        pthread_mutex_unlock(&m);
    }
}
"""
TAKE = """
    pthread_mutex_lock(&m);
    if (count > 0)
        count--;
    assert(count >= 0);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
"""

RIGHT = {
    "a mutex is destroyed at the end": text_of(LOCK, end="pthread_mutex_destroy(&m);"),
    "used alone, then destroyed": text_of(LOCK, end="f(0); pthread_mutex_destroy(&m);"),
    "an array of mutexes": text_of(ARRAY, start=INIT, end=DESTROY),
    "a condition in memory": text_of(CONDITION, start=MAKE, run=OPEN, end=END),
    "a lock for reading": text_of(READERS, end="pthread_rwlock_destroy(&l);"),
}
MISSES = {
    "destroyed while others run": text_of(LOCK, run="pthread_mutex_destroy(&m);"),
    "another thread afterwards": text_of(
        LOCK, end="pthread_mutex_destroy(&m); pthread_create(&t[0], 0, f, 0);"
    ),
    "destroyed twice": text_of(LOCK, end="pthread_mutex_destroy(&m);" * 2),
    "used afterwards": text_of(LOCK, end="pthread_mutex_destroy(&m); f(0);"),
    "left locked": text_of(
        LOCK.replace("pthread_mutex_unlock(&m);", ""), end="pthread_mutex_destroy(&m);"
    ),
    "maybe left locked": text_of(
        LOCK.replace("pthread_mutex_unlock(&m);", "if (x < 1) pthread_mutex_unlock(&m);"),
        end="pthread_mutex_destroy(&m);",
    ),
    "locked by the destroyer": text_of(
        LOCK, end="pthread_mutex_lock(&m); pthread_mutex_destroy(&m);"
    ),
    "one of them twice": text_of(
        ARRAY, start=INIT, end=DESTROY + "pthread_mutex_destroy(&b[3].lock);"
    ),
    "one of them before": text_of(
        ARRAY, start=INIT, end="pthread_mutex_destroy(&b[2].lock);" + DESTROY
    ),
    "not always the next": text_of(ARRAY, start=INIT, end=DESTROY.replace("b[i]", "b[i / 2]")),
    "the loop goes back": text_of(
        ARRAY,
        start=INIT,
        end=DESTROY.replace("i++", "i += 2") + DESTROY.replace("i++", "i += 3"),
    ),
    "two are locked, one is unlocked": text_of(
        ARRAY.replace("b[i].size++;", "pthread_mutex_lock(&b[(i + 1) % 4].lock);"),
        start=INIT,
        end=DESTROY,
    ),
    "somebody may wait": text_of(CONDITION, start=MAKE, run=END.replace("free(pool);", "")),
    "read locked twice": text_of(
        READERS.replace("int y", "pthread_rwlock_rdlock(&l); int y"),
        end="pthread_rwlock_destroy(&l);",
    ),
    "maybe still read": text_of(
        READERS.replace("int y = x;", "int y = x; if (y) return 0;"),
        end="pthread_rwlock_destroy(&l);",
    ),
    "read by the destroyer": text_of(
        READERS, end="pthread_rwlock_rdlock(&l); pthread_rwlock_destroy(&l);"
    ),
    "written by the destroyer": text_of(
        READERS, end="pthread_rwlock_wrlock(&l); pthread_rwlock_destroy(&l);"
    ),
}
NUMBERS = {
    "a full queue waits": text_of(QUEUE, run=TAKE),
    "a queue for one": text_of(QUEUE.replace("4", "1"), run=TAKE),
}
WRONG_NUMBERS = {
    "not below four": text_of(QUEUE.replace("count < 4", "count < 3"), run=TAKE),
    "an if instead of a while": text_of(QUEUE.replace("while (", "if ("), run=TAKE),
    "raised without the lock": text_of(
        QUEUE.replace("count++;\n", "").replace("unlock(&m);", "unlock(&m); count++;"), run=TAKE
    ),
    "raised under another lock": text_of(
        QUEUE + "pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;",
        run=TAKE.replace("count > 0", "1")
        + "pthread_mutex_lock(&other); count++; pthread_mutex_unlock(&other);",
    ),
    "looked at too early": text_of(
        QUEUE.replace(
            "assert(count < 4);",
            "pthread_mutex_unlock(&m); pthread_mutex_lock(&m); assert(count < 4);",
        ),
        run=TAKE,
    ),
    "lowered too often": text_of(QUEUE, run=TAKE.replace("if (count > 0)", "")),
    "raised by two": text_of(QUEUE.replace("count++;", "count += 2;"), run=TAKE),
    "begins too high": text_of(QUEUE.replace("int count;", "int count = 5;"), run=TAKE),
    "written by an alias": text_of(
        QUEUE, start="int *p = &count;", run="pthread_mutex_lock(&m); *p = 7;" + TAKE[30:]
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_locks_that_end(name: str) -> None:
    assert "mutex" in proved(program_of(RIGHT[name]))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow if READERS[:40] in t else ())
        for n, t in MISSES.items()
    ],
)
def test_locks_that_end_wrong(name: str) -> None:
    assert "mutex" not in proved(program_of(MISSES[name]))


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_under_locks(name: str) -> None:
    asserted = {
        p.name for p in program_of(NUMBERS[name]).properties if p.name.startswith("assert")
    }
    assert asserted <= proved(program_of(NUMBERS[name]))


@pytest.mark.parametrize("name", WRONG_NUMBERS)
def test_numbers_not_under_locks(name: str) -> None:
    asserted = {
        p.name for p in program_of(WRONG_NUMBERS[name]).properties if p.name.startswith("assert")
    }
    assert not asserted <= proved(program_of(WRONG_NUMBERS[name]))


# -- forged ---------------------------------------------------------------------------------------


@cache
def _certificate(name: str) -> LocksetCertificate:
    """A right proof of the use of locks."""
    return next(c for names, c in certificates(program_of(RIGHT[name])) if "mutex" in names)


def _second_look(name: str) -> RefinementText:
    text = _certificate(name).refinement
    assert text is not None
    return text


def _forged(name: str, **changes: object) -> LocksetCertificate:
    """The same with other claims in its second look."""
    text = _second_look(name)
    claims = replace(text.claims, **changes)  # type: ignore[arg-type]
    return replace(_certificate(name), refinement=RefinementText(claims, text.states))


def test_flags_that_are_early_only() -> None:
    name = "a mutex is destroyed at the end"
    found = _second_look(name).claims.flags
    forged = _forged(name, flags={cell: frozenset({7}) for cell in found})
    with pytest.raises(Refuted, match="begin"):
        check_locksets(program_of(RIGHT[name]), forged, _tick)


def test_limits_that_are_too_narrow() -> None:
    name = "a mutex is destroyed at the end"
    with pytest.raises(Refuted, match="limits"):
        check_locksets(
            program_of(RIGHT[name]), _forged(name, limits={Target("x", 0): (0, 1)}), _tick
        )


def test_counts_that_are_none() -> None:
    name = "a lock for reading"
    with pytest.raises(Refuted, match="a second look"):
        check_locksets(
            program_of(RIGHT[name]), _forged(name, counts=frozenset({Target("x", 0)})), _tick
        )


def test_states_that_are_left_out() -> None:
    name = "a mutex is destroyed at the end"
    text = _second_look(name)
    for location in list(text.states)[:: max(1, len(text.states) // 8)]:
        states = {at: row for at, row in text.states.items() if at != location}
        forged = replace(_certificate(name), refinement=RefinementText(text.claims, states))
        with pytest.raises(Refuted, match="reached otherwise"):
            check_locksets(program_of(RIGHT[name]), forged, _tick)


def _tick() -> None:
    pass
