"""The parts of a divided property as JSON; each is written as certificates of its kind are."""

from __future__ import annotations

from threadwise.core.documents import Json, as_list, as_text
from threadwise.proofs.base.registry import kind_named
from threadwise.proofs.divided.certificate import DividedCertificate, Part


def write_divided(certificate: DividedCertificate) -> dict[str, Json]:
    """The parts."""
    return {
        "divided": [
            {
                "variables": list(variables),
                "kind": proof.kind,
                "hash": proof.program_hash,
                **kind_named(proof.kind).write(proof),
            }
            for variables, proof in certificate.parts
        ]
    }


def read_divided(data: Json, program_hash: str, properties: tuple[str, ...]) -> DividedCertificate:
    """Proofs of parts; none of them is divided again."""
    parts: list[Part] = []
    for row in as_list(data["divided"]):
        kind = as_text(row["kind"])
        if kind == DividedCertificate.kind:
            raise ValueError("a part that is divided again")
        proof = kind_named(kind).read(row, as_text(row["hash"]), properties)
        parts.append(Part(tuple(map(as_text, as_list(row["variables"]))), proof))
    return DividedCertificate(program_hash, properties, tuple(parts))
