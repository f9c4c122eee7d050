"""True proofs of random programs pass their audit, whatever the kind of proof and the runs."""

from __future__ import annotations

import pytest

from tests.property.test_simplify import plain_program
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.registry import check_certificate

CI = 10
NIGHTLY = 1000
STEPS = 2000

TABLES = (
    "explicit",
    "persistent",
    "thread-modular",
    "reduction",
    "summaries",
    "cartesian-frontier",
)


def audited(program: Program, engine: str, seed: int, *, symmetry: bool) -> int:
    """How many proofs of an engine pass."""
    options = EngineOptions(symmetry=symmetry)
    task = Task(program, program.properties, options, Meter(Budget(steps=STEPS)))
    passed = 0
    try:
        for finding in ENGINES[engine].create().run(task):
            if isinstance(finding, Proved):
                proof = check_certificate(program, finding.certificate, lambda: None)
                audit_certificate(program, finding.certificate, proof, lambda: None, seed=seed)
                passed += 1
    except (BudgetExhausted, Unsupported):
        pass
    return passed


def sample(engine: str, seeds: range) -> int:
    return sum(
        audited(plain_program(seed), engine, seed, symmetry=seed % 2 == 0) for seed in seeds
    )


@pytest.mark.parametrize("engine", TABLES)
def test_true_proofs_pass(engine: str) -> None:
    assert sample(engine, range(CI)) >= CI // 5


@pytest.mark.slow
@pytest.mark.parametrize("engine", TABLES)
def test_true_proofs_pass_at_night(engine: str) -> None:
    assert sample(engine, range(CI, NIGHTLY)) >= NIGHTLY // 5
