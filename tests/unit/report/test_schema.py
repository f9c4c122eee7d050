"""JSON reports are as their schema says; the part of JSON Schema that it uses is checked here."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import threadwise
from tests.unit.report import samples
from threadwise.report.json_report import to_json

SCHEMA = json.loads((files("threadwise.report") / "report.schema.json").read_text("utf-8"))
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def faults(schema: Any, value: Any, place: str = "report") -> Iterator[str]:
    """Where a value is not what a schema says."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        if all(list(faults(option, value)) for option in schema["anyOf"]):
            yield f"{place}: none of the choices"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: is not one of {schema['enum']}"
    named = schema.get("type")
    if named is not None:
        fits = isinstance(value, _TYPES[named])
        if isinstance(value, bool) and named in {"integer", "number"}:
            fits = False
        if not fits:
            yield f"{place}: is no {named}"
            return
    yield from _inner_faults(schema, value, place)


def _inner_faults(schema: Any, value: Any, place: str) -> Iterator[str]:
    """Where the parts of a list or an object are not what a schema says."""
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from faults(schema["items"], item, f"{place}[{number}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        yield from (
            f"{place}: no {name}" for name in schema.get("required", ()) if name not in value
        )
        for name, item in value.items():
            if name in known:
                yield from faults(known[name], item, f"{place}.{name}")
            elif rest is False:
                yield f"{place}: {name} is not known"
            elif isinstance(rest, dict):
                yield from faults(rest, item, f"{place}.{name}")


RESULTS = {
    "unsafe": samples.UNSAFE,
    "vacuous": samples.VACUOUS,
    "cut": samples.CUT,
    "unloaded": samples.UNLOADED,
}


@pytest.mark.parametrize("name", RESULTS)
def test_samples(name: str) -> None:
    assert list(faults(SCHEMA, json.loads(json.dumps(to_json(RESULTS[name]))))) == []


RACE = """
#include <pthread.h>
static int hits;
static void *work(void *unused) { hits = 1; return 0; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    return hits;
}
"""


def test_a_race_has_two_accesses_and_a_story(tmp_path: Path) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE)
    document = to_json(threadwise.check(path, properties="races", in_process=True))
    document = json.loads(json.dumps(document))
    assert list(faults(SCHEMA, document)) == []
    (found,) = document["properties"]
    assert {(each["thread"], each["what"]) for each in found["accesses"]} == {
        ("work", "writes hits"),
        ("main", "reads hits"),
    }
    assert found["story"][0]["text"] == "starts work"


def test_faults_are_found() -> None:
    document = json.loads(json.dumps(to_json(samples.UNSAFE)))
    document["verdict"] = "MAYBE"
    document["properties"][0]["location"]["line"] = "nine"
    del document["file"]
    assert len(list(faults(SCHEMA, document))) == 3
