"""A thread that goes on for ever must not keep a search from looking at the others.

Loops close in many ways: by a return, a call, a jump, a join, a lock. A search that follows one
thread only while its steps do not matter to the others once took a loop whose last step is a
return for a way that comes to an end, and proved what the other threads refute.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.unit.semantics.running import model
from threadwise.analyses.touches import Touches
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Violated
from threadwise.engines.persistent.futures import futures as futures_of
from threadwise.engines.registry import ENGINES
from threadwise.frontends.c.options import COptions
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.semantics.step import Interpreter
from threadwise.traces.replay import replay
from threadwise.transforms.pipeline import simplified

SPINNING = {
    "a return": "void f() { return; } thread a { while (true) { f(); } }",
    "two returns": "void f() { return; } thread a { while (true) { f(); f(); } }",
    "a result": "bool f() { return true; } thread a { bool r = true; while (true) { r = f(); } }",
    "a call": "void f() { f(); } thread a { f(); }",
    "calls to and fro": "void f() { g(); } void g() { f(); } thread a { f(); }",
    "calls that may return": "void f() { either { f(); } or { skip; } } thread a { f(); }",
    "nested calls": "void g() { return; } void f() { g(); } thread a { while (true) { f(); } }",
    "a jump": "thread a { again: skip; goto again; }",
    "a jump after a call": "void f() { return; } thread a { again: f(); goto again; }",
    "a loop inside a call": "void f() { while (true) { skip; } } thread a { f(); }",
    "a counter": "thread a { int[0..2] wrap i; while (true) { i = i + 1; } }",
    "a choice": "void f() { return; } thread a { while (true) { either { f(); } or { skip; } } }",
    "a block": "int[0..1] z; thread a { while (true) { atomic { z = 1; z = 0; } } }",
    "a lock": "mutex k; thread a { while (true) { acquire(k); release(k); } }",
    "a call under a lock": "mutex k; void f() { acquire(k); release(k); return; }"
    " thread a { while (true) { f(); } }",
    "two threads": "void f() { return; } thread a[2] { while (true) { f(); } }",
    "a thread that is started": "void f() { return; } thread w() { while (true) { f(); } }"
    " thread a { spawn w(); }",
    "a thread that is awaited": "void f() { return; } thread w() { while (true) { f(); } }"
    " thread a { tid c = spawn w(); join c; }",
}
"""Threads that never touch what the others do."""
UNBOUNDED = ("a call", "calls to and fro", "calls that may return")
"""Their stacks grow for ever."""

UNSAFE = [
    ("assertion", "int[0..1] x; thread b { x = 1; assert(x == 0); }"),
    ("assertion", "int[0..1] x; thread b { x = 1; } thread c { assert(x == 0); }"),
    ("range", "int[0..1] x; thread b { x = 1; x = x + 1; }"),
    ("mutex", "mutex m; thread b { skip; release(m); }"),
    ("race", "int[0..1] x; thread b[2] { skip; x = 1; }"),
    (
        "deadlock",
        "mutex m, n; thread b { acquire(m); acquire(n); } thread c { acquire(n); acquire(m); }",
    ),
    ("invariant", "int[0..1] x; thread b { x = 1; } invariant zero: x == 0;"),
]
SAFE = [
    ("assertion", "int[0..1] x; thread b { x = 1; assert(x == 1); }"),
    ("race", "int[0..1] x; mutex m; thread b[2] { acquire(m); x = 1; release(m); }"),
    ("deadlock", "mutex m, n; thread b[2] { acquire(m); acquire(n); release(n); release(m); }"),
]
STEPS = 1_500


def findings(name: str, program: Program, kind: str) -> list[Finding]:
    """What an engine says about the properties of a kind, with evidence that was checked."""
    asked = tuple(p for p in program.properties if p.kind.value == kind)
    assert asked
    task = Task(program, asked, EngineOptions(max_depth=3), Meter(Budget(steps=STEPS)))
    found: list[Finding] = []
    with suppress(Unsupported, BudgetExhausted):
        found.extend(ENGINES[name].create().run(task))
    for finding in found:
        if isinstance(finding, Violated):
            replay(program, finding.trace)
        elif isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
    return found


def is_proved(name: str, program: Program, kind: str) -> bool:
    return any(isinstance(found, Proved) for found in findings(name, program, kind))


def is_violated(name: str, program: Program, kind: str) -> bool:
    return any(isinstance(found, Violated) for found in findings(name, program, kind))


@pytest.mark.parametrize("spinning", SPINNING)
@pytest.mark.parametrize(("kind", "others"), UNSAFE)
def test_the_others_are_not_forgotten(spinning: str, kind: str, others: str) -> None:
    program = model(f"{SPINNING[spinning]} {others}")
    for variant in (program, simplified(program)):
        assert is_violated("explicit", variant, kind)
        assert is_violated("persistent", variant, kind) or kind == "invariant"
        for name in ("reduction", "summaries"):
            assert not is_proved(name, variant, kind)


@pytest.mark.parametrize("spinning", SPINNING)
@pytest.mark.parametrize(("kind", "others"), SAFE)
def test_what_is_safe_is_not_refuted(spinning: str, kind: str, others: str) -> None:
    program = model(f"{SPINNING[spinning]} {others}")
    for name in ("explicit", "persistent", "reduction", "summaries"):
        assert not is_violated(name, program, kind)
    if spinning not in UNBOUNDED:
        assert is_proved("persistent", program, kind)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("spinning", ["a return", "a call", "a thread that is awaited"])
def test_no_engine_forgets(name: str, spinning: str) -> None:
    for kind, others in (UNSAFE[0], UNSAFE[4], UNSAFE[5]):
        assert not is_proved(name, model(f"{SPINNING[spinning]} {others}"), kind)


@pytest.mark.parametrize("turned", [False, True])
def test_the_checker_sees_circles_by_itself(turned: bool) -> None:
    """Everything but the cycle is in order: thread a touches nothing, and b is postponed."""
    program = model(f"{SPINNING['a return']} {UNSAFE[0][1]}")
    interpreter = Interpreter(program)
    (initial,) = interpreter.initial_states()
    (called,) = interpreter.thread_successors(initial, 0)
    (back,) = interpreter.thread_successors(called.state, 0)
    assert back.state == initial
    states = [initial, called.state]
    touches = Touches.regions(program, interpreter.layout.numbers)
    futures = [futures_of(program, touches, t) for t in (0, 1)]
    claim = PersistentCertificate(
        program_hash(program), ("assert:1",), states[::-1] if turned else states, [0, 0], futures
    )
    with pytest.raises(Refuted, match="no step of the chosen thread leads on"):
        check_certificate(program, claim, lambda: None)


C_TEXT = """
#include <assert.h>
#include <pthread.h>
static int x;
static _Atomic int stop;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
%s
static void *spin(void *p) { %s return 0; }
static void *one(void *p) { %s return 0; }
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, spin, 0);
    pthread_create(&t, 0, one, 0);
    %s
    return 0;
}
"""
C_SPINNING = [
    ("static int f(int k) { if (k > 0) return f(k - 1); return 0; }", "while (1) f(2);"),
    ("static int f(int k) { if (k > 0) return f(k - 1); return 0; }", "while (!f(2)) ;"),
    (
        "static int g(int k); static int f(int k) { return k > 0 ? g(k - 1) : 0; }"
        " static int g(int k) { return k > 0 ? f(k - 1) : 1; }",
        "while (1) f(3);",
    ),
    ("static void f(void) { while (1) ; }", "f();"),
    ("static int f(int k) { return k ? f(0) : 1; }", "again: if (f(1)) goto again;"),
]
C_UNSAFE = [
    ("assertions", "x = 1; assert(x == 0);", ""),
    ("races", "x = 1;", "x = 2;"),
    (
        "deadlocks",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&n);",
        "pthread_mutex_lock(&n); pthread_mutex_lock(&m);",
    ),
]


@pytest.mark.parametrize(("helper", "loop"), C_SPINNING)
@pytest.mark.parametrize(("kind", "one", "main"), C_UNSAFE)
def test_helpers_of_c(helper: str, loop: str, kind: str, one: str, main: str) -> None:
    """`main` waits, so that the program does not end before the other threads are done."""
    text = C_TEXT % (helper, loop, one, f"{main} pthread_join(s, 0);")
    program = load_c([SourceFile("spin.c", text)], COptions()).program
    for engine in ("explicit", "persistent", "auto"):
        options = CheckOptions(properties=(kind,), engine=engine)
        result = check_loaded("spin.c", lambda: program, options, in_process=True)
        assert result.verdict.value == "UNSAFE", engine
