"""The first look at large programs: less is known, and what is proved is proved."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.engines.api import Proved, Task, Undecided
from threadwise.engines.locksets import lockset_engine as engine
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

TEXT = """
#include <pthread.h>
#include <stdlib.h>
struct cell { int x; pthread_mutex_t lock; };
int plain, held;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void add(struct cell *c, int by) {
    pthread_mutex_lock(&c->lock);
    c->x += by;
    pthread_mutex_unlock(&c->lock);
}
void *run(void *given) {
    for (int i = 0; i < 3; i++)
        add(given, i);
    pthread_mutex_lock(&m);
    held++;
    pthread_mutex_unlock(&m);
    %s
    return 0;
}
int main(void) {
    struct cell *c = malloc(sizeof *c);
    pthread_t all[2];
    c->x = 0;
    pthread_mutex_init(&c->lock, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&all[i], 0, run, c);
    for (int i = 0; i < 2; i++)
        pthread_join(all[i], 0);
    plain = c->x;
    return 0;
}
"""


@pytest.mark.parametrize(("step", "proved"), [("", True), ("plain++;", False)])
def test_first_looks_are_proofs(step: str, proved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finding passes its check, the first one too; the last is what it is without."""
    monkeypatch.setattr(engine, "LARGE", 0)
    monkeypatch.setattr(engine, "PATIENCE", 0)
    monkeypatch.setattr(engine, "LONG", 0)
    program = loaded(TEXT % step).worked_on
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    locations: list[set[str]] = []
    last = None
    for last in LocksetEngine().run(Task(program, races)):
        assert isinstance(last, Proved | Undecided)
        assert last.certificate is not None
        checked = check_certificate(program, last.certificate, lambda: None)
        (found,) = checked.locations.values()
        locations.append({each.name for each in found if not each.is_proved})
    assert isinstance(last, Proved) == proved
    assert locations[-1] == (set() if proved else {"plain"})
    assert "held" not in locations[0]
