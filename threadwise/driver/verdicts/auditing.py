"""How thoroughly a proof is tested in runs, and what follows if a run violates the property."""

from __future__ import annotations

from dataclasses import replace

from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.audit import Audit, Broken, Contradicted
from threadwise.proofs.base.auditing import LEAST, Tick, audit_certificate
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.transformed.certificate import Simplify, TransformedCertificate
from threadwise.traces.trace import Trace

AUDIT = "audit"
"""The name of the finder of a violation that an audit found."""

SHARE = 10
"""An audit takes about so small a share of the work that the proof took, but has a least size."""

MOST = 2_000
"""However long a proof took, no more states are visited: what an audit finds it finds early."""

LONGER = 3
"""About so many times more states a run has in the program of record than after simplification."""

STATE_COST = 500
"""About how many microseconds it takes to visit a state of a program of usual size."""

USUAL = 500
"""So many edges that has; states of larger ones take longer, since threads can do more there."""


def states_for(spent: int, edges: int) -> int:
    """How many states of a program with so many edges to visit for a proof that took so many
    microseconds, by count of steps."""
    cost = STATE_COST * max(USUAL, edges) // USUAL
    return min(MOST, max(LEAST, spent // SHARE // cost))


def trace_of(found: Contradicted) -> Trace:
    """The violation that a run ends in, for replay."""
    run = found.run
    return Trace(run.program_hash, found.name, run.initial, run.moves, run.counts)


def audit_behind_steps(
    program: Program,
    certificate: Certificate,
    proof: CheckedProof,
    tick: Tick,
    states: int = LEAST,
) -> Audit:
    """Test a proof in runs, the steps to a simplified program included.

    Runs of the simplified program test what the inner proof claims. Runs of the program of
    record, not so many since each is longer, must be runs of the simplified program, too; the
    inner proof is tested there again. Raises Broken or Contradicted.
    """
    passes = isinstance(certificate, TransformedCertificate) and any(
        isinstance(step, Simplify) for step in certificate.steps
    )
    if not passes or not isinstance(certificate, TransformedCertificate):
        return audit_certificate(program, certificate, proof, tick, states=states)
    from threadwise.proofs.transformed.images import STEPS
    from threadwise.proofs.transformed.steps import without_passes

    simpler, inner = without_passes(program, certificate)
    about = proof.simpler or proof
    audit = audit_certificate(simpler.program, inner, about, tick, states=states)
    whole = replace(proof, locations={})  # which names edges of the simplified program
    images = audit_certificate(program, certificate, whole, tick, states=states // LONGER)
    seen = {} if images.evaluated is None else {STEPS: images.evaluated.get(STEPS, 0)}
    claims = None if audit.evaluated is None else {**audit.evaluated, **seen}
    return replace(audit, evaluated=claims, seen=images.seen)


def audited(program: Program, certificate: Certificate, proof: CheckedProof, tick: Tick) -> Audit:
    """Test a recorded proof in runs; raises Refuted."""
    try:
        return audit_behind_steps(program, certificate, proof, tick)
    except (Broken, Contradicted) as broken:
        raise Refuted(f"a run refutes it: {broken}") from broken
