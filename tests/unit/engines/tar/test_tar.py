"""The refinement engines on small programs."""

from __future__ import annotations

import pytest

from tests.tar_runs import Run, run_tar
from threadwise.core.source import SourceFile
from threadwise.engines.api import Engine
from threadwise.engines.tar.tar_engine import TarAEngine, TarBEngine, TarEngine, TarHavocEngine
from threadwise.frontends.model import load_model

ENGINES = (TarEngine(), TarBEngine(), TarHavocEngine())


def check(engine: Engine, text: str, *selectors: str) -> Run:
    """An engine on the text of a model."""
    return run_tar(engine, load_model(SourceFile("model.tw", text)), selectors or ("all",))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_mixed_predicate_does_not_survive_interference(engine: Engine) -> None:
    """r == x is about r, which the other thread does not touch, and about x, which it does."""
    text = """
    int x = 0;
    thread reader { int r; r = x; assert(x == r); }
    thread writer { x = x + 1; }
    """
    run = check(engine, text, "assertions")
    assert not run.safe
    assert len(run.unsafe) == 1


def test_a_lock_protects_a_mixed_predicate() -> None:
    text = """
    mutex m;
    int x = 0;
    thread worker[*] {
        int r;
        acquire(m);
        r = x;
        x = r + 1;
        assert(x == r + 1);
        release(m);
    }
    """
    run = check(TarEngine(), text, "assertions", "mutex")
    assert len(run.safe) == 2
    assert "m.owner == self" in run.predicates


def test_a_lock_held_by_somebody_else_protects_nothing() -> None:
    text = """
    mutex m;
    int x = 0;
    thread holder { acquire(m); x = 1; release(m); }
    thread intruder[*] { x = 2; assert(x == 2); }
    """
    assert len(check(TarEngine(), text, "assertions").unsafe) == 1


def test_values_have_no_bound() -> None:
    text = """
    int x = 0;
    thread up[*] { while (true) { atomic { x = x + 1; } } }
    thread down[*] { while (true) { await(x > 0) { x = x - 1; } } }
    invariant natural: x >= 0;
    """
    assert check(TarEngine(), text, "natural").safe == {"natural"}


def test_havoc_is_coarser() -> None:
    """Whoever writes x may write anything, so that nothing is left of the guard."""
    text = """
    int[0..3] x = 0;
    thread up { while (true) { await(x < 3) { x = x + 1; } } }
    thread other { while (true) { assert(x >= 0 && x <= 3); } }
    thread setter { await(x == 1) { x = 1; } assert(x != 0); }
    """
    assert len(check(TarEngine(), text, "assertions").safe) == 2
    havoc = check(TarHavocEngine(), text, "assertions")
    assert len(havoc.safe) == 1
    assert not havoc.unsafe


def test_deadlocks_are_left_to_others() -> None:
    run = check(TarEngine(), "int x; thread t { x = 1; }", "deadlocks")
    assert "deadlocks" in run.reasons


def test_a_diverging_sequence_is_generalised() -> None:
    text = """
    int limit = 100;
    thread worker[*] {
        int i;
        int j;
        while (i < limit) { i = i + 1; j = j + 1; }
        assert(i == j);
    }
    """
    assert len(check(TarEngine(), text, "assertions").safe) == 1


def test_what_is_told_about_a_proof() -> None:
    text = "int x = 0; thread t[*] { atomic { x = x + 1; } assert(x > 0); }"
    run = check(TarEngine(), text, "assertions")
    assert run.notes[0] == "predicates:"
    assert any("excludes assert:1" in line for line in run.notes)
    assert "environment assumptions:" in run.notes


def test_the_product_is_for_few_threads() -> None:
    text = "int x; thread t[5] { x = 1; assert(x == 1); }"
    run = check(TarAEngine(), text, "assertions")
    assert not run.ended
    few = check(TarAEngine(), text.replace("[5]", "[2]"), "assertions")
    assert len(few.safe) == 1


def test_calls_of_an_earlier_round_explain_nothing() -> None:
    """The call at c is first made with x == 0, in the next round after a return with x == 1."""
    text = f"""
    int[0..1] x = 0;
    void f() {{ skip; }}
    thread t {{
        if (x == 1) {{ goto c; }}
        {"skip; " * 24}
        while (true) {{
    c:      f();
            either {{ assert(x == 0); }} or {{ x = 0; }}
        }}
    }}
    thread u {{ x = 1; }}
    """
    run = check(TarEngine(), text, "assertions")
    assert run.ended
    assert len(run.unsafe) == 1


def test_division_by_a_variable_with_few_values() -> None:
    """Horn solvers know division by numerals only."""
    text = """
    int[0..4] d = 2;
    int x = 0;
    thread t { x = 7; x = x / d; assert(x == 3); x = 7; x = x % d; assert(x == 1); }
    """
    run = check(TarEngine(), text, "assertions")
    assert len(run.safe) == 2


# -- procedures -----------------------------------------------------------------------------------


def test_recursion_with_unbounded_data() -> None:
    text = """
    mutex m;
    int depth = 0;
    void dive(int by) {
        depth = depth + by;
        assert(depth > 0);
        either { dive(by); } or { skip; }
    }
    thread diver[*] { acquire(m); dive(1); release(m); }
    race_free depth;
    """
    run = check(TarEngine(), text, "assertions", "mutex", "race_free depth")
    assert len(run.safe) == 3
    broken = check(TarEngine(), text.replace("dive(1)", "dive(0)"), "assertions")
    assert len(broken.unsafe) == 1


def test_results_are_related_to_arguments() -> None:
    text = """
    int next(int a) { return a + 1; }
    thread t[*] { int x; int r; havoc x; r = next(x); assert(r == x + 1); }
    """
    assert len(check(TarEngine(), text, "assertions").safe) == 1


def test_open_truth_values_go_through_calls() -> None:
    """What is not known about the shared store before a call is not known after it, either."""
    text = """
    int[0..1] x = *;
    int[0..1] y = *;
    void f() { skip; }
    thread t { f(); if (x == 0) { f(); assert(x == 0 && y == 0); } }
    """
    run = check(TarEngine(), text, "assertions")
    assert not run.safe
    assert len(run.unsafe) == 1


def test_a_mutex_that_nobody_else_owns() -> None:
    """The formula says free or mine; it is no shorter to say who the owner is not."""
    found = check(
        TarEngine(),
        """
        mutex m; bool c;
        thread t { while (true) {
            if (c) { acquire(m); }
            assert(m == none || m == self);
            if (m == self) { release(m); } } }
        thread u { while (true) { c = !c; } }
        """,
    )
    assert found.safe == {"range", "mutex", "assert:5"}


@pytest.mark.slow
def test_what_holds_of_all_threads_is_said_of_each() -> None:
    """The solver refutes the error by what it says of every cell: no predicate, but its cases."""
    text = """
    int[0..2] x;
    bool seen[t];
    thread t[*] { x = 0; skip; havoc x; }
    invariant quiet: forall i, j: t. seen[i] ==> x != 2;
    """
    assert check(TarEngine(), text, "quiet").safe == {"quiet"}
    broken = text.replace("havoc x;", "seen[self] = true; havoc x;")
    assert check(TarEngine(), broken, "quiet").unsafe == {"quiet"}
