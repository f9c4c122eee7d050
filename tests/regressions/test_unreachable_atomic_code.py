"""Code behind `assert(false)` in an atomic block: symbolic engines used to crash on it.

Nobody gets there, but it leads back to where somebody does.
"""

from __future__ import annotations

import pytest

from tests.property.comparison import load, nothing
from threadwise.engines.api import Engine, Proved, Task, Violated
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.proofs.base.registry import check_certificate
from threadwise.traces.replay import replay

TEXT = """bool b; bool c;
thread t {
    atomic {
        if (b) { skip; } else { assert(false); assume(c); }
        b = false;
    }
}
invariant kept: !c;"""


@pytest.mark.parametrize("engine", [AfrEngine(), TmmcirEngine(), LocalProofEngine()])
def test_it_changes_nothing(engine: Engine) -> None:
    program = load(TEXT)
    found: dict[str, type] = {}
    for finding in engine.run(Task(program, program.properties)):
        if isinstance(finding, Violated):
            replay(program, finding.trace)
            found[finding.trace.property] = Violated
        elif isinstance(finding, Proved):
            check_certificate(program, finding.certificate, nothing)
            found.update((name, Proved) for name in finding.properties)
    assert found["kept"] is Proved
    assert found["assert:4"] is Violated
