"""Found by a stack of a hundred elements: comparing an array with a thread's id ended the run."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.engines.api import Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine

PROGRAM = """
mutex m;
int a[100];
int[0..99] x;
thread t[2] { acquire(m); a[x] = 1; assert(a[x] == 1); release(m); }
"""


def test_arrays_beside_ids() -> None:
    program = model(PROGRAM)
    findings = list(HornEngine().run(Task(program, program.properties)))
    assert any(isinstance(finding, Proved) for finding in findings)
