"""Private variables, dead values, silent steps, loops that end."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import lowered
from tests.unit.semantics.running import model
from threadwise.analyses.escape import private_variables
from threadwise.analyses.loops import cycles
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.persistent.persistent_engine import PersistentEngine
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import TRUE, DerefPlace, Read, Scope, Variable, VariablePlace
from threadwise.ir.fold import action_places, number, place_definedness
from threadwise.ir.program import ListedValues, Program, Template
from threadwise.ir.properties import RaceProperty
from threadwise.ir.text.printer import print_action
from threadwise.ir.types import INT, POINTER, Address
from threadwise.transforms.pipeline import simplified
from threadwise.transforms.simplify.constants import put_in_constants
from threadwise.transforms.simplify.dead_values import forget_dead_values
from threadwise.transforms.simplify.dead_writes import drop_dead_writes
from threadwise.transforms.simplify.intervals import remove_excluded_branches
from threadwise.transforms.simplify.silent_steps import always_enabled, hide_silent_steps
from threadwise.transforms.simplify.unused import remove_unused


def hidden(program: Program) -> int:
    return sum(location.atomic for location in hide_silent_steps(program).locations)


def states(program: Program) -> int:
    (finding,) = ExplicitEngine().run(Task(program, program.properties))
    assert isinstance(finding, Proved)
    return len(finding.certificate.states)  # type: ignore[attr-defined]


def test_private_variables() -> None:
    program = model("""
        int[0..3] constant = 3; int[0..3] mine; int[0..3] ours; int[0..3] theirs; bool guess = *;
        thread one { int[0..3] r; mine = constant; r = ours; }
        thread two { int[0..3] r; r = constant; if (guess) { ours = r; } }
        thread many[2] { theirs = 1; }
    """)
    assert private_variables(program) == {"constant", "mine", "guess"}


def test_dead_values_are_forgotten() -> None:
    program = model("""
        int[0..9] x; bool done;
        thread t { int[0..9] r; int[0..9] s; havoc r; s = r; x = s; x = 1; done = true; }
    """)
    assert states(forget_dead_values(program)) < states(program)


def test_choices_that_matter_to_nobody_are_dropped() -> None:
    program = model("""
        int[0..9] x; int[0..9] y;
        thread t {
            int[0..9] r; int[0..9] s; int[0..9] u; int[0..9] v;
            havoc r; s = r; havoc u; x = u; v = y; v = 9 / u;
        }
    """)
    kept = {
        str(place)
        for edge in drop_dead_writes(program).edges
        for place in action_places(edge.action)
    }
    written = {name for name in "rsuvxy" if any(f"'{name}'" in place for place in kept)}
    assert written == {"u", "v", "x"}


def test_a_value_that_is_read_again_is_kept() -> None:
    program = model("""
        int[0..9] wrap x;
        thread t { int[0..9] r = 3; while (x < 9) { x = x + r; } x = r; }
    """)
    changed = [
        edge.text
        for edge, before in zip(forget_dead_values(program).edges, program.edges, strict=True)
        if edge.action != before.action
    ]
    assert changed == ["x = r"]


def test_silent_steps_join_the_step_before() -> None:
    program = model("""
        int[0..9] x;
        thread t[2] { int[0..9] r; int[0..9] s; r = x; s = r; if (s > 3) { s = 3; } x = s; }
    """)
    assert hidden(program) == 3


@pytest.mark.parametrize(
    "body",
    [
        "r = x; assume(r > 0); x = 1;",
        "r = x; assert(r < 9); x = 1;",
        "r = x; atomic { r = 1; x = r; }",
        "r = x; while (true) { r = 1; r = 2; }",
        "r = x; while (r < 8) { r = 1; }",
    ],
)
def test_what_may_block_fail_or_go_on_for_ever_stays_visible(body: str) -> None:
    program = model(f"int[0..9] x; thread t[2] {{ int[0..9] wrap r; {body} }}")
    simple = hide_silent_steps(program)
    assert not any(
        location.atomic and not before.atomic and _is_first_silent(simple, location.id)
        for location, before in zip(simple.locations, program.locations, strict=True)
    )


def _is_first_silent(program: Program, location: int) -> bool:
    """Whether a location comes right after the read of x."""
    return any(edge.target == location and "r = x" in edge.text for edge in program.edges)


@pytest.mark.parametrize(
    ("loop", "ends"),
    [
        ("i = 0; while (i < 5) { i = i + 1; }", True),
        ("i = 5; while (i > 0) { i = i - 1; }", True),
        ("i = 0; while (i < 5) { j = 0; while (j < 3) { j = j + 1; } i = i + 1; }", True),
        ("i = 0; while (i < 5) { if (j < 3) { i = i + 1; } }", False),
        ("i = 0; while (i < 5) { i = i - 1; }", False),
        ("i = 0; while (i < 5) { i = i + 1; i = 0; }", False),
        ("i = 0; while (i < 5) { i = i + 1; j = 0; while (j < 3) { i = i + 1; } }", False),
    ],
)
def test_private_loops(loop: str, ends: bool) -> None:
    program = model(f"""
        int[0..9] x;
        thread t {{ int[-100..100] wrap i; int[-100..100] wrap j; x = 1; {loop} x = 2; }}
    """)
    silent = {edge.source for edge in program.edges if "x =" not in edge.text}
    simple = hide_silent_steps(program)
    assert all(simple.locations[location].atomic for location in silent) is ends


@pytest.mark.parametrize(
    ("inner", "input_", "whole"),
    [
        ("j = j + 1;", "", True),
        ("x = j; j = j + 1;", "", False),
        ("j = j + 1;", "havoc n; x = n;", False),
    ],
)
def test_loops_are_hidden_where_no_solver_is_needed_inside(
    inner: str, input_: str, whole: bool
) -> None:
    """Not if a loop inside shows its rounds, and not beside inputs of very many values."""
    program = model(f"""
        int x;
        thread t[2] {{
            int n; int[-100..100] wrap i; int[-100..100] wrap j;
            x = 1; {input_} i = 0;
            while (i < 5) {{ j = 0; while (j < 3) {{ {inner} }} i = i + 1; }} x = 2;
        }}
    """)
    simple = hide_silent_steps(program)
    atomic = [location.id for location in simple.locations if location.atomic]
    assert atomic
    assert bool(cycles(atomic, simple.edges)) is whole


def test_constants_are_put_in() -> None:
    program = model("""
        const int N = 2; int[0..9] limit = 4; int[0..9] a[2] = 3; int[0..9] x;
        thread t { int[0..9] r; a[0] = 1; r = limit; if (r > N) { x = r; } else { x = a[1]; } }
        thread u { x = a[1]; }
    """)
    simple = put_in_constants(program)
    texts = {print_action(edge.action) for edge in simple.edges}
    assert "x := 4#int[0..9]" not in texts
    assert {"x := 4", "x := 3"} <= texts
    assert not any("a[1]" in text or "limit" in text for text in texts)
    assert len(simple.edges) < len(program.edges)
    assert validate(simple) == []


def test_a_computed_index_leaves_the_neighbours_of_the_array_constant() -> None:
    program = lowered("""
        struct { int rows[2]; int limit; } s = {{1, 2}, 5};
        int main(void)
        {
            int i = __VERIFIER_nondet_bool();
            s.rows[i] = 7;
            return s.limit + s.rows[0];
        }
    """)
    texts = [print_action(edge.action) for edge in program.edges]
    assert not any("limit" in text for text in texts)
    assert any("rows" in text for text in texts)


@pytest.mark.parametrize(("values", "constant"), [((0, 0), True), ((1, 0), False)])
def test_every_assignment_of_a_step_counts(values: tuple[int, ...], constant: bool) -> None:
    builder = ProgramBuilder("twice")
    x = VariablePlace(builder.shared("x", INT))
    y = VariablePlace(builder.shared("y", INT))
    body = builder.procedure("one")
    here, there = body.node(), body.node()
    writes = tuple(Assignment(x, number(value)) for value in values)
    body.edge(here, there, Command(TRUE, writes), sync=True)
    copy = Command(TRUE, (Assignment(y, Read(x)),))
    body.edge(there, body.node(final=True), copy, sync=True)
    builder.template(Template("one", 1, "one"))
    texts = {print_action(edge.action) for edge in put_in_constants(builder.build()).edges}
    assert ("y := x" not in texts) is constant


@pytest.mark.parametrize(
    ("first", "second", "enabled"),
    [
        ("r > 0", "r <= 0", True),
        ("r > 0 && s > 0", "!(r > 0 && s > 0)", True),
        ("r > 0 && s > 0", "r <= 0 || s <= 0", True),
        ("r > 0 && s > 0", "r <= 0 && s <= 0", False),
        ("r == 1", "r == 2", False),
        ("true", "r == 2", True),
    ],
)
def test_which_choices_cannot_block(first: str, second: str, enabled: bool) -> None:
    program = model(f"""
        thread t {{ int[0..9] r; int[0..9] s; havoc r;
                    either {{ assume({first}); }} or {{ assume({second}); }} }}
    """)
    guards = [edge.action.guard for edge in program.edges if "assume" in edge.text]
    assert len(guards) == 2
    assert always_enabled(guards) is enabled


def test_a_variable_that_a_pointer_starts_with_is_not_private() -> None:
    """A wrong SAFE once: `int x; int *p = &x;` with `*p = 1` against `x = 2`."""
    builder = ProgramBuilder("initial pointer")
    builder.shared("x", INT)
    pointer = builder.shared("p", POINTER, ListedValues((Address(0, 0),)))
    x = VariablePlace(Variable("x", INT, Scope.GLOBAL))
    target = DerefPlace(Read(VariablePlace(pointer)), INT)
    for name, place in (("one", target), ("two", x)):
        body = builder.procedure(name)
        ready = place_definedness(place)
        action = Command(ready, (Assignment(place, number(1)),))
        body.edge(body.node(), body.node(final=True), action)
        builder.template(Template(name, 1, name))
    builder.property(RaceProperty("races", None))
    program = builder.build()
    assert "x" not in private_variables(program)
    for engine in (ExplicitEngine(), PersistentEngine()):
        for variant in (program, simplified(program)):
            (finding,) = engine.run(Task(variant, variant.properties))
            assert isinstance(finding, Violated)


@pytest.mark.parametrize(
    ("body", "removed"),
    [
        ("i = 0; while (i < 5) { if (i >= 5) { x = 1; } i = i + 1; }", True),
        ("i = 0; while (i < 5) { if (i >= 4) { x = 1; } i = i + 1; }", False),
        ("i = 9; while (i > 2) { i = i - 1; if (i < 2) { x = 1; } }", True),
        ("havoc i; if (i > 3 && i < 7) { if (i == 3) { x = 1; } }", True),
        ("havoc i; if (i > 3 && i < 7) { if (i == 6) { x = 1; } }", False),
        ("havoc i; if (i % 4 > 3) { x = 1; }", True),
        ("i = 0; while (true) { if (i > 90) { x = 1; } i = i + 1; }", False),
    ],
)
def test_branches_that_bounds_exclude(body: str, removed: bool) -> None:
    program = model(f"int[0..9] x; thread t {{ int[0..99] wrap i; {body} }}")
    simple = remove_excluded_branches(program)
    assert any("x = 1" in edge.text for edge in program.edges)
    assert (not any("x = 1" in edge.text for edge in simple.edges)) is removed


def test_what_nobody_looks_at_is_removed() -> None:
    program = model("""
        int[0..9] x; int[0..9] y;
        thread main { tid h; int[0..9] r; h = spawn worker(3); r = y; x = 1; }
        thread worker(int[0..9] a) { int[0..9] r; r = a; x = 2; }
    """)
    simple = remove_unused(program)
    names = {declaration.variable.name for declaration in simple.globals}
    assert not any("argument" in name for name in names)
    assert {"x", "y"} <= names
    assert any("y" in print_action(edge.action) for edge in simple.edges)
    assert validate(simple) == []


ATOMIC_C = """
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y, scratch, kept;
void *work(void *a) {
    __VERIFIER_atomic_begin();
    scratch = __VERIFIER_nondet_bool();
    x = scratch && (y == 1 || kept) ? y + 1 : x;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    kept = kept ? 0 : scratch_use;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); return 0; }
"""


@pytest.mark.parametrize(("use", "local"), [("1", True), ("scratch", False)])
def test_statements_in_atomic_regions_are_one_edge(use: str, local: bool) -> None:
    program = lowered(ATOMIC_C.replace("scratch_use", use))
    body = program.procedure["work"]
    assigning = [edge for edge in body.edges if edge.text.startswith("x = ")]
    assert len(assigning) == 1
    written = print_action(assigning[0].action)
    assert written.startswith("x := scratch == 0 || kept == 0 ? x : 1")  # nothing writes y
    assert ("scratch" in {d.variable.name for d in body.locals}) is local
    assert ("scratch" in {d.variable.name for d in program.globals}) is not local


def test_an_access_that_a_joined_statement_makes_still_races() -> None:
    text = ATOMIC_C.replace("scratch_use", "1").replace("return 0; }", "y = 2; return 0; }")
    (race,) = [p for p in lowered(text).properties if isinstance(p, RaceProperty)]
    program = lowered(text)
    assert any(
        isinstance(finding, Violated) for finding in ExplicitEngine().run(Task(program, (race,)))
    )
