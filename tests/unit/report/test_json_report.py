import json

import pytest

from tests.golden.comparison import assert_golden
from tests.unit.report import samples
from threadwise.core.documents import TRACE_FORMAT, parse
from threadwise.core.load_documents import load_from_json
from threadwise.report.json_report import to_json
from threadwise.results.result import Result
from threadwise.traces.files import trace_from_json

RESULTS = {
    "unsafe": samples.UNSAFE,
    "vacuous": samples.VACUOUS,
    "cut": samples.CUT,
    "unloaded": samples.UNLOADED,
}
KEYS = [
    "format_version",
    "file",
    "inputs",
    "verdict",
    "reason",
    "engine",
    "assumptions",
    "bounds",
    "tried",
    "properties",
    "unreached",
    "defects",
    "statistics",
]


@pytest.mark.parametrize("name", RESULTS)
def test_golden(name: str) -> None:
    assert_golden(f"report-{name}.json", json.dumps(to_json(RESULTS[name]), indent=2) + "\n")


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
def test_every_key_is_always_there(result: Result) -> None:
    document = to_json(result)
    assert list(document) == KEYS
    for checked in document["properties"]:
        assert list(checked) == [
            "name",
            "kind",
            "verdict",
            "engine",
            "reason",
            "location",
            "evidence",
        ]


def test_the_evidence_of_a_violation_is_a_trace_file() -> None:
    evidence = to_json(samples.UNSAFE)["properties"][0]["evidence"]
    data = parse(json.dumps(evidence), "bug.json", TRACE_FORMAT)
    trace = trace_from_json(data, "bug.json")
    assert trace == samples.LOST_UPDATE.trace
    assert load_from_json(data, "bug.json") == samples.UNSAFE.load


def test_a_certificate_is_summarised() -> None:
    evidence = to_json(samples.SAFE)["properties"][0]["evidence"]
    assert evidence == {
        "kind": "certificate",
        "checked": True,
        "check_time_s": 0.25,
        "certificate_kind": "state-set",
        "size": 3,
        "properties": ["mutex", "range"],
        "audit": {
            "states": 312,
            "all_states": False,
            "locations": 14,
            "claimed_locations": 15,
            "claims": {"the set contains the state": 400},
            "not_looked_at": [],
        },
    }


def test_only_unknown_has_a_reason() -> None:
    assert to_json(samples.SAFE)["reason"] is None
    assert to_json(samples.UNSAFE)["reason"] is None
    assert to_json(samples.TIMED_OUT)["reason"].startswith("time limit of 1 s")
