"""Programs as machine code: each kind of expression and command, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.property.comparison import reachable
from tests.property.test_compiled_search import same_states
from tests.unit.semantics.running import model
from threadwise.backends.native.control import Mark
from threadwise.backends.native.search import NativeSearch
from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.ir.expr import Expr
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.systems.concrete import ConcreteSystem

OPERATORS = (
    "a + b",
    "a - b * 3",
    "(a + 9) / (b == 0 ? 2 : b)",
    "a % (b == 0 ? -3 : b)",
    "(a & 5) | (b ^ 3)",
    "~a + (b << 2)",
    "(a * 100) >> (b + 4)",
    "-a",
    "a < b ? a : b * b",
    "(a <= b) == (a != 2) ? 1 : 2",
    "a > 0 && 6 / a > 1 ? 3 : 4",
    "a == 0 || 6 % a == 0 ? 5 : 6",
    "(a > 1 ==> b > 1) ? 7 : 8",
)


@pytest.mark.parametrize("operation", OPERATORS)
def test_arithmetic(operation: str) -> None:
    text = f"int[-4..4] a = *; int[-4..4] b = *; int x; thread t {{ x = {operation}; }}"
    assert same_states(model(text))


@pytest.mark.parametrize(
    "text",
    [
        "int[-3..4] wrap x; thread t[2] { x = x + 3; x = x * 5; }",
        "int[2..8] wrap x; thread t[2] { x = x - 7; x = x + 30; }",
        "int[0..5] saturate x; thread t[2] { x = x + 4; x = x - 9; }",
        "enum E { a, b, c } E x; bool p; tid o; thread t[2] { havoc x; havoc p; havoc o; }",
        "int[0..3] x[2][3] = {{1, 2, 3}, {0, 0, 1}}; thread t[2] { x[self.index][x[1][2]] = 3; }",
        "bool seen[t]; tid o; thread t[3] { o = self; seen[o] = true; skip; }",
        "int[0..9] x; thread t[2] { atomic { while (x < 4) { x = x + 1; } x = x + 2; } }",
        "int[0..3] x; thread t[2] { atomic { either { x = 1; } or { x = 2; assume(x == 1); } } }",
        "int[0..3] x, y; thread t[2] { x, y = y + 1, x; assert(x > 0); }",
        "mutex m; int[0..2] x; thread t[3] { acquire(m); x = x + 1; x = x - 1; release(m); }",
        "thread w(int[0..2] p) { skip; } thread t { tid h; h = spawn w(2); join h; }",
    ],
)
def test_statements(text: str) -> None:
    assert same_states(model(text))


def test_templates_without_threads() -> None:
    text = "int[0..2] x; bool f[b]; thread a { x = 1; } thread b[*] { x = 2; f[self] = true; }"
    program = model(text)
    for count in range(3):
        assert same_states(program.with_counts({"b": count}))
    nobody = model("int[0..1] x; thread b[*] { x = 1; }").with_counts({"b": 0})
    with pytest.raises(Unsupported):
        compiled(nobody)


POINTERS = """
#include <pthread.h>
struct pair { int first, second; } pairs[3];
int *shared;
int done;
void *left(void *arg) { struct pair *p = arg; shared = &p->second; *shared = 7; return &done; }
void *right(void *arg) { int **p = arg; if (*p) { *p += -1; **p = 3; } return (void *)5; }
int main(void) {
    pthread_t a, b;
    void *result;
    pthread_create(&a, 0, left, &pairs[1]);
    pthread_create(&b, 0, right, &shared);
    pthread_join(a, &result);
    if (result == &done && shared - &pairs[0].first > 1) done = 1;
    pthread_join(b, &result);
    return (long)result == 5;
}
"""


def c_program(text: str) -> Program:
    return load_c_sources([SourceFile("p.c", text)], LoadOptions()).worked_on


def test_pointers_to_shared_variables() -> None:
    program = c_program(POINTERS)
    assert compiled(program).packing.wide
    assert same_states(program)


def compiled(program: Program, formulas: Sequence[Expr] = ()) -> NativeSearch:
    system = ConcreteSystem(program)
    return NativeSearch(program, system.layout, system.interpreter, formulas)


def marks(text: str) -> list[int]:
    """The marks of all states of a model with one initial state."""
    program = model(text)
    system = ConcreteSystem(program)
    formulas = [p.formula for p in program.properties if isinstance(p, InvariantProperty)]
    search = compiled(program, formulas)
    (initial,) = system.joint_initial()
    search.add([*initial.g, *(value for l in initial.locals for value in l)])
    while search.run(2):
        pass
    states = reachable(system, 1000)
    assert states is not None
    assert len(search) == len(states)
    return [int(mark) for mark in search.marks]


def test_states_are_marked() -> None:
    text = "int[0..2] x; thread t { x = 1; assert(x == 2); } invariant small: 2 / x == 2 || x > 0;"
    assert marks(text) == [Mark.VIOLATED, 0, Mark.STOPPED]
    stuck = "mutex m; thread t { acquire(m); acquire(m); }"
    assert marks(stuck) == [0, Mark.STUCK | Mark.WAITING]


def test_formulas_about_threads() -> None:
    text = """
    int[0..1] x;
    thread t[2] { int[0..1] mine; here: mine = 1; skip; }
    invariant both: forall i, j: t. i != j && i.mine == 1 ==> j.mine == 0;
    invariant some: exists i: t. at(i, here) || i.mine == 1;
    """
    found = marks(text)
    assert 0 < sum(mark & Mark.VIOLATED for mark in found) // Mark.VIOLATED < len(found)


@pytest.mark.parametrize(
    "text",
    [
        "int x = 1; thread t { while (true) { x = x * 1000000; } }",
        "int x; thread t { havoc x; }",
        "int[0..9] x; thread t { atomic { while (x < 9) { x = (x + 1) % 9; } } }",
    ],
)
def test_what_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(Unsupported):
        marks(text)


def test_a_heap_is_refused() -> None:
    text = "#include <stdlib.h>\nint *p; int main(void) { while (1) p = malloc(4); }"
    with pytest.raises(Unsupported):
        compiled(c_program(text))
