"""Witnesses as YAML."""

from __future__ import annotations

import hashlib
import uuid
from datetime import datetime
from typing import Any

import yaml

from threadwise import __version__
from threadwise.report.witnesses.model import (
    CorrectnessWitness,
    GhostUpdate,
    Invariant,
    Location,
    Segment,
    Task,
    ViolationWitness,
    Waypoint,
    WaypointKind,
    Witness,
)

VIOLATION_VERSION = "2.2"
"""With threads in waypoints."""
CORRECTNESS_VERSION = "2.1"
"""With ghosts."""
EXPRESSION = "c_expression"
RESULT_EXPRESSION = "ext_c_expression"
"""The format of expressions that mention `\\result`."""

Json = Any
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def to_yaml(witness: Witness, created: datetime) -> str:
    """The text of a file; the identifiers of its entries follow from what they say."""
    entries = to_entries(witness, created)
    return str(yaml.dump(entries, Dumper=_Dumper, sort_keys=False, width=100))


def to_entries(witness: Witness, created: datetime) -> list[Json]:
    """The entries of a witness, as plain data."""
    match witness:
        case ViolationWitness(task, segments):
            content = [_segment(each) for each in segments]
            return [_entry("violation_sequence", VIOLATION_VERSION, content, task, created)]
        case CorrectnessWitness(task, invariants):
            found = [_invariant(each) for each in invariants]
            entries = [_entry("invariant_set", CORRECTNESS_VERSION, found, task, created)]
            if witness.ghosts:
                ghosts = _ghosts(witness)
                kind = "ghost_instrumentation"
                entries.insert(0, _entry(kind, CORRECTNESS_VERSION, ghosts, task, created))
            return entries


def _entry(kind: str, version: str, content: Json, task: Task, created: datetime) -> Json:
    told = _task(task)
    about = hashlib.sha256(repr((kind, version, content, told)).encode("utf-8", "replace"))
    return {
        "entry_type": kind,
        "metadata": {
            "format_version": version,
            "uuid": str(uuid.UUID(bytes=about.digest()[:16], version=4)),
            "creation_time": created.isoformat(timespec="seconds"),
            "producer": {"name": "threadwise", "version": __version__},
            "task": told,
        },
        "content": content,
    }


def _task(task: Task) -> Json:
    return {
        "input_files": list(task.input_files),
        "input_file_hashes": dict(task.hashes),
        "specification": task.specification,
        "data_model": task.data_model,
        "language": "C",
    }


def _location(location: Location) -> Json:
    told: dict[str, Json] = {"file_name": location.file_name, "line": location.line}
    if location.column is not None:
        told["column"] = location.column
    if location.function:
        told["function"] = location.function
    return told


def _segment(segment: Segment) -> Json:
    return {"segment": [{"waypoint": _waypoint(each)} for each in segment.waypoints]}


def _waypoint(waypoint: Waypoint) -> Json:
    told: dict[str, Json] = {
        "type": waypoint.kind.value,
        "action": "follow" if waypoint.follow else "avoid",
    }
    if waypoint.thread is not None:
        told["thread_id"] = waypoint.thread
    told["location"] = _location(waypoint.location)
    if waypoint.constraint is not None:
        told["constraint"] = _constraint(waypoint.kind, waypoint.constraint)
    return told


def _constraint(kind: WaypointKind, value: str) -> Json:
    if kind is WaypointKind.BRANCHING:
        return {"value": value}
    returns = kind is WaypointKind.FUNCTION_RETURN
    return {"value": value, "format": RESULT_EXPRESSION if returns else EXPRESSION}


def _invariant(invariant: Invariant) -> Json:
    return {
        "invariant": {
            "type": "loop_invariant" if invariant.loop else "location_invariant",
            "location": _location(invariant.location),
            "value": invariant.value,
            "format": EXPRESSION,
        }
    }


def _ghosts(witness: CorrectnessWitness) -> Json:
    return {
        "ghost_variables": [
            {
                "name": each.name,
                "scope": "global",
                "type": each.type,
                "initial": {"value": each.initial, "format": EXPRESSION},
            }
            for each in witness.ghosts
        ],
        "ghost_updates": [_update(each) for each in witness.updates],
    }


def _update(update: GhostUpdate) -> Json:
    return {
        "location": _location(update.location),
        "updates": [
            {"variable": name, "value": value, "format": EXPRESSION}
            for name, value in update.changes
        ],
    }
