"""An answer per location: what is proved of some locations stands whatever becomes of others."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from threadwise.cli.main import app
from threadwise.core.errors import BudgetExhausted, Resource
from threadwise.core.load_options import LoadOptions
from threadwise.core.progress import silent
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.loading import load_input
from threadwise.driver.running import evidence
from threadwise.driver.running.collector import Collector
from threadwise.driver.running.messages import Loaded, Located
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.locksets import check as locksets_check
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.report.json_report import to_json
from threadwise.report.text import to_text
from threadwise.results.result import ProvedInPart, Result
from threadwise.results.verdict import Verdict

MIXED = """
#include <pthread.h>
struct box { pthread_mutex_t m; int size; int hits[4]; };
static struct box b;
static int done;
int loose;
void *worker(void *arg) {
  pthread_mutex_lock(&b.m);
  b.size++;
  b.hits[1]++;
  pthread_mutex_unlock(&b.m);
  loose++;
  done = 1;
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, worker, 0);
  pthread_create(&t, 0, worker, 0);
  int early = done;
  pthread_join(s, 0);
  pthread_join(t, 0);
  return early + b.size + b.hits[1];
}
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("locations") / "mixed.c"
    path.write_text(MIXED)
    return path


@cache
def findings(path: Path) -> tuple[Program, list[Finding]]:
    program = load_input(str(path)).worked_on
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    return program, list(LocksetEngine().run(Task(program, races)))


def partial(path: Path) -> tuple[Program, LocksetCertificate]:
    program, (found,) = findings(path)
    assert isinstance(found, Undecided)
    assert isinstance(found.certificate, LocksetCertificate)
    return program, found.certificate


def check(program: Program, certificate: LocksetCertificate) -> CheckedProof:
    return check_certificate(program, certificate, lambda: None)


@cache
def result(path: Path) -> Result:
    options = CheckOptions(properties=("races",), engine="locksets", audit=False)
    return check_file(str(path), options, in_process=True)


# -- what is told --------------------------------------------------------------------------------


def test_what_is_proved_and_what_is_not(mixed: Path) -> None:
    (races,) = result(mixed).properties
    assert races.verdict is Verdict.UNKNOWN
    assert races.part is not None
    told = {location.name: location for location in races.part.locations}
    assert set(told) == {"b.size", "b.hits[]", "done", "loose"}
    proved = {name for name, location in told.items() if location.is_proved}
    assert proved == {"b.size", "b.hits[]"}
    assert "under b.m" in told["b.size"].protections


def test_undecided_pairs_have_places_threads_and_locks(mixed: Path) -> None:
    (races,) = result(mixed).properties
    assert races.part is not None
    (done,) = (each for each in races.part.locations if each.name == "done")
    sides = {
        frozenset((side.thread, side.span.line if side.span else 0, side.write) for side in pair)
        for pair in ((p.first, p.second) for p in done.undecided)
    }
    assert sides == {
        frozenset({("worker", 13, True)}),
        frozenset({("worker", 13, True), ("main", 20, False)}),
    }
    assert {pair.lacking for pair in done.undecided} == {"neither holds a lock"}


def test_pairs_that_are_too_many_are_a_crowd(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, certificate = partial(mixed)
    every = {each.name: each for each in check(program, certificate).locations["races"]}
    monkeypatch.setattr(locksets_check, "MOST_PAIRS", 1)
    proof = check(program, certificate)
    few = {each.name: each for each in proof.locations["races"]}
    for name, location in every.items():
        edges = {e for pair in location.undecided for both in pair.edges for e in both}
        assert few[name].crowd >= edges
        assert few[name].is_proved == location.is_proved
        assert len(few[name].undecided) == min(1, len(location.undecided))
        assert not replace(few[name], undecided=()).is_proved or location.is_proved
    audit_certificate(program, certificate, proof, lambda: None)
    emptied = tuple(replace(each, undecided=(), crowd=frozenset()) for each in few.values())
    forged = replace(proof, locations={"races": emptied})
    with pytest.raises(Broken):
        audit_certificate(program, certificate, forged, lambda: None)


@pytest.mark.usefixtures("defects_expected")
def test_what_is_checked_is_told_before_runs_look_at_it(
    mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = CheckOptions(properties=("races",), engine="locksets")

    def ends(error: Exception) -> Result:
        def audit(*_: object) -> object:
            raise error

        monkeypatch.setattr(evidence, "audit_behind_steps", audit)
        return check_file(str(mixed), options, in_process=True)

    (late,) = ends(BudgetExhausted("time is over", Resource.TIME)).properties
    assert late.part is not None
    assert late.part.audit is None
    assert {each.name for each in late.part.locations if each.is_proved} == {"b.size", "b.hits[]"}
    refuted = ends(Broken("a run says otherwise"))
    assert refuted.defects
    assert refuted.properties[0].part is None


def test_text_and_json_say_the_same(mixed: Path) -> None:
    text = to_text(result(mixed), {})
    assert "races: 4 shared locations, 2 proved (2 by the kernel); 4 pairs of accesses" in text
    assert "✓ b.size: under b.m" in text
    assert "? loose" in text
    (races,) = to_json(result(mixed))["properties"]
    told = {each["name"]: each for each in races["locations"]}
    assert [name for name, each in told.items() if each["proved"]] == ["b.hits[]", "b.size"]
    assert [name for name, each in told.items() if each["kernel"]] == ["b.hits[]", "b.size"]
    (first, *_) = told["loose"]["undecided"]
    assert {side["location"]["line"] for side in first["accesses"]} == {12}
    assert all(side["locks"] == [] for side in first["accesses"])


def test_a_whole_proof_tells_what_protects(tmp_path: Path) -> None:
    path = tmp_path / "whole.c"
    path.write_text(MIXED.replace("loose++;", "").replace("done = 1;", ""))
    (races,) = result(path).properties
    assert races.verdict is Verdict.SAFE
    assert races.part is None
    assert {location.name for location in races.locations} == {"b.size", "b.hits[]"}
    assert all(location.is_proved for location in races.locations)


def test_it_survives_an_end_in_a_later_engine(mixed: Path) -> None:
    program, certificate = partial(mixed)
    proof = check(program, certificate)
    collector = Collector(str(mixed), LoadOptions(), silent)
    collector.take(Loaded(certificate.program_hash, (("races", "race", None),)))
    collector.take(
        Located("races", ProvedInPart("locksets", certificate, proof.locations["races"]))
    )
    (races,) = collector.result("time limit reached").properties
    assert races.verdict is Verdict.UNKNOWN
    assert races.part is not None
    assert len(races.part.locations) == 4


# -- the checker ---------------------------------------------------------------------------------


def test_a_partial_proof_proves_no_property(mixed: Path) -> None:
    program, certificate = partial(mixed)
    proof = check(program, certificate)
    assert proof.properties == ()
    assert proof.partial == ("races",)


def test_a_partial_proof_that_claims_everything_is_refuted(mixed: Path) -> None:
    program, certificate = partial(mixed)
    with pytest.raises(Refuted, match="may race"):
        check(program, replace(certificate, properties=("races",)))


def test_parts_of_other_properties_are_refused(mixed: Path) -> None:
    program, certificate = partial(mixed)
    other = next(p.name for p in program.properties if not isinstance(p, RaceProperty))
    with pytest.raises(Refuted, match="only freedom of races"):
        check(program, replace(certificate, partial=(other,)))


def test_a_proof_that_leaves_out_an_access_is_refuted(mixed: Path) -> None:
    """Where nothing is known nobody is said to be: every such claim is missed."""
    program, certificate = partial(mixed)
    for location in certificate.knowledge:
        left = {at: known for at, known in certificate.knowledge.items() if at != location}
        with pytest.raises(Refuted):
            check(program, replace(certificate, knowledge=left))


def test_a_proof_that_leaves_out_what_a_cell_may_hold_is_refuted(mixed: Path) -> None:
    program, certificate = partial(mixed)
    written = [row for row in certificate.memory if row[0].object in ("done", "loose", "b.size")]
    assert len(written) == 3
    for row in written:
        left = [other for other in certificate.memory if other != row]
        with pytest.raises(Refuted):
            check(program, replace(certificate, memory=left))


def test_a_proof_that_holds_more_locks_is_refuted(mixed: Path) -> None:
    """A forged claim that a lock is held where the plain accesses are."""
    program, certificate = partial(mixed)
    (pair, *_) = next(
        each.undecided
        for each in check(program, certificate).locations["races"]
        if each.name == "loose"
    )
    at = {program.edges[edge].source for edges in pair.edges for edge in edges}
    forged = {
        location: [k._replace(held=("b.m.lock.owner",)) for k in known]
        if location in at
        else known
        for location, known in certificate.knowledge.items()
    }
    with pytest.raises(Refuted):
        check(program, replace(certificate, knowledge=forged))


def test_runs_look_at_what_is_settled(mixed: Path) -> None:
    """A checker that calls an undecided pair apart is found out by a run with the race."""
    program, certificate = partial(mixed)
    proof = check(program, certificate)
    audit_certificate(program, certificate, proof, lambda: None)
    deceived = tuple(replace(each, undecided=()) for each in proof.locations["races"])
    with pytest.raises(Broken, match="race between accesses that are kept apart"):
        audit_certificate(
            program, certificate, replace(proof, locations={"races": deceived}), lambda: None
        )


# -- files ---------------------------------------------------------------------------------------


def test_certify_tells_parts_and_never_valid_as_a_whole(mixed: Path, tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    runner = CliRunner()
    options = ["--property", "races", "--engine", "locksets", "--no-audit"]
    written = runner.invoke(app, ["check", str(mixed), *options, "--certificate", str(file)])
    assert written.exit_code == 3, written.output
    assert file.exists(), written.output
    told = runner.invoke(app, ["certify", str(mixed), str(file), "--no-audit"])
    assert told.exit_code == 3, written.output + told.output
    assert "valid in part" in told.stdout
    assert "valid:" not in told.stdout
    assert "? done" in told.stdout
    as_json = runner.invoke(
        app, ["certify", str(mixed), str(file), "--no-audit", "--format", "json"]
    )
    (proof,) = json.loads(as_json.stdout)["proofs"]
    assert proof["properties"] == []
    assert proof["partial"] == ["races"]
    assert len(proof["locations"]["races"]) == 4


def test_whole_proofs_are_no_partial_ones(tmp_path: Path) -> None:
    path = tmp_path / "whole.c"
    path.write_text(MIXED.replace("loose++;", "").replace("done = 1;", ""))
    _, (found,) = findings(path)
    assert isinstance(found, Proved)
    assert isinstance(found.certificate, LocksetCertificate)
    assert found.certificate.partial == ()
