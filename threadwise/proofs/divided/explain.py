"""Explanations of proofs that divide a property: part by part."""

from __future__ import annotations

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.base.registry import explain_proof, summarise
from threadwise.proofs.divided.certificate import DividedCertificate, part_of


def explain_divided(program: Program, certificate: DividedCertificate) -> list[ThreadExplanation]:
    """What each part says of the threads, one part after the other."""
    (name,) = certificate.properties
    return [
        told
        for variables, proof in certificate.parts
        for told in explain_proof(part_of(program, name, variables), proof)
    ]


def summarise_divided(certificate: DividedCertificate) -> ProofSummary:
    """How many parts there are, and the kinds of their proofs."""
    told = [summarise(proof) for _, proof in certificate.parts]
    kinds = " and ".join(dict.fromkeys(proof.kind for _, proof in certificate.parts))
    words = f"variable by variable, {count(len(told), 'proof')} ({kinds})"
    return ProofSummary(sum(each.size for each in told), words)
