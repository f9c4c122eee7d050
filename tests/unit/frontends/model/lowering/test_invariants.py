"""Invariants: what their formulas become."""

from __future__ import annotations

import pytest

from tests.unit.frontends.model.loading import errors, load
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.text.printer import print_expr

MODEL = """
int[0..5] x; bool f[t]; int[0..9] a[3]; tid o; mutex m;
int g() { inside: return 1; }
thread t[2] {
    int[0..5] r; int[0..2] k[2];
  start: r = g();
    atomic { first: x = 1; second: x = 2; }
  done:
}
thread u { int q; here: skip; }
"""


def formula(text: str) -> str:
    program = load(f"{MODEL} invariant i: {text};")
    (found,) = [c for c in program.properties if isinstance(c, InvariantProperty)]
    return print_expr(found.formula)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x < 3", "x < 3"),
        ("m == none ==> o == none", "m.owner == none ==> o == none"),
        ("forall i: t. i.r < 3", "forall i in t: i::r < 3"),
        (
            "forall i, j: t. i != j ==> i.r != j.r",
            "forall i in t, j in t: i != j ==> i::r != j::r",
        ),
        (
            "forall i: t, j: u. i.r == j.q",
            "forall i in t, j in u: i::r == j::q",
        ),
        ("forall i: t. forall j: u. j.q > i.r", "forall i in t, j in u: j::q > i::r"),
        ("exists i: t. f[i]", "exists i in t: f[i]"),
        ("forall i: t. at(i, start) || f[i]", "forall i in t: at(i, t, start) || f[i]"),
        ("forall i: t. at(i, g.inside)", "forall i in t: at(i, g, inside)"),
        ("forall i: t. at(i, first)", "forall i in t: at(i, t, first)"),
        ("forall i: t. m == i ==> o != i", "forall i in t: m.owner == i ==> o != i"),
        ("a[x] > 1", "x <= 2 && a[x] > 1"),
        ("forall i: t. a[i.r] > 1", "forall i in t: i::r <= 2 && a[i::r] > 1"),
        ("forall i: t. i.k[0] == 1", "forall i in t: i::k[0] == 1"),
        (
            "x == 1 || !(exists i: t. a[i.r] > 1)",
            "(x == 1 || (forall i in t: i::r <= 2)) && (x == 1 || !(exists i in t: a[i::r] > 1))",
        ),
        ("f[o]", "instance(o, t) && f[o]"),
    ],
)
def test_formulas(text: str, meaning: str) -> None:
    assert formula(text).replace(" ", "") == meaning.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forall i: tt. true", "unknown thread `tt` (did you mean `t`?)"),
        ("forall i, i: t. true", "`i` already stands for a thread here"),
        ("self == o", "`self` has no meaning in an invariant (use `forall i: …`)"),
        ("self.index == 1", "`self` has no meaning in an invariant (use `forall i: …`)"),
        (
            "holds(m)",
            "`holds` has no meaning in an invariant (write `m == i` for a thread `i`)",
        ),
        ("forall i: t. at(i)", "`at` takes a thread and a label"),
        ("forall i: t. at(o, start)", "`o` is not a thread of a quantifier"),
        (
            "forall i: t. at(i, strat)",
            "unknown label `strat` in `t` (did you mean `start`?)",
        ),
        ("forall i: t. at(i, gg.inside)", "unknown procedure `gg` (did you mean `g`?)"),
        ("forall i: t. at(i, 1 + 1)", "expected a label or `procedure.label`"),
        (
            "forall i: t. at(i, second)",
            "no thread can be seen at `second`: it is inside an atomic block",
        ),
        ("forall i: t. i.rr == 1", "thread `t` has no local `rr` (did you mean `r`?)"),
        ("forall i: t. j.r == 1", "`j` is not a thread of a quantifier"),
        ("forall i: u. f[i]", "`i` is never a thread of `t` here"),
        ("x + 1", "expected bool, found int (compare it: `… != 0`)"),
        ("forall i: t. i < 1", "`<` cannot compare tid with int"),
        ("g() == 1", "`g(…)` cannot be part of an expression"),
        ("forall i: t. i.k == 1", "`i.k` is an array, not a value (read an element: `i.k[…]`)"),
    ],
)
def test_wrong_formulas(text: str, message: str) -> None:
    found = errors(f"{MODEL} invariant i: {text};")
    assert len(found) == 1
    assert message in found[0]


def test_exists_needs_a_fixed_number() -> None:
    assert errors("thread t[*] { }\ninvariant i: exists k: t. true;") == [
        "2:24 `exists` cannot range over `t[*]` (only over threads of a fixed number)"
    ]


def test_local_of_a_nested_block() -> None:
    (found,) = errors("thread t { skip; { int r; } }\ninvariant i: forall k: t. k.r == 1;")
    assert found == (
        "2:29 thread `t` has no local `r` (only locals at the top of a thread can be used)"
    )
