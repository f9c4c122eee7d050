"""Passes that go on from what was known by stronger claims find what they find from nothing."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.engines.api import Proved, Task, Undecided
from threadwise.engines.locksets.fixpoints import Reached
from threadwise.engines.locksets.going_on import Changes
from threadwise.engines.locksets.lockset_engine import LocksetEngine, _Analysis
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

# Claims are given up one after the other: `limit` is not frozen, `again` is taken from its owner,
# `level` serves as no lock, threads of `log` have no number of their own.
SEVERAL = """
#include <pthread.h>
#include <stdlib.h>
struct job { int n; int *sum; pthread_mutex_t *m; };
static int total, limit, level, told;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, again = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *used = &m;
static struct job jobs[4];
static void add(struct job *j) {
    pthread_mutex_lock(j->m);
    *j->sum += j->n;
    pthread_mutex_unlock(j->m);
}
static void *work(void *given) {
    struct job *j = given;
    for (int i = 0; i < limit; i++)
        add(j);
    j->n = 0;
    %s
    return 0;
}
static void *log_(void *given) {
    pthread_mutex_lock(&again);
    told++;
    pthread_mutex_unlock(&again);
    __atomic_store_n(&level, 2, __ATOMIC_SEQ_CST);
    return 0;
}
int main(void) {
    pthread_t t[4], other;
    limit = 3;
    for (int i = 0; i < 4; i++) {
        jobs[i].n = i;
        jobs[i].sum = &total;
        jobs[i].m = used;
        pthread_create(&t[i], 0, work, &jobs[i]);
    }
    pthread_create(&other, 0, log_, 0);
    %s
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    pthread_join(other, 0);
    return total + told;
}
"""

STEPS = [
    ("", ""),
    ("limit = 2;", ""),
    ("used = &again;", ""),
    ("", "pthread_mutex_init(&again, 0);"),
    ("limit++; told++;", "used = 0;"),
    ("", "pthread_create(&other, 0, work, &jobs[0]);"),
    ("total++;", "limit = 7;"),
]


def _left(text: str) -> tuple[bool, set[str], set[str]]:
    """Whether everything is proved, what is not, and what is."""
    program = loaded(text).worked_on
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    last = list(LocksetEngine().run(Task(program, races)))[-1]
    assert isinstance(last, Proved | Undecided)
    assert last.certificate is not None
    checked = check_certificate(program, last.certificate, lambda: None)
    (found,) = checked.locations.values()
    left, proved = ({e.name for e in found if e.is_proved == is_} for is_ in (False, True))
    return isinstance(last, Proved), left, proved


@pytest.mark.parametrize(("step", "more"), STEPS)
def test_as_from_nothing(step: str, more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SEVERAL % (step, more)
    found = _left(text)
    monkeypatch.setattr(_Analysis, "go_on", lambda *_: None)
    assert found == _left(text)


def test_passes_do_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer steps are taken."""
    begun: list[int] = []
    go_on = Reached.go_on

    def counted(self: Reached, before: Reached, changes: Changes | None) -> None:
        go_on(self, before, changes)
        begun.append(len(self.waiting))
        assert len(self.waiting) <= sum(map(len, self.cases.values()))

    monkeypatch.setattr(Reached, "go_on", counted)
    _left(SEVERAL % ("limit++; told++;", "used = 0;"))
    assert begun


def test_what_changes_may_miss_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A last look at all steps does not rest on what is said to be concerned."""
    text = SEVERAL % ("limit++; told++;", "used = 0;")
    found = _left(text)
    monkeypatch.setattr(Changes, "concern", lambda *_: False)
    assert found == _left(text)
