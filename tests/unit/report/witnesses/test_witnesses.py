"""Witnesses as YAML: as the schema says, read back as they were, and refused where malformed."""

import json
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import pytest
import yaml

from tests.unit.report.schemas import faults
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.report.witnesses.model import (
    CorrectnessWitness,
    GhostUpdate,
    GhostVariable,
    Invariant,
    Location,
    Segment,
    Task,
    ViolationWitness,
    Waypoint,
    WaypointKind,
    Witness,
)
from threadwise.report.witnesses.reading import is_plain, read_witness
from threadwise.report.witnesses.writing import to_entries, to_yaml

SCHEMA = json.loads(
    (files("threadwise.report.witnesses") / "witness.schema.json").read_text("utf-8")
)
WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOSTILE = "<script> \x1b[31m: 'a' \"b\" - {c} # d\n- entry_type: x " + "y" * 10**6
TASK = Task(("a.c",), (("a.c", "0" * 64),), "CHECK( init(main()), LTL(G ! data-race) )")
HERE = Location("a.c", 3, 5, "work")
VIOLATION = ViolationWitness(
    TASK,
    (
        Segment((Waypoint(WaypointKind.FUNCTION_ENTER, Location("a.c", 2), thread=0),)),
        Segment(
            (
                Waypoint(WaypointKind.BRANCHING, HERE, follow=False, constraint="true"),
                Waypoint(WaypointKind.ASSUMPTION, HERE, constraint="x == 1", thread=1),
            )
        ),
        Segment((Waypoint(WaypointKind.FUNCTION_RETURN, HERE, constraint="\\result == 3"),)),
        Segment(
            (
                Waypoint(WaypointKind.TARGET, HERE, thread=1),
                Waypoint(WaypointKind.TARGET, HERE, thread=0),
            )
        ),
    ),
)
CORRECTNESS = CorrectnessWitness(
    TASK,
    (Invariant(HERE, "m_locked == 1"), Invariant(HERE, "0 <= i && i < 9", loop=True)),
    (GhostVariable("m_locked"),),
    (GhostUpdate(HERE, (("m_locked", "1"),)),),
)


@pytest.mark.parametrize("witness", [VIOLATION, CORRECTNESS])
def test_it_is_as_the_schema_says_and_comes_back(witness: Witness) -> None:
    assert list(faults(SCHEMA, to_entries(witness, WHEN))) == []
    text = to_yaml(witness, WHEN)
    assert list(faults(SCHEMA, yaml.safe_load(text))) == []
    assert read_witness(SourceFile("w.yml", text)) == witness
    assert text == to_yaml(witness, WHEN)


def test_the_schema_finds_faults() -> None:
    entries = to_entries(VIOLATION, WHEN)
    entries[0]["metadata"]["uuid"] = "none"
    del entries[0]["metadata"]["task"]["data_model"]
    entries[0]["content"][0]["segment"][0]["waypoint"]["thread_id"] = -1
    assert list(faults(SCHEMA, entries))


def test_hostile_texts_stay_texts() -> None:
    task = Task((HOSTILE,), ((HOSTILE, "0" * 64),), "G ! data-race " + HOSTILE)
    target = Waypoint(WaypointKind.TARGET, Location(HOSTILE, 1, 1, HOSTILE))
    witness = ViolationWitness(task, (Segment((target,)),))
    text = to_yaml(witness, WHEN)
    assert "\x1b" not in text
    assert read_witness(SourceFile("w.yml", text)) == witness


def changed(**changes: Any) -> Any:
    """The entry of a violation with other parts: names are paths with underscores twice."""
    (entry,) = json.loads(json.dumps(to_entries(VIOLATION, WHEN)))
    for path, value in changes.items():
        held = entry
        *names, last = path.split("__")
        for name in names:
            held = held[int(name) if name.isdigit() else name]
        held[int(last) if last.isdigit() else last] = value
    return entry


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        [],
        [1],
        [changed(entry_type="else")],
        [changed(metadata__format_version="1.0")],
        [changed(metadata__task=None)],
        [changed(metadata__task__language="Java")],
        [changed(metadata__task__data_model="LLP64")],
        [changed(content=[])],
        [changed(content__0__segment=[])],
        [changed(content__0__segment__0__waypoint__type="target")],
        [changed(content__0__segment__0__waypoint__action="avoid")],
        [changed(content__0__segment__0__waypoint__action="cycle")],
        [changed(content__0__segment__0__waypoint__location__line=0)],
        [changed(content__0__segment__0__waypoint__location__line=True)],
        [changed(content__0__segment__0__waypoint__thread_id="main")],
        [changed(content__3__segment__0__waypoint__type="assumption")],
        [changed(), changed()],
    ],
)
def test_what_is_malformed_is_refused(document: Any) -> None:
    with pytest.raises(InputError):
        read_witness(SourceFile("w.yml", yaml.safe_dump(document)))


@pytest.mark.parametrize(
    "text",
    [
        "- &a [1]\n- *a\n",
        "[" * 400,
        "!!python/object/apply:os.system ['true']",
        "\x00",
        "a: [",
        "- 99999-99-99T00:00:00Z",
    ],
)
def test_yaml_that_is_not_read(text: str) -> None:
    with pytest.raises(InputError):
        read_witness(SourceFile("w.yml", text))


@pytest.mark.parametrize("text", ["x == 1", "!(a.b[2] > 3) && p->q != 0", "x - -y", "(int) x < 2"])
def test_expressions_that_may_be_claimed(text: str) -> None:
    assert is_plain(text)


@pytest.mark.parametrize(
    "text",
    ["", "x = 1", "x++", "f(x)", "1) || (0", "x; y", '"a"', "a, b", "x += 1", "}", "x[1", "#x"],
)
def test_expressions_that_may_not(text: str) -> None:
    assert not is_plain(text)


def test_ghosts_that_are_not_declared_are_refused() -> None:
    wrong = CorrectnessWitness(TASK, CORRECTNESS.invariants, (), CORRECTNESS.updates)
    entries = to_entries(CORRECTNESS, WHEN)
    entries[0]["content"]["ghost_variables"] = []
    with pytest.raises(InputError, match="m_locked"):
        read_witness(SourceFile("w.yml", yaml.safe_dump(entries)))
    assert read_witness(SourceFile("w.yml", to_yaml(wrong, WHEN))).task == TASK
