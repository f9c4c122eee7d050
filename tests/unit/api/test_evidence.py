"""Replaying, certifying and reporting from Python."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import threadwise
from tests.unit.api.test_check import RACY, SAFE
from threadwise import InputError, Refuted, ReplayFailure, Result
from threadwise.proofs.state_set.certificate import StateSetCertificate

ONE_WORKER = SAFE.replace("worker[N]", "worker")


@pytest.fixture(scope="module")
def unsafe() -> Result:
    return threadwise.check(RACY, defines={"N": 3})


@pytest.fixture(scope="module")
def safe() -> Result:
    return threadwise.check(SAFE, engine="explicit")


def trace_of(result: Result) -> threadwise.DescribedTrace:
    return next(p.trace for p in result.properties if p.trace is not None)


def certificate_of(result: Result) -> threadwise.Certificate:
    return next(p.certificate for p in result.properties if p.certificate is not None)


def test_replay_of_a_value(unsafe: Result) -> None:
    program = threadwise.load(RACY, defines={"N": 3})
    described = trace_of(unsafe)
    assert threadwise.replay(program, described) == described
    assert threadwise.replay(program, described.trace) == described


def test_replay_of_a_file_loads_the_program_as_the_trace_says(
    unsafe: Result, tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    threadwise.write_trace(unsafe, path)
    assert threadwise.replay(RACY, path).violation == trace_of(unsafe).violation
    assert threadwise.replay(RACY, str(path)).trace.property == "race_free x"


def test_replay_on_another_program_fails(unsafe: Result) -> None:
    with pytest.raises(ReplayFailure, match="another program"):
        threadwise.replay(RACY, trace_of(unsafe))


def test_certify_a_value(safe: Result) -> None:
    proof = threadwise.certify(SAFE, certificate_of(safe))
    assert "race_free x" in proof


def test_certify_a_file(safe: Result, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    threadwise.write_certificate(safe, path, "mutex")
    assert "mutex" in threadwise.certify(SAFE, path, time_limit=60)
    with pytest.raises(InputError, match="another program than <text>"):
        threadwise.certify(ONE_WORKER, path)


def test_a_certificate_with_a_state_less_is_refuted(safe: Result) -> None:
    certificate = certificate_of(safe)
    assert isinstance(certificate, StateSetCertificate)
    shrunk = replace(certificate, states=certificate.states[1:])
    with pytest.raises(Refuted):
        threadwise.certify(SAFE, shrunk)


def test_nothing_to_write(safe: Result, unsafe: Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no violation of any property"):
        threadwise.write_trace(safe, tmp_path / "trace.json")
    with pytest.raises(InputError, match="no violation of `mutex`"):
        threadwise.write_trace(unsafe, tmp_path / "trace.json", "mutex")
    with pytest.raises(InputError, match="no proof of `race_free x`"):
        threadwise.write_certificate(unsafe, tmp_path / "proof.json", "race_free x")


def test_reports(safe: Result, unsafe: Result, tmp_path: Path) -> None:
    assert threadwise.to_text(safe).endswith("\nSAFE\n")
    assert "loaded with -D N=3" in threadwise.to_text(unsafe, verbose=True)
    assert json.loads(json.dumps(threadwise.to_json(unsafe)))["verdict"] == "UNSAFE"
    path = tmp_path / "racy.tw"
    path.write_text(RACY)
    assert "x = x + 1;" in threadwise.to_text(threadwise.check(path))
