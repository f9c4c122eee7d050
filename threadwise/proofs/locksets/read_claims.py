"""What a certificate claims, read: texts become terms of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import LocId, Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.texts import Reader


@dataclass(frozen=True)
class ReadClaims:
    """What a certificate claims, read."""

    knowledge: Mapping[LocId, Sequence[Knowledge]]
    absent: Mapping[str, frozenset[str]]
    identified: frozenset[str]
    alone: frozenset[str]
    exclusive: frozenset[tuple[str, str]]


def read_claims(program: Program, certificate: LocksetCertificate) -> ReadClaims:
    """The claims of a certificate; raises Refuted."""
    readers: dict[str, Reader] = {}
    knowledge: dict[LocId, list[Knowledge]] = {}
    for location, texts in certificate.knowledge.items():
        if not 0 <= location < len(program.locations):
            raise Refuted(f"the program has no location {location}")
        procedure = program.procedure_of[location]
        if procedure.name not in readers:
            readers[procedure.name] = Reader(program, procedure)
        try:
            knowledge[location] = [readers[procedure.name].read(text) for text in texts]
        except InputError as error:
            raise Refuted(f"a claim about location {location} cannot be read") from error
    return ReadClaims(
        knowledge,
        certificate.absent,
        certificate.identified,
        certificate.alone,
        certificate.exclusive,
    )
