"""Horn clauses over k representatives: what k proves, and what the proofs look like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.engines.horn.tidy import tidy
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import Program
from threadwise.ir.text.terms import Terms
from threadwise.ir.types import INT
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.transformed.certificate import Reduce, TransformedCertificate


def nothing() -> None:
    pass


def certificates(program: Program, k: int, *names: str) -> list[RepresentativesCertificate]:
    properties = select_properties(program, names or ("all",))
    task = Task(program, properties, EngineOptions(k=k))
    return [
        f.certificate
        for f in HornEngine().run(task)
        if isinstance(f, Proved) and isinstance(f.certificate, RepresentativesCertificate)
    ]


def proved(text: str, k: int, *names: str) -> set[str]:
    """What is proved of the program as it is, or with whole critical sections."""
    program = model(text)
    task = Task(program, select_properties(program, names or ("all",)), EngineOptions(k=k))
    found: set[str] = set()
    for finding in HornEngine().run(task):
        match finding:
            case Proved(_, RepresentativesCertificate() as proof):
                found |= set(check_certificate(program, proof, nothing).properties)
            case Proved(_, TransformedCertificate(steps=(Reduce(), *_)) as proof):
                found |= set(check_certificate(program, proof, nothing).properties)
            case _:
                pass
    return found


UNIQUE = """
int next;
thread t[*] { int mine; atomic { mine = next; next = next + 1; } use: skip; }
invariant unique: forall i, j: t. i != j && at(i, use) && at(j, use) ==> i.mine != j.mine;
"""


def test_two_tickets_differ_takes_two_representatives() -> None:
    assert proved(UNIQUE, 1, "unique") == set()
    assert proved(UNIQUE, 2, "unique") == {"unique"}
    assert proved(UNIQUE.replace("next + 1", "next + 0"), 2, "unique") == set()


def test_one_representative_is_thread_modular() -> None:
    text = "int x; thread t[*] { int r; r = x; atomic { assume(x == r); x = r + 2; } } "
    assert "even" in proved(text + "invariant even: x >= 0;", 1, "even")
    assert "even" not in proved(text + "invariant even: x < 9;", 1, "even")


def test_equations_are_lemmas() -> None:
    text = """
    int readers; bool writing; thread reader[*] { await(!writing) { readers = readers + 1; } in:
    skip; readers = readers - 1; } thread writer[*] { await(!writing && readers == 0) { writing =
    true; } in: skip; writing = false; } invariant apart: forall i: reader, j: writer. !(at(i,
    in) && at(j, in));
    """
    program = model(text)
    (certificate,) = certificates(program, 1, "apart")
    assert certificate.lemmas
    check_certificate(program, certificate, nothing)
    with pytest.raises(Refuted):
        check_certificate(program, replace(certificate, lemmas=()), nothing)
    wrong = replace(certificate.lemmas[0], constant=1)
    with pytest.raises(Refuted):
        check_certificate(program, replace(certificate, lemmas=(wrong,)), nothing)


def test_locks_with_owners() -> None:
    text = (
        "mutex m; int x; thread t[*] { acquire(m); x = x + 1; assert(x == 1); x = 0; release(m); }"
    )
    assert {"assert:1", "mutex", "races"} <= proved(text, 1, "assertions", "mutex", "races")
    assert "assert:1" not in proved(text.replace("acquire(m);", "skip;"), 2, "assertions")


PROTECTED = """
    mutex m; int g; int h;
    thread t[*] {
        while (true) { acquire(m); g = g + 1; h = h + 1; release(m); }
    }
    thread u { acquire(m); assert(g == h); release(m); }
"""


@pytest.mark.parametrize(
    ("old", "new", "safe"),
    [
        ("", "", True),
        ("g = g + 1; h", "g = g + 1; release(m); acquire(m); h", False),
        ("thread u { acquire(m); assert", "thread u { assert", False),
        ("h = h + 1;", "if (h < 7) { h = h + 1; }", False),
    ],
)
def test_what_a_lock_protects(old: str, new: str, safe: bool) -> None:
    names = proved(PROTECTED.replace(old, new) if old else PROTECTED, 1, "assertions")
    assert any(name.startswith("assert") for name in names) is safe


LEFT_OUT = """
bool b;
int[0..2] y = 1;
thread t { skip; }
thread u { int[0..2] r; atomic { y = y + r; assert(b); assert(y >= 2); } }
"""


@pytest.mark.parametrize("k", [1, 2])
def test_places_that_nobody_reaches(k: int) -> None:
    """The solver has no formula for a place that it knows to be empty."""
    proofs = proved(LEFT_OUT, k)
    assert {"range", "assert:5:56"} <= proofs
    assert "assert:5:44" not in proofs


@pytest.mark.slow
def test_positions_of_threads() -> None:
    text = """
    bool flag[2]; int[0..1] turn;
    thread p[2] {
        flag[self.index] = true;
        turn = 1 - self.index;
        await(!flag[1 - self.index] || turn == self.index) {}
    cs: skip;
        flag[self.index] = false;
    }
    invariant alone: forall i, j: p. i != j ==> !(at(i, cs) && at(j, cs));
    """
    assert proved(text, 2, "alone") == {"alone"}
    assert proved(text.replace("turn = 1 - self.index", "turn = self.index"), 2, "alone") == set()


def test_own_cells_of_any_number_of_threads() -> None:
    text = """
    int a[t];
    thread t[*] { a[self] = 1; in: assert(a[self] == 1); }
    """
    assert "assert:3" in proved(text, 1, "assertions")
    assert "assert:3" not in proved(text.replace("== 1)", "== 2)"), 1, "assertions")


def test_limits_of_the_model_stop_the_proof() -> None:
    text = "int x; thread w() { x = 1; } thread main { spawn w(); spawn w(); spawn w(); }"
    assert proved(text, 1, "range") == set()


RING = """
int size; int turn; int data;
thread node[*] {
    int me;
    atomic { me = size; size = size + 1; }
    while (true) { await(turn == me) {} cs: data = data + 1; turn = (me + 1) % size; }
}
invariant alone: forall i, j: node. i != j ==> !(at(i, cs) && at(j, cs));
"""


def test_a_ring_of_any_size() -> None:
    assert proved(RING, 1, "alone") == set()
    assert proved(RING, 2, "alone", "range") == {"alone", "range"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("atomic { me = size; size = size + 1; }", "me = size; size = size + 1;"),
        ("me = size;", "me = size % 2;"),
        ("cs: data = data + 1; turn = (me + 1) % size;", "turn = (me + 1) % size; cs: skip;"),
    ],
)
def test_rings_that_are_broken(old: str, new: str) -> None:
    assert old in RING
    assert "alone" not in proved(RING.replace(old, new), 2, "alone")


EMPTY = "int size = -1; int turn = -1;"


def test_a_ring_that_may_be_empty() -> None:
    assert "range" not in proved(RING.replace("int size; int turn;", EMPTY), 2, "range")


def test_only_what_is_needed_is_told() -> None:
    (certificate,) = certificates(model(RING), 2, "alone")
    texts = " ".join(entry.formula for entry in certificate.formulas)
    assert "t1::me != t2::me" in texts
    assert "data" not in texts
    assert ">= 0" not in texts


# -- procedures ----------------------------------------------------------------------------------

TWICE = """
int g;
int more(int a) { int r; r = a + 1; return r; }
thread t[*] {
    int x; int y; x = choose(1, 2); y = more(x);
    assert(y == x + 1);
    g = y;
    assert(g > 1);
}
"""


def test_summaries_relate_results_to_arguments() -> None:
    assert proved(TWICE, 1, "assertions") == {"assert:6", "assert:8"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r = a + 1; return r", "a = a + 1; r = a; return a - 1"),
        ("r = a + 1; return r", "r = g + 1; return r"),
        ("y = more(x);", "y = more(x); x = more(y);"),
        ("y = more(x);", "y = more(2);"),
    ],
)
def test_summaries_that_say_something_else(old: str, new: str) -> None:
    assert old in TWICE
    assert "assert:6" not in proved(TWICE.replace(old, new), 1, "assertions")


DEEP = """
int depth;
void dive(int n) { depth = depth + 1; if (n > 0) { dive(n - 1); } depth = depth - 1; }
thread t { dive(choose(0, 5)); assert(depth >= 0); }
"""


def test_recursion_without_bound() -> None:
    text = DEEP.replace("depth = depth - 1;", "assert(depth > 0);").replace("choose(0, 5)", "9")
    assert proved(text, 1, "assertions") == {"assert:3", "assert:4"}
    assert "assert:3" not in proved(text.replace("depth > 0", "depth < 4"), 1, "assertions")


def test_procedures_under_a_lock() -> None:
    text = """
    int x; mutex m;
    void work() { x = 1; x = 0; }
    thread t[*] { acquire(m); work(); assert(x == 0); release(m); }
    """
    assert "assert:4" in proved(text, 1, "assertions", "mutex")
    early = text.replace(
        "work(); assert(x == 0); release(m);", "release(m); work(); assert(x == 0);"
    )
    assert "assert:4" not in proved(early, 1, "assertions")


def test_calls_of_two_representatives_are_refused() -> None:
    with pytest.raises(Unsupported):
        proved(TWICE, 2, "assertions")


# -- readable formulas --------------------------------------------------------------------------

X, Y = (Read(VariablePlace(Variable(name, INT, Scope.GLOBAL))) for name in "xy")


def minus(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.ADD, left, Binary(BinaryOp.MUL, number(-1), right))


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        (Binary(BinaryOp.GE, minus(X, Y), number(1)), "x > y"),
        (Binary(BinaryOp.LE, minus(X, Y), number(-1)), "x < y"),
        (Binary(BinaryOp.LE, minus(X, Y), number(0)), "x <= y"),
        (Binary(BinaryOp.GE, minus(X, Y), number(2)), "x > y + 1"),
        (Binary(BinaryOp.GE, X, number(3)), "x >= 3"),
        (Binary(BinaryOp.LE, Unary(UnaryOp.NEG, X), number(3)), "x >= -3"),
        (Unary(UnaryOp.NOT, Binary(BinaryOp.EQ, minus(X, Y), number(0))), "x != y"),
        (
            Binary(
                BinaryOp.OR,
                Binary(BinaryOp.GE, minus(X, Y), number(1)),
                Unary(UnaryOp.NOT, Binary(BinaryOp.GE, minus(X, Y), number(0))),
            ),
            "x != y",
        ),
    ],
)
def test_tidy_formulas(formula: Expr, told: str) -> None:
    assert Terms().expr(tidy(formula)) == told


def test_failures_are_excluded_beside_one_other_thread() -> None:
    """Beside others of its kind nothing need be known: proofs said that none is there at all."""
    text = """
    int free; int inside;
    thread first { free = 1; }
    thread t[*] {
        atomic { assume(free > 0); free = free - 1; }
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
        atomic { free = free + 1; }
    }
    """
    assert proved(text, 2, "assertions") == {"assert:7"}
    assert proved(text.replace("free = 1", "free = 2"), 2, "assertions") == set()
