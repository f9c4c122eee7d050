"""What the audit of equations notices."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.base.audited_runs import break_checked_guards, broken, watched
from tests.unit.semantics.running import Run, model
from threadwise.engines.api import Proved, Task
from threadwise.engines.counting.counting_engine import CountingEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.counting.certificate import CountingCertificate

SEMAPHORE = """
int s = 2;
int inside;
thread t[*] {
    while (true) {
        await(s > 0) { s = s - 1; }
        inside = inside + 1;
        assert(inside <= 2);
        inside = inside - 1;
        s = s + 1;
    }
}
"""
CALLS = """
int busy;
void work() { skip; busy = busy - 1; }
thread t[*] { busy = busy + 1; assert(busy >= 0); work(); }
"""
FLAGS = """
enum Phase { IDLE, BUSY }
Phase phase;
bool taken;
mutex m;
thread t[2] {
    acquire(m);
    taken = true;
    phase = BUSY;
    assert(taken);
    phase = IDLE;
    taken = false;
    release(m);
}
"""


def proof(text: str) -> tuple[Program, CountingCertificate]:
    program = model(text)
    for finding in CountingEngine().run(Task(program, program.properties)):
        if isinstance(finding, Proved) and isinstance(finding.certificate, CountingCertificate):
            return program, finding.certificate
    raise AssertionError("no proof")


@pytest.mark.parametrize("text", [SEMAPHORE, CALLS, FLAGS])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_equations_hold(text: str, threads: int) -> None:
    program, certificate = proof(text)
    assert certificate.invariants
    evaluated = watched(program, certificate, threads)
    assert len(evaluated) == len(certificate.invariants)
    assert min(evaluated.values()) > 4


@pytest.mark.parametrize("text", [SEMAPHORE, CALLS, FLAGS])
def test_wrong_equations_are_broken(text: str) -> None:
    """Another constant, or any one term less."""
    program, certificate = proof(text)
    for number, invariant in enumerate(certificate.invariants):
        wrong = [replace(invariant, constant=invariant.constant + 1)]
        for position, _ in enumerate(invariant.terms):
            terms = (*invariant.terms[:position], *invariant.terms[position + 1 :])
            wrong.append(replace(invariant, terms=terms))
        for changed in wrong:
            mutant = replace(certificate, invariants=(changed,))
            assert broken(program, mutant) == "equation 1 does not hold", (number, changed)


UNSAFE = """
bool busy;
thread t[*] {
    int k;
    k = 0;
    await(k >= 0) { busy = true; }
crit:
    skip;
    busy = false;
}
invariant alone: forall i, j: t. at(i, crit) && at(j, crit) ==> i == j;
"""


def test_a_fault_of_the_encoding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engine and checker believe that the lock is taken only where it is free."""
    run = Run(model(UNSAFE).with_counts({"t": 2}))
    assert run.step(0, 0, 1, 1).violated() == {"alone"}
    break_checked_guards(monkeypatch)
    program, certificate = proof(UNSAFE)
    assert "alone" in check_certificate(program, certificate, lambda: None).properties
    assert broken(program, certificate).startswith("equation")
