"""Lengths of interleavings as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_count
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate


def write_interleavings(certificate: InterleavingsCertificate) -> dict[str, Json]:
    """How many steps each thread takes at most."""
    return {"lengths": list(certificate.lengths)}


def read_interleavings(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> InterleavingsCertificate:
    """A certificate of all interleavings."""
    lengths = tuple(as_count(n) for n in data["lengths"])
    return InterleavingsCertificate(program_hash, properties, lengths)
