"""Proofs of engines, audited: what tests of monitors have in common."""

from __future__ import annotations

import pytest

from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.audit import Audit, Broken, Run
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate

NOTHING = CheckedProof((), frozenset(), frozenset())
"""What a checker says that was not asked."""


def c_program(text: str) -> Program:
    """A program in C."""
    return load_c_sources([SourceFile("t.c", text)], LoadOptions()).worked_on


def prove(program: Program, engine: str, *names: str, symmetry: bool = True) -> Certificate:
    """What an engine proves first, of some properties or of all."""
    wanted = [checked for checked in program.properties if not names or checked.name in names]
    task = Task(program, tuple(wanted), EngineOptions(symmetry=symmetry))
    for finding in ENGINES[engine].create().run(task):
        if isinstance(finding, Proved):
            return finding.certificate
    raise AssertionError(f"{engine} proves nothing")


def accepted(program: Program, certificate: Certificate, seed: int = 0) -> Audit:
    """A certificate that passes its check and its audit."""
    proof = check_certificate(program, certificate, lambda: None)
    return audit_certificate(program, certificate, proof, lambda: None, seed=seed)


def broken_by(program: Program, certificate: Certificate, seeds: int = 10) -> Run:
    """The run that breaks a certificate; its check is not asked."""
    for seed in range(seeds):
        try:
            audit_certificate(program, certificate, NOTHING, lambda: None, seed=seed)
        except Broken as broken:
            run = broken.run
            break
    else:
        pytest.fail("no run breaks it")
    assert run is not None
    return run
