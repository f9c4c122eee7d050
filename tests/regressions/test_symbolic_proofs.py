"""Proofs of the symbolic engines that their checker used to refuse.

Each needs something that the engine takes for granted and that has to be said, or known, in the
proof too. Found by comparing random programs with brute force.
"""

from __future__ import annotations

import pytest

from tests.property.comparison import load, nothing
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Violated
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.errors import is_answered
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore
from threadwise.traces.replay import replay

HOLDERS = """mutex m;
thread t { tid w; while (w != none) { w = m; } }
thread u { release(m); }
invariant nobody: forall i: t. i.w == none;"""
"""An own cell that always has the same value needs no bits; that it has it is a claim."""

JOINING = """int[0..2] x; tid o;
thread worker(int[0..2] p) { x = 1; }
thread t { tid w; tid c; c = spawn worker(1); join c; }
invariant ids: forall i: t. i.w != none ==> o != none;"""
"""A thread waits for the one that its own cell names: where it can be by itself is a claim."""

RELEASING = """mutex m;
thread t[2] { release(m); }
invariant nothing: forall i, j: t. true;"""
"""All threads stop at once: a thread is at one of its locations, and at no other number."""


@pytest.mark.parametrize("text", [HOLDERS, JOINING, RELEASING])
@pytest.mark.parametrize("engine", [AfrEngine(), TmmcirEngine(), LocalProofEngine()])
@pytest.mark.parametrize("symmetry", [True, False])
def test_proofs_pass(text: str, engine: Engine, symmetry: bool) -> None:
    program = load(text)
    asked = tuple(p for p in program.properties if is_answered(p))
    proved: set[str] = set()
    for finding in engine.run(Task(program, asked, EngineOptions(symmetry=symmetry))):
        if isinstance(finding, Violated):
            replay(program, finding.trace)
        elif isinstance(finding, Proved):
            check_certificate(program, finding.certificate, nothing)
            proved.update(finding.properties)
    assert proved == {p.name for p in asked} - explore(program, asked).violated
