"""Assignments, checks, assertions and locks: the edges of each simple statement."""

from __future__ import annotations

import pytest

from tests.unit.frontends.model.loading import (
    body_edges,
    edge_list,
    edges,
    failures,
    load,
)
from threadwise.ir.commands import OperationKind
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.semantics.oracle import explore

RANGES = "int[0..2] i; int[0..3] wrap w; int[0..3] saturate s; int[0..5] k; int x; int y;"


def test_range_is_checked_at_assignment() -> None:
    program = load(f"{RANGES} thread t {{ i = i + 1; }}")
    assert edges(program, "t") == [
        "0->range when (!(i + 1 <= 2))",
        "0->1 when (i + 1 <= 2): i := i + 1",
    ]
    assert failures(program) == ["value of `i + 1` outside int[0..2]"]


def test_checks_that_types_make_true_are_left_out() -> None:
    assert body_edges("k = i + 3; i = k % 3; x = k;", RANGES) == [
        "0->1 k := i + 3",
        "1->2 i := k % 3",
        "2->3 x := k",
    ]


def test_wrap_and_saturate() -> None:
    assert body_edges("w = w + 1; s = s - 1; w = 5; s = 9; w = i;", RANGES) == [
        "0->1 w := wrap[0..3](w + 1)",
        "1->2 s := clamp[0..3](s - 1)",
        "2->3 w := 1",
        "3->4 s := 3",
        "4->5 w := i",
    ]


def test_reasons_are_separate_and_in_order() -> None:
    program = load(f"{RANGES} int[0..9] a[2]; thread t {{ a[i] = x / y; }}")
    assert failures(program) == [
        "division by zero in `x / y`",
        "index `i` out of bounds 0..1",
        "value of `x / y` outside int[0..9]",
    ]
    assert edges(program, "t")[1] == "0->range when (y != 0 && !(i <= 1))"


def test_short_circuit_guards_checks() -> None:
    assert body_edges("assume(y != 0 && x / y > 1);", RANGES) == [
        "0->range when (!(y != 0 ==> y != 0))",
        "0->1 when ((y != 0 ==> y != 0) && (y != 0 && x / y > 1))",
    ]
    assert body_edges("assume(y == 0 || x % y > 1);", RANGES)[0] == (
        "0->range when (!(y == 0 || y != 0))"
    )
    assert body_edges("x = y == 0 ? 1 : x / y;", RANGES)[0] == (
        "0->range when (!(y == 0 || y != 0))"
    )


def test_negative_shift_is_a_range_error() -> None:
    program = load("int x; int y; thread t { x = 1 << y; x = x >> 2; }")
    assert failures(program) == ["negative shift in `1 << y`"]


def test_parallel_assignment_checks_everything_first() -> None:
    program = load(f"{RANGES} thread t {{ i, k = k, i + 4; }}")
    assert edges(program, "t") == [
        "0->range when (!(k <= 2))",
        "0->range when (k <= 2 && !(i + 4 <= 5))",
        "0->1 when (k <= 2 && i + 4 <= 5): i := k, k := i + 4",
    ]


def test_choose_has_one_edge_per_alternative() -> None:
    assert body_edges("x = choose(1, y, x / y);") == [
        "0->1 x := 1",
        "0->1 x := y",
        "0->range when (!(y != 0))",
        "0->1 when (y != 0): x := x / y",
    ]


def test_havoc() -> None:
    program = load("int[0..1] a[2]; int[0..1] i; thread t { havoc i; havoc a; havoc a[i], i; }")
    assert edges(program, "t") == [
        "0->1 havoc i",
        "1->2 havoc a[0], havoc a[1]",
        "2->3 havoc a[i], havoc i",
    ]


def test_assertions_are_properties() -> None:
    program = load("int x;\nthread t {\n  assert(x > 0);\n  assert(x > 1); assert(x > 2);\n}")
    assert edges(program, "t")[:2] == ["0->1 when (x > 0)", "0->assertion when (!(x > 0))"]
    asserted = [
        checked.name
        for checked in program.properties
        if isinstance(checked, FailureProperty) and checked.kind is PropertyKind.ASSERTION
    ]
    assert asserted == ["assert:3", "assert:4:3", "assert:4:18"]
    failing = [where.failure for where in program.locations if where.failure]
    assert [failure.property for failure in failing] == asserted
    assert failures(program)[0] == "assertion `x > 0` failed"


def test_constant_assertions() -> None:
    assert body_edges("assert(true); x = 1;") == ["0->1 skip", "1->2 x := 1"]
    assert body_edges("assert(false);") == ["0->assertion skip"]


def test_assertion_with_a_check() -> None:
    assert body_edges("assert(1 / x > 0);") == [
        "0->range when (!(x != 0))",
        "0->1 when (x != 0 && 1 / x > 0)",
        "0->assertion when (x != 0 && !(1 / x > 0))",
    ]


LOCKS = "mutex m; mutex ms[2]; int[0..3] i; bool b; tid o;"


def test_locks() -> None:
    program = load(f"{LOCKS} thread t {{ acquire(m); release(m); b = try_acquire(m); }}")
    assert edges(program, "t") == [
        "0->1 when (m.owner == none): m.owner := self",
        "1->mutex when (!(m.owner == self))",
        "1->2 when (m.owner == self): m.owner := none",
        "2->3 when (m.owner == none): m.owner := self, b := true",
        "2->3 when (!(m.owner == none)): b := false",
    ]
    kinds = [edge.operation.kind for edge in edge_list(program, "t") if edge.operation]
    assert kinds == [
        OperationKind.ACQUIRE,
        OperationKind.RELEASE,
        OperationKind.RELEASE,
        OperationKind.TRY_ACQUIRE,
        OperationKind.TRY_ACQUIRE,
    ]
    assert failures(program) == ["release of `m` which the thread does not hold"]


def test_element_of_an_array_of_mutexes() -> None:
    assert body_edges("acquire(ms[i]);", LOCKS) == [
        "0->range when (!(i <= 1))",
        "0->1 when (i <= 1 && ms[i].owner == none): ms[i].owner := self",
    ]


def test_mutex_in_an_expression_is_its_owner() -> None:
    assert body_edges("o = m; b = m == none; b = holds(ms[1]); b = m != self;", LOCKS) == [
        "0->1 o := m.owner",
        "1->2 b := m.owner == none",
        "2->3 b := ms[1].owner == self",
        "3->4 b := m.owner != self",
    ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("-7 % 2", "-1"),
        ("7 / -2", "-3"),
        ("1 + 2 * 3", "7"),
        ("~0", "-1"),
        ("1 << 4 | 1", "17"),
        ("-8 >> 1", "-4"),
        ("6 & 3 ^ 1", "3"),
        ("true ? 4 : 5", "4"),
        ("0x10", "16"),
    ],
)
def test_constants_are_folded(expression: str, value: str) -> None:
    assert body_edges(f"x = {expression};") == [f"0->1 x := {value}"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("true && b", "b"),
        ("b && true", "b"),
        ("false && b", "false"),
        ("false || b", "b"),
        ("b ==> true", "true"),
        ("b ==> false", "!b"),
        ("true ==> b", "b"),
        ("!!b", "b"),
        ("1 < 2", "true"),
        ("none == none", "true"),
    ],
)
def test_formulas_are_simplified(expression: str, value: str) -> None:
    assert body_edges(f"b = {expression};") == [f"0->1 b := {value}"]


@pytest.mark.parametrize("wrong", range(3))
def test_every_listed_value_is_checked(wrong: int) -> None:
    """Each of the first values of a local array has to be in range."""
    values = ", ".join("r" if n == wrong else "0" for n in range(3))
    text = f"thread t {{ int[0..9] r = 5; int[0..3] a[3] = {{{values}}}; }}"
    (checked,) = [each for each in load(text).properties if each.kind is PropertyKind.RANGE]
    assert explore(load(text), [checked]).violated == {checked.name}
    assert explore(load(text.replace("= 5", "= 3")), [checked]).violated == set()
