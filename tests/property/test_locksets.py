"""Proofs by locksets against search: what is proved has no race, and evidence survives a file."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress

import pytest

from tests.property.c_threads import generate
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate

STEPS = 60_000


def findings(program: Program, engine: str, steps: int) -> list[Finding]:
    """What an engine says about races."""
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    task = Task(program, races, meter=Meter(Budget(steps=steps)))
    found: list[Finding] = []
    with suppress(BudgetExhausted, Unsupported):
        found.extend(ENGINES[engine].create().run(task))
    return found


def compare(seed: int) -> str:
    """Check one program; how it came out."""
    return compared(generate(seed))


def compared(text: str) -> str:
    """Check a program; how it came out."""
    load = LoadOptions()
    program = load_c_sources([SourceFile("r.c", text)], load).worked_on
    proofs = [f for f in findings(program, "locksets", 10 * STEPS) if isinstance(f, Proved)]
    racy = any(isinstance(f, Violated) for f in findings(program, "explicit", STEPS))
    racy = racy or any(isinstance(f, Violated) for f in findings(program, "persistent", STEPS))
    for proof in proofs:
        assert not racy, text
        written = json.loads(json.dumps(certificate_to_json(proof.certificate, load)))
        again = certificate_from_json(written, "certificate")
        assert check_certificate(program, again, lambda: None).properties == proof.properties
    return "proved" if proofs else "racy" if racy else "open"


def test_a_few() -> None:
    found = Counter(compare(seed) for seed in range(2, 4))
    assert found["racy"]
    assert found["proved"]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many(block: int) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        compare(seed)
