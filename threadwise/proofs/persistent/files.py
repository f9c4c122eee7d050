"""States closed under persistent sets, as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_integer, as_position
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.toolbox.tables import rows_to_json, states_from_json, states_to_json


def write_persistent(certificate: PersistentCertificate) -> dict[str, Json]:
    """The states, the threads chosen there, and what threads may still touch."""
    return {
        **states_to_json(certificate.states),
        "chosen": list(certificate.chosen),
        "futures": rows_to_json(certificate.futures),
    }


def read_persistent(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> PersistentCertificate:
    """A certificate of persistent sets."""
    return PersistentCertificate(
        program_hash,
        properties,
        states_from_json(data),
        [as_integer(t) for t in data["chosen"]],
        [
            [(as_position(read), as_position(written)) for read, written in rows]
            for rows in data["futures"]
        ],
    )
