"""What passes make of programs is believed where it is right, and nowhere else.

Each fault is one line of a pass, or of an analysis that it rests on, that goes wrong. The program
that comes out must be another one, and must be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from threadwise.analyses import points_to
from threadwise.analyses.uses import Uses
from threadwise.core.c_options import COptions
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.frontends.c import load_c
from threadwise.ir import folding
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Command
from threadwise.ir.expr import TRUE, Binary, BinaryOp, Conditional, Expr
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Edge, MoverClaim, Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.check import compare_programs, is_verified
from threadwise.proofs.simplified.compare import Comparison
from threadwise.transforms import pipeline
from threadwise.transforms.pipeline import FEWER_PASSES, PIPELINE, _stamped, applied, simplify
from threadwise.transforms.simplify import (
    constants,
    dead_values,
    dead_writes,
    integer_pointers,
    intervals,
    jumps,
    opaque_pointers,
    pointers,
    records,
    silent_steps,
    statements,
    temporaries,
)

HEAD = """
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int g, h;
struct pair { int one; int two; } pair;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""

THREADS = """
void *other(void *argument) {{ {other} return 0; }}
int main(void) {{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    {main}
    pthread_join(t, 0);
    return 0;
}}
"""


def text_of(main: str, other: str = "g = 1;", before: str = "") -> str:
    return HEAD + before + THREADS.format(main=main, other=other)


@cache
def lowered(text: str) -> Program:
    return load_c([SourceFile("t.c", text)], COptions()).lowered.program


def before_pass(text: str, name: str, *, time: int = 0) -> Program:
    """The program as a pass of that name finds it, the first time or a later one."""
    program = lowered(text)
    positions = [at for at, each in enumerate(PIPELINE) if each == name]
    for each in PIPELINE[: positions[time]]:
        program = applied(program, each, Uses())
    return program


@dataclass(frozen=True)
class Fault:
    """Something in a pass that goes wrong, and a program where that matters."""

    name: str
    module: Any
    attribute: str
    faulty: Callable[[Any], Any]
    """Given what is there, what is there instead."""
    text: str
    time: int = 0


def always(value: object) -> Callable[[Any], Any]:
    return lambda _: lambda *_, **__: value


BRANCHES = text_of("int x = __VERIFIER_nondet_int(); if (x > 3) g = 2; assert(g != 2 || x > 3);")
CHOICE = text_of("int x = g ? 1 : 2; int y = x == 1 ? g : h; h = y;")
COUNTING = text_of(
    "int a[4]; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;"
    " for (int i = 0; i < n; i++) a[i] = i; int k = 5; while (k > 2) k--; g = a[n] + k;"
)
POINTED = text_of(
    "int *p = &g; if (h) p = &h; *p = 3; pthread_mutex_t *q = &m; pthread_mutex_lock(q);"
    " pthread_mutex_unlock(q); int *r = &pair.two; *r = 1;"
)
FIELDS = text_of("pair.one = 1; pair.two = 2; assert(pair.one == 1);", "pair.two = 3;")
TRIED = text_of(
    "int r = pthread_mutex_trylock(&m); if (r == 0) pthread_mutex_unlock(&m); h = r;",
    "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
)
RETURNED = text_of(
    "int v = 7; if (get(&v)) assert(v == 5);",
    before="static int get(int *out) { if (g) { *out = 5; return 1; } return 0; }",
)
CHOSEN = text_of("int x = __VERIFIER_nondet_int(); if (g) h = x;")
WAITING = text_of("int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0); g = x;")
PARTS = text_of("int *r = &pair.two; if (h) r = &g; *r = 1;", "h = 1;")
ELEMENTS = text_of("int k = 1; int *p = &a[k + 1]; *p = 3; assert(a[2] == 3);", before="int a[4];")
HANDLES = text_of("p = &g; if (h) p = &h; assert(p != &g);", "h = 1;", before="int *p;")
LOCKED = text_of(
    "pthread_mutex_lock(&m); g = g + 1; int x = g; pthread_mutex_unlock(&m); assert(x > 0);"
    " h = x; for (;;) { int y = x; x = y + 1; if (x == 100) break; }",
    "pthread_mutex_lock(&m); g = 1; pthread_mutex_unlock(&m);",
)
IDLE = text_of("int x = g; int z = h; x = x + z; int y = 1; y = y + 1; h = y;", "h = 7;")
REPEATED = text_of(
    "int x = 1; if (x == 1) g = x + 1; x = 2; if (x == 1) h = x + 1; else g = x + 1; x = 3; h = x;"
    " x = 4; h = x; int y = x + 1; x = 5; y = x + 1; g = y;"
)
"""The same expressions where a local holds other values."""

NUMBERED = text_of(
    "for (long i = 0; i < 3; i++) pthread_create(&t, 0, each, (void *)i);",
    before="int slot[3]; void *each(void *a) { int me = (int)(long)a; slot[me] = me; return 0; }",
)
MIXED = text_of(
    "int x = 0; void *p = (void *)7; if (x) p = &g; pthread_create(&t, 0, each, p);"
    "pthread_create(&t, 0, each, &h);",
    before="void *each(void *a) { int me = (int)(long)a; g = me; return 0; }",
)


def off_by_one(sound: Callable[..., Any]) -> Callable[..., Any]:
    def faulty(*given: Any, **more: Any) -> Any:
        found = sound(*given, **more)
        return None if found is None else found + 1

    return faulty


def without_last(sound: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **more: list(sound(*given, **more))[:-1]


def nothing_lives(sound: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: dict.fromkeys(sound(*given), frozenset())


def no_bit_lives(sound: Callable[..., Any]) -> Callable[..., Any]:
    def faulty(*given: Any, **named: Any) -> Any:
        found = sound(*given, **named)
        return replace(found, at=dict.fromkeys(found.at, 0))

    return faulty


def swapped(_: Any) -> Any:
    def faulty(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
        return then if then == otherwise else Conditional(condition, otherwise, then)

    return faulty


def unchanged_command(_: Any) -> Any:
    return lambda command, values: command


def lower_bound_lost(sound: Callable[..., Any]) -> Callable[..., Any]:
    return lambda op, *rest: sound(BinaryOp.GT if op is BinaryOp.GE else op, *rest)


def first_of_each(sound: Callable[..., Any]) -> Callable[..., Any]:
    def faulty(self: Any) -> Any:
        return list(sound(self))[:1]

    return faulty


def the_others(sound: Callable[..., Any]) -> Callable[..., Any]:
    return lambda analysis, edge: None if sound(analysis, edge) else edge


def reset_to_one(sound: Callable[..., Any]) -> Callable[..., Any]:
    def faulty(edge: Edge, *rest: Any) -> Any:
        changed = sound(edge, *rest)
        command = changed.action
        if isinstance(command, Command) and command.assignments:
            return replace(changed, action=replace(command, assignments=command.assignments[:-1]))
        return changed

    return faulty


FAULTS = {
    "guards pin locals that they compare with anything": Fault(
        "constants",
        constants,
        "_told_by",
        lambda sound: (
            lambda action: sound(
                replace(action, guard=replace(action.guard, op=BinaryOp.EQ))
                if isinstance(action.guard, Binary)
                and action.guard.op in (BinaryOp.GT, BinaryOp.NE, BinaryOp.LE)
                else action
            )
        ),
        BRANCHES,
    ),
    "what is written keeps its value": Fault(
        "constants", constants, "_keeps", always(True), CHOICE
    ),
    "values of paths that meet are not compared": Fault(
        "constants",
        constants._Propagation,
        "_join",
        lambda _: (
            lambda self, location, values: (
                location not in self.known
                and bool(self.known.setdefault(location, values) is not None)
            )
        ),
        COUNTING,
    ),
    "comparisons are folded the other way round": Fault(
        "constants",
        folding,
        "_ORDER",
        lambda sound: {**sound, BinaryOp.LT: int.__ge__, BinaryOp.GT: int.__le__},
        COUNTING,
    ),
    "elements are counted wrongly": Fault(
        "constants",
        folding,
        "moved",
        lambda sound: lambda value, count, element: sound(value, count + 1, element),
        ELEMENTS,
        time=1,
    ),
    "one target is forgotten": Fault(
        "pointers", pointers._Splitting, "run", first_of_each, POINTED
    ),
    "what is stored is not added": Fault(
        "pointers", points_to.PointsTo, "_add", always(False), POINTED
    ),
    "parts are looked for at the wrong place": Fault(
        "pointers",
        pointers,
        "part_at",
        lambda sound: lambda place, offset, held: sound(place, 0, held),
        PARTS,
    ),
    "sums are larger": Fault("bounds", intervals, "_sum", off_by_one, COUNTING),
    "every branch is excluded": Fault(
        "bounds", intervals._Intervals, "narrowed", the_others, COUNTING
    ),
    "bounds are taken to be strict": Fault(
        "bounds", intervals, "_refine", lower_bound_lost, COUNTING
    ),
    "addresses have one name": Fault(
        "named pointers",
        opaque_pointers.PointerReplacement,
        "_value",
        lambda _: lambda self, value: 1 if value is not None else 0,
        HANDLES,
    ),
    "any edge is taken to need an address": Fault(
        "integer pointers", integer_pointers, "needs_an_address", always(True), NUMBERED
    ),
    "fields are exchanged": Fault(
        "records",
        records._Splitting,
        "_place",
        lambda sound: (
            lambda self, place: sound(
                self,
                replace(place, field="two") if getattr(place, "field", "") == "one" else place,
            )
        ),
        FIELDS,
    ),
    "what was there before is not looked for": Fault(
        "temporaries", temporaries, "_read_from_before", always(frozenset()), LOCKED
    ),
    "nothing is needed": Fault("unused", dead_writes, "live_by", nothing_lives, IDLE),
    "reading is harmless": Fault("unused", dead_writes, "_is_harmless", always(True), IDLE),
    "all memory is the thread's own": Fault(
        "silent steps", silent_steps, "_is_own", always(True), LOCKED
    ),
    "cycles may be hidden": Fault(
        "silent steps",
        silent_steps,
        "_break_cycles",
        always(set()),
        text_of("int x = 0; while (1) { x = 1 - x; }"),
    ),
    "failures may be hidden": Fault("silent steps", silent_steps, "_stops", always(False), LOCKED),
    "branches are exchanged": Fault("joined statements", statements, "_choice", swapped, TRIED),
    "values are not put in": Fault(
        "joined statements", statements, "_substituted", unchanged_command, LOCKED
    ),
    "reads are lost": Fault(
        "joined statements", statements.Joining, "_still_reads", always(True), IDLE
    ),
    "what is returned is not put in": Fault(
        "threaded jumps", statements, "_substituted", unchanged_command, RETURNED
    ),
    "a way is lost": Fault("threaded jumps", jumps, "FALSE", lambda _: TRUE, RETURNED),
    "values that are chosen are forgotten": Fault(
        "dead values", dead_values, "live_masks", no_bit_lives, CHOSEN
    ),
    "values that are read are forgotten": Fault(
        "dead values", dead_values, "live_masks", no_bit_lives, LOCKED
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_in_a_pass_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    before = before_pass(fault.text, fault.name, time=fault.time)
    once = replace(before)
    sound = applied(once, fault.name, Uses())
    if sound is not once:
        compare_programs(fault.name, once, sound, once.found.get(fault.name))
    there = getattr(fault.module, fault.attribute)
    monkeypatch.setattr(fault.module, fault.attribute, fault.faulty(there))
    again = replace(before)
    wrong = applied(again, fault.name, Uses())
    assert wrong != sound
    with pytest.raises(Refuted):
        compare_programs(fault.name, again, wrong, again.found.get(fault.name))


@pytest.mark.parametrize("text", [TRIED, WAITING, FIELDS])
def test_no_more_locations_may_be_hidden_than_are(text: str) -> None:
    """Where a thread may be seen, wait, fail or touch what others touch."""
    before = before_pass(text, "silent steps")
    after = applied(before, "silent steps", Uses())
    compare_programs("silent steps", before, after, None)
    seen = [location for location in after.locations if not location.atomic]
    for location in seen:
        procedures = tuple(
            replace(
                procedure,
                locations=tuple(
                    replace(here, atomic=True) if here == location else here
                    for here in procedure.locations
                ),
            )
            for procedure in after.procedures
        )
        with pytest.raises(Refuted):
            compare_programs("silent steps", before, replace(after, procedures=procedures), None)
    assert len(seen) > 5


FORGED: dict[str, Callable[[Edge, Edge], Edge]] = {
    "elsewhere": lambda edge, other: replace(edge, target=other.target),
    "from elsewhere": lambda edge, other: replace(edge, source=other.source),
    "what another does": lambda edge, other: replace(edge, action=other.action),
    "another purpose": lambda edge, other: replace(edge, operation=other.operation),
    "no synchronisation": lambda edge, _: replace(edge, sync=not edge.sync),
    "another mover": lambda edge, _: replace(edge, mover=MoverClaim.LEFT),
}
"""What else an edge may be than what it was, with another edge of its procedure."""


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_edges_that_pass_unchanged_are_what_they_were(
    forged: Callable[[Edge, Edge], Edge], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short cut for them accepts nothing that is refused without it."""
    before = before_pass(LOCKED, "dead values")
    after = _stamped(before)
    compare_programs("dead values", before, after, None)
    made = list(_forgeries(after, forged))
    answers = [is_verified("dead values", before, program) for program in made]
    assert answers.count(False) > 5
    monkeypatch.setattr(Comparison, "_is_kept", always(False)(None))
    assert [is_verified("dead values", before, replace(program)) for program in made] == answers


def _forgeries(program: Program, forged: Callable[[Edge, Edge], Edge]) -> Iterator[Program]:
    """The program with one edge that is another one, for each of them."""
    for number, procedure in enumerate(program.procedures):
        for place, edge in enumerate(procedure.edges):
            changed = forged(edge, procedure.edges[place - 1])
            if changed != edge:
                edges = (*procedure.edges[:place], changed, *procedure.edges[place + 1 :])
                procedures = [*program.procedures]
                procedures[number] = replace(procedure, edges=edges)
                yield replace(program, procedures=tuple(procedures))


def test_large_programs_are_simplified_in_fewer_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out is a repetition; the result is verified like any other."""
    program = lowered(COUNTING)
    every = simplify(program, accepts=is_verified)
    assert sorted({*PIPELINE}) == sorted({*FEWER_PASSES})
    monkeypatch.setattr(pipeline, "LARGE", len(program.edges) - 1)
    fewer = simplify(replace(program), accepts=is_verified)
    assert not fewer.refused
    assert every.names.count("constants") == fewer.names.count("constants") + 1
    assert len(every.program.edges) <= len(fewer.program.edges) < len(program.edges)


TEXTS = [BRANCHES, CHOICE, COUNTING, POINTED, FIELDS, HANDLES, LOCKED, IDLE, TRIED, WAITING, PARTS]
TEXTS += [NUMBERED, MIXED, REPEATED, ELEMENTS]


@pytest.mark.parametrize("text", TEXTS)
def test_every_program_on_the_way_is_well_formed_and_verified(text: str) -> None:
    simpler = simplify(lowered(text), accepts=is_verified)
    assert not simpler.refused
    for program in (simpler.record, *simpler.programs):
        assert validate(program) == []


def test_integers_that_are_passed_as_pointers_need_no_memory() -> None:
    """What would happen if they were addresses is left out; not so if one is."""
    simpler = simplify(lowered(NUMBERED), accepts=is_verified)
    assert uses_memory(simpler.record)
    assert not uses_memory(simpler.program)
    assert uses_memory(simplify(lowered(MIXED), accepts=is_verified).program)


def test_elements_at_constant_distances_need_no_memory() -> None:
    """`&a[k + 1]` is a constant where k is: engines without memory see `a[2]`."""
    simpler = simplify(lowered(ELEMENTS), accepts=is_verified)
    assert uses_memory(simpler.record)
    assert not uses_memory(simpler.program)


def test_a_pass_that_is_refused_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault costs the pass: what it made is not worked on."""
    monkeypatch.setattr(statements, "_choice", swapped(None))
    loaded = load_c_sources([SourceFile("t.c", TRIED)], LoadOptions())
    assert loaded.simpler is not None
    assert loaded.simpler.refused == ("joined statements",)
