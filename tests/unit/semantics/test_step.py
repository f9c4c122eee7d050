"""The step relations: what a thread can do, and what it does."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import Run, model, reached_values
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir import operations
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Read, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import Failure, FailureKind, Program, Template
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.ir.types import NONE, IntType, MachineType, MutexKind, MutexType, RangeType
from threadwise.semantics.state import Choice, Frame
from threadwise.semantics.step import Interpreter, may_be_sampled

# -- guards, assignments, havocs ------------------------------------------------------------------


def test_a_false_guard_blocks() -> None:
    run = Run("bool b; thread t { assume(b); } thread u { b = true; }")
    assert run.offered(0) == []
    assert len(run.step(1).offered(0)) == 1


def test_parallel_assignment_reads_the_old_state() -> None:
    run = Run("int[0..9] x = 1; int[0..9] y = 2; thread t { x, y = y, x + y; }")
    assert run.step(0).shared() == {"x": 2, "y": 3}


def test_indices_of_a_parallel_assignment_are_read_in_the_old_state() -> None:
    run = Run("int[0..1] i; int[0..9] a[2]; thread t { i, a[i] = 1, 7; }")
    assert run.step(0).shared() == {"i": 1, "a[0]": 7, "a[1]": 0}


def test_havoc_offers_every_value_in_order() -> None:
    run = Run(
        "enum E { red, green } int[1..3] x; E e; tid o; bool b; thread t { havoc x; "
        "havoc e; havoc o; havoc b; }"
    )
    for name, values in [("x", (1, 2, 3)), ("e", (0, 1)), ("o", (NONE, 0)), ("b", (False, True))]:
        offered = run.offered(0)
        assert [t.move.choices[0].values for t in offered] == [(value,) for value in values]
        run.choose(0, len(offered) - 1)
        assert run.shared()[name] == values[-1]


def test_choose_offers_each_expression_in_the_current_state() -> None:
    run = Run("int[0..9] x = 3; thread t { x = choose(x, x + 1, 0); }")
    after = {transition.state.g.cells for transition in run.offered(0)}
    assert after == {(3,), (4,), (0,)}


def test_any_value_of_an_unbounded_type_is_refused() -> None:
    with pytest.raises(Unsupported, match="too many values"):
        Run("int x; thread t { havoc x; }").offered(0)


SAMPLED = {
    "int": True,
    "int[0..65535]": False,
    "int[0..65536]": True,
    "int[-70000..-7]": True,
    "bool": False,
    "tid": False,
}
"""Whether inputs of a type are given samples where there are any."""


def test_samples_replace_the_values_of_large_types_only() -> None:
    for declared, sampled in SAMPLED.items():
        program = model(f"{declared} x = *; thread t {{ havoc x; }}")
        held = program.globals[0].variable.type
        assert may_be_sampled(held) is sampled, declared
        interpreter = Interpreter(program, samples=(-9, 3, 99_999))
        assert interpreter.is_narrowed(held) is sampled
        assert not Interpreter(program).is_narrowed(held)
    widths = {8: False, 9: True, 32: True}
    assert {w: may_be_sampled(MachineType(w, signed=True)) for w in widths} == widths


def test_of_samples_those_that_fit_are_tried_or_the_value_nearest_to_zero() -> None:
    domain = Interpreter(model("bool b; thread t { skip; }"), samples=(-9, 3, 99_999)).domain
    assert list(domain(IntType())) == [-9, 3, 99_999]
    assert list(domain(MachineType(16, signed=False))) == [3]
    assert list(domain(RangeType(-70_000, -70))) == [-70]
    assert list(domain(RangeType(70, 70_000))) == [70]
    assert list(domain(RangeType(-1, 1))) == [-1, 0, 1]


def test_unbounded_integers_are_exact() -> None:
    run = Run("int x = 4611686018427387904; thread t { x = x * x; x = x / 4; }")
    assert run.step(0).shared()["x"] == 2**124
    assert run.step(0).shared()["x"] == 2**122


@pytest.mark.parametrize(
    ("declared", "value"), [("int[0..3]", None), ("int[0..3] wrap", 1), ("int[0..3] saturate", 3)]
)
def test_assigning_outside_a_range(declared: str, value: int | None) -> None:
    run = Run(f"{declared} x = 3; thread t {{ x = x + 2; }}").step(0)
    if value is None:
        assert run.failure() == "range"
        assert run.shared()["x"] == 3
    else:
        assert (run.failure(), run.shared()["x"]) == (None, value)


@pytest.mark.parametrize(
    "statement", ["x = 6 / y;", "x = 6 % y;", "x = a[y + 2];", "a[y + 2] = 1;", "x = 1 / (y * y);"]
)
def test_undefined_values_are_range_errors(statement: str) -> None:
    run = Run(f"int[0..9] x; int[0..9] y; int[0..9] a[2]; thread t {{ {statement} }}").step(0)
    assert run.violated() == {"range"}


def test_undefined_values_that_are_not_needed_are_no_errors() -> None:
    run = Run("int[0..9] x; int[0..9] y; thread t { x = y == 0 ? 5 : 6 / y; }").step(0)
    assert (run.violated(), run.shared()["x"]) == (set(), 5)


def test_conditions_are_checked_too() -> None:
    run = Run("int[0..9] y; thread t { if (1 / y == 0) { skip; } }").step(0)
    assert run.violated() == {"range"}


# -- failures -------------------------------------------------------------------------------------


def test_a_failure_ends_the_program() -> None:
    run = Run("int[0..9] x; thread t { assert(x == 1); } thread u { x = 1; x = 2; }").step(0)
    assert {name.split(":")[0] for name in run.violated()} == {"assert"}
    assert run.interpreter.is_stopped(run.state)
    assert list(run.interpreter.successors(run.state)) == []


def test_assertions_that_hold_are_steps() -> None:
    run = Run("int[0..9] x; thread t { assert(x == 0); x = 1; }")
    assert run.step(0).failure() is None
    assert run.step(0).shared()["x"] == 1


def test_values_must_fit_their_cells() -> None:
    builder = ProgramBuilder("unchecked")
    x = builder.shared("x", RangeType(0, 3))
    body = builder.procedure("t")
    start, end = body.node(), body.node(final=True)
    body.edge(start, end, Command(assignments=(Assignment(VariablePlace(x), number(9)),)))
    builder.template(Template("t", 1, "t"))
    with pytest.raises(InternalError, match="does not fit"):
        Run(builder.build()).offered(0)


# -- atomic regions -------------------------------------------------------------------------------


def test_an_atomic_block_is_one_step() -> None:
    run = Run("int[0..9] x; thread t { atomic { x = 1; x = x + 1; x = x * 3; } x = 0; }")
    (transition,) = run.offered(0)
    assert len(transition.move.choices) == 3
    assert run.step(0).shared()["x"] == 6


def test_a_path_that_blocks_does_not_exist() -> None:
    run = Run(
        "bool b; int[0..9] x; thread t { atomic { x = 1; assume(b); x = 2; } } "
        "thread u { b = true; }"
    )
    assert run.offered(0) == []
    assert run.step(1, 0).shared()["x"] == 2


def test_other_paths_remain() -> None:
    text = (
        "bool b; int[0..9] x; thread t { atomic { either { x = 1; assume(b); } or { x = 2; } } }"
    )
    assert reached_values(text, "x") == {0, 2}


def test_every_way_through_is_a_step() -> None:
    run = Run("int[0..9] x; thread t { int[0..2] r; atomic { havoc r; x = r; x = x + 1; } }")
    assert sorted(t.state.g.cells for t in run.offered(0)) == [(1,), (2,), (3,)]


def test_await_waits_and_acts_at_once() -> None:
    run = Run("bool b; thread t[2] { await(!b) { b = true; } }")
    assert run.step(0).offered(1) == []


def test_an_atomic_block_may_end_in_the_middle() -> None:
    run = Run("int[0..9] x; thread t { while (true) { atomic { x = 1; break; } } x = 2; }")
    assert run.step(0).shared()["x"] == 1
    assert run.step(0).shared()["x"] == 2


def test_a_failure_inside_an_atomic_block() -> None:
    run = Run("int[0..9] x; thread t { atomic { x = 1; assert(x == 0); x = 2; } }").step(0)
    assert run.shared()["x"] == 1
    assert run.interpreter.is_stopped(run.state)


def test_a_bounded_loop_in_an_atomic_block() -> None:
    run = Run("int[0..400] x; thread t { atomic { while (x < 400) { x = x + 1; } } }")
    assert run.step(0).shared()["x"] == 400


@pytest.mark.parametrize(
    "loop", ["while (true) { skip; }", "while (x == 0) { skip; }", "while (true) { x = 1 - x; }"]
)
def test_an_endless_atomic_block_is_unsupported(loop: str) -> None:
    run = Run(f"int[0..1] x; thread t {{ atomic {{ {loop} }} }}")
    with pytest.raises(Unsupported, match="loop without bound") as caught:
        run.offered(0)
    assert caught.value.span is not None


def test_an_atomic_block_that_counts_for_ever_is_unsupported() -> None:
    run = Run("int x; thread t { atomic { while (x >= 0) { x = x + 1; } } }")
    run.interpreter.step(0, run.state.g, run.state.locals[0])
    with pytest.raises(Unsupported, match="loop without bound"):
        _with_a_small_limit(run)


def _with_a_small_limit(run: Run) -> None:
    from threadwise.semantics import big_steps

    limit = big_steps.ATOMIC_STEP_LIMIT
    big_steps.ATOMIC_STEP_LIMIT = 50
    try:
        run.offered(0)
    finally:
        big_steps.ATOMIC_STEP_LIMIT = limit


def test_accesses_inside_are_synchronisation() -> None:
    run = Run("int[0..9] x; thread t { x = 1; atomic { x = 2; } }")
    (plain,) = run.interpreter.step(0, run.state.g, run.state.locals[0])
    assert [access.sync for access in plain.accesses] == [False]
    run.step(0)
    (inside,) = run.interpreter.step(0, run.state.g, run.state.locals[0])
    assert [access.sync for access in inside.accesses] == [True]


# -- calls ----------------------------------------------------------------------------------------

CALLS = """
int[0..9] x;
int[0..9] f(int[0..9] p) { int[0..9] q = 4; q = q + p; return q; }
int[0..9] g(int[0..9] p) { int[0..9] r; r = f(p); return r; }
thread t { int[0..9] r = 1; r = g(2); x = r; }
"""


def test_calls_push_and_returns_pop() -> None:
    run = Run(CALLS)
    run.step(0)
    assert run.own(0) == {"p": 2, "r": 0}
    assert [frame.locals for frame in run.state.stacks[0]] == [(1,)]
    run.step(0)
    assert run.own(0) == {"p": 2, "q": 4}
    assert [frame.locals for frame in run.state.stacks[0]] == [(1,), (2, 0)]
    run.step(0, 0)
    assert run.own(0) == {"p": 2, "r": 6}
    run.step(0)
    assert [frame.locals for frame in run.state.stacks[0]] == []
    assert run.own(0) == {"r": 6}
    assert run.step(0).shared()["x"] == 6
    assert run.offered(0) == []


def test_calls_and_returns_leave_the_shared_store_alone() -> None:
    run = Run(CALLS)
    while run.offered(0):
        before = run.state
        run.step(0)
        if len(before.stacks[0]) != len(run.state.stacks[0]):
            assert before.g == run.state.g


def test_a_return_fits_only_frames_of_its_procedure() -> None:
    program = model(CALLS)
    interpreter = Interpreter(program)
    run = Run(program).step(0, 0, 0)
    l, stack = run.state.locals[0], run.state.stacks[0]
    assert len(list(interpreter.pop(0, l, stack[-1]))) == 1
    assert list(interpreter.pop(0, l, stack[0])) == []


def test_a_thread_in_a_procedure_can_always_return() -> None:
    run = Run(CALLS).step(0, 0, 0)
    assert run.interpreter.can_step(0, run.state.g, run.state.locals[0])


def test_recursion_grows_the_stack() -> None:
    run = Run("int[0..3] x; void f() { x = x; f(); } thread t { f(); }")
    run.step(*[0] * 9)
    assert len(run.state.stacks[0]) == 5
    assert all(isinstance(frame, Frame) for frame in run.state.stacks[0])


def test_arguments_that_read_shared_data_take_a_step() -> None:
    run = Run(
        "int[0..9] x = 3; int[0..9] y; void f(int[0..9] p) { y = p; } thread t { f(x); } "
        "thread u { x = 5; }"
    )
    run.step(0)
    assert run.state.stacks[0] == ()
    run.step(1, 0, 0)
    assert run.shared() == {"x": 5, "y": 3}


def test_results_go_to_shared_data_in_a_step_of_their_own() -> None:
    run = Run("int[0..9] x; int[0..9] f() { return 7; } thread t { x = f(); }")
    run.step(0, 0)
    assert run.state.stacks[0] == ()
    assert run.shared()["x"] == 0
    assert run.step(0).shared()["x"] == 7


# -- mutexes --------------------------------------------------------------------------------------


def test_acquire_waits_for_the_owner() -> None:
    run = Run("mutex m; thread t[2] { acquire(m); release(m); }").step(0)
    assert run.shared()["m"] == 0
    assert run.offered(1) == []
    assert run.step(0).shared()["m"] == NONE
    assert run.step(1).shared()["m"] == 1


def test_acquiring_ones_own_mutex_blocks() -> None:
    run = Run("mutex m; thread t { acquire(m); acquire(m); }").step(0)
    assert run.offered(0) == []


@pytest.mark.parametrize("before", ["", "acquire(m);"])
def test_releasing_what_one_does_not_hold(before: str) -> None:
    run = Run(f"mutex m; thread t {{ {before} skip; }} thread u {{ release(m); }}")
    run.finish(0)
    assert run.step(1).violated() == {"mutex"}


def test_try_acquire_says_whether() -> None:
    run = Run("mutex m; bool got[t]; thread t[2] { bool r; r = try_acquire(m); got[self] = r; }")
    run.step(0, 1, 0, 1)
    assert run.shared() == {"m": 0, "got[0]": True, "got[1]": False}


def recursive_mutex() -> Program:
    """Two threads that acquire a recursive mutex twice and release it three times."""
    builder = ProgramBuilder("recursive")
    m = VariablePlace(builder.shared("m", MutexType(MutexKind.RECURSIVE)))
    body = builder.procedure("t")
    here = body.node()
    for synchronise in [operations.acquire, operations.acquire, *[operations.release] * 3]:
        after = body.node()
        done = synchronise(m)
        failure = Failure(FailureKind.MUTEX, "mutex", "not the owner")
        checks = [] if done.requires is None else [(done.requires, failure)]
        body.checked_edge(here, after, done.command, checks, operation=done.operation)
        here = after
    builder.template(Template("t", 2, "t"))
    builder.property(FailureProperty("mutex", PropertyKind.MUTEX))
    return builder.build()


def test_recursive_mutexes_count() -> None:
    run = Run(recursive_mutex()).step(0, 0)
    assert run.shared() == {"m": 0, "m.depth": 2}
    assert run.offered(1) == []
    assert run.step(0).shared() == {"m": 0, "m.depth": 1}
    assert run.offered(1) == []
    assert run.step(0).shared() == {"m": NONE, "m.depth": 0}
    assert len(run.offered(1)) == 1
    assert run.step(0).violated() == {"mutex"}


# -- spawn and join -------------------------------------------------------------------------------

SPAWN = """
int[0..9] x;
thread worker(int[0..9] p) { x = x + p; }
thread main { tid h; h = spawn worker(3); join h; x = x + 1; }
"""
WORKER, OTHER, MAIN = 0, 1, 2


def test_a_slot_rests_until_it_is_started() -> None:
    run = Run(SPAWN)
    assert run.offered(WORKER) == []
    run.step(MAIN)
    assert run.own(MAIN)["h"] == WORKER
    assert run.offered(MAIN) == []
    assert len(run.offered(WORKER)) == 1
    assert run.offered(OTHER) == []


def test_arguments_arrive_and_join_waits_for_the_end() -> None:
    run = Run(SPAWN).step(MAIN, WORKER)
    assert run.own(WORKER)["p"] == 3
    assert run.offered(MAIN) == []
    run.step(WORKER)
    assert run.offered(MAIN) == []
    run.step(WORKER)
    assert run.finish(MAIN).shared()["x"] == 4


def test_a_slot_is_used_once() -> None:
    run = Run(
        "thread worker() { skip; } thread main { tid h; h = spawn worker(); join h; "
        "h = spawn worker(); join h; }"
    )
    run.step(MAIN).finish(WORKER).step(MAIN, MAIN)
    assert run.own(MAIN)["h"] == OTHER
    assert run.finish(OTHER, MAIN).violated() == set()


def test_spawning_more_than_there_are_slots_is_a_limit() -> None:
    run = Run("thread worker() { skip; } thread main { while (true) { spawn worker(); } }")
    run.step(MAIN, MAIN, MAIN)
    assert run.violated() == set()
    assert run.interpreter.is_stopped(run.state)
    limit = run.checker.limit(run.state)
    assert limit is not None
    assert "--max-threads 2" in limit


@pytest.mark.parametrize("handle", ["none", "self"])
def test_joining_what_was_not_spawned(handle: str) -> None:
    run = Run(
        f"thread worker() {{ skip; }} thread main {{ tid h; spawn worker(); "
        f"h = {handle}; join h; }}"
    )
    assert run.step(MAIN, MAIN, MAIN).violated() == {"range"}


def test_join_knows_several_templates() -> None:
    run = Run(
        "thread a() { skip; } thread b() { skip; } thread main { tid h; h = spawn b(); join h; }"
    )
    main, first_b = 4, 2
    run.step(main)
    assert run.own(main)["h"] == first_b
    assert run.offered(main) == []
    assert len(run.finish(first_b).offered(main)) == 1


# -- initial states -------------------------------------------------------------------------------


def test_initial_values() -> None:
    program = model("""
        enum E { red, green }
        bool b; int i; int[2..5] r; int[-1..1] z; E e; tid o; mutex m; int[0..9] a[2] = 7;
        int[0..9] l[2] = {1, 2}; E f = green;
        thread t { int[3..4] own; skip; }
    """)
    run = Run(program)
    assert run.shared() == {
        "b": False,
        "i": 0,
        "r": 2,
        "z": 0,
        "e": 0,
        "o": NONE,
        "m": NONE,
        "a[0]": 7,
        "a[1]": 7,
        "l[0]": 1,
        "l[1]": 2,
        "f": 1,
    }
    assert run.own(0) == {"own": 3}


def test_any_initial_value() -> None:
    interpreter = Interpreter(model("int[0..2] x = *; bool b[2] = *; thread t { skip; }"))
    states = list(interpreter.initial_states())
    assert len(states) == len(set(states)) == 3 * 4


def test_a_read_is_no_copy() -> None:
    """Reading one's own variable is no access to shared memory."""
    run = Run("int[0..9] x; thread t { int[0..9] r; r = r + 1; x = r; }")
    (own,) = run.interpreter.step(0, run.state.g, run.state.locals[0])
    assert own.accesses == ()
    assert own.choices == (Choice(run.program.outgoing[run.state.locals[0].pc][-1].id),)
    assert isinstance(Read(VariablePlace(run.program.globals[0].variable)).type, RangeType)
