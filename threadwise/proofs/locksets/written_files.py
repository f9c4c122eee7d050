"""Lockset certificates as JSON, which `files` reads."""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.documents import Json
from threadwise.proofs.locksets.certificate import Key, LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.refined.texts import RefinementText
from threadwise.proofs.locksets.resources.claims import Resources
from threadwise.proofs.locksets.texts import KnowledgeText
from threadwise.semantics.json import value_to_json


def write_locksets(certificate: LocksetCertificate) -> dict[str, Json]:
    """Memory, knowledge, and what is known about starts."""
    return {
        "memory": [
            [target.object, target.cell, _values_to_json(values)]
            for target, values in certificate.memory
        ],
        "knowledge": [
            [location, [_knowledge_to_json(text) for text in texts]]
            for location, texts in certificate.knowledge.items()
        ],
        "absent": {name: sorted(absent) for name, absent in certificate.absent.items()},
        "identified": sorted(certificate.identified),
        "alone": sorted(certificate.alone),
        "frozen": [list(target) for target in sorted(certificate.frozen)],
        "spoilt": [list(target) for target in sorted(certificate.spoilt)],
        "given": dict(certificate.given),
        "numbered": sorted(certificate.numbered),
        "homed": sorted(certificate.homed),
        "gates": _gates_to_json(certificate.gates),
        **(
            {
                "handed": sorted(certificate.handed),
                "slots": _gates_to_json(certificate.slots),
            }
            if certificate.handed
            else {}
        ),
        "numbers": [[*target, kind.value] for target, kind in certificate.numbers.items()],
        **(
            {"exclusive": [list(both) for both in sorted(certificate.exclusive)]}
            if certificate.exclusive
            else {}
        ),
        **({"guards": _gates_to_json(certificate.guards)} if certificate.guards else {}),
        **(
            {"indexed": [list(target) for target in sorted(certificate.indexed)]}
            if certificate.indexed
            else {}
        ),
        **({"partial": list(certificate.partial)} if certificate.partial else {}),
        **_refinement_to_json(certificate.refinement),
        **_resources_to_json(certificate.resources),
    }


def _resources_to_json(claim: Resources | None) -> dict[str, Json]:
    if claim is None:
        return {}
    return {
        "resources": {
            "sites": sorted(claim.sites),
            "slots": _gates_to_json(claim.slots),
            "tails": [
                [*map(_key_to_json, unit.keys), unit.shape.value, unit.link]
                for unit in sorted(claim.tails, key=lambda unit: unit.keys)
            ],
            **({"flags": _gates_to_json(claim.flags)} if claim.flags else {}),
            **({"counts": _gates_to_json(claim.counts)} if claim.counts else {}),
            **({"granted": sorted(claim.granted)} if claim.granted else {}),
            **({"loose": [list(link) for link in sorted(claim.loose)]} if claim.loose else {}),
            "unreached": [list(state) for state in sorted(claim.unreached)],
            "taken": sorted(claim.taken),
            "owned": [[*state, *map(list, owned)] for state, owned in sorted(claim.owned.items())],
        }
    }


def _key_to_json(key: Key) -> Json:
    return [key.kind, key.base, list(key.path), key.lock, list(key.way)]


def _refinement_to_json(text: RefinementText | None) -> dict[str, Json]:
    if text is None:
        return {}
    claims = text.claims
    return {
        "refinement": {
            "flags": [
                [*cell, [value_to_json(value) for value in sorted(values, key=repr)]]
                for cell, values in sorted(claims.flags.items())
            ],
            "left": [list(cell) for cell in sorted(claims.left)],
            "counts": [list(cell) for cell in sorted(claims.counts)],
            "guarded": _gates_to_json(claims.guarded),
            "limits": [[*cell, *limits] for cell, limits in sorted(claims.limits.items())],
            "states": [[location, row] for location, row in text.states.items()],
        }
    }


def _gates_to_json(gates: Mapping[Target, Key]) -> Json:
    return [[*target, *_key_to_json(key)] for target, key in sorted(gates.items())]


def _values_to_json(values: Values) -> Json:
    if values is None:
        return None
    targets = sorted(value for value in values if isinstance(value, Target))
    constants = [value for value in values if not isinstance(value, Target)]
    return {
        "targets": [list(target) for target in targets],
        "constants": sorted((value_to_json(value) for value in constants), key=repr),
    }


def _knowledge_to_json(text: KnowledgeText) -> Json:
    return {name: value for name, value in text._asdict().items() if value not in ((), None)}
