"""What every engine has to keep to; one that is registered inherits all of it.

It says what it is, proves the obvious, proves nothing that is violated, shows violations by traces
that replay, answers for what it was asked only, is deterministic, and stops at its limit of steps.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.contract.samples import CLAIMS
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Engine, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.registry import ENGINES, EngineInfo
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, RaceProperty
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore
from threadwise.traces.replay import replay

STEPS = 5_000
"""What an engine may take for a program of a few lines."""
OBVIOUS = """
int[0..3] x; int[0..99] wrap data;
thread t[2] { x = 1; assert(x <= 1); data = data + 1; }
invariant i: x <= 1;
"""
WRONG = """
int[0..2] x;
thread t[2] { int[0..2] r; r = x; x = r + 1; assert(x != 2); }
invariant small: x <= 1;
"""
"""The assertion, the invariant and `races` are violated."""


@pytest.fixture(params=ENGINES)
def info(request: pytest.FixtureRequest) -> EngineInfo:
    return ENGINES[request.param]


def findings(engine: Engine, program: Program) -> list[Finding]:
    """What an engine finds out about all properties, until it has enough or refuses."""
    found: list[Finding] = []
    meter = Meter(Budget(steps=STEPS))
    try:
        for each in engine.run(Task(program, program.properties, meter=meter)):
            found.append(each)
    except (BudgetExhausted, Unsupported):
        pass
    return found


@cache
def about_what_is_wrong(name: str) -> tuple[Finding, ...]:
    """What an engine says about a program that is not safe."""
    return tuple(findings(ENGINES[name].create(), model(WRONG)))


def names(finding: Finding) -> tuple[str, ...]:
    match finding:
        case Violated(trace):
            return (trace.property,)
        case Proved(properties) | Undecided(properties):
            return tuple(properties)


def test_it_says_what_it_is(info: EngineInfo) -> None:
    assert ENGINES[info.name] is info
    assert info.name == info.create().name
    assert info.summary
    assert info.source
    assert set(info.answers.split(";")[0].split(", ")) <= {"SAFE", "UNSAFE", "UNKNOWN"}


def test_it_proves_the_obvious(info: EngineInfo) -> None:
    program = model(OBVIOUS)
    answered = [
        finding
        for checked in program.properties
        if not isinstance(checked, RaceProperty | DeadlockProperty)
        or (isinstance(checked, DeadlockProperty) and "deadlocks only" in info.answers)
        for finding in info.create().run(Task(program, (checked,)))
    ]
    assert (Proved in map(type, answered)) == bool(re.search(r"\bSAFE\b", info.answers))
    assert Violated not in map(type, answered)


def test_it_finds_the_obvious_if_it_finds_violations(info: EngineInfo) -> None:
    text = "mutex m; int[0..1] x; thread t { x = 1; acquire(m); acquire(m); } invariant i: x == 0;"
    found = {
        each.trace.property
        for each in findings(info.create(), model(text))
        if isinstance(each, Violated)
    }
    assert bool(found) == ("UNSAFE" in info.answers)
    assert found <= {"i", "mutex", "deadlocks"}


def test_what_it_proves_is_accepted(info: EngineInfo) -> None:
    for program in (model(OBVIOUS), CLAIMS["lock-order"].program):
        for finding in findings(info.create(), program):
            if isinstance(finding, Proved):
                checked = check_certificate(program, finding.certificate, lambda: None)
                assert set(finding.properties) <= set(checked.properties)


def test_it_proves_nothing_that_is_violated(info: EngineInfo) -> None:
    program = model(WRONG)
    violated = explore(program, program.properties).violated
    for finding in about_what_is_wrong(info.name):
        if isinstance(finding, Proved):
            assert violated.isdisjoint(finding.properties)


def test_its_violations_replay(info: EngineInfo) -> None:
    program = model(WRONG)
    violated = explore(program, program.properties).violated
    for finding in about_what_is_wrong(info.name):
        if not isinstance(finding, Violated):
            continue
        assert finding.trace.property in violated
        assert replay(program, finding.trace).trace.property == finding.trace.property


def test_it_answers_for_what_it_was_asked(info: EngineInfo) -> None:
    program = model(WRONG)
    asked = program.properties[:2]
    try:
        found = list(info.create().run(Task(program, asked, meter=Meter(Budget(steps=STEPS)))))
    except (BudgetExhausted, Unsupported):
        return
    assert {name for each in found for name in names(each)} <= {each.name for each in asked}


def test_it_decides_no_property_twice(info: EngineInfo) -> None:
    decided = [
        name
        for each in about_what_is_wrong(info.name)
        if isinstance(each, Proved | Violated)
        for name in names(each)
    ]
    assert len(decided) == len(set(decided))


def test_it_is_deterministic(info: EngineInfo) -> None:
    first = about_what_is_wrong(info.name)
    second = findings(info.create(), model(WRONG))
    assert list(map(names, first)) == list(map(names, second))
    traces = [[f.trace for f in found if isinstance(f, Violated)] for found in (first, second)]
    assert traces[0] == traces[1]


def test_it_stops_at_its_limit(info: EngineInfo) -> None:
    meter = Meter(Budget(steps=1))
    try:
        for _ in info.create().run(Task(model(WRONG), model(WRONG).properties, meter=meter)):
            pass
    except (BudgetExhausted, Unsupported):
        return
    assert meter.steps <= 1
