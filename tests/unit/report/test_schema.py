"""JSON reports are as their schema says."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

import threadwise
from tests.unit.report import samples
from tests.unit.report.schemas import faults
from threadwise.report.json_report import to_json

SCHEMA = json.loads((files("threadwise.report") / "report.schema.json").read_text("utf-8"))

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
