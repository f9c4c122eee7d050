"""What is proved after forgetting data holds, on random programs; and what forgetting keeps."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.property.test_simplify import plain_program, violated
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Finding, Proved, Task
from threadwise.engines.digest import DigestEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Forget, TransformedCertificate
from threadwise.transforms.forget import forget, forgettable, variable_key

CI = 10
NIGHTLY = 1500
STEPS = 3000


def findings(program: Program) -> list[Finding]:
    task = Task(program, program.properties, meter=Meter(Budget(steps=STEPS)))
    try:
        return list(DigestEngine().run(task))
    except (BudgetExhausted, Unsupported):
        return []


def compare(seed: int) -> int:
    """How many properties were proved; asserts that they hold and that the proof is checked."""
    program = plain_program(seed)
    proved = [f for f in findings(program) if isinstance(f, Proved)]
    if not proved:
        return 0
    answer = None if program.has_any_number else violated(program)
    for finding in proved:
        check_certificate(program, finding.certificate, lambda: None)
        if answer is not None:
            assert not set(finding.properties) & answer[0]
    return sum(len(finding.properties) for finding in proved)


def test_a_sample() -> None:
    assert sum(map(compare, range(CI))) > CI // 2


@pytest.mark.slow
def test_many() -> None:
    assert sum(map(compare, range(CI, NIGHTLY))) > NIGHTLY // 2


def some_names(program: Program, random: Random) -> list[str]:
    variables = [(d.variable, "") for d in program.globals]
    for procedure in program.procedures:
        variables += [(d.variable, procedure.name) for d in procedure.locals]
    names = [variable_key(v, p) for v, p in variables if forgettable(v.type) and not v.sync]
    return [name for name in names if random.random() < 0.5]


def forgets(seed: int) -> bool:
    """Whether something could be forgotten; asserts that every violation is still one."""
    program = plain_program(seed)
    if program.has_any_number:
        return False
    try:
        rest = forget(program, some_names(program, Random(seed)))
    except Unsupported:
        return False
    assert validate(rest) == []
    before, after = violated(program), violated(rest)
    if before is None or after is None:
        return False
    kept = {
        checked.name for checked in program.properties if not isinstance(checked, DeadlockProperty)
    }
    assert before[0] & kept <= after[0]
    return True


def test_whatever_is_forgotten_violations_remain() -> None:
    assert sum(map(forgets, range(CI))) > CI // 6


@pytest.mark.slow
def test_whatever_is_forgotten_violations_remain_nightly() -> None:
    assert sum(map(forgets, range(CI, NIGHTLY))) > NIGHTLY // 6


def test_the_checker_forgets_for_itself() -> None:
    tried = 0
    for seed in range(CI):
        program = plain_program(seed)
        for finding in findings(program):
            if isinstance(finding, Proved):
                certificate = finding.certificate
                assert isinstance(certificate, TransformedCertificate)
                more = (*certificate.properties, "every deadlock")
                inner = replace(certificate.inner, properties=more)
                mutants = [
                    replace(certificate, steps=(Forget(()),)),
                    replace(certificate, properties=more, inner=inner),
                ]
                for mutant in mutants:
                    tried += 1
                    with pytest.raises(Refuted):
                        check_certificate(program, mutant, lambda: None)
    assert tried > CI // 4
