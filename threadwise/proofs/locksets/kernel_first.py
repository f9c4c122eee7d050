"""Whether a proof by locksets holds: the kernel is asked first, all rules only where it must be.

Most certificates are settled by the kernel (`threadwise.proofs.locksets.kernel`), which shares
nothing with the other rules. These are not even loaded then. Two things come in addition to what
the kernel shows. The claims are read with `threadwise.proofs.locksets.texts`; a claim that is
misread is a wrong hint, which the kernel does not believe. And no whole proof may pass by places
where undefined behaviour is all that can happen, as far as *any* rule knows: where there is
undefined behaviour at all, all rules look for such places (`threadwise.proofs.locksets.failures`).
They can only refuse a proof, never justify one.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.ir.fold import uses_memory
from threadwise.ir.program import FailureKind, LocId, Program
from threadwise.ir.properties import FailureProperty, Property, PropertyKind, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.locksets.analysed import analysed, given
from threadwise.proofs.locksets.beyond import readable
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel.settling import Settlement, settlement
from threadwise.proofs.locksets.read_claims import ReadClaims, read_claims
from threadwise.proofs.toolbox.features import ALL, refuse_others

MEMORY = (
    "memory is used as the C standard requires: no invalid pointer, no index out of bounds, "
    "no use after free, no read of what was never written (see --property memory)"
)

TREATS = ALL
"""The features of programs that this checker treats."""


def check_locksets(
    program: Program, certificate: LocksetCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "locksets")
    if not all(v is None or isinstance(v, frozenset) for _, v in certificate.memory):
        raise Refuted("a claim about memory is no set of values")
    told = readable(program)
    claims = read_claims(told, certificate)
    settled = settlement(analysed(program), certificate, claims.knowledge, tick)
    if settled is not None:
        proof = _by_kernel(told, certificate, claims, settled)
        if proof is not None:
            return given(program, proof)
    from threadwise.proofs.locksets.check import check_by_all_rules

    return given(program, check_by_all_rules(program, certificate, tick, settled, claims))


def _by_kernel(
    program: Program, certificate: LocksetCertificate, claims: ReadClaims, settled: Settlement
) -> CheckedProof | None:
    """The proof, if the kernel shows all that is claimed."""
    claimed = claimed_properties(program, certificate.properties)
    partial = claimed_properties(program, certificate.partial)
    if partial or not all(_is_settled(settled, checked) for checked in claimed):
        return None
    if _has_ends(program, certificate, claims):
        return None
    races = [checked for checked in claimed if isinstance(checked, RaceProperty)]
    assumed = settled.assumes or uses_memory(program)
    return CheckedProof(
        certificate.properties,
        settled.taken,
        settled.visited,
        (MEMORY,) if assumed else (),
        {checked.name: settled.locations(checked) for checked in races},
        found=settled.found,
    )


def _is_settled(settled: Settlement, checked: Property) -> bool:
    match checked:
        case RaceProperty():
            return settled.is_free(checked)
        case FailureProperty(name, kind) if kind is not PropertyKind.MEMORY:
            return not settled.reaches(name)
        case _:
            return False


def _has_ends(program: Program, certificate: LocksetCertificate, claims: ReadClaims) -> bool:
    """Whether a claim leads to a place behind which nothing is known; see `failures`."""
    if not any(_may_end(program, location) for location in claims.knowledge):
        return False
    from threadwise.proofs.locksets.failures import ends_of_certificate

    return bool(ends_of_certificate(program, certificate, claims.knowledge))


def _may_end(program: Program, location: LocId) -> bool:
    """Whether a location, or one that an edge leads to from there, is an end of the model."""
    targets = (edge.target for edge in program.outgoing[location])
    failures = (program.locations[each].failure for each in (location, *targets))
    kinds = {failure.kind for failure in failures if failure is not None}
    return any(kind.is_limit and kind is not FailureKind.SLOTS for kind in kinds)
