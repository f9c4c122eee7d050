"""Mistakes in models: each is reported with its place and, where one is likely, a suggestion."""

from __future__ import annotations

import pytest

from tests.unit.frontends.model.loading import errors

DECLARED = """\
const int N = 2; enum E { red, green }
int counter; bool flag; int[0..3] small; E colour; tid who; mutex m; int a[N]; bool per[t];
int get(int n, bool b) { return n; }
void put() { }
thread w(int n) { }
"""
FIRST = DECLARED.count("\n") + 2


def statement_errors(statements: str) -> list[str]:
    """The errors of statements on lines of their own, with lines counted from 1."""
    found = errors(f"{DECLARED}thread t[2] {{ int i;\n{statements}\n}}")
    shown = []
    for message in found:
        place, rest = message.split(" ", 1)
        line, column = place.split(":")
        shown.append(f"{int(line) - FIRST + 1}:{column} {rest}")
    return shown


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        # Names.
        ("i = contr + 1;", "1:5 unknown name `contr` (did you mean `counter`?)"),
        ("i = xyz + 1;", "1:5 unknown name `xyz`"),
        ("conter = 1;", "1:1 unknown variable `conter` (did you mean `counter`?)"),
        ("N = 3;", "1:1 `N` is a constant, not a variable"),
        ("red = 3;", "1:1 `red` is a constant, not a variable"),
        ("put = 3;", "1:1 `put` is a procedure, not a variable"),
        ("i = put;", "1:5 `put` is a procedure, not a value"),
        ("i = t;", "1:5 `t` is a thread template, not a value"),
        ("i = E;", "1:5 `E` is an enumeration, not a value"),
        ("self = none;", "1:1 `self` is not a variable"),
        ("int j; bool j;", "1:13 `j` is declared twice"),
        ("bool i;", "1:6 `i` is declared twice"),
        ("int release;", "1:5 `release` is the name of a built-in operation"),
        ("Colour c;", "1:1 unknown type `Colour`"),
        ("Int c;", "1:1 unknown type `Int` (did you mean `int`?)"),
        # Types.
        ("i = flag;", "1:5 expected int, found bool"),
        ("flag = i;", "1:8 expected bool, found int (compare it: `… != 0`)"),
        ("flag = 1;", "1:8 expected bool, found int (compare it: `… != 0`)"),
        ("if (counter) skip;", "1:5 expected bool, found int (compare it: `… != 0`)"),
        ("while (small) skip;", "1:8 expected bool, found int[0..3] (compare it: `… != 0`)"),
        ("assert(who);", "1:8 expected bool, found tid"),
        ("flag = flag + 1;", "1:8 expected int, found bool"),
        ("flag = flag < true;", "1:8 `<` cannot compare bool with bool"),
        ("flag = !i;", "1:9 expected bool, found int (compare it: `… != 0`)"),
        ("i = -flag;", "1:6 expected int, found bool"),
        ("flag = flag && i;", "1:16 expected bool, found int (compare it: `… != 0`)"),
        ("flag = flag == i;", "1:8 `==` cannot compare bool with int"),
        ("flag = who == 1;", "1:8 `==` cannot compare tid with int"),
        ("flag = who < self;", "1:8 `<` cannot compare tid with tid"),
        ("flag = colour < red;", "1:8 `<` cannot compare E with E"),
        ("i = colour;", "1:5 expected int, found E"),
        ("colour = 1;", "1:10 expected E, found int"),
        ("i = flag ? 1 : true;", "1:16 expected int, found bool"),
        ("i = a;", "1:5 `a` is an array, not a value (read an element: `a[…]`)"),
        ("a = 1;", "1:1 the array `a` cannot be assigned as a whole"),
        ("i = counter[1];", "1:5 `counter` is not an array but int"),
        ("a[flag] = 1;", "1:3 expected int, found bool"),
        ("per[0] = true;", "1:5 expected tid, found int"),
        ("per[none] = true;", "1:5 `none` is never a thread of `t` here"),
        ("m = none;", "1:1 the mutex `m` cannot be assigned (use `acquire(m)` and `release(m)`)"),
        ("havoc m;", "1:7 the mutex `m` cannot be changed by `havoc`"),
        ("havoc per;", "1:7 `per` has one element per thread (write `havoc per[self]`)"),
        # Values.
        ("a[2] = 1;", "1:3 index `2` out of bounds 0..1"),
        ("i = a[N];", "1:7 index `N` out of bounds 0..1"),
        ("i = a[-1];", "1:7 index `-1` out of bounds 0..1"),
        ("i = i / 0;", "1:9 division by zero"),
        ("i = 1 % (N - 2);", "1:9 division by zero"),
        ("i = 1 << -1;", "1:10 negative shift"),
        ("i = 1 << 99999;", "1:5 a constant of more than 4096 bits"),
        ("int[0..2] k = 7;", "1:15 value of `7` outside int[0..2]"),
        ("int[2..1] k;", "1:1 empty range 2..1"),
        ("int k[0];", "1:7 an array of 0 elements"),
        ("int k[2000000];", "1:1 an array of more than 1000000 elements"),
        ("int k[counter];", "1:7 `counter` is not a constant"),
        ("int k[2] = {1};", "1:12 1 initial values for 2 elements"),
        ("int k = {1};", "1:9 a list cannot initialise int"),
        ("mutex k;", "1:1 a mutex must be shared (declare it outside of the body)"),
        ("bool k[t];", "1:1 an array with one element per thread must be shared"),
        # Assignments.
        ("i, i = 1, 2;", "1:4 `i` is assigned twice in one statement"),
        ("a[0], a[0] = 1, 2;", "1:7 `a[0]` is assigned twice in one statement"),
        ("i, counter = 1;", "1:1 1 value for 2 places"),
        ("i = 1, 2;", "1:1 2 values for 1 places"),
        (
            "i, flag = get(1, true), true;",
            "1:11 `get(1, true)` must be the only value of its assignment",
        ),
        ("counter;", "1:1 `counter` is not a statement (assign to it: `counter = …;`)"),
        ("i = choose();", "1:5 `choose` needs at least one value"),
        # Calls.
        ("get(1);", "1:1 `get` takes 2 arguments, found 1"),
        ("put(1);", "1:1 `put` takes 0 arguments, found 1"),
        ("i = get(true, true);", "1:9 expected int, found bool"),
        ("flag = get(1, true);", "1:8 expected bool, found int (compare it: `… != 0`)"),
        ("i = put();", "1:5 `put` returns no value"),
        ("gte(1, true);", "1:1 unknown procedure `gte` (did you mean `get`?)"),
        ("counter();", "1:1 `counter` is a variable, not a procedure"),
        ("w(1);", "1:1 `w` is a thread template, not a procedure (start it with `spawn w(…)`)"),
        (
            "i = 1 + get(1, true);",
            "1:9 `get(…)` cannot be part of an expression"
            " (assign it to a variable first: `x = get(…);`)",
        ),
        ("i = 1 + gett(1);", "1:9 unknown procedure `gett` (did you mean `get`?)"),
        ("return 1;", "1:1 a thread returns no value"),
        # Locks.
        ("acquire(counter);", "1:9 `counter` is not a mutex but int"),
        ("acquire();", "1:1 `acquire` takes one mutex"),
        ("release(m, m);", "1:1 `release` takes one mutex"),
        ("i = try_acquire(m);", "1:5 expected int, found bool"),
        (
            "try_acquire(m);",
            "1:1 the result of `try_acquire` is not used"
            " (assign it to a variable: `x = try_acquire(…);`)",
        ),
        ("flag = acquire(m);", "1:8 `acquire` returns no value"),
        ("flag = holds(m, m);", "1:8 `holds` takes one mutex"),
        # Threads.
        (
            "who = spawn t();",
            "1:13 `t` cannot be started by `spawn` (give it parameters: `thread t() { … }`)",
        ),
        ("who = spawn ww(1);", "1:13 unknown thread `ww` (did you mean `w`?)"),
        ("spawn w();", "1:1 `w` takes 1 argument, found 0"),
        ("i = spawn w(1);", "1:5 expected int, found tid"),
        ("join counter;", "1:6 expected tid, found int"),
        ("i = self.indx;", "1:5 `self.indx` has no meaning here (did you mean `self.index`?)"),
        ("i = who.x;", "1:5 `who.x` has no meaning here"),
        # Control.
        ("break;", "1:1 `break` outside of a loop"),
        ("continue;", "1:1 `continue` outside of a loop"),
        ("l: goto ll;", "1:9 unknown label `ll` (did you mean `l`?)"),
        ("l: skip; l: skip;", "1:10 label `l` is declared twice"),
        ("goto l; atomic { skip; l: skip; }", "1:1 `goto l` jumps into an atomic block"),
        ("goto l; await(flag) { l: skip; }", "1:1 `goto l` jumps into an atomic block"),
        # Formulas of invariants.
        ("flag = at(i, l);", "1:8 `at` can be used in invariants only"),
        ("flag = forall k: t. true;", "1:8 `forall` can be used in invariants only"),
    ],
)
def test_statements(statement: str, message: str) -> None:
    assert statement_errors(statement) == [message]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("const int M = K;", "1:15 unknown name `K`"),
        ("const int M = Q + 1; const int Q = 1;", "1:15 `Q` cannot be used before it is declared"),
        ("const bool B = 5;", "1:16 expected bool, found int (compare it: `… != 0`)"),
        ("const int[0..3] M = 5;", "1:21 value 5 outside int[0..3]"),
        ("const mutex M = 5;", "1:7 a mutex cannot be passed as a value"),
        ("int x; bool x;", "1:13 `x` is declared twice"),
        ("enum E { p, p }", "1:13 `p` is declared twice"),
        ("int x; void x() { }", "1:13 `x` is declared twice"),
        ("thread x { } thread x { }", "1:21 `x` is declared twice"),
        ("int at;", "1:5 `at` is the name of a built-in operation"),
        ("void f(int a, bool a) { }", "1:20 parameter `a` is declared twice"),
        ("void f(int a) { bool a; }", "1:22 `a` is declared twice"),
        ("void f(int holds) { }", "1:12 `holds` is the name of a built-in operation"),
        ("void f(mutex n) { }", "1:8 a mutex cannot be passed as a value"),
        ("int x = y;", "1:9 unknown name `y`"),
        ("int y; int x = y;", "1:16 `y` is not a constant"),
        ("tid x = self;", "1:9 `self` is not a constant"),
        (
            "mutex n = *;",
            "1:11 a mutex is free at the start: only `none` can be its initial value",
        ),
        ("int[0..2] x = 3;", "1:15 value of `3` outside int[0..2]"),
        ("int x[2] = {1, 2, 3};", "1:12 3 initial values for 2 elements"),
        ("int x[2][2] = {1, 2};", "1:16 expected a list of 2 values"),
        ("int x[2] = {1, *};", "1:16 expected one value"),
        ("int x[main] = {1};", "1:15 a list cannot initialise int[main]"),
        ("int x[mian];", "1:7 unknown constant or thread template `mian` (did you mean `main`?)"),
        ("thread x[-1] { }", "1:10 a count of -1 threads"),
        ("thread x[true] { }", "1:10 expected int, found bool"),
        ("int f() { return; }", "1:11 `f` must return a value of type int"),
        ("void f() { return 1; }", "1:12 `f` is void and returns no value"),
        ("void g() { } int f() { return g(); }", "1:31 `g` returns no value"),
        ("bool f() { return 1; }", "1:19 expected bool, found int (compare it: `… != 0`)"),
        ("race_free x;", "1:11 unknown variable `x`"),
        ("mutex n; race_free n;", "1:20 `n` is a mutex: accesses to it never race"),
        ("mutex n[2]; race_free n;", "1:23 `n` is a mutex: accesses to it never race"),
        (
            "enum thread_status { p } thread w() { }",
            "1:6 `thread_status` is the type of what `spawn` keeps about threads"
            " (choose another name)",
        ),
        ("race_free main;", "1:11 `main` is a thread template, not a shared variable"),
        ("int x; race_free x, x;", "1:21 `race_free x` is stated twice"),
        ("invariant i: true; invariant i: true;", "1:30 invariant `i` is declared twice"),
        ("invariant races: true;", "1:11 an invariant cannot have the name `races`"),
        (
            "void f() { tid h; join h; }",
            "1:19 there is no thread to join (declare one that `spawn` can start)",
        ),
    ],
)
def test_items(item: str, message: str) -> None:
    assert errors(f"{item}\nthread main {{ }}") == [message]


def test_no_thread() -> None:
    hint = "(a model needs at least one `thread name { … }`)"
    assert errors("int x;") == [f"1:1 no thread {hint}"]
    assert errors("") == [f"1:1 empty model: no thread {hint}"]
    assert errors("// nothing\n") == [f"1:1 empty model: no thread {hint}"]


def test_many_mistakes_in_one_run() -> None:
    text = "int x = true;\nthread t {\n  y = 1;\n  x = z;\n  acquire(x);\n}\ninvariant i: w;\n"
    assert errors(text) == [
        "1:9 expected int, found bool",
        "3:3 unknown variable `y`",
        "4:7 unknown name `z`",
        "5:11 `x` is not a mutex but int",
        "7:14 unknown name `w`",
    ]


def test_one_mistake_is_not_repeated() -> None:
    """A name whose declaration is wrong causes no further messages."""
    assert errors("int[3..1] x; thread t { int y = q; x = y + 1; y = x; }") == [
        "1:1 empty range 3..1",
        "1:33 unknown name `q`",
    ]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("mover up x = 1;", "unknown direction `up`"),
        ("mover left f();", "`mover` before a statement that is not one step"),
        ("mover left if (x == 0) { skip; }", "`mover` before a statement that is not one step"),
        ("atomic { mover left x = 1; }", "`mover` inside an atomic block"),
    ],
)
def test_mover_annotations(statement: str, message: str) -> None:
    (found,) = errors(f"int x; void f() {{ skip; }} thread t {{ {statement} }}")
    assert message in found
