"""Models on which an engine used to crash, or to give a proof that failed its check.

Each family is about one cause. Every engine of the family answers as brute force does, or says
that it cannot tell; that none of them fails is seen to by `tests/conftest.py`.
"""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.results.verdict import Verdict
from threadwise.semantics.oracle import explore


def verdicts(text: str, engine: str, *properties: str) -> dict[str, Verdict]:
    """What an engine says."""
    program = model(text)
    options = CheckOptions(properties=properties, engine=engine, budget=Budget(steps=20_000))
    result = check_loaded("x.tw", lambda: program, options, in_process=True)
    return {checked.name: checked.verdict for checked in result.properties}


def assert_right(text: str, engine: str, *properties: str) -> bool:
    """Compare an engine with brute force; whether it decided something."""
    program = model(text)
    found = verdicts(text, engine, *properties)
    asked = [checked for checked in program.properties if checked.name in found]
    violated = explore(program, asked).violated
    for name, verdict in found.items():
        expected = Verdict.UNSAFE if name in violated else Verdict.SAFE
        assert verdict in (expected, Verdict.UNKNOWN), f"{engine}: {name}"
    return any(verdict is not Verdict.UNKNOWN for verdict in found.values())


# -- cells whose values follow from the location in one thread and not in another -----------------

DERIVED = (
    "thread t[2] { int[0..2] r; while (true) { r = self.index; } }",
    "thread t[3] { int[0..2] r; while (true) { r = self.index; } }",
    "thread t[2] { int[0..2] r; r = self.index; assert(r < 2); r = 0; }",
    "thread t[2] { int[0..2] r; while (true) { r = self.index; assert(r == 0); } }",
    "thread t[3] { bool b; while (true) { b = self.index == 2; } }",
    "int[0..2] x; thread t[2] { int[0..2] r; while (true) { r = self.index * x; x = r; } }",
    "int[0..3] a[2]; thread t[2] { int[0..3] r; r = self.index; a[r] = 1; assert(a[r] == 1); }",
    "thread t[2] { int[0..2] r, s; while (true) { r = self.index; s = r; } }",
    "tid o; thread t[2] { tid w; while (true) { if (self.index == 0) { w = self; } o = w; } }",
    "thread t[2] { int[0..2] r; r = self.index; } thread u[2] { int[0..2] r; r = 1; }",
    "thread t[2] { int[0..2] r; while (true) { r = self.index; r = 0; } }"
    " invariant low: forall i: t. i.r < 2;",
)


@pytest.mark.parametrize("engine", ["afr", "tmmc", "tmmcir", "local-proof"])
@pytest.mark.parametrize("text", DERIVED)
def test_cells_that_follow_from_the_location_of_one_thread(text: str, engine: str) -> None:
    assert assert_right(text, engine)


# -- inputs of which no usual value is one --------------------------------------------------------

FAR = {
    "int[2000..1000000] x; thread t { havoc x; assert(x >= 2000); }": Verdict.SAFE,
    "int[2000..1000000] x; thread t { havoc x; assert(x >= 2001); }": Verdict.UNSAFE,
    "int[-1000000..-2000] x; thread t { havoc x; assert(x < 0); }": Verdict.SAFE,
    "int[-1000000..-2000] x; thread t { havoc x; assert(x < -2000); }": Verdict.UNSAFE,
    "int[2000..1000000] x = *; thread t { assert(x >= 2000); }": Verdict.SAFE,
    "int[2000..1000000] x = *; thread t { assert(x > 2000); }": Verdict.UNSAFE,
    "thread t { int[7..900000] y; havoc y; assert(y > 6); }": Verdict.SAFE,
    "int[500..1000000] a[2]; thread t { havoc a[1]; assert(a[0] <= a[1]); }": Verdict.SAFE,
    "int[500..1000000] x; thread t[2] { havoc x; assert(x != 0); }": Verdict.SAFE,
    "int[500..1000000] x; int[0..1] y; thread t { havoc x, y; assert(x != 499 + y); }": (
        Verdict.UNSAFE
    ),
}


@pytest.mark.parametrize("engine", ["explicit", "walks", "bounded"])
@pytest.mark.parametrize("text", FAR)
def test_inputs_far_from_zero(text: str, engine: str) -> None:
    found = verdicts(text, engine, "assertions")
    expected = FAR[text]
    assert set(found.values()) <= {expected, Verdict.UNKNOWN}
    if engine == "bounded":
        assert set(found.values()) == {expected}


# -- calls of procedures whose parameters or results are forgotten --------------------------------

CALLS = (
    "void f(int a) { acquire(m); x = x + a; release(m); } thread t[2] { f(3); f(4); }",
    "void f(int a) { x = x + a; } thread t[2] { acquire(m); f(3); release(m); }",
    "void f(int a) { x = x + a; } thread t[2] { f(3); }",
    "int f(int a) { return a + 1; }"
    " thread t[2] { int y; acquire(m); y = f(x); x = y; release(m); }",
    "int f(int a) { return a + 1; }"
    " thread t[2] { int y; y = f(7); acquire(m); x = y; release(m); }",
    "int f(int a) { return a; } thread t[2] { int y; y = x; y = f(y); acquire(m); release(m); }",
    "int f(int a, bool b) { if (b) { return a; } return 0; }"
    " thread t[2] { int y; acquire(m); y = x; y = f(y, true); x = y; release(m); }",
    "int f(int a) { return 5; } thread t[2] { int y; acquire(m); y = f(x); x = y; release(m); }",
    "bool f(int a) { return a > 3; }"
    " thread t[2] { bool b; int y; acquire(m); y = x; b = f(y); x = 9; release(m); }",
    "void g(int a) { x = a; } void f(int a) { g(a + 1); }"
    " thread t[2] { acquire(m); f(1); release(m); }",
    "int f(int a) { if (a == 0) { return 0; } return f(a - 1); }"
    " thread t[2] { int y; acquire(m); y = f(2); x = y; release(m); }",
    "int f(int a) { return a + x; } thread t[2] { int y; acquire(m); y = f(1); release(m); }",
)


@pytest.mark.parametrize("body", CALLS)
def test_calls_that_pass_on_what_is_forgotten(body: str) -> None:
    finite = f"mutex m; int[0..40] x; {body.replace('int ', 'int[0..40] ')}"
    assert_right(finite, "digest", "races")
    assert verdicts(f"mutex m; int x; {body}", "digest", "races")


@pytest.mark.parametrize("body", CALLS[:2])
def test_parameters_do_not_keep_data_from_being_forgotten(body: str) -> None:
    assert verdicts(f"mutex m; int x; {body}", "digest", "races") == {"races": Verdict.SAFE}


# -- an array is indexed in one branch, and what decides is forgotten -----------------------------

BRANCHES = (
    "y = (r < 2 ? a[r] : 700)",
    "y = (r > 1 ? 700 : a[r])",
    "y = (m == self ? a[r] : 700)",
    "y = (r < 2 && a[r] == 1 ? 3 : 700)",
    "y = (r > 1 || a[r] == 1 ? 3 : 700)",
    "assume(y > 0 ? r > 1 : a[r] == 1)",
    "await(y > 0 || (r < 2 && a[r] == 0))",
    "b = r < 2 ==> a[r] > 4",
    "y = (r < 2 ? a[r] : r - 2 < 2 ? a[r - 2] : 700)",
    "y = (r < 2 ? a[1 - r] : 700)",
)


@pytest.mark.parametrize("statement", BRANCHES)
def test_arrays_that_are_indexed_sometimes(statement: str) -> None:
    text = (
        "mutex m; int[0..9] a[2]; int[0..900] y; bool b; int[0..1] z;"
        f"thread t {{ int[0..3] r; havoc r; {statement}; z = 1; }} thread u {{ z = 0; }}"
        "thread w { int[0..900] k; while (k < 900) { k = k + 1; y = k; } }"
    )
    assert verdicts(text, "digest", "races")["races"] is not Verdict.SAFE


# -- one thread of many is followed, and its index is used as one ---------------------------------

INDEXED = (
    "int x; thread t[2]"
    " { while (true) { acquire(m[self.index]); x = 1; release(m[self.index]); } }",
    "int x; thread t[2] { acquire(m[self.index]); x = 1; release(m[self.index]); }",
    "int x; thread t[2] { acquire(m[0]); x = 1; release(m[0]); acquire(m[self.index]); }",
    "int a[2]; thread t[2] { while (true) { a[self.index] = a[self.index] + 1; } }",
    "int a[2]; thread t[2] { a[1 - self.index] = 1; }",
    "int[0..9] a[2]; thread t[2] { assume(a[self.index] == 0); a[self.index] = 1; }",
    "bool a[2]; thread t[2] { await(a[1 - self.index] == false); a[self.index] = true; }",
    "int x; thread t[2]"
    " { while (true) { acquire(m[1 - self.index]); release(m[1 - self.index]); } }",
    "int[0..9] a[4]; thread t[2] { assert(a[2 * self.index] == 0); }",
    "int[1..9] a[2] = 1; int x; thread t[2] { assume(6 / a[self.index] > 5); x = 1; }",
)


@pytest.mark.parametrize("engine", ["horn", "counting"])
@pytest.mark.parametrize("body", INDEXED)
def test_followed_threads_that_use_their_index(body: str, engine: str) -> None:
    text = f"mutex m[2]; {body}"
    reference = verdicts(text, "explicit", "races")["races"]
    found = verdicts(text, engine, "races")["races"]
    assert found is reference or Verdict.UNKNOWN in (found, reference)
