"""Lockset certificates from JSON. What makes it is no part of what one trusts: `written_files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.core.documents import Json, as_integer, as_position, as_text, as_truth
from threadwise.ir.program import LocId
from threadwise.proofs.locksets.certificate import Discipline, Key, LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.texts import RefinementText
from threadwise.proofs.locksets.texts import KnowledgeText, RosterText, UnusedText
from threadwise.semantics.json import value_from_json

if TYPE_CHECKING:  # few proofs claim some
    from threadwise.proofs.locksets.resources.claims import Resources


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
        dict(map(gate_from_json, data.get("gates", ()))),
        tuple(map(as_text, data.get("partial", ()))),
        frozenset(map(as_text, data.get("handed", ()))),
        dict(map(gate_from_json, data.get("slots", ()))),
        _refinement_from_json(data.get("refinement")),
        _resources_from_json(data.get("resources")),
        frozenset((as_text(a), as_text(b)) for a, b in data.get("exclusive", ())),
        dict(map(gate_from_json, data.get("guards", ()))),
        frozenset(
            Target(as_text(name), as_position(cell)) for name, cell in data.get("indexed", ())
        ),
    )


def _resources_from_json(data: Json) -> Resources | None:
    if data is None:
        return None
    from threadwise.proofs.locksets.resources.read import resources_from_json

    return resources_from_json(data)


def key_from_json(row: Json) -> Key:
    """How a lock is found."""
    kind, base, path, lock, way = row
    steps = tuple(map(as_text, path)), tuple(map(as_text, way))
    return Key(as_text(kind), as_text(base), steps[0], as_text(lock), steps[1])


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
            dict(map(gate_from_json, data["guarded"])),
            {
                Target(as_text(name), as_position(cell)): (as_integer(low), as_integer(high))
                for name, cell, low, high in data["limits"]
            },
        ),
        {LocId(as_position(location)): row for location, row in data["states"]},
    )


def gate_from_json(row: Json) -> tuple[Target, Key]:
    """A cell, and how its lock is found."""
    name, cell, *key = row
    return Target(as_text(name), as_position(cell)), key_from_json(key)


def _values_from_json(data: Json) -> Values:
    if data is None:
        return None
    targets = {Target(as_text(name), as_integer(cell)) for name, cell in data["targets"]}
    return frozenset({*targets, *map(value_from_json, data["constants"])})


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
        tuple(map(_unused_from_json, row.get("unused", ()))),
    )


def _unused_from_json(row: Json) -> UnusedText:
    variable, start, stop, torn = row
    return UnusedText(as_text(variable), as_text(start), as_text(stop), as_truth(torn))


def _roster_from_json(row: Json) -> RosterText:
    edge, argument, ids, stop, late, alone, at = row
    texts = (as_text(argument), as_text(ids), as_text(stop), as_text(late))
    return RosterText(as_position(edge), *texts, as_truth(alone), as_text(at))
