"""When a state violates a property."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import Run, all_states, model
from threadwise.ir.properties import DeadlockProperty, RaceProperty
from threadwise.semantics.oracle import explore
from threadwise.semantics.properties import PropertyChecker

# -- races ----------------------------------------------------------------------------------------


def races(text: str, variable: str = "x") -> bool:
    """Whether some state has a race on a variable."""
    program = model(text)
    checked = RaceProperty("wanted", (variable,))
    return explore(program, [checked]).violated == {"wanted"}


@pytest.mark.parametrize(
    ("first", "second", "race"),
    [
        ("x = 1;", "x = 2;", True),
        ("x = 1;", "r = x;", True),
        ("r = x;", "x = 1;", True),
        ("r = x;", "r = x;", False),
        ("assert(x == 0);", "x = 0;", True),
        ("assume(x == 0);", "x = 0;", True),
        ("assume(x == 1);", "x = 0;", False),
        ("if (x == 0) { skip; }", "x = 0;", True),
        ("havoc x;", "r = x;", True),
        ("x, r = r, x;", "skip;", False),
        ("r = r;", "x = 1;", False),
        # synchronisation against synchronisation, and against data
        ("atomic { x = 1; }", "atomic { x = 2; }", False),
        ("atomic { x = 1; }", "await(x == 0) { }", False),
        ("atomic { x = 1; }", "x = 2;", True),
        ("r = x;", "atomic { x = 2; }", True),
        ("r = x;", "atomic { r = x; }", False),
        # locks
        ("acquire(m); x = 1; release(m);", "acquire(m); x = 2; release(m);", False),
        ("acquire(m); x = 1; release(m);", "acquire(n); x = 2; release(n);", True),
        ("acquire(m); release(m); x = 1;", "acquire(m); x = 2; release(m);", True),
    ],
)
def test_races(first: str, second: str, race: bool) -> None:
    text = f"""
        int[0..9] x; mutex m; mutex n;
        thread t {{ int[0..9] r; {first} }}
        thread u {{ int[0..9] r; {second} }}
    """
    assert races(text) is race
    assert races(text, "m") is False


def test_threads_without_accesses_are_passed_over() -> None:
    """Whoever may touch shared memory in its next step is looked at, and nobody else."""
    run = Run("""
        int[0..2] x; int y[2]; mutex m;
        thread t[2] {
            int[0..2] r, s;
            r = 1; s = r; atomic { r = s; s = 2; x = r; } y[r] = s; r = y[x];
            acquire(m); release(m);
            atomic { r = 0; s = r; }
        }
    """)
    checker, wanted = PropertyChecker(run.interpreter), RaceProperty("wanted", None)
    passed = 0
    for state in all_states(run):
        for thread in run.interpreter.threads:
            if state.locals[thread].pc not in checker.touching:
                passed += 1
                assert checker.accesses(wanted, state, thread) == []
    assert passed


def test_a_race_needs_two_threads() -> None:
    assert not races("int[0..9] x; thread t { x = x + 1; x = x + 2; }")


def test_cells_of_an_array_are_different() -> None:
    text = "int[0..9] x[3]; thread t[2] { x[self.index] = 1; }"
    assert not races(text)
    assert races(text.replace("x[self.index]", "x[0]"))
    assert races("int[0..9] x[3]; thread t[2] { int[0..2] i; havoc i; x[i] = 1; }")


def test_reading_an_index_is_an_access() -> None:
    text = "int[0..1] x; int[0..9] a[2]; thread t { a[x] = 1; } thread u { x = 1; }"
    assert races(text)
    assert not races(text, "a")


def test_operands_that_are_not_evaluated_are_no_accesses() -> None:
    text = "bool b; int[0..9] x; thread t { assume(b && x == 0); } thread u { x = 1; }"
    assert not races(text)
    assert races(text.replace("b &&", "!b &&"))


def test_a_race_in_the_middle_of_an_atomic_block_counts_only_if_it_can_be_taken() -> None:
    text = (
        "int[0..9] x; bool b; thread t { atomic { skip; x = 1; assume(b); } } thread u { x = 2; }"
    )
    assert not races(text)
    assert races(text.replace("assume(b)", "assume(!b)"))


def test_no_race_once_the_program_has_failed() -> None:
    run = Run("int[0..9] x; thread t[2] { x = 1; } thread u { assert(false); } race_free x;")
    assert "race_free x" in run.violated()
    assert {name.split(":")[0] for name in run.step(2).violated()} == {"assert"}


def test_all_races_include_every_variable() -> None:
    run = Run("int[0..9] x; int[0..9] y; thread t[2] { y = 1; } race_free x;")
    assert run.violated() == {"races"}


# -- deadlocks ------------------------------------------------------------------------------------


def deadlocks(text: str, max_threads: int = 2) -> bool:
    """Whether some state is a deadlock."""
    program = model(text, max_threads)
    return explore(program, [DeadlockProperty("wanted")]).violated == {"wanted"}


@pytest.mark.parametrize(
    ("text", "deadlock"),
    [
        ("thread t { skip; }", False),
        ("bool b; thread t { assume(b); }", True),
        ("bool b; thread t { assume(b); } thread u { while (true) { skip; } }", True),
        ("bool b; thread t { assume(b); } thread u { while (true) { b = true; } }", False),
        ("bool b; thread t { end: assume(b); }", False),
        ("bool b; thread t { endless: assume(b); }", False),
        ("bool b; thread t { the_end: assume(b); }", True),
        ("bool b; thread t { end: assume(b); } thread u { assume(b); }", True),
        ("bool b; thread t { await(b) { } }", True),
        ("bool b; thread t { atomic { assume(b); } }", True),
        ("bool b; thread t { either { assume(b); } or { skip; } }", False),
        ("thread t { int[0..2] c; atomic { havoc c; assume(c == 1); } }", False),
        ("bool b; thread t { int[0..2] c; atomic { havoc c; assume(c == 2 || b); } }", False),
        ("bool b; thread t { int[0..2] c; atomic { havoc c; assume(c == 2 && b); } }", True),
        # waiting in a cycle, even while others run
        ("mutex m; thread t { acquire(m); acquire(m); }", True),
        (
            "mutex m; thread t { acquire(m); acquire(m); } thread u { while (true) { skip; } }",
            True,
        ),
        (
            """mutex m; mutex n;
            thread t { acquire(m); acquire(n); release(n); release(m); }
            thread u { acquire(n); acquire(m); release(m); release(n); }
            thread v { while (true) { skip; } }""",
            True,
        ),
        (
            """mutex m; mutex n;
            thread t { acquire(m); acquire(n); release(n); release(m); }
            thread u { acquire(m); acquire(n); release(n); release(m); }
            thread v { while (true) { skip; } }""",
            False,
        ),
        # a holder that has ended, and one that may yet release
        (
            """mutex m; thread t { acquire(m); } thread u { acquire(m); }
            thread v { while (true) { skip; } }""",
            True,
        ),
        (
            """mutex m; thread t { acquire(m); while (true) { skip; } }
            thread u { acquire(m); release(m); }""",
            False,
        ),
        # waiting for one of two mutexes
        (
            """mutex m; mutex n; bool b;
            thread t { acquire(m); acquire(n); either { acquire(m); } or { acquire(n); } }
            thread v { while (true) { skip; } }""",
            True,
        ),
        (
            """mutex m; mutex n;
            thread t { acquire(m); end: either { acquire(m); } or { acquire(n); release(n); } }
            thread v { acquire(n); while (true) { skip; } }""",
            False,
        ),
        # waiting for data that only somebody can change who waits too
        (
            """mutex m; bool b;
            thread t { acquire(m); await(b) { } release(m); }
            thread u { acquire(m); b = true; release(m); }
            thread v { while (true) { skip; } }""",
            True,
        ),
        (
            """mutex m; bool b;
            thread t { acquire(m); await(b) { } release(m); }
            thread u { acquire(m); b = true; release(m); }""",
            True,
        ),
    ],
)
def test_deadlocks(text: str, deadlock: bool) -> None:
    assert deadlocks(text) is deadlock


@pytest.mark.parametrize(
    ("text", "deadlock"),
    [
        # slots that were never started rest
        ("thread w() { skip; } thread main { skip; }", False),
        # one that was started but has not begun is not finished
        ("thread w() { skip; } thread main { tid h; h = spawn w(); join h; }", False),
        (
            """thread w() { skip; } thread main { tid h; h = spawn w(); join h; }
            thread v { while (true) { skip; } }""",
            False,
        ),
        # one that may yet be started neither
        (
            """thread w() { skip; } tid h;
            thread main { havoc h; if (h != none && h != self) { join h; } }
            thread v { spawn w(); spawn w(); while (true) { skip; } }""",
            False,
        ),
        # threads that join each other
        (
            """tid h; mutex m; thread w() { acquire(m); release(m); }
            thread main { acquire(m); h = spawn w(); join h; release(m); }
            thread v { while (true) { skip; } }""",
            True,
        ),
        (
            """tid h; bool b;  thread w() { assume(b); join h; }
            thread main { h = spawn w(); b = true; }
            thread v { while (true) { skip; } }""",
            True,
        ),
        ("bool b; thread w() { assume(b); } thread main { tid h; h = spawn w(); join h; }", True),
    ],
)
def test_deadlocks_with_spawned_threads(text: str, deadlock: bool) -> None:
    assert deadlocks(text) is deadlock


def test_the_circle_names_those_who_wait() -> None:
    run = Run("""
        mutex m; mutex n;
        thread t { acquire(m); acquire(n); } thread u { acquire(n); acquire(m); }
        thread v { acquire(m); }
    """)
    run.step(0, 1)
    assert run.checker.deadlocks.members(run.state) == {0, 1, 2}


def test_no_deadlock_once_the_program_has_failed() -> None:
    run = Run("bool b; thread t { assume(b); } thread u { assert(false); }").step(1)
    assert "deadlocks" not in run.violated()


def test_a_thread_inside_a_procedure_is_not_stuck() -> None:
    assert not deadlocks("int[0..1] x; void f() { x = 1; } thread t { f(); }")


# -- invariants -----------------------------------------------------------------------------------


def test_an_invariant_without_value_does_not_hold() -> None:
    run = Run(
        "int[0..3] x; int[0..3] a[2]; thread t { x = 3; } "
        "invariant quotient: 6 / x >= 0; invariant element: a[x] == 0;"
    )
    assert run.violated() == {"quotient"}
    assert run.step(0).violated() == {"element"}


def test_invariants_speak_about_states_between_steps() -> None:
    run = Run("int[0..3] x; thread t { atomic { x = 1; x = 0; } } invariant zero: x == 0;")
    assert explore(run.program, run.program.properties).violated == frozenset()


def test_no_invariant_once_the_program_has_failed() -> None:
    run = Run("int[0..3] x; thread t { x = 1; assert(false); } invariant zero: x == 0;")
    assert run.step(0).violated() == {"zero"}
    assert "zero" not in run.step(0).violated()
