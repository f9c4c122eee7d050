"""Lockset certificates as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.documents import Json, as_integer, as_position, as_text, as_truth
from threadwise.ir.program import EdgeId, LocId
from threadwise.proofs.locksets.certificate import Discipline, Key, LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.texts import RefinementText
from threadwise.proofs.locksets.resources.claims import Owned, Resources, Shape, Unit
from threadwise.proofs.locksets.texts import KnowledgeText, RosterText
from threadwise.semantics.json import value_from_json, value_to_json


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


def read_locksets(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> LocksetCertificate:
    """A lockset certificate."""
    return LocksetCertificate(
        program_hash,
        properties,
        [
            (Target(as_text(name), as_position(cell)), _values_from_json(values))
            for name, cell, values in data["memory"]
        ],
        {
            LocId(as_position(location)): [_knowledge_from_json(row) for row in rows]
            for location, rows in data["knowledge"]
        },
        {
            as_text(name): frozenset(map(as_text, absent))
            for name, absent in data["absent"].items()
        },
        frozenset(map(as_text, data["identified"])),
        frozenset(map(as_text, data["alone"])),
        frozenset(Target(as_text(name), as_position(cell)) for name, cell in data["frozen"]),
        frozenset(Target(as_text(name), as_position(cell)) for name, cell in data["spoilt"]),
        {
            Target(as_text(name), as_position(cell)): Discipline(as_text(kind))
            for name, cell, kind in data["numbers"]
        },
        {as_text(name): as_text(site) for name, site in data["given"].items()},
        frozenset(map(as_text, data.get("numbered", ()))),
        frozenset(map(as_text, data.get("homed", ()))),
        dict(map(_gate_from_json, data.get("gates", ()))),
        tuple(map(as_text, data.get("partial", ()))),
        frozenset(map(as_text, data.get("handed", ()))),
        dict(map(_gate_from_json, data.get("slots", ()))),
        _refinement_from_json(data.get("refinement")),
        _resources_from_json(data.get("resources")),
        frozenset((as_text(a), as_text(b)) for a, b in data.get("exclusive", ())),
        dict(map(_gate_from_json, data.get("guards", ()))),
        frozenset(
            Target(as_text(name), as_position(cell)) for name, cell in data.get("indexed", ())
        ),
    )


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
            "unreached": [list(state) for state in sorted(claim.unreached)],
            "taken": sorted(claim.taken),
            "owned": [[*state, *map(list, owned)] for state, owned in sorted(claim.owned.items())],
        }
    }


def _resources_from_json(data: Json) -> Resources | None:
    if data is None:
        return None
    return Resources(
        frozenset(map(as_text, data["sites"])),
        dict(map(_gate_from_json, data["slots"])),
        frozenset(
            Unit(_key_from_json(head), _key_from_json(tail), Shape(as_text(shape)), as_position(n))
            for head, tail, shape, n in data["tails"]
        ),
        frozenset((LocId(as_position(at)), as_position(n)) for at, n in data["unreached"]),
        frozenset(EdgeId(as_position(edge)) for edge in data["taken"]),
        dict(map(_owned_from_json, data["owned"])),
    )


def _owned_from_json(row: Json) -> tuple[tuple[LocId, int], Owned]:
    location, case, alone, shared = row
    state = LocId(as_position(location)), as_position(case)
    return state, Owned(tuple(map(as_text, alone)), tuple(map(as_text, shared)))


def _key_to_json(key: Key) -> Json:
    return [key.kind, key.base, list(key.path), key.lock, list(key.way)]


def _key_from_json(row: Json) -> Key:
    kind, base, path, lock, way = row
    steps = tuple(map(as_text, path)), tuple(map(as_text, way))
    return Key(as_text(kind), as_text(base), steps[0], as_text(lock), steps[1])


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


def _refinement_from_json(data: Json) -> RefinementText | None:
    if data is None:
        return None
    return RefinementText(
        Refinement(
            {
                Target(as_text(name), as_position(cell)): frozenset(map(value_from_json, values))
                for name, cell, values in data["flags"]
            },
            frozenset(Target(as_text(name), as_position(cell)) for name, cell in data["left"]),
            frozenset(Target(as_text(name), as_position(cell)) for name, cell in data["counts"]),
            dict(map(_gate_from_json, data["guarded"])),
            {
                Target(as_text(name), as_position(cell)): (as_integer(low), as_integer(high))
                for name, cell, low, high in data["limits"]
            },
        ),
        {LocId(as_position(location)): row for location, row in data["states"]},
    )


def _gates_to_json(gates: Mapping[Target, Key]) -> Json:
    return [[*target, *_key_to_json(key)] for target, key in sorted(gates.items())]


def _gate_from_json(row: Json) -> tuple[Target, Key]:
    name, cell, *key = row
    return Target(as_text(name), as_position(cell)), _key_from_json(key)


def _values_to_json(values: Values) -> Json:
    if values is None:
        return None
    targets = sorted(value for value in values if isinstance(value, Target))
    constants = [value for value in values if not isinstance(value, Target)]
    return {
        "targets": [list(target) for target in targets],
        "constants": sorted((value_to_json(value) for value in constants), key=repr),
    }


def _values_from_json(data: Json) -> Values:
    if data is None:
        return None
    targets = {Target(as_text(name), as_integer(cell)) for name, cell in data["targets"]}
    return frozenset({*targets, *map(value_from_json, data["constants"])})


def _knowledge_to_json(text: KnowledgeText) -> Json:
    return {name: value for name, value in text._asdict().items() if value not in ((), None)}


def _knowledge_from_json(row: Json) -> KnowledgeText:
    identity, template = row.get("identity"), row.get("template")
    return KnowledgeText(
        tuple(map(as_text, row.get("held", ()))),
        tuple(map(as_text, row.get("fresh", ()))),
        tuple((as_text(place), as_text(value)) for place, value in row.get("known", ())),
        tuple(map(as_text, row.get("facts", ()))),
        tuple((as_text(place), as_text(site)) for place, site in row.get("owned", ())),
        tuple((as_position(edge), as_integer(times)) for edge, times in row.get("started", ())),
        tuple((as_position(edge), as_integer(time)) for edge, time in row.get("running", ())),
        tuple(
            (as_text(place), as_position(edge), as_integer(time))
            for place, edge, time in row.get("handles", ())
        ),
        tuple(map(as_text, row.get("absent", ()))),
        None if identity is None else as_text(identity),
        tuple(map(as_text, row.get("lost", ()))),
        tuple(map(_roster_from_json, row.get("rosters", ()))),
        tuple(
            (as_text(name), as_text(ids), as_text(stop), as_text(first))
            for name, ids, stop, first in row.get("ended", ())
        ),
        tuple((as_text(place), as_text(held)) for place, held in row.get("copies", ())),
        tuple((as_text(place), as_text(lock)) for place, lock in row.get("homes", ())),
        tuple(map(as_text, row.get("clean", ()))),
        None if template is None else as_text(template),
        tuple(map(as_text, row.get("taken", ()))),
        tuple(map(as_text, row.get("whole", ()))),
        tuple((as_text(place), as_text(lock)) for place, lock in row.get("lent", ())),
        tuple((as_text(place), as_text(cell)) for place, cell in row.get("same", ())),
    )


def _roster_from_json(row: Json) -> RosterText:
    edge, argument, ids, stop, late, alone, at = row
    texts = (as_text(argument), as_text(ids), as_text(stop), as_text(late))
    return RosterText(as_position(edge), *texts, as_truth(alone), as_text(at))
