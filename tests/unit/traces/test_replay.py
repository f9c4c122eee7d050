"""Replaying traces, and what they tell their reader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.ir.program import Program
from threadwise.traces.replay import ReplayFailure, replay
from threadwise.traces.trace import Change, DescribedTrace, Trace


def trace_of(program: Program, name: str) -> Trace:
    properties = select_properties(program, [name])
    (finding,) = (
        f for f in ExplicitEngine().run(Task(program, properties)) if isinstance(f, Violated)
    )
    return finding.trace


def told(text: str, name: str) -> DescribedTrace:
    program = model(text)
    return replay(program, trace_of(program, name))


def test_steps_say_who_where_and_what() -> None:
    described = told(
        "int[0..3] x; bool b;\n"
        "thread t[2] {\n"
        "    int[0..3] r;\n"
        "    r = x + 1;\n"
        "    x, b = r, true;\n"
        "}\n"
        "invariant i: x == 0;",
        "i",
    )
    assert described.threads == ("t[0]", "t[1]")
    assert described.initial == (("x", "0"), ("b", "false"))
    first, second = described.steps
    assert [step.number for step in described.steps] == [1, 2]
    assert (first.thread_name, first.text) == ("t[0]", "r = x + 1")
    assert first.span is not None
    assert (first.span.line, first.span.column) == (4, 5)
    assert first.changes == (Change("r", "0", "1", shared=False),)
    assert second.changes == (
        Change("x", "0", "1", shared=True),
        Change("b", "false", "true", shared=True),
    )
    assert described.violation == "invariant `i` is false"


def test_values_are_written_as_users_write_them() -> None:
    described = told(
        "enum E { red, green } E e; tid o; mutex m; "
        "thread t { e = green; o = self; acquire(m); assert(false); }",
        "assertions",
    )
    changes = [(c.cell, c.before, c.after) for step in described.steps for c in step.changes]
    assert changes == [
        ("e", "red", "green"),
        ("o", "none", "t"),
        ("m", "none", "t"),
    ]


def test_calls_show_parameters_and_results() -> None:
    described = told(
        "int[0..9] x; int[0..9] f(int[0..9] p) { return p + 1; } "
        "thread t { int[0..9] r; r = f(4); x = r; } invariant i: x == 0;",
        "i",
    )
    changes = [[(c.cell, c.before, c.after) for c in step.changes] for step in described.steps]
    assert changes == [[("p", "", "4")], [("r", "0", "5")], [("x", "0", "5")]]


def test_atomic_blocks_are_one_step() -> None:
    described = told(
        "int[0..9] x; thread t { atomic { x = 1; x = 2; } } invariant i: x == 0;", "i"
    )
    (step,) = described.steps
    assert step.text == "x = 1; x = 2"
    assert step.changes == (Change("x", "0", "2", shared=True),)


@pytest.mark.parametrize(
    ("text", "name", "violation"),
    [
        ("thread t { assert(false); }", "assertions", "in t"),
        ("int[0..1] x; thread t { x = 2; }", "range", "in t"),
        ("mutex m; thread t { release(m); }", "mutex", "in t"),
        ("int[0..1] x; thread t { x = 1; } thread u { assume(x == 0); }", "races", "race on x"),
        ("bool b; thread t { assume(b); }", "deadlocks", "waits forever"),
        ("mutex m; thread t { acquire(m); acquire(m); }", "deadlocks", "forever"),
    ],
)
def test_violations_in_words(text: str, name: str, violation: str) -> None:
    assert violation in told(text, name).violation


def test_a_race_says_who_reads_and_who_writes() -> None:
    described = told("int[0..1] x; thread t { x = 1; } thread u { int[0..1] r; r = x; }", "races")
    assert "t can write it" in described.violation
    assert "u can read it" in described.violation


PROGRAM = model("int[0..3] x; thread t[2] { x = x + 1; } invariant i: x < 2;")
TRACE = trace_of(PROGRAM, "i")


def test_refusals_have_reasons() -> None:
    def refused(trace: Trace, message: str) -> None:
        with pytest.raises(ReplayFailure, match=message):
            replay(PROGRAM, trace)

    refused(replace(TRACE, program_hash="x"), "another program")
    refused(replace(TRACE, property="j"), "no property `j`")
    refused(replace(TRACE, property="range"), "does not violate `range`")
    refused(replace(TRACE, initial=(1,)), "initial state")
    refused(replace(TRACE, moves=TRACE.moves[:1]), "does not violate `i`")
    refused(replace(TRACE, moves=(TRACE.moves[0], TRACE.moves[0])), r"step 2 of t\[[01]\]")
    refused(replace(TRACE, moves=(TRACE.moves[0]._replace(thread=7),)), "step 1 is not possible")
    refused(replace(TRACE, counts={"t": 2}), "it may not")


def test_any_number_must_be_fixed() -> None:
    program = model("int[0..3] x; thread t[*] { x = 1; } invariant i: x == 0;")
    trace = trace_of(program, "i")
    assert trace.counts == {"t": 1}
    assert len(replay(program, trace).steps) == 1
    with pytest.raises(ReplayFailure, match="how many threads"):
        replay(program, replace(trace, counts={}))
    with pytest.raises(ReplayFailure):
        replay(program, replace(trace, counts={"t": 0}))
    assert len(replay(program, replace(trace, counts={"t": 3})).threads) == 3


def test_nothing_happens_after_a_failure() -> None:
    program = model("int[0..3] x; thread t { assert(false); } thread u { x = 1; }")
    trace = trace_of(program, "assertions")
    other = trace_of(model("int[0..3] x; thread u { x = 1; } invariant i: x == 0;"), "i")
    late = other.moves[0]._replace(thread=1)
    with pytest.raises(ReplayFailure, match="step 2 is not possible"):
        replay(program, replace(trace, moves=(*trace.moves, late)))
