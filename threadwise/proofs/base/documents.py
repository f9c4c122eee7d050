"""Certificates as JSON: one kind per class."""

from __future__ import annotations

from threadwise.core.documents import (
    CERTIFICATE_FORMAT,
    FORMAT_VERSION,
    Json,
    as_count,
    as_integer,
    as_position,
    as_text,
    load_to_json,
    shown,
    well_formed,
)
from threadwise.core.options import LoadOptions
from threadwise.proofs.base.tables import (
    callers_from_json,
    callers_to_json,
    chain_from_json,
    chain_to_json,
    pairs_from_json,
    pairs_to_json,
    pushdown_from_json,
    pushdown_to_json,
    rows_from_json,
    rows_to_json,
    states_from_json,
    states_to_json,
)
from threadwise.proofs.base.union import Certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.counting.files import invariants_from_json, invariants_to_json
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.inductive.files import formulas_from_json, formulas_to_json
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.files import locksets_from_json, locksets_to_json
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.representatives.files import (
    representatives_from_json,
    representatives_to_json,
)
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transactions.files import (
    reduction_from_json,
    reduction_to_json,
    summaries_from_json,
    summaries_to_json,
)
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)
from threadwise.transforms.follow.names import Following


def certificate_to_json(certificate: Certificate, load: LoadOptions) -> Json:
    """A certificate with everything needed to check it."""
    kind, tables = _kind_and_tables(certificate)
    return {
        "format": CERTIFICATE_FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": kind,
        "program_hash": certificate.program_hash,
        "load": load_to_json(load),
        "properties": list(certificate.properties),
        **tables,
    }


def _kind_and_tables(  # noqa: C901 - a case per kind
    certificate: Certificate,
) -> tuple[str, dict[str, Json]]:
    match certificate:
        case StateSetCertificate():
            kind, tables = "state-set", states_to_json(certificate.states)
        case PersistentCertificate():
            claims: dict[str, Json] = {
                "chosen": list(certificate.chosen),
                "futures": rows_to_json(certificate.futures),
            }
            kind, tables = "persistent", {**states_to_json(certificate.states), **claims}
        case LocksetCertificate():
            kind, tables = "locksets", locksets_to_json(certificate)
        case ForgettingCertificate(_, _, forgotten, inner):
            kind, tables = "forgetting", {"forgotten": list(forgotten), **_inner_to_json(inner)}
        case FollowingCertificate(_, _, followings, inner):
            followed: list[Json] = [
                {"template": f.template, "arrays": list(f.arrays), "claims": list(f.claims)}
                for f in followings
            ]
            kind, tables = "following", {"followings": followed, **_inner_to_json(inner)}
        case SplitCertificate(_, _, inner):
            kind, tables = "split", _inner_to_json(inner)
        case ThreadModularCertificate():
            kind, tables = "thread-modular", pairs_to_json(certificate)
        case PushdownCertificate():
            kind, tables = "pushdown", pushdown_to_json(certificate)
        case FrontierCertificate():
            kind, tables = "frontier", chain_to_json(certificate)
        case SymmetricCertificate():
            instance = {
                "counts": dict(certificate.counts),
                "representatives": list(certificate.threads),
                "path_edges": rows_to_json(certificate.path_edges),
                "callers": callers_to_json(certificate.callers),
                "linear": invariants_to_json(certificate.lemmas),
            }
            kind, tables = "symmetric", {**instance, **pairs_to_json(certificate)}
        case ReductionCertificate():
            kind, tables = "reduction", reduction_to_json(certificate)
        case SummaryCertificate():
            kind, tables = "summaries", summaries_to_json(certificate)
        case CountingCertificate():
            kind, tables = "counting", {"linear": invariants_to_json(certificate.invariants)}
        case InterleavingsCertificate():
            kind, tables = "interleavings", {"lengths": list(certificate.lengths)}
        case FormulaCertificate():
            kind, tables = "formulas", formulas_to_json(certificate)
        case RepresentativesCertificate():
            kind, tables = "representatives", representatives_to_json(certificate)
    return kind, tables


def certificate_from_json(data: Json, path: str) -> Certificate:  # noqa: C901 - a case per kind
    """A certificate."""

    def read() -> Certificate:
        program_hash, properties = (
            as_text(data["program_hash"]),
            tuple(map(as_text, data["properties"])),
        )
        match data["kind"]:
            case "state-set":
                return StateSetCertificate(program_hash, properties, states_from_json(data))
            case "locksets":
                return locksets_from_json(data, program_hash, properties)
            case "persistent":
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
            case "forgetting" | "following" | "split":
                return _changed_from_json(data, program_hash, properties, path)
            case "thread-modular":
                return ThreadModularCertificate(program_hash, properties, *pairs_from_json(data))
            case "pushdown":
                return PushdownCertificate(program_hash, properties, *pushdown_from_json(data))
            case "frontier":
                return FrontierCertificate(program_hash, properties, *chain_from_json(data))
            case "symmetric":
                counts = {as_text(name): as_count(n) for name, n in data["counts"].items()}
                threads = tuple(as_position(t) for t in data["representatives"])
                stacks = rows_from_json(data["path_edges"]), callers_from_json(data["callers"])
                lemmas = invariants_from_json(data.get("linear", []))
                tables = *pairs_from_json(data), *stacks, lemmas
                return SymmetricCertificate(program_hash, properties, counts, threads, *tables)
            case "reduction":
                return reduction_from_json(data, program_hash, properties)
            case "summaries":
                return summaries_from_json(data, program_hash, properties)
            case "counting":
                linear = invariants_from_json(data["linear"])
                return CountingCertificate(program_hash, properties, linear)
            case "interleavings":
                lengths = tuple(as_count(n) for n in data["lengths"])
                return InterleavingsCertificate(program_hash, properties, lengths)
            case "formulas":
                return formulas_from_json(data, program_hash, properties)
            case "representatives":
                return representatives_from_json(data, program_hash, properties)
            case unknown:
                raise ValueError(f"unknown kind {shown(unknown)}")

    return well_formed(read, path)


def _inner_to_json(inner: Certificate) -> dict[str, Json]:
    """A proof about a program that is computed from the program of record."""
    kind, tables = _kind_and_tables(inner)
    return {"inner_kind": kind, "inner_hash": inner.program_hash, **tables}


def _changed_from_json(
    data: Json, program_hash: str, properties: tuple[str, ...], path: str
) -> Certificate:
    """The same, read."""
    inner = {**data, "kind": data["inner_kind"], "program_hash": data["inner_hash"]}
    if inner["kind"] in ("forgetting", "following", "split"):
        raise ValueError("a change of a changed program")
    proof = certificate_from_json(inner, path)
    if data["kind"] == "forgetting":
        forgotten = tuple(map(as_text, data["forgotten"]))
        return ForgettingCertificate(program_hash, properties, forgotten, proof)
    if data["kind"] == "split":
        return SplitCertificate(program_hash, properties, proof)
    followings = tuple(map(_following_from_json, data["followings"]))
    return FollowingCertificate(program_hash, properties, followings, proof)


def _following_from_json(row: Json) -> Following:
    arrays, claims = (tuple(map(as_text, row[part])) for part in ("arrays", "claims"))
    return Following(as_text(row["template"]), arrays, claims)
