"""How closely runs look at a proof, and what becomes of a run that violates the property."""

from __future__ import annotations

from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.audit import Audit, Broken, Contradicted
from threadwise.proofs.base.auditing import LEAST, Tick, audit_certificate
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.transformed.certificate import TransformedCertificate
from threadwise.proofs.transformed.steps import without_passes
from threadwise.traces.trace import Trace

AUDIT = "audit"
"""Who found a violation that is a run of an audit."""

SHARE = 10
"""An audit takes about so small a share of the work that the proof took, but has a least size."""

STATE_COST = 500
"""About how many microseconds it takes to visit a state."""


def states_for(spent: int) -> int:
    """How many states to visit for a proof that took so many microseconds, by count of steps."""
    return max(LEAST, spent // SHARE // STATE_COST)


def trace_of(program: Program, found: Contradicted) -> Trace:
    """The violation that a run ends in, for replay."""
    run = found.run
    return Trace(program_hash(program), found.name, run.initial, run.moves, run.counts)


def audited(program: Program, certificate: Certificate, proof: CheckedProof, tick: Tick) -> Audit:
    """Let runs look at a recorded proof; raises Refuted."""
    if isinstance(certificate, TransformedCertificate):
        program, certificate = without_passes(program, certificate)
    try:
        return audit_certificate(program, certificate, proof.simpler or proof, tick)
    except (Broken, Contradicted) as broken:
        raise Refuted(f"a run refutes it: {broken}") from broken
