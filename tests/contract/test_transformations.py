"""What every transformation has to keep to; a pass or a step that is new inherits all of it.

The program after it is well-formed, what is violated before is violated after, and each of its
edges says which edges of the program before it stands for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import get_args

import pytest

from tests.unit.semantics.running import model
from threadwise.analyses.uses import Uses
from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.text.printer import print_program
from threadwise.proofs.transformed.certificate import (
    Account,
    Follow,
    Forget,
    Interrupt,
    Merge,
    Own,
    Parametrise,
    Presume,
    Reduce,
    Simplify,
    SplitLocations,
    Step,
    Tally,
)
from threadwise.proofs.transformed.changes import verify
from threadwise.proofs.transformed.steps import After, program_after
from threadwise.semantics.oracle import explore
from threadwise.transforms.follow import followable, suggested
from threadwise.transforms.memory import PASS as RESOLVING
from threadwise.transforms.pipeline import PASSES, PIPELINE, applied, simplified
from threadwise.transforms.simplify.element_pointers import PASS as INDEXING

C = """
#include <assert.h>
#include <pthread.h>
struct pair { int a, b; } p;
static void add(struct pair *q, int n) { q->a += n; q->b = 2 * n; }
void *run(void *v) {
    int unused = 3;
    add(&p, 2);
    if (p.a > 5) unused = 4;
    assert(p.a != 3);
    return 0;
}
int main(void) {
    pthread_t t; int *known = &p.a;
    pthread_create(&t, 0, run, 0);
    *known = 1;
    pthread_join(t, 0);
    return 0;
}
"""
ELEMENTS = """
#include <assert.h>
#include <pthread.h>
struct pair { int a, b; } pairs[2];
void *run(void *v) {
    struct pair *q = v;
    q->a = q->b + 1;
    assert(q->a == 1);
    return 0;
}
int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++) { pairs[i].b = i; pthread_create(&t, 0, run, &pairs[i]); }
    return 0;
}
"""
CREATING = """
int[0..3] x; bool open;
thread w(int[0..1] p) { int[0..3] r; r = x; x = 1; assert(open || r == 0); }
thread main { spawn w(0); spawn w(1); open = open; }
"""
FLAGGED = """
int[0..3] x; mutex m;
thread t[2] { bool first; acquire(m); first = x == 0; x = 1; release(m);
  if (first) { assert(x == 1); } else { x = 2; } }
"""
LOCKED = """
int[0..3] x; mutex m;
thread t[2] { acquire(m); x = 1; x = 2; release(m); assert(x == 2); }
"""
JOINING = """
int[0..3] x;
thread w(int[0..1] p) { x = p; }
thread main { tid h = spawn w(1); join h; assert(x == 1); }
"""
LOOPING = """
int[0..9] x;
thread t[2] { int[0..9] i; atomic { while (i < 3) { i = i + 1; } x = i; } assert(x == 3); }
"""
RESTING = """
int[0..3] x;
thread t[2] { skip; skip; x = 1; skip; atomic { skip; x = 2; } assert(x == 2); }
"""


BY_ENGINES = "first steps", "skips"
"""Passes that engines apply after all others, besides the one that resolves memory."""


def steps() -> dict[type, tuple[Program, Step]]:
    """For each kind of step a program and the step."""
    creating = model(CREATING)
    (template,) = followable(creating)
    return {
        Forget: (model(FLAGGED), Forget(("x",))),
        Presume: (_about_x(model(FLAGGED)), Presume()),
        Merge: (model(RESTING), Merge()),
        Own: (model(FLAGGED), Own(("x",))),
        Reduce: (model(LOCKED), Reduce()),
        Follow: (creating, Follow((suggested(creating, template, claiming=True),))),
        Parametrise: (creating, Parametrise()),
        SplitLocations: (model(FLAGGED), SplitLocations()),
        Tally: (model(FLAGGED), Tally()),
        Account: (model(JOINING), Account()),
        Interrupt: (model(LOOPING), Interrupt()),
    }


def _about_x(program: Program) -> Program:
    """Steps that fail may be left out where nobody asks for races on all variables."""
    others = [checked for checked in program.properties if not isinstance(checked, RaceProperty)]
    return replace(program, properties=(*others[:2], RaceProperty("races", ("x",)), *others[2:]))


KINDS = [kind for kind in get_args(Step) if kind is not Simplify]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def made(request: pytest.FixtureRequest) -> tuple[Program, After]:
    assert request.param in steps(), "a program for this kind of step"
    program, step = steps()[request.param]
    return program, program_after(program, step, Uses())


def violated(program: Program) -> frozenset[str]:
    return explore(program, program.properties).violated


def test_a_step_makes_a_well_formed_program(made: tuple[Program, After]) -> None:
    before, after = made
    assert validate(after.program) == []
    assert print_program(after.program) != print_program(before)


def test_a_step_is_verified(made: tuple[Program, After]) -> None:
    before, after = made
    verify(before, after, before.properties[2:3], lambda: None)


def test_edges_after_a_step_stand_for_edges_before(made: tuple[Program, After]) -> None:
    before, after = made
    assert len(after.origins) == len(after.program.edges)
    known = {edge.id for edge in before.edges}
    assert all(origin <= known for origin in after.origins)


# -- passes ---------------------------------------------------------------------------------------


@cache
def passes() -> dict[str, tuple[Program, Program]]:
    """The program before and after each pass; of several of a name the first that changes it."""
    program, uses = load_c([SourceFile("t.c", C)], COptions()).record, Uses()
    found = {RESOLVING: (program, applied(program, RESOLVING, uses))}
    pointing = simplified(load_c([SourceFile("t.c", ELEMENTS)], COptions()).record, uses)
    found[INDEXING] = pointing, applied(pointing, INDEXING, uses)
    assert found[INDEXING][0] is not found[INDEXING][1]
    for name in (*PIPELINE, *BY_ENGINES):
        after = applied(program, name, uses)
        if name not in found or found[name][0] is found[name][1]:
            found[name] = program, after
        program = after
    return found


@pytest.fixture(params=PASSES)
def passed(request: pytest.FixtureRequest) -> tuple[Program, Program]:
    return passes()[request.param]


def test_many_passes_change_the_program() -> None:
    assert sum(before is not after for before, after in passes().values()) >= 7


def test_a_pass_makes_a_well_formed_program(passed: tuple[Program, Program]) -> None:
    assert validate(passed[1]) == []


def test_a_pass_keeps_what_is_violated(passed: tuple[Program, Program]) -> None:
    before, after = passed
    assert [p.name for p in before.properties] == [p.name for p in after.properties]
    assert violated(before) == violated(after)


def test_edges_after_a_pass_stand_for_edges_before(passed: tuple[Program, Program]) -> None:
    before, after = passed
    known = {edge.id for edge in before.edges}
    for edge in after.edges if after is not before else ():
        assert edge.origin
        assert {number for path in edge.origin for number in path} <= known


def test_every_pass_has_a_place() -> None:
    """Some are applied by engines, after all others."""
    assert {*PIPELINE, RESOLVING, INDEXING, *BY_ENGINES} == set(PASSES)
