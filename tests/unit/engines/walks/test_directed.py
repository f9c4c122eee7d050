"""Walks that are directed: who may come to where somebody waits goes first."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Goal, Task, Undecided, Violated
from threadwise.engines.lock_order.lock_order_engine import LockOrderEngine
from threadwise.engines.walks import walk
from threadwise.engines.walks import walks_engine as walks
from threadwise.frontends.c.options import COptions
from threadwise.frontends.model import load_model
from threadwise.ir.properties import DeadlockProperty
from threadwise.traces.replay import replay
from threadwise.transforms.pipeline import simplified

TEXT = """
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;
static void *first(void *p)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void *noise(void *p) { while (1) { x = x + 1; if (x > 5) x = 0; } return p; }
static void *last(void *p)
{
    for (int i = 0; i < 300; i++)
        if (x == 7) return p;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, noise, 0);
    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, noise, 0);
    pthread_create(&t, 0, last, 0);
    while (1) ;
}
"""


def test_others_wait_while_somebody_is_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "WALKS", 1)
    monkeypatch.setattr(walk, "LONGEST", 300)
    program = simplified(load_c([SourceFile("late.c", TEXT)], COptions()).program)
    checked = tuple(p for p in program.properties if isinstance(p, DeadlockProperty))
    (cycle,) = LockOrderEngine().run(Task(program, checked))
    assert isinstance(cycle, Undecided)
    assert cycle.goals
    goals = {checked[0].name: cycle.goals}
    (found,) = walks.WalksEngine().run(Task(program, checked, goals=goals))
    assert isinstance(found, Violated)
    replay(program, found.trace)
    names = [t.name for t in program.templates for _ in range(t.count or 0)]
    by = [names[move.thread] for move in found.trace.moves]
    assert by.count("last") > 300
    assert by.count("noise") < 300


HOLDER = """
mutex l; int[0..2] x; bool y;
thread a { while (true) { acquire(l); x = 1; release(l); } }
thread b { acquire(l); release(l); x = 2; }
thread noise { while (true) { y = !y; } }
race_free x;
"""


def test_who_waits_lets_others_in_whom_it_keeps_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """`a` waits for `b` before its write, with the lock that `b` needs to come to its own."""
    monkeypatch.setattr(walks, "WALKS", 1)
    monkeypatch.setattr(walk, "LONGEST_AIMED", 1_000)
    program = load_model(SourceFile("holder.tw", HOLDER))
    sides = [frozenset(e.id for e in program.edges if e.text == f"x = {n}") for n in (1, 2)]
    checked = next(p for p in program.properties if p.name == "race_free x")
    goals = {checked.name: (Goal((sides[0], sides[1])),)}
    (found,) = walks.WalksEngine().run(Task(program, (checked,), goals=goals))
    assert isinstance(found, Violated)
    replay(program, found.trace)
