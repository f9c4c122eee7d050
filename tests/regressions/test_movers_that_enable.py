"""`x = 1; y = 1` beside `await(x == 1)`: a step may enable one that is blocked.

Engines that swap steps must not take `x = 1` for a mover because the two are never enabled at
once. And locks taken in opposite order are a deadlock that no engine may call SAFE.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Violated
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.traces.replay import replay

ENABLING = """int[0..1] x; int[0..1] y;
thread t { x = 1; y = 1; }
thread u { await(x == 1) {} assert(y == 1); }"""

OPPOSITE = """mutex a1; mutex a2;
thread t { acquire(a1); acquire(a2); release(a2); release(a1); }
thread u { acquire(a2); acquire(a1); release(a1); release(a2); }
deadlock_free;"""


def findings(name: str, program: Program, checked: str) -> list[Finding]:
    properties = tuple(p for p in program.properties if p.name == checked)
    task = Task(program, properties, EngineOptions(), Meter(Budget(steps=20_000)))
    found: list[Finding] = []
    with suppress(Unsupported, BudgetExhausted):
        found.extend(ENGINES[name].create().run(task))
    return found


@pytest.mark.parametrize("name", ENGINES)
def test_no_engine_loses_the_error(name: str) -> None:
    program = model(ENABLING)
    for finding in findings(name, program, "assert:3"):
        assert not isinstance(finding, Proved)
        if isinstance(finding, Violated):
            replay(program, finding.trace)
    if name in ("explicit", "reduction", "summaries"):
        assert [type(f) for f in findings(name, program, "assert:3")] == [Violated]


@pytest.mark.parametrize("name", ENGINES)
def test_no_engine_loses_the_deadlock(name: str) -> None:
    program = model(OPPOSITE)
    assert not any(isinstance(f, Proved) for f in findings(name, program, "deadlocks"))
