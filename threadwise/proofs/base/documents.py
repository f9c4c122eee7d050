"""Certificates as JSON: what all kinds have in common around the claims of each."""

from __future__ import annotations

from threadwise.core.documents import (
    CERTIFICATE_FORMAT,
    FORMAT_VERSION,
    Json,
    as_text,
    well_formed,
)
from threadwise.core.load_documents import load_to_json
from threadwise.core.load_options import LoadOptions
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import kind_named


def certificate_to_json(certificate: Certificate, load: LoadOptions) -> Json:
    """A certificate with everything needed to check it."""
    return {
        "format": CERTIFICATE_FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": certificate.kind,
        "program_hash": certificate.program_hash,
        "load": load_to_json(load),
        "properties": list(certificate.properties),
        **kind_named(certificate.kind).write(certificate),
    }


def certificate_from_json(data: Json, path: str) -> Certificate:
    """A certificate."""

    def read() -> Certificate:
        program_hash, properties = (
            as_text(data["program_hash"]),
            tuple(map(as_text, data["properties"])),
        )
        return kind_named(data["kind"]).read(data, program_hash, properties)

    return well_formed(read, path)
