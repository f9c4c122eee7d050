"""The rules INIT, STEP and ENV, what they prove and how they explain what they do not."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided
from threadwise.engines.thread_modular.rules import (
    Disturbed,
    Initial,
    Stepped,
    thread_modular_fixpoint,
)
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.systems.concrete import ConcreteSystem

ONE_BY_ONE = EngineOptions(symmetry=False)


def answers(program: Program, *selectors: str) -> tuple[set[str], dict[str, Undecided]]:
    """What is proved, and the findings about the rest."""
    properties = select_properties(program, selectors or ("all",))
    proved: set[str] = set()
    open_: dict[str, Undecided] = {}
    for finding in ThreadModularEngine().run(Task(program, properties, ONE_BY_ONE)):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            proved |= set(finding.properties)
        elif isinstance(finding, Undecided):
            open_ |= dict.fromkeys(finding.properties, finding)
    return proved, open_


def test_rules() -> None:
    system = ConcreteSystem(model("int[0..3] x; thread t { x = 1; } thread u { assume(x == 1); }"))
    fixpoint = thread_modular_fixpoint(system)
    assert fixpoint.size == 2 + 3
    assert [len(made) for made in fixpoint.guarantees] == [1, 1]
    (t0,) = [l for (g, l), o in fixpoint.reached[0].items() if isinstance(o, Initial)]
    (u0,) = [l for (g, l), o in fixpoint.reached[1].items() if isinstance(o, Initial)]
    assert {type(origin) for origin in fixpoint.reached[0].values()} == {Initial, Stepped}
    disturbed = fixpoint.reached[1][(1,), u0]
    assert disturbed == Disturbed((0,), u0, system.roles[0], ((0,), (1,)))
    assert t0 != u0


def test_a_thread_is_not_disturbed_by_itself() -> None:
    system = ConcreteSystem(model("int[0..3] x; thread t { x = 1; } thread u { skip; }"))
    fixpoint = thread_modular_fixpoint(system)
    start = next(iter(system.initial(system.roles[0])))[1]
    assert ((1,), start) not in fixpoint.reached[0]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_alike_threads_disturb_each_other(count: int) -> None:
    """Two guarantors of one change disturb everybody, the guarantors included."""
    system = ConcreteSystem(model(f"int[0..3] x; thread t[{count}] {{ x = 1; }}"))
    fixpoint = thread_modular_fixpoint(system)
    for t in system.roles:
        start = next(iter(system.initial(t)))[1]
        assert ((1,), start) in fixpoint.reached[t]


def test_steps_that_change_nothing_are_guarantees() -> None:
    system = ConcreteSystem(model("int[0..3] x; thread t { skip; skip; }"))
    assert list(thread_modular_fixpoint(system).guarantees[0]) == [((0,), (0,))]


def test_every_kind_can_be_proved() -> None:
    program = model("""
        mutex m; int[0..1] x;
        thread t[2] { acquire(m); use: x = 1; assert(x == 1); x = 0; release(m); }
        invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
        race_free x;
    """)
    proved, open_ = answers(program)
    assert proved == {p.name for p in program.properties}
    assert open_ == {}


BUSY = """
bool busy; int[0..3] x;
thread t[2] {
    await(!busy) { busy = true; }
    x = 1; assert(x == 1); x = 0;
    atomic { busy = false; }
}
race_free x;
"""


def rules_of(lines: tuple[str, ...]) -> list[str]:
    return [line.split()[0] for line in lines if line.startswith("    ")]


def test_what_is_not_proved_is_explained() -> None:
    program = model(BUSY)
    proved, open_ = answers(program)
    assert "range" in proved
    lines = open_["race_free x"].explanation
    assert sum(line.startswith("t[") for line in lines) == 2
    assert "busy = " in lines[0]
    assert "at line" in lines[0]
    assert set(rules_of(lines)) <= {"INIT", "STEP", "ENV"}
    assert rules_of(lines).count("INIT") == 2


def test_interference_is_part_of_the_explanation() -> None:
    _, open_ = answers(model(BUSY), "assertions")
    ((_, finding),) = open_.items()
    lines = finding.explanation
    assert sum(line.startswith("t[") for line in lines) == 1
    assert rules_of(lines)[0] == "INIT"
    assert any("ENV" in line and "x: 1 → 0" in line for line in lines)


def test_limits_leave_everything_open() -> None:
    program = model("thread w() { skip; } thread t { while (true) { spawn w(); } }")
    proved, open_ = answers(program)
    assert proved == set()
    assert all("--max-threads" in finding.reason for finding in open_.values())


def test_the_rules_are_metered() -> None:
    program = model("int x; thread t { while (true) { x = x + 1; } }")
    task = Task(program, program.properties, ONE_BY_ONE, meter=Meter(Budget(steps=50)))
    with pytest.raises(BudgetExhausted):
        list(ThreadModularEngine().run(task))


def test_failed_threads_take_part_in_failures_only() -> None:
    """After a failure nothing else counts: the race needs both threads to be going."""
    program = model(
        "int[0..3] x; thread t { assert(false); x = 1; } thread u { x = 2; } race_free x;"
    )
    proved, _ = answers(program, "race_free x", "assertions")
    assert proved == {"race_free x"}
