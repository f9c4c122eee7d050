"""Thread templates, spawned threads, thread ids and what is kept per thread."""

from __future__ import annotations

from tests.unit.frontends.model.loading import edge_list, edges, errors, failures, load
from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import Scope
from threadwise.ir.types import ArrayType, PerThread


def test_counts() -> None:
    program = load("const int N = 2; thread a { } thread b[N + 1] { } thread c[*] { }")
    assert {name: t.count for name, t in program.template.items()} == {"a": 1, "b": 3, "c": None}
    assert program.has_any_number


def test_counts_from_outside() -> None:
    program = load(
        "thread a { } thread b[3] { } thread c[*] { } thread d() { }",
        threads={"a": 2, "b": None, "c": 4, "d": 5},
    )
    counts = {name: t.count for name, t in program.template.items()}
    assert counts == {"a": 2, "b": None, "c": 4, "d": 5}


def test_spawned_thread() -> None:
    program = load(
        "int x; thread w(int[0..3] n, bool b) { x = n; if (b) return; skip; } thread main { }",
        max_threads=3,
    )
    assert program.template["w"].pool
    assert program.template["w"].count == 3
    assert edges(program, "w") == [
        "0->1 when (w.status[self] == started):"
        " n := w.argument.n[self], b := w.argument.b[self] sync",
        "1->2 x := n",
        "2->3 when (b)",
        "2->4 when (!b)",
        "3->5 w.status[self] := finished sync",
        "4->3 skip",
    ]
    entry, *_, last = program.procedure["w"].locations
    assert entry.final
    assert last.final
    kinds = [edge.operation.kind for edge in edge_list(program, "w") if edge.operation]
    assert kinds == [OperationKind.BEGIN, OperationKind.FINISH]


def test_spawn_and_join() -> None:
    program = load(
        "thread w(int[0..3] n) { } thread main { tid h; h = spawn w(1); spawn w(2); join h; }",
        max_threads=2,
    )
    start = "w.next := w.next + 1, w.status[thread(w, w.next)] := started"
    assert edges(program, "main") == [
        "0->slots when (!(w.next < 2)) sync",
        f"0->1 when (w.next < 2): {start}, w.argument.n[thread(w, w.next)] := 1,"
        " h := thread(w, w.next) sync",
        "1->slots when (!(w.next < 2)) sync",
        f"1->2 when (w.next < 2): {start}, w.argument.n[thread(w, w.next)] := 2 sync",
        "2->range when (!instance(h, w)) sync",
        "2->3 when (instance(h, w) && w.status[h] == finished) sync",
    ]
    assert failures(program) == [
        "spawn beyond --max-threads 2",
        "spawn beyond --max-threads 2",
        "`h` is not a spawned thread",
    ]


def test_shared_data_around_spawn_and_join_takes_steps_of_its_own() -> None:
    program = load(
        "int x; tid h; thread w(int[0..3] n) { } thread main { h = spawn w(x); join h; }"
    )
    shown = edges(program, "main")
    plain = [edge for edge in shown if not edge.endswith(" sync")]
    assert plain == [
        "0->range when (!(x >= 0 && x <= 3))",
        "0->1 when (x >= 0 && x <= 3): $1 := x",
        "2->3 h := $2",
        "3->4 $2 := h",
    ]


def test_self_and_ids() -> None:
    program = load(
        "tid o; bool b; thread t[2] { o = self; b = o == self; o = none; b = o != none; }"
    )
    assert edges(program, "t") == [
        "0->1 o := self",
        "1->2 b := o == self",
        "2->3 o := none",
        "3->4 b := o != none",
    ]


def test_self_index() -> None:
    program = load("int[0..2] x; int a[3]; thread t[3] { x = self.index; a[self.index] = 1; }")
    assert edges(program, "t") == ["0->1 x := self.index", "1->2 a[self.index] := 1"]


def test_self_index_is_checked_if_there_may_be_more_threads() -> None:
    program = load("int a[2]; thread t[3] { a[self.index] = 1; }")
    assert failures(program) == ["index `self.index` out of bounds 0..1"]


def test_self_index_is_refused_for_any_number() -> None:
    text = "int x;\nvoid f() { x = self.index; }\nthread t[*] { f(); }"
    hint = "threads of any number have no positions; compare `self` instead"
    assert errors(text) == [f"2:16 `self.index` cannot be used by the threads `t[*]` ({hint})"]
    load(text, threads={"t": 2})


def test_array_per_thread() -> None:
    program = load(
        "bool a[t]; tid o; bool b; void f() { a[self] = true; }"
        "thread t[2] { a[self] = true; b = a[o]; f(); }"
    )
    declared = program.globals[0].variable.type
    assert isinstance(declared, ArrayType)
    assert declared.extent == PerThread("t")
    assert edges(program, "t")[:3] == [
        "0->1 a[self] := true",
        "1->range when (!instance(o, t))",
        "1->2 when (instance(o, t)): b := a[o]",
    ]
    assert edges(program, "f")[0] == "0->1 a[self] := true"
    assert failures(program) == ["index `o` is not a thread of `t`"]


def test_own_element_is_checked_in_code_of_several_templates() -> None:
    program = load(
        "bool a[t]; void f() { a[self] = true; } thread t[2] { f(); } thread u { f(); }"
    )
    assert edges(program, "f")[0] == "0->range when (!instance(self, t))"


def test_array_of_any_number_of_threads() -> None:
    load("bool a[t]; thread t[*] { a[self] = true; } invariant i: forall k: t. !a[k];")
    assert errors("bool a[t]; tid o;\nthread t[*] { a[o] = true; }") == [
        "2:17 `a` has one element for each of any number of threads (only `a[self]` can be used)"
    ]


def test_locals_of_invariants_live_as_long_as_the_thread() -> None:
    program = load(
        "thread t { int r = 3; int s; skip; } thread w(int p) { }"
        "invariant i: forall k: t, l: w. k.r == 3 && l.p == 0;"
    )
    (kept,) = program.template["t"].variables
    assert kept.variable.name == "r"
    assert kept.variable.scope is Scope.THREAD
    assert str(kept.initial) == "FillValue(value=3)"
    assert [d.variable.name for d in program.procedure["t"].locals] == ["s"]
    assert [d.variable.name for d in program.template["w"].variables] == ["p"]
    assert edges(program, "w")[0].endswith("p := w.argument.p[self] sync")


def test_local_hides_a_shared_variable() -> None:
    program = load("int x; thread t { int x = 1; x = 2; }")
    (declared,) = program.procedure["t"].locals
    assert declared.variable.scope is Scope.LOCAL
    assert edges(program, "t") == ["0->1 x := 2"]
