"""Calls, returns, and atomic regions with inlined calls."""

from __future__ import annotations

from tests.unit.frontends.model.loading import edges, errors, failures, load

PROCEDURES = """
int x; int[0..3] g; bool b; int[0..9] a[2];
int[0..3] inc(int[0..2] n) { return n + 1; }
void nop() { }
"""


def thread_edges(statements: str) -> list[str]:
    return edges(load(f"{PROCEDURES} thread t {{ int[0..3] r; int q; {statements} }}"), "t")


def test_call_with_local_arguments_is_one_step() -> None:
    assert thread_edges("r = inc(1); nop(); inc(2);") == [
        "0->1 r := call inc(1)",
        "1->2 call nop()",
        "2->3 call inc(2)",
    ]


def test_arguments_are_range_checked() -> None:
    assert thread_edges("r = inc(r);") == [
        "0->range when (!(r <= 2))",
        "0->1 when (r <= 2): r := call inc(r)",
    ]


def test_shared_arguments_take_a_step_of_their_own() -> None:
    assert thread_edges("r = inc(g);") == [
        "0->range when (!(g <= 2))",
        "0->1 when (g <= 2): $1 := g",
        "1->2 r := call inc($1)",
    ]


def test_shared_result_takes_a_step_of_its_own() -> None:
    assert thread_edges("g = inc(1); a[r] = inc(1);") == [
        "0->1 $1 := call inc(1)",
        "1->2 g := $1",
        "2->3 $1 := call inc(1)",
        "3->range when (!(r <= 1))",
        "3->4 when (r <= 1): a[r] := $1",
    ]


def test_result_that_may_not_fit_goes_through_a_temporary() -> None:
    program = load("int f() { return 7; } thread t { int[0..3] r; r = f(); }")
    assert edges(program, "t") == [
        "0->1 $1 := call f()",
        "1->range when (!($1 >= 0 && $1 <= 3))",
        "1->2 when ($1 >= 0 && $1 <= 3): r := $1",
    ]
    assert failures(program) == ["value of `f()` outside int[0..3]"]


def test_initialiser_may_be_a_call() -> None:
    assert thread_edges("int[0..3] z = inc(0);") == ["0->1 z := call inc(0)"]


def test_returns() -> None:
    program = load(
        "int x; int[0..3] f(int n) { if (n > 3) return x; return n; } thread t { f(1); }"
    )
    assert edges(program, "f") == [
        "0->1 when (n > 3)",
        "0->2 when (!(n > 3))",
        "1->range when (!(x >= 0 && x <= 3))",
        "1->3 when (x >= 0 && x <= 3): $1 := x",
        "2->range when (!(n >= 0 && n <= 3))",
        "2->2 when (n >= 0 && n <= 3): return n",
        "3->3 return $1",
    ]


def test_end_of_a_void_procedure_returns() -> None:
    program = load("int x; void f() { x = 1; } thread t { f(); }")
    assert edges(program, "f") == ["0->1 x := 1", "1->1 return"]


def test_end_of_another_procedure_is_a_range_error() -> None:
    program = load("bool b; int f() { if (b) return 1; } thread t { f(); }")
    assert "procedure `f` ends without returning a value" in failures(program)


def test_return_of_a_call() -> None:
    program = load("int f(int n) { return n; } int g(int n) { return f(n); } thread t { g(1); }")
    assert edges(program, "g") == ["0->1 $1 := call f(n)", "1->1 return $1"]


def test_return_in_a_thread_ends_it() -> None:
    program = load("bool b; int x; thread t { if (b) return; x = 1; }")
    assert edges(program, "t") == ["0->1 when (b)", "0->2 when (!b)", "2->1 x := 1"]
    assert program.locations[-1].final


def test_recursion_is_allowed() -> None:
    program = load("int f(int n) { if (n == 0) return 0; return f(n - 1); } thread t { f(3); }")
    assert "call f(n - 1)" in " ".join(edges(program, "f"))


def test_atomic_is_a_region_with_synchronising_edges() -> None:
    program = load("int x; int y; thread t { x = 1; atomic { x = 2; y = 3; } y = 4; }")
    assert edges(program, "t") == [
        "0->1 x := 1",
        "1->2 x := 2 sync",
        "2->3 y := 3 sync",
        "3->4 y := 4",
    ]
    assert [where.atomic for where in program.locations].count(True) == 1


def test_loop_in_a_region_returns_to_a_location_of_the_region() -> None:
    program = load("int x; thread t { atomic { while (x < 3) { x = x + 1; } } }")
    assert edges(program, "t") == [
        "0->1 when (x < 3) sync",
        "0->2 when (!(x < 3)) sync",
        "1->3 x := x + 1 sync",
        "3->1 when (x < 3) sync",
        "3->2 when (!(x < 3)) sync",
    ]


def test_await() -> None:
    program = load("int x; thread t { await(x == 0) { x = 1; } await(x == 2) { } await(x == 3); }")
    assert edges(program, "t") == [
        "0->1 when (x == 0) sync",
        "1->2 x := 1 sync",
        "2->3 when (x == 2) sync",
        "3->4 when (x == 3) sync",
    ]


def test_nested_regions_are_one() -> None:
    program = load("int x; thread t { atomic { x = 1; atomic { x = 2; } await(x == 2) x = 3; } }")
    assert edges(program, "t") == [
        "0->1 x := 1 sync",
        "1->2 x := 2 sync",
        "2->3 when (x == 2) sync",
        "3->4 x := 3 sync",
    ]


def test_leaving_a_region_early() -> None:
    program = load(
        "int x; thread t { while (true) { atomic { if (x == 1) break; x = 1; } } x = 2; }"
    )
    assert edges(program, "t") == [
        "0->1 when (x == 1) sync",
        "0->2 when (!(x == 1)) sync",
        "1->3 x := 2",
        "2->0 x := 1 sync",
    ]


def test_frame_is_popped_outside_of_the_region() -> None:
    program = load("int x; int f() { atomic { x = 1; return x; } } thread t { f(); }")
    assert edges(program, "f") == [
        "0->1 x := 1 sync",
        "1->2 $1 := x sync",
        "2->2 return $1",
    ]
    atomic = [where.atomic for where in program.procedure["f"].locations]
    assert atomic.count(True) == 1


def test_calls_in_a_region_are_inlined() -> None:
    program = load(
        """
        int x;
        int[0..3] f(int[0..3] n) { int k = 5; x = k; if (n == 1) return n; l: return x; }
        thread t { int[0..3] r; atomic { r = f(2); } }
        """
    )
    assert "f" not in program.procedure
    assert edges(program, "t") == [
        "0->1 f.n := 2 sync",
        "1->2 f.k := 5 sync",
        "2->3 x := f.k sync",
        "3->4 when (f.n == 1) sync",
        "3->5 when (!(f.n == 1)) sync",
        "4->6 r := f.n sync",
        "5->range when (!(x >= 0 && x <= 3)) sync",
        "5->6 when (x >= 0 && x <= 3): r := x sync",
    ]
    assert all("l" not in where.labels for where in program.locations)


def test_inlined_calls_share_the_copies_of_locals() -> None:
    program = load(
        "int x; void f(int n) { int k = n; x = k; } thread t { atomic { f(1); f(2); } f(3); }"
    )
    names = [declared.variable.name for declared in program.procedure["t"].locals]
    assert names == ["f.n", "f.k"]
    assert "f" in program.procedure


def test_recursion_in_a_region_is_an_error() -> None:
    assert errors("int x;\nvoid f() { x = 1; f(); }\nthread t { atomic { f(); } }") == [
        "2:19 `f` calls itself inside an atomic block"
        " (calls in atomic blocks are inlined, so they cannot be recursive)"
    ]


def test_procedure_that_loops_and_returns_in_a_region() -> None:
    program = load(
        "int x; void f() { while (true) { if (x > 3) return; x = x + 1; } }"
        " thread t { atomic { f(); } }"
    )
    assert edges(program, "t") == [
        "0->1 when (x > 3) sync",
        "0->2 when (!(x > 3)) sync",
        "2->3 x := x + 1 sync",
        "3->1 when (x > 3) sync",
        "3->2 when (!(x > 3)) sync",
    ]
