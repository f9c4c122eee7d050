"""Arrays of arrays with a cell per thread: exchanging threads exchanges these cells, too."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.unit.proofs.base.audited import prove
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.proofs.toolbox.renaming import are_alike
from threadwise.semantics.oracle import explore

WRONG = """int[0..1] a[1][t]; tid o;
thread t[2] { tid k; a[0][self] = 1; o = self; k = o; if (k != self) { assert(a[0][k] == 0); } }
"""
RIGHT = """int[0..2] a[2][t];
thread t[2] { a[0][self] = 1; assert(a[0][self] == 1); }
"""
ANY = RIGHT.replace("t[2]", "t[*]")
NAME = "assert:2"


def test_the_program_is_wrong() -> None:
    program = model(WRONG)
    wanted = [checked for checked in program.properties if checked.name == NAME]
    assert NAME in explore(program, wanted, 3).violated


@pytest.mark.parametrize("engine", ENGINES)
def test_no_engine_proves_it(engine: str) -> None:
    """It was SAFE by `thread-modular`: only one thread was seen to write its cell."""
    program = model(WRONG)
    wanted = tuple(checked for checked in program.properties if checked.name == NAME)
    task = Task(program, wanted, EngineOptions(max_depth=8), Meter(Budget(steps=2_000)))
    with suppress(Unsupported, BudgetExhausted):
        for finding in ENGINES[engine].create().run(task):
            assert not isinstance(finding, Proved)


@pytest.mark.parametrize("text", [WRONG, ANY, RIGHT], ids=["two", "any number", "right"])
def test_threads_with_cells_inside_are_not_alike(text: str) -> None:
    program = model(text)
    assert not are_alike(program, program.template["t"])


def test_a_right_program_is_still_proved() -> None:
    assert prove(model(RIGHT), "thread-modular", NAME).properties == (NAME,)
