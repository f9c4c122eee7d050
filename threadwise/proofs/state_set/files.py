"""Sets of states as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.toolbox.tables import states_from_json, states_to_json


def write_state_set(certificate: StateSetCertificate) -> dict[str, Json]:
    """The states."""
    return states_to_json(certificate.states)


def read_state_set(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> StateSetCertificate:
    """A certificate of all states."""
    return StateSetCertificate(program_hash, properties, states_from_json(data))
