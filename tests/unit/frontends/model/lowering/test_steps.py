"""What one step is: the edges of each control statement."""

from __future__ import annotations

from tests.unit.frontends.model.loading import body_edges, edge_list, edges, failures, load


def test_simple_statements_are_one_edge_each() -> None:
    assert body_edges("x = 1; skip; assume(b); havoc x; x, y = y, x;") == [
        "0->1 x := 1",
        "1->2 skip",
        "2->3 when (b)",
        "3->4 havoc x",
        "4->5 x := y, y := x",
    ]


def test_falling_off_the_end_takes_no_step() -> None:
    program = load("int x; thread t { x = 1; }")
    last = program.procedure["t"].locations[-1]
    assert last.final
    assert edges(program, "t") == ["0->1 x := 1"]


def test_empty_thread_is_finished_at_once() -> None:
    program = load("thread t { }")
    (only,) = program.procedure["t"].locations
    assert only.final
    assert program.edges == ()


def test_if_is_one_step_and_branches() -> None:
    assert body_edges("if (b) x = 1; else { x = 2; } y = 3;") == [
        "0->1 when (b)",
        "0->2 when (!b)",
        "1->3 x := 1",
        "2->3 x := 2",
        "3->4 y := 3",
    ]


def test_if_without_else() -> None:
    assert body_edges("if (b) x = 1; y = 2;") == [
        "0->1 when (b)",
        "0->2 when (!b)",
        "1->2 x := 1",
        "2->3 y := 2",
    ]


def test_else_if_chain() -> None:
    assert body_edges("if (b) x = 1; else if (x == 1) x = 2; else x = 3;") == [
        "0->1 when (b)",
        "0->2 when (!b)",
        "1->3 x := 1",
        "2->4 when (x == 1)",
        "2->5 when (!(x == 1))",
        "4->3 x := 2",
        "5->3 x := 3",
    ]


def test_constant_conditions_take_no_step() -> None:
    before = "const int N = 2; int x; int y; bool b;"
    assert body_edges("if (N > 1) x = 1; x = 2;", before) == ["0->1 x := 1", "1->2 x := 2"]
    assert body_edges("if (N > 5) x = 1; x = 2;", before)[0] == "0->1 x := 2"
    assert body_edges("while (N > 5) x = 1; x = 2;", before)[0] == "0->1 x := 2"
    assert body_edges("if (true || b) x = 1;", before) == ["0->1 x := 1"]


def test_while() -> None:
    assert body_edges("while (b) { x = 1; y = 2; } x = 3;") == [
        "0->1 when (b)",
        "0->2 when (!b)",
        "1->3 x := 1",
        "2->4 x := 3",
        "3->0 y := 2",
    ]


def test_waiting_loop_goes_round_in_one_step() -> None:
    assert body_edges("while (b) { }") == ["0->0 when (b)", "0->1 when (!b)"]


def test_endless_loops() -> None:
    assert body_edges("while (true) { x = 1; }") == ["0->0 x := 1"]
    assert body_edges("while (true) { }") == ["0->0 skip"]
    assert body_edges("for (;;) x = 1;") == ["0->0 x := 1"]
    assert body_edges("l: goto l;") == ["0->0 skip"]


def test_no_final_location_behind_an_endless_loop() -> None:
    program = load("int x; thread t { while (true) { x = 1; } }")
    assert len(program.locations) == 1
    assert not program.locations[0].final


def test_break_and_continue() -> None:
    assert body_edges("while (true) { if (b) break; if (x == 1) continue; y = 1; } x = 2;") == [
        "0->1 when (b)",
        "0->2 when (!b)",
        "1->3 x := 2",
        "2->0 when (x == 1)",
        "2->4 when (!(x == 1))",
        "4->0 y := 1",
    ]


def test_for() -> None:
    assert body_edges("for (x = 0; x < 3; x = x + 1) { if (b) continue; y = x; }") == [
        "0->1 x := 0",
        "1->2 when (x < 3)",
        "1->3 when (!(x < 3))",
        "2->4 when (b)",
        "2->5 when (!b)",
        "4->1 x := x + 1",
        "5->4 y := x",
    ]


def test_for_with_declaration_has_its_own_scope() -> None:
    program = load(
        "int y; thread t { for (int i = 0; i < 2; i = i + 1) y = i; for (int i = 5; ; ) y = i; }"
    )
    names = [declared.variable.name for declared in program.procedure["t"].locals]
    assert names == ["i", "i.2"]
    assert "i := 0" in edges(program, "t")[0]


def test_either_offers_the_first_edges_of_its_branches() -> None:
    assert body_edges("either { x = 1; } or { x = 2; y = 2; } or { } y = 3;") == [
        "0->1 x := 1",
        "0->2 x := 2",
        "0->3 y := 3",
        "1->3 y := 3",
        "2->1 y := 2",
    ]


def test_either_at_the_end_skips_to_the_end() -> None:
    assert body_edges("either { x = 1; } or { }") == ["0->1 x := 1", "0->1 skip"]


def test_labels_take_no_step_and_no_location() -> None:
    program = load("int x; thread t { a: b: x = 1; { c: } x = 2; d: }")
    assert edges(program, "t") == ["0->1 x := 1", "1->2 x := 2"]
    assert [where.labels for where in program.locations] == [("a", "b"), ("c",), ("d",)]


def test_goto_forward_and_back() -> None:
    assert body_edges("again: if (b) goto out; x = 1; goto again; out: y = 1;") == [
        "0->1 when (b)",
        "0->2 when (!b)",
        "1->3 y := 1",
        "2->0 x := 1",
    ]


def test_labels_belong_to_their_body() -> None:
    load("thread a { l: skip; goto l; } thread b { l: skip; goto l; }")


def test_label_before_a_body_without_braces() -> None:
    program = load("int x; bool b; thread t { if (b) l: x = 1; }")
    assert [where.labels for where in program.locations] == [(), ("l",), ()]


def test_unreachable_statements_are_kept() -> None:
    program = load("int x; thread t { return; x = 1; }")
    assert "x := 1" in " ".join(edges(program, "t"))


def test_leading_declarations_belong_to_entry() -> None:
    program = load("thread t { int a = 3; bool b; int c[2] = {1, 2}; skip; }")
    assert edges(program, "t") == ["0->1 skip"]
    initial = {d.variable.name: d.initial for d in program.procedure["t"].locals}
    assert str(initial["a"]) == "FillValue(value=3)"
    assert str(initial["b"]) == "DefaultValue()"
    assert str(initial["c"]) == "ListedValues(values=(1, 2))"


def test_other_initialisers_of_leading_declarations_are_steps() -> None:
    program = load("int x; thread t { int a = x; int[0..2] k = *; bool c = true; skip; }")
    assert edges(program, "t") == ["0->1 a := x", "1->2 havoc k", "2->3 skip"]


def test_declarations_elsewhere_are_steps() -> None:
    program = load("thread t { skip; int[2..4] a; { int a = 1; } int c[2]; tid s = self; }")
    assert edges(program, "t") == [
        "0->1 skip",
        "1->2 a := 2",
        "2->3 a.2 := 1",
        "3->4 c[0] := 0, c[1] := 0",
        "4->5 s := self",
    ]


def test_range_failure_comes_first() -> None:
    program = load("int[0..3] a[2]; int[0..3] i; thread t { if (a[i] > 1) skip; }")
    assert edges(program, "t") == [
        "0->range when (!(i <= 1))",
        "0->1 when (i <= 1 && a[i] > 1)",
        "0->2 when (i <= 1 && !(a[i] > 1))",
        "1->2 skip",
    ]
    assert failures(program) == ["index `i` out of bounds 0..1"]


def test_edges_carry_statement_and_place() -> None:
    program = load("int x;\nthread t {\n  x =\n    1; // one\n  if (x > 1)\n  skip;\n}")
    first, yes, no, _ = edge_list(program, "t")
    assert first.text == "x = 1"
    assert first.span is not None
    assert (first.span.line, first.span.column, first.span.end_line) == (3, 3, 4)
    assert (yes.text, no.text) == ("[x > 1]", "[!(x > 1)]")
    assert yes.span is not None
    assert (yes.span.line, yes.span.column) == (5, 7)


def test_long_statements_are_cut() -> None:
    program = load(f"int x; thread t {{ x = {' + '.join(['x'] * 60)}; }}")
    text = edge_list(program, "t")[0].text
    assert len(text) == 60
    assert text.endswith("…")


def test_annotations_are_kept_with_the_edges_of_their_statement() -> None:
    program = load("int[0..1] x; thread t { mover left x = 1; mover both assert(x == 1); skip; }")
    found = [(edge.text, edge.mover and edge.mover.value) for edge in edge_list(program, "t")]
    assert found == [
        ("x = 1", "left"),
        ("assert(x == 1)", "both"),
        ("assert(x == 1)", "both"),
        ("skip", None),
    ]
