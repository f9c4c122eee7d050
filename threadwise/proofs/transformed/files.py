"""Steps to other programs as JSON; the claims of the inner proof stand beside them."""

from __future__ import annotations

from threadwise.core.documents import Json, as_text
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import kind_named
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)
from threadwise.transforms.follow.names import Following

STEPS = frozenset(
    step.kind for step in (ForgettingCertificate, FollowingCertificate, SplitCertificate)
)


def write_forgetting(certificate: ForgettingCertificate) -> dict[str, Json]:
    """What is forgotten, and the inner proof."""
    return {"forgotten": list(certificate.forgotten), **_inner_to_json(certificate.inner)}


def read_forgetting(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> ForgettingCertificate:
    """A proof for the program that has forgotten some variables."""
    forgotten = tuple(map(as_text, data["forgotten"]))
    inner = _inner_from_json(data, properties)
    return ForgettingCertificate(program_hash, properties, forgotten, inner)


def write_following(certificate: FollowingCertificate) -> dict[str, Json]:
    """Which threads are followed, and the inner proof."""
    followed: list[Json] = [
        {"template": f.template, "arrays": list(f.arrays), "claims": list(f.claims)}
        for f in certificate.followings
    ]
    return {"followings": followed, **_inner_to_json(certificate.inner)}


def read_following(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> FollowingCertificate:
    """A proof for the program that follows some threads."""
    followings = tuple(map(_following_from_json, data["followings"]))
    inner = _inner_from_json(data, properties)
    return FollowingCertificate(program_hash, properties, followings, inner)


def _following_from_json(row: Json) -> Following:
    arrays, claims = (tuple(map(as_text, row[part])) for part in ("arrays", "claims"))
    return Following(as_text(row["template"]), arrays, claims)


def write_split(certificate: SplitCertificate) -> dict[str, Json]:
    """The inner proof."""
    return _inner_to_json(certificate.inner)


def read_split(data: Json, program_hash: str, properties: tuple[str, ...]) -> SplitCertificate:
    """A proof for the program whose locations are told apart."""
    return SplitCertificate(program_hash, properties, _inner_from_json(data, properties))


def _inner_to_json(inner: Certificate) -> dict[str, Json]:
    """A proof about a program that is computed from the program of record."""
    tables = kind_named(inner.kind).write(inner)
    return {"inner_kind": inner.kind, "inner_hash": inner.program_hash, **tables}


def _inner_from_json(data: Json, properties: tuple[str, ...]) -> Certificate:
    """The same, read; it is no step itself."""
    if data["inner_kind"] in STEPS:
        raise ValueError("a change of a changed program")
    return kind_named(data["inner_kind"]).read(data, as_text(data["inner_hash"]), properties)
