"""Runs of the program of record are runs of the simplified one, unless a pass went wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.simplified.test_check import FAULTS, TEXTS, Fault, lowered
from threadwise.driver.verdicts.auditing import audit_behind_steps
from threadwise.engines.api import Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.base.runs import Runs
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.transformed import simplified_runs
from threadwise.proofs.transformed.certificate import Simplify, behind
from threadwise.proofs.transformed.images import STEPS
from threadwise.proofs.transformed.simplified_runs import SimplifiedMonitor
from threadwise.transforms.pipeline import Simplified, simplify

NOTHING = StateSetCertificate("", (), ())


def watched(program: Program, simpler: Simplified, steps: int = 400, seed: int = 0) -> int:
    """How many steps runs had an image for; raises Broken."""
    monitor = SimplifiedMonitor(program, simpler, NOTHING)
    for start, run in Runs(program, seed, inputs=monitor.inputs):
        monitor.start(start)
        for before, move, after in run:
            if monitor.record.is_stopped(after):
                break
            monitor.step(before, move, after)
            steps -= 1
        if steps <= 0:
            break
    return monitor.looks


@pytest.fixture(autouse=True)
def no_inner_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplified_runs, "monitor_of", lambda *_: None)


@pytest.mark.parametrize("text", TEXTS)
def test_runs_have_images(text: str) -> None:
    program = lowered(text)
    assert watched(program, simplify(program)) > 20


CAUGHT = [
    "every branch is excluded",
    "fields are exchanged",
    "branches are exchanged",
    "values are not put in",
    "values that are read are forgotten",
]
"""Of faults that make races disappear, or steps out of sight, runs do not tell."""


@pytest.mark.parametrize("fault", [FAULTS[name] for name in CAUGHT], ids=CAUGHT)
def test_runs_notice_faults_that_the_check_would_not(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = getattr(fault.module, fault.attribute)
    monkeypatch.setattr(fault.module, fault.attribute, fault.faulty(there))
    program = replace(lowered(fault.text))  # one that nothing is known about
    simpler = simplify(program)
    with pytest.raises(Broken):
        watched(program, simpler, steps=2_000)


def test_an_audit_looks_at_runs_of_both_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    program = lowered(TEXTS[0])
    simpler = simplify(program)
    asked = tuple(p for p in simpler.program.properties if p.name == "mutex")
    (found,) = ENGINES["explicit"].create().run(Task(simpler.program, asked))
    assert isinstance(found, Proved)
    steps = tuple(map(Simplify, simpler.names))
    certificate = behind(steps, program_hash(program), found.certificate)
    proof = check_certificate(program, certificate, lambda: None)
    audit = audit_behind_steps(program, certificate, proof, lambda: None)
    assert audit.evaluated is not None
    assert audit.evaluated[STEPS] > 20
