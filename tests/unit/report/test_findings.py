"""SARIF, JUnit, gcc and GitHub: their shape, fingerprints, and hostile texts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import threadwise
from threadwise.core.source import SourceFile, Span
from threadwise.report.findings import RULES, findings
from threadwise.report.json_report import to_json
from threadwise.report.lines import to_gcc, to_github, to_junit
from threadwise.report.sarif import to_sarif
from threadwise.report.text import to_text
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict

RACE = """\
#include <pthread.h>
static int hits, other;
static void *work(void *unused) {
    hits = hits + 1;
    return 0;
}
static void *rest(void *unused) { return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, rest, 0);
    hits = 7;
    return 0;
}
"""


def checked(text: str, path: Path) -> tuple[Result, dict[str, SourceFile]]:
    path.write_text(text)
    result = threadwise.check(path, properties="races", in_process=True)
    return result, {str(path): SourceFile(str(path), text)}


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, dict[str, SourceFile]]:
    return checked(RACE, tmp_path_factory.mktemp("race") / "race.c")


UNDECIDED = Result(
    "half.tw",
    (
        PropertyResult("races", "race", Verdict.UNKNOWN, reason="time limit"),
        PropertyResult("mutex", "mutex", Verdict.SAFE, location=Span.at("half.tw", 3, 1)),
    ),
)
HOSTILE = "<script>alert('x')</script> \x1b[31m \"quoted\" %0A ::error:: ]]> \x00 " + "y" * 10**6
ATTACK = Result(
    'a,b:c"<d>.c',
    (
        PropertyResult(
            HOSTILE, "race", Verdict.UNKNOWN, reason=HOSTILE, location=Span.at("x\n::y.c", 1, 1)
        ),
    ),
)

# -- SARIF: what the standard demands of the parts that we write ------------------------------


def sarif_faults(document: Any) -> Iterator[str]:
    """Where a document is not as SARIF 2.1.0 demands."""
    if document["version"] != "2.1.0" or not isinstance(document["runs"], list):
        yield "version or runs"
    for run in document["runs"]:
        driver = run["tool"]["driver"]
        ids = [rule["id"] for rule in driver["rules"]]
        if len(set(ids)) != len(ids):
            yield "a rule twice"
        if any(len(rule["properties"]["tags"]) > 10 for rule in driver["rules"]):
            yield "too many tags"
        for result in run["results"]:
            yield from _result_faults(result, ids)
        for invocation in run["invocations"]:
            if not isinstance(invocation["executionSuccessful"], bool):
                yield "executionSuccessful"
            for note in invocation["toolExecutionNotifications"]:
                if note["level"] not in {"none", "note", "warning", "error"}:
                    yield "level of a notification"
                yield from _message_faults(note)
                for location in note.get("locations", ()):
                    yield from _location_faults(location)


def _result_faults(result: Any, ids: list[str]) -> Iterator[str]:
    if ids[result["ruleIndex"]] != result["ruleId"]:
        yield "ruleIndex"
    if (result["kind"], result["level"]) not in {("fail", "error"), ("pass", "none")}:
        yield "kind and level"
    yield from _message_faults(result)
    related = result.get("relatedLocations", [])
    if len({place["id"] for place in related}) != len(related) or len(related) > 100:
        yield "related locations"
    for location in [*result["locations"], *related]:
        yield from _location_faults(location)
    orders: list[int] = []
    for flow in result.get("codeFlows", ()):
        for thread in flow["threadFlows"]:
            numbers = [each["executionOrder"] for each in thread["locations"]]
            if numbers != sorted(numbers) or not numbers:
                yield "order of a thread"
            orders += numbers
            for each in thread["locations"]:
                yield from _location_faults(each["location"])
    if len(set(orders)) != len(orders) or len(orders) > 1000:
        yield "order of execution"


def _message_faults(item: Any) -> Iterator[str]:
    if not isinstance(item["message"]["text"], str) or not item["message"]["text"]:
        yield "message"


def _location_faults(location: Any) -> Iterator[str]:
    physical = location["physicalLocation"]
    uri = physical["artifactLocation"]["uri"]
    if not re.fullmatch(r"[A-Za-z0-9._~:/@!$&'()*+,;=%-]+", uri):
        yield f"uri {uri!r}"
    region = physical.get("region")
    if region is not None and not (
        1 <= region["startLine"] <= region["endLine"] and region["startColumn"] >= 1
    ):
        yield "region"


def test_sarif(race: tuple[Result, dict[str, SourceFile]]) -> None:
    result, sources = race
    document = json.loads(json.dumps(to_sarif([result, UNDECIDED], sources)))
    assert list(sarif_faults(document)) == []
    (run,) = document["runs"]
    (found,) = run["results"]
    assert found["ruleId"] == "TW001-data-race"
    lines = {
        place["physicalLocation"]["region"]["startLine"]
        for place in [*found["locations"], *found["relatedLocations"]]
    }
    assert lines == {4, 12}
    assert {flow["id"] for flow in found["codeFlows"][0]["threadFlows"]} == {"main", "work"}
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "races: time limit"


def test_sarif_of_everything(race: tuple[Result, dict[str, SourceFile]]) -> None:
    document = to_sarif([UNDECIDED], {}, everything=True)
    assert list(sarif_faults(document)) == []
    (found,) = document["runs"][0]["results"]
    assert (found["kind"], found["ruleId"]) == ("pass", "TW004-lock-misuse")


def test_the_faults_are_found(race: tuple[Result, dict[str, SourceFile]]) -> None:
    result, sources = race
    document = to_sarif([result], sources)
    document["runs"][0]["results"][0]["ruleIndex"] = 3
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"][
        "uri"
    ] = "a b"
    assert len(list(sarif_faults(document))) == 2


def test_rules_never_change() -> None:
    assert [rule.id for rule in RULES.values()] == [
        "TW001-data-race",
        "TW002-deadlock",
        "TW003-assertion",
        "TW004-lock-misuse",
        "TW005-memory",
        "TW006-range",
        "TW007-invariant",
    ]


# -- fingerprints ------------------------------------------------------------------------------


def fingerprint(text: str, path: Path) -> str:
    result, sources = checked(text, path)
    (found,) = findings([result], sources)
    return found.fingerprint


def test_fingerprints(race: tuple[Result, dict[str, SourceFile]], tmp_path: Path) -> None:
    result, sources = race
    (found,) = findings([result], sources)
    above = RACE.replace("static int hits", "/* a { comment */\n\n\nstatic int hits")
    neighbour = above.replace("rest", "remainder").replace("other", "another")
    assert fingerprint(neighbour, tmp_path / "race.c") == found.fingerprint
    moved = RACE.replace(
        "static void *work", "static void bump(void) { hits = hits + 1; }\nstatic void *work"
    ).replace("    hits = hits + 1;", "    bump();")
    assert fingerprint(moved, tmp_path / "race.c") != found.fingerprint


HEAP = """\
#include <pthread.h>
#include <stdlib.h>
struct cell { int value; };
static struct cell *kept;
static void *work(void *unused) {
    kept->value = 1;
    return 0;
}
int main(void) {
    kept = malloc(sizeof *kept);
    if (!kept) abort();
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    return 0;
}
"""


def test_fingerprints_of_heap_objects(tmp_path: Path) -> None:
    before = fingerprint(HEAP, tmp_path / "heap.c")
    above = HEAP.replace("struct cell {", "\n/* above */\nstruct cell {", 1)
    older = above.replace(
        "    kept = malloc", "    kept = malloc(sizeof *kept);\n    kept = malloc"
    )
    assert fingerprint(above, tmp_path / "heap.c") == before
    assert fingerprint(older, tmp_path / "heap.c") == before
    other = HEAP.replace("int value;", "int value, rest;").replace("kept->value", "kept->rest")
    assert fingerprint(other, tmp_path / "heap.c") != before


# -- lines -------------------------------------------------------------------------------------


def test_gcc(race: tuple[Result, dict[str, SourceFile]]) -> None:
    result, sources = race
    lines = to_gcc([result], sources).splitlines()
    line = re.compile(r"\S+\.c:\d+:\d+: (error|note|warning): .+")
    assert all(line.fullmatch(each) for each in lines[:-1])
    assert "[TW001-data-race]" in lines[0]
    assert lines[-1].endswith(": note: UNSAFE")


def test_github(race: tuple[Result, dict[str, SourceFile]]) -> None:
    result, sources = race
    first, last = to_github([result], sources).splitlines()
    assert re.match(
        r"::error file=\S+,line=\d+,endLine=\d+,col=\d+,title=TW001-data-race::", first
    )
    assert last.startswith("::notice::")


def test_junit(race: tuple[Result, dict[str, SourceFile]]) -> None:
    result, sources = race
    root = ElementTree.fromstring(to_junit([result, UNDECIDED], sources))
    assert root.tag == "testsuites"
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        for tag, name in (("failure", "failures"), ("skipped", "skipped"), ("error", "errors")):
            assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{tag}"))
        assert all({"name", "classname"} <= set(case.attrib) for case in cases)
    assert root.find("testsuite/testcase/failure") is not None


def test_hostile_texts_stay_text() -> None:
    gcc = to_gcc([ATTACK], {})
    assert len(gcc.splitlines()) == 2
    github = to_github([ATTACK], {})
    assert len(github.splitlines()) == 2
    assert "::error::" not in github.split("::", 2)[1]
    assert "file=x%0A%3A%3Ay.c" in github
    for text in (gcc, github):
        assert all(c.isprintable() or c == "\n" for c in text)
    case = ElementTree.fromstring(to_junit([ATTACK], {})).find("testsuite/testcase")
    assert case is not None
    assert case.attrib["name"].startswith("<script>alert('x')</script> \ufffd[31m \"quoted\"")
    assert list(sarif_faults(to_sarif([ATTACK], {}))) == []


def test_hostile_texts_stay_text_for_people_and_programs() -> None:
    text = to_text(ATTACK, {})
    assert all(c.isprintable() or c == "\n" for c in text)
    data = json.dumps(to_json(ATTACK))
    assert json.loads(data)["properties"][0]["name"] == HOSTILE
    page = ATTACK._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
