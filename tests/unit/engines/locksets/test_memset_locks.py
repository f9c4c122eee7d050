"""Locks in records that are set to zero or assigned as a whole before they are initialised."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

PROGRAM = (
    INCLUDES
    + """
struct box { LOCK lock; int n; };
struct box g;
void *work(void *a)
{
    struct box *p = a;
    TAKE(&p->lock);
    p->n++;
    GIVE(&p->lock);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    BEFORE
    pthread_create(&t, 0, work, &g);
    BETWEEN
    pthread_create(&u, 0, work, &g);
    pthread_join(t, 0);
    pthread_join(u, 0);
    AFTER
    return g.n;
}
"""
)
MUTEX = ("pthread_mutex_t", "pthread_mutex_lock", "pthread_mutex_unlock")
SPIN = ("pthread_spinlock_t", "pthread_spin_lock", "pthread_spin_unlock")
CLEAR = "memset(&g, 0, sizeof g);"
ASSIGN = "g = (struct box){0};"
INITIALISE = {MUTEX: "pthread_mutex_init(&g.lock, 0);", SPIN: "pthread_spin_init(&g.lock, 0);"}


def proves(lock: tuple[str, str, str], before: str, between: str = "", after: str = "") -> bool:
    """Whether locksets prove it, and the checker agrees."""
    named = dict(zip(("LOCK", "TAKE", "GIVE"), lock, strict=True))
    text = PROGRAM
    for name, value in {**named, "BEFORE": before, "BETWEEN": between, "AFTER": after}.items():
        text = text.replace(name, value)
    program = loaded(text).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    found = [f for f in LocksetEngine().run(Task(program, races)) if isinstance(f, Proved)]
    for finding in found:
        check_certificate(program, finding.certificate, lambda: None)
    return bool(found)


@pytest.mark.parametrize("lock", [MUTEX, SPIN], ids=["mutex", "spin"])
@pytest.mark.parametrize("clear", [CLEAR, ASSIGN], ids=["memset", "assignment"])
def test_before_threads_begin_and_after_they_end(lock: tuple[str, str, str], clear: str) -> None:
    assert proves(lock, clear + INITIALISE[lock], after=clear)


@pytest.mark.parametrize("lock", [MUTEX, SPIN], ids=["mutex", "spin"])
@pytest.mark.parametrize("clear", [CLEAR, ASSIGN], ids=["memset", "assignment"])
def test_not_while_a_thread_runs(lock: tuple[str, str, str], clear: str) -> None:
    assert not proves(lock, INITIALISE[lock], between=clear)


def test_what_the_thread_itself_held_is_held_no_longer() -> None:
    taken = INITIALISE[MUTEX] + "pthread_mutex_lock(&g.lock);"
    use = "g.n++; pthread_mutex_unlock(&g.lock);"
    assert proves(MUTEX, taken, between=use)
    assert not proves(MUTEX, taken + "g.lock = (pthread_mutex_t){0};", between=use)
