"""Certificates by locksets: the kernel is asked first, other rules for what it leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.locksets.kernel.pairs_of_programs import EXAMPLES, LOCK, UNLOCK, two
from tests.unit.proofs.locksets.kernel.proving import certificate_of, nothing, program_of
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.check import LocksetChecker
from threadwise.proofs.locksets.kernel import settling
from threadwise.proofs.locksets.kernel_first import check_locksets

LOCKED = two(f"{LOCK} x++; {UNLOCK}", after="x++;")
SPIN = """
_Atomic int busy; int s;
void spin(void) { int no = 0; while (!atomic_compare_exchange_strong(&busy, &no, 1)) no = 0; }
"""
MIXED = two(f"{LOCK} x++; {UNLOCK} spin(); s++; busy = 0;", head=SPIN)


def checked(program: Program) -> CheckedProof:
    return check_locksets(program, certificate_of(program), nothing)


def by_kernel(proof: CheckedProof) -> dict[str, bool]:
    return {location.name: location.kernel for location in proof.locations["races"]}


@pytest.fixture
def no_other_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks the other checker gets no answer."""

    def run(_: LocksetChecker) -> CheckedProof:
        raise Refuted("other rules are needed")

    monkeypatch.setattr(LocksetChecker, "run", run)


@pytest.mark.usefixtures("no_other_rules")
def test_what_the_kernel_settles_needs_no_other_rules() -> None:
    proof = checked(program_of(LOCKED))
    assert proof.properties == ("races",)
    assert by_kernel(proof) == {"x": True}
    (location,) = proof.locations["races"]
    assert location.protections == ("under m.lock", "accessed while no other thread runs")


@pytest.mark.usefixtures("no_other_rules")
def test_other_rules_are_asked_for_the_rest() -> None:
    with pytest.raises(Refuted, match="other rules"):
        checked(program_of(MIXED))


def test_each_location_says_what_it_rests_on() -> None:
    assert by_kernel(checked(program_of(MIXED))) == {"busy": True, "s": False, "x": True}


def test_too_much_work_is_left_to_other_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "LOOKS", 0)
    monkeypatch.setattr(settling, "ENOUGH", 10)
    proof = checked(program_of(LOCKED))
    assert proof.properties == ("races",)
    assert by_kernel(proof) == {"x": False}


def certificate_about(program: Program, kind: PropertyKind) -> LocksetCertificate:
    asked = tuple(
        p for p in program.properties if isinstance(p, FailureProperty) and p.kind is kind
    )
    for finding in LocksetEngine().run(Task(program, asked)):
        if isinstance(finding, Proved) and isinstance(finding.certificate, LocksetCertificate):
            return finding.certificate
    raise AssertionError("nothing is proved")


@pytest.mark.usefixtures("no_other_rules")
def test_failures_that_are_not_reached_are_excluded_by_the_kernel() -> None:
    program = program_of(LOCKED)
    certificate = certificate_about(program, PropertyKind.MUTEX)
    assert check_locksets(program, certificate, nothing).properties == ("mutex",)


@pytest.mark.usefixtures("no_other_rules")
def test_failures_that_are_reached_are_not() -> None:
    program = program_of(LOCKED.replace("x++; return 0; }\n", "x++; assert(x); return 0; }\n"))
    (name,) = (p.name for p in program.properties if p.name.startswith("assert"))
    forged = replace(certificate_of(program), properties=(name,))
    with pytest.raises(Refuted, match="other rules"):
        check_locksets(program, forged, nothing)


@pytest.mark.usefixtures("no_other_rules")
def test_an_assumption_that_certainly_fails_is_not_made() -> None:
    program = program_of(LOCKED.replace("x++; return 0; }\n", "int *q = 0; *q = 1; return 0; }\n"))
    forged = replace(certificate_of(program), properties=("races",), partial=())
    with pytest.raises(Refuted, match="other rules"):
        check_locksets(program, forged, nothing)


@pytest.mark.parametrize("name", EXAMPLES)
def test_forged_certificates_of_races_are_refuted(name: str) -> None:
    for text in EXAMPLES[name].racy:
        program = program_of(text)
        forged = replace(certificate_of(program), properties=("races",), partial=())
        with pytest.raises(Refuted):
            check_locksets(program, forged, nothing)


def test_values_that_are_no_sets_are_refuted() -> None:
    program = program_of(LOCKED)
    certificate = certificate_of(program)
    (target, _), *rest = certificate.memory
    forged = replace(certificate, memory=((target, 0), *rest))  # type: ignore[arg-type]
    with pytest.raises(Refuted, match="no set of values"):
        check_locksets(program, forged, nothing)
