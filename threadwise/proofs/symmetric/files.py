"""R and G of representatives as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_count, as_position, as_text
from threadwise.proofs.counting.files import invariants_from_json, invariants_to_json
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.files import pairs_from_json, pairs_to_json
from threadwise.proofs.toolbox.tables import (
    callers_from_json,
    callers_to_json,
    rows_from_json,
    rows_to_json,
)


def write_symmetric(certificate: SymmetricCertificate) -> dict[str, Json]:
    """The instance, R and G, and the equations they rest on."""
    return {
        "counts": dict(certificate.counts),
        "representatives": list(certificate.threads),
        "path_edges": rows_to_json(certificate.path_edges),
        "callers": callers_to_json(certificate.callers),
        "linear": invariants_to_json(certificate.lemmas),
        **pairs_to_json(certificate),
    }


def read_symmetric(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> SymmetricCertificate:
    """A certificate about representatives."""
    return SymmetricCertificate(
        program_hash,
        properties,
        {as_text(name): as_count(n) for name, n in data["counts"].items()},
        tuple(as_position(t) for t in data["representatives"]),
        *pairs_from_json(data),
        rows_from_json(data["path_edges"]),
        callers_from_json(data["callers"]),
        invariants_from_json(data.get("linear", [])),
    )
