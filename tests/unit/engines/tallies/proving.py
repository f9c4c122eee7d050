"""Proofs of the assertions of small C programs, by one prover."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Finding, Proved, Task
from threadwise.ir.program import Program
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.registry import check_certificate

Prover = Callable[[Task], Iterator[Finding]]


def assert_proved(prover: Prover, text: str) -> None:
    """All assertions are proved at once; the checker and the audit accept the proof."""
    program = _loaded(text)
    (proof,) = _found(prover, program)
    assert len(proof.properties) == text.count("assert(")
    checked = check_certificate(program, proof.certificate, lambda: None)
    assert checked.properties == proof.properties
    assert audit_certificate(program, proof.certificate, checked, lambda: None).states >= 20


def assert_not_proved(prover: Prover, text: str) -> None:
    """Some assertion is not proved."""
    proofs = _found(prover, _loaded(text))
    assert all(len(proof.properties) < text.count("assert(") for proof in proofs)


def _loaded(text: str) -> Program:
    return load_c([SourceFile("t.c", text)], COptions()).program


def _found(prover: Prover, program: Program) -> list[Proved]:
    asked = tuple(p for p in program.properties if p.name.startswith("assert"))
    return [f for f in prover(Task(program, asked)) if isinstance(f, Proved)]
