"""The steps of transformations as JSON; the claims of the inner proof are beside them."""

from __future__ import annotations

from threadwise.core.documents import Json, as_list, as_position, as_text
from threadwise.proofs.base.registry import kind_named
from threadwise.proofs.transformed.certificate import (
    Account,
    Follow,
    Forget,
    Interrupt,
    Merge,
    Own,
    Parametrise,
    Presume,
    Reduce,
    Simplify,
    SplitLocations,
    Step,
    Tally,
    TransformedCertificate,
)
from threadwise.transforms.follow.names import Following


def write_transformed(certificate: TransformedCertificate) -> dict[str, Json]:
    """The steps, and the inner proof."""
    inner = certificate.inner
    return {
        "steps": [_step_to_json(step) for step in certificate.steps],
        "inner_kind": inner.kind,
        "inner_hash": inner.program_hash,
        **kind_named(inner.kind).write(inner),
    }


def read_transformed(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> TransformedCertificate:
    """A proof for the program after some steps; the inner one has none."""
    steps = tuple(map(_step_from_json, as_list(data["steps"])))
    kind = as_text(data["inner_kind"])
    if kind == TransformedCertificate.kind:
        raise ValueError("a change of a changed program")
    inner = kind_named(kind).read(data, as_text(data["inner_hash"]), properties)
    return TransformedCertificate(program_hash, properties, steps, inner)


def _step_to_json(step: Step) -> Json:
    match step:
        case Simplify(name):
            return {"step": "simplify", "pass": name}
        case Forget(forgotten):
            return {"step": "forget", "forgotten": list(forgotten)}
        case Presume():
            return {"step": "presume"}
        case Merge():
            return {"step": "merge"}
        case Own(owned):
            return {"step": "own", "owned": list(owned)}
        case Follow(followings):
            followed = [
                {"template": f.template, "arrays": list(f.arrays), "claims": list(f.claims)}
                for f in followings
            ]
            return {"step": "follow", "followings": followed}
        case Parametrise():
            limits = [{"template": name, "most": number} for name, number in step.most]
            told: Json = {"step": "gather"}
            if limits:
                told["most"] = limits
            if step.assumed:
                told["assumed"] = list(step.assumed)
            return told
        case SplitLocations():
            return {"step": "tell apart"}
        case Tally():
            return {"step": "tally"}
        case Account():
            return {"step": "settle"}
        case Interrupt():
            return {"step": "interrupt"}
        case Reduce():
            return {"step": "reduce"}


def _step_from_json(row: Json) -> Step:
    match as_text(row["step"]):
        case "simplify":
            return Simplify(as_text(row["pass"]))
        case "forget":
            return Forget(tuple(map(as_text, as_list(row["forgotten"]))))
        case "presume":
            return Presume()
        case "merge":
            return Merge()
        case "own":
            return Own(tuple(map(as_text, as_list(row["owned"]))))
        case "follow":
            return Follow(tuple(map(_following_from_json, as_list(row["followings"]))))
        case "gather":
            limits = as_list(row.get("most", []))
            most = tuple((as_text(m["template"]), as_position(m["most"])) for m in limits)
            return Parametrise(most, tuple(map(as_text, as_list(row.get("assumed", [])))))
        case "tell apart":
            return SplitLocations()
        case "tally":
            return Tally()
        case "settle":
            return Account()
        case "interrupt":
            return Interrupt()
        case "reduce":
            return Reduce()
        case other:
            raise ValueError(f"unknown step {other!r}")


def _following_from_json(row: Json) -> Following:
    arrays, claims = (tuple(map(as_text, as_list(row[part]))) for part in ("arrays", "claims"))
    return Following(as_text(row["template"]), arrays, claims)
