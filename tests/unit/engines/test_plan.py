"""The plan leaves out engines that would refuse, and no other."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_source
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.auto import auto_engines
from threadwise.engines.features import LARGE, SMALL, Feature, features_of
from threadwise.engines.plan import PLAN, refusal, row_of
from threadwise.ir.program import Program

HEAP = """
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int *p;
void *f(void *a) { *p = 1; return 0; }
int main(void) {
    pthread_t t; p = malloc(sizeof *p);
    pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(*p == 1); return 0;
}
"""
PROGRAMS = {
    "plain": "int[0..3] x; thread t[2] { x = 1; assert(x <= 1); } race_free x;",
    "calls": "int[0..3] x; void f() { x = 1; } thread t[2] { f(); assert(x <= 1); }",
    "any": "int[0..3] x; thread t[*] { x = 1; assert(x <= 1); }",
    "deadlocks": "mutex a; thread t[2] { acquire(a); release(a); }",
    "invariant": "int[0..3] x; thread t[2] { x = 1; } invariant i: x <= 1;",
}


def program(name: str) -> Program:
    return load_source(SourceFile("x.c", HEAP)) if name == "heap" else model(PROGRAMS[name])


def test_every_engine_of_auto_has_its_row() -> None:
    assert list(PLAN) == [info.name for info in auto_engines()]


@pytest.mark.parametrize("name", ["heap", *PROGRAMS])
def test_who_is_left_out_decides_nothing(name: str) -> None:
    given = program(name)
    left_out = [
        info
        for info in auto_engines()
        if refusal(info.name, features_of(given), given.properties) is not None
    ]
    for info in left_out:
        try:
            findings = list(info.create().run(Task(given, given.properties)))
        except Unsupported:
            continue
        assert not any(isinstance(finding, Proved | Violated) for finding in findings), info.name


@pytest.mark.parametrize("loop", [False, True])
def test_programs_with_a_heap_start_few_engines(loop: bool) -> None:
    """Provers that make objects variables start too, if there are a few objects."""
    again = "{ while (!p) p = malloc(sizeof *p); *p = 1;"  # in main it would be done once
    text = HEAP.replace("{ *p = 1;", again) if loop else HEAP
    given = load_source(SourceFile("x.c", text))
    features = features_of(given)
    names = [
        info.name
        for info in auto_engines()
        if refusal(info.name, features, given.properties) is None
    ]
    others = ["locksets", "lock-order", "explicit", "persistent", "walks"]
    provers = ["digest", "counting", "horn", "tar", "bounded"]
    assert {*names} == {*others, *(() if loop else provers)}
    assert (Feature.MEMORY in features) == loop
    for prover in provers:
        assert row_of(prover, features).joins > row_of("locksets", features).joins


def test_large_programs_leave_a_core_to_locksets() -> None:
    text = "int[0..3] x; thread t[2] {" + "x = 1;" * (LARGE + 1) + "} race_free x;"
    small, large = features_of(program("plain")), features_of(model(text))
    cores = frozenset({Feature.CORES})
    assert row_of("locksets", small | cores).weight < row_of("locksets", large | cores).weight
    assert row_of("locksets", large).weight == row_of("locksets", small).weight
    assert row_of("explicit", small | cores) == row_of("explicit", large | cores)


def test_single_runs_come_first_unless_programs_are_small() -> None:
    for some in (Feature.HEAP, Feature.MEDIUM):
        row = row_of("walks", frozenset({some}))
        assert (row.joins, row.place) == (0, -1)
    assert row_of("walks", frozenset({Feature.SMALL})).joins > 0


def test_programs_with_a_heap_leave_a_core_to_locksets_unless_they_are_small() -> None:
    heap, cores = frozenset({Feature.HEAP}), frozenset({Feature.CORES})
    weight = row_of("locksets", heap | cores).weight
    assert weight == row_of("locksets", frozenset({Feature.LARGE}) | cores).weight
    assert row_of("locksets", heap | cores | {Feature.SMALL}).weight < weight
    assert row_of("locksets", heap).weight < weight


def test_races_of_programs_of_hundreds_of_steps_leave_a_core_to_locksets() -> None:
    """A server of 70 lines: they had no turn beside `horn` and `tar` for half a minute once."""
    cores, medium = frozenset({Feature.CORES}), frozenset({Feature.MEDIUM})
    races = frozenset({Feature.RACES})
    weight = row_of("locksets", cores | frozenset({Feature.LARGE})).weight
    assert row_of("locksets", cores | medium | races).weight == weight
    for fewer in (cores | medium, cores | races, medium | races):
        assert row_of("locksets", fewer).weight < weight


def test_crowds_are_looked_at_by_their_locks_at_once_and_by_slices_early() -> None:
    crowd, small = frozenset({Feature.CREATION}), frozenset({Feature.SMALL})
    assert row_of("locksets", small).joins > row_of("locksets", crowd | small).joins == 0
    assert row_of("tar", crowd).joins < row_of("tar", crowd | small).joins
    cores = frozenset({Feature.CORES, Feature.LARGE})
    assert row_of("locksets", crowd | cores) == row_of("locksets", cores)


@pytest.mark.parametrize(("threads", "crowd"), [(3, False), (8, True), (20, True)])
def test_a_loop_that_creates_few_threads_makes_no_crowd(threads: int, crowd: bool) -> None:
    """A search decides them; it had hardly a turn beside `horn` and `tar` once."""
    text = "int[0..3] x; thread w() { x = 1; } thread t { tid h; while (true) { h = spawn w(); } }"
    features = features_of(model(text, max_threads=threads))
    assert (Feature.CREATION in features) == crowd


@pytest.mark.parametrize(
    ("body", "without_bound"),
    [
        ("havoc x; assert(x == x);", True),
        ("while (true) { x = x + 1; }", True),
        ("while (x < 3) { x = x + 1; }", False),
        ("x = x + 1;", False),
    ],
)
def test_horn_gets_more_where_numbers_have_no_bound(body: str, without_bound: bool) -> None:
    """Enumerating engines do not come to an end there; a loop up to a constant has one."""
    features = features_of(model(f"int x; thread t[2] {{ {body} }}"))
    assert (Feature.NUMBERS in features) == without_bound
    plain = row_of("horn")
    assert (row_of("horn", features).weight > plain.weight) == without_bound
    assert (row_of("explicit", features).weight < row_of("explicit").weight) == without_bound


def test_runs_without_loops_are_for_bounded() -> None:
    straight = features_of(program("plain"))
    assert Feature.STRAIGHT in straight
    loop = model("int x; thread t[2] { while (x < 3) { x = x + 1; } }")
    assert Feature.STRAIGHT not in features_of(loop)
    with_numbers = row_of("bounded", frozenset({Feature.NUMBERS}))
    assert row_of("bounded", straight | {Feature.NUMBERS}).weight > with_numbers.weight


@pytest.mark.parametrize(("rounds", "brief"), [(3, True), (300, False)])
def test_runs_that_end_soon_are_for_bounded(rounds: int, brief: bool) -> None:
    loop = f"i = 0; while (i < {rounds}) {{ havoc x; i = i + 1; }}"
    features = features_of(model(f"int x; thread t[2] {{ int[0..999] wrap i; {loop} }}"))
    assert (Feature.BRIEF in features) == brief
    crowded = features | {Feature.CREATION}
    assert (row_of("bounded", crowded).weight > row_of("bounded").weight) == brief


def test_locksets_join_later_where_there_are_few_steps() -> None:
    features = features_of(program("plain"))
    assert Feature.SMALL in features
    assert row_of("locksets", features).joins > row_of("explicit", features).joins
    assert row_of("locksets", features | {Feature.HEAP}).joins == row_of("locksets").joins
    larger = model("int[0..3] x; thread t[2] {" + "x = 1;" * (SMALL + 1) + "}")
    assert row_of("locksets", features_of(larger)).joins == row_of("locksets").joins


def test_where_many_threads_are_created_horn_comes_first() -> None:
    features = frozenset({Feature.CREATION, Feature.SMALL})
    places = {info.name: row_of(info.name, features).place for info in auto_engines()}
    assert sorted(places, key=places.__getitem__)[:2] == ["horn", "walks"]
    assert [name for name in places if row_of(name).place] == ["walks"]
