"""Every example has the verdicts and the number of states that it says it has, with evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.examples.annotations import FILES, FOLDER, NAMES, read_annotations
from tests.robustness.command_line import threadwise
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.loading import load_program, load_simplified
from threadwise.driver.rechecking import certify_file, replay_file
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Proved, Task
from threadwise.engines.explicit import ExplicitEngine
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict, overall
from threadwise.traces.files import trace_to_json

EVERYTHING = CheckOptions(properties=("all",), engine="explicit", max_depth=10)
LONG = {
    "protocols/alternating_bit_bug.tw",
    "protocols/directory_coherence.tw",
    "protocols/directory_coherence_bug.tw",
    "protocols/fischer.tw",
    "protocols/snooping_coherence.tw",
    "protocols/snooping_coherence_bug.tw",
    "qadeer_rajamani_rehof/figure2_coarse_allocator_bug.tw",
    "qadeer_rajamani_rehof/figure3_fine_allocator_bug.tw",
}
"""Those that take many seconds: left to the night."""
PAPERS = [
    pytest.param(name, marks=pytest.mark.slow) if name in LONG else name
    for name in NAMES
    if not name.startswith("beyond/")
]
CASES = [
    (name, defines)
    for path, name in zip(FILES, NAMES, strict=True)
    for defines in read_annotations(path).states
]


def verdicts(path: Path, result: Result) -> dict[str, Verdict]:
    """The verdict for each annotated value of --property."""
    program = load_program(str(path))
    known = {checked.name: checked.verdict for checked in result.properties}
    return {
        selector: overall(known[p.name] for p in select_properties(program, [selector]))
        for selector in read_annotations(path).verdicts
    }


def test_there_are_examples_for_every_paper() -> None:
    assert len(FILES) >= 40
    assert {name.split("/")[0] for name in NAMES} >= {
        "flanagan_qadeer",
        "henzinger_jhala_majumdar_qadeer",
        "malkis_podelski_rybalchenko",
        "meng_he_wang_liu",
        "qadeer_rajamani_rehof",
    }


@pytest.mark.parametrize("name", NAMES)
def test_seeded_bugs_are_bugs(name: str) -> None:
    annotated = read_annotations(FOLDER / name).verdicts
    assert annotated
    if name.endswith("_bug.tw"):
        assert Verdict.UNSAFE in annotated.values()


@pytest.mark.parametrize("name", PAPERS)
def test_explicit_search_gives_the_annotated_verdicts(name: str, tmp_path: Path) -> None:
    path = FOLDER / name
    result = check_file(str(path), EVERYTHING, in_process=True)
    assert verdicts(path, result) == read_annotations(path).verdicts
    assert_evidence(path, result, tmp_path)


def assert_evidence(path: Path, result: Result, folder: Path) -> None:
    """Every verdict comes with evidence that survives a file."""
    certified: set[int] = set()
    for checked in result.properties:
        evidence = folder / "evidence.json"
        if checked.verdict is Verdict.UNSAFE:
            assert checked.trace is not None
            data = trace_to_json(checked.trace, result.load)
            evidence.write_text(json.dumps(data), encoding="utf-8")
            assert replay_file(str(path), str(evidence)).described == checked.trace
        elif checked.verdict is Verdict.SAFE:
            assert checked.certificate is not None
            if id(checked.certificate) not in certified:
                certified.add(id(checked.certificate))
                data = certificate_to_json(checked.certificate, result.load)
                evidence.write_text(json.dumps(data), encoding="utf-8")
                proof = certify_file(str(path), str(evidence))
                assert proof.properties == checked.certificate.properties
            assert checked.name in checked.certificate.properties


@pytest.mark.parametrize("name", PAPERS)
def test_auto_never_contradicts_the_annotations(name: str, tmp_path: Path) -> None:
    path = FOLDER / name
    options = CheckOptions(properties=("all",), max_depth=10)
    result = check_file(str(path), options, in_process=True)
    for selector, verdict in verdicts(path, result).items():
        expected = read_annotations(path).verdicts[selector]
        assert {verdict, expected} != {Verdict.SAFE, Verdict.UNSAFE}, selector
        if expected is not Verdict.UNKNOWN:
            assert verdict is expected, selector
    assert_evidence(path, result, tmp_path)


@pytest.mark.parametrize(("name", "defines"), CASES)
def test_number_of_states(name: str, defines: tuple[tuple[str, str], ...]) -> None:
    path = FOLDER / name
    program = load_simplified(str(path), LoadOptions(defines=dict(defines)))
    task = Task(program, select_properties(program, ["mutex"]))
    assert [type(finding) for finding in ExplicitEngine().run(task)] == [Proved]
    assert task.statistics.as_dict()["states"] == read_annotations(path).states[defines]


@pytest.mark.parametrize(
    ("name", "defines", "states"),
    [
        ("flanagan_qadeer/simple_owner.tw", "N=2", 20),
        ("flanagan_qadeer/simple_owner.tw", "N=8", 4352),
        ("meng_he_wang_liu/mux_sem.tw", "N=8", 2304),
        ("malkis_podelski_rybalchenko/binary_counter.tw", "N=10", 2047),
    ],
)
def test_numbers_of_states_of_the_papers(name: str, defines: str, states: int) -> None:
    arguments = ["--engine", "explicit", "--format", "json", "--property", "mutex", "-D", defines]
    outcome = threadwise("check", str(FOLDER / name), *arguments)
    report = json.loads(outcome.out)
    assert report["statistics"]["states"] == states
    assert report["verdict"] == "SAFE"
    assert outcome.code == 0
