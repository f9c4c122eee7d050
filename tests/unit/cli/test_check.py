"""`threadwise check` from end to end: exit codes, reports, evidence files."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from threadwise.core.budget import Budget
from threadwise.core.errors import BudgetExhausted, InternalError, Resource
from threadwise.driver import checking, rechecking
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.auto import auto_engines
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.registry import ENGINES, EngineInfo, StepCost
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict


def test_safe(run: Run) -> None:
    outcome = run("check", "counter.tw", "--property", "small", "--property", "mutex")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1] == "SAFE"
    assert outcome.err == ""


def test_unsafe(run: Run) -> None:
    outcome = run("check", "counter.tw")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[0] == "counter.tw"
    assert lines[-1] == "UNSAFE"
    assert any(line.startswith("  ✗ UNSAFE  race_free x") for line in lines)
    assert any(line.startswith("step  worker[0]") for line in lines)


def test_unknown(run: Run) -> None:
    Path("any.tw").write_text("bool b;\nthread t[*] { b = !b; }\ninvariant i: b || !b;\n")
    outcome = run("check", "any.tw", "--property", "i", "--engine", "explicit")
    assert outcome.code == 3
    assert outcome.out.splitlines()[-1].startswith("UNKNOWN (")
    assert "tried:\n  explicit" in outcome.out
    assert "what to try next:\n" in outcome.out


def test_time_limit(run: Run) -> None:
    Path("big.tw").write_text(
        "int[0..99] a; int[0..99] b; int[0..99] c;\n"
        "thread t[4] { while (true) { havoc a; havoc b; havoc c; } }\n"
        "invariant i: a >= 0;\n"
    )
    outcome = run("check", "big.tw", "--time-limit", "300ms", "--property", "i")
    assert outcome.code == 3
    last = outcome.out.splitlines()[-1]
    assert last.startswith("UNKNOWN (")
    assert "time limit of 0.3 s reached" in last


def test_internal_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Result:
        raise InternalError("explicit gave a proof that fails", {"program": "global x"})

    monkeypatch.setattr(checking, "check_file", broken)
    outcome = run("check", "counter.tw")
    assert outcome.code == 70
    assert outcome.out == ""
    assert "Traceback" in outcome.err
    assert "global x" in outcome.err
    assert "Please report it" in outcome.err


class Failing:
    """An engine that fails as it is told to."""

    name = "failing"

    def __init__(self, failure: str) -> None:
        self.failure = failure

    def run(self, task: Task) -> Iterator[Finding]:
        if self.failure == "crash":
            raise ZeroDivisionError("oh")
        for finding in ExplicitEngine().run(task):
            if isinstance(finding, Proved) and self.failure == "proof":
                assert isinstance(finding.certificate, StateSetCertificate)
                certificate = finding.certificate
                yield replace(
                    finding, certificate=replace(certificate, states=certificate.states[1:])
                )
            elif isinstance(finding, Violated) and self.failure == "trace":
                yield Violated(replace(finding.trace, moves=finding.trace.moves[:-1]))


FAILURES = {
    "crash": "failing crashed: ZeroDivisionError: oh",
    "proof": "failing gave a proof that fails: ",
    "trace": "failing gave a trace that fails: ",
}


@pytest.fixture(params=FAILURES)
def told(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, defects_expected: None
) -> str:
    """What is told of an engine that fails, which is the first to be asked."""
    failing = EngineInfo("failing", "", "", "", lambda: Failing(request.param), cost=StepCost(1))
    monkeypatch.setattr(checking, "auto_engines", lambda: [failing, *auto_engines()])
    monkeypatch.setattr(checking, "ENGINES", {"failing": failing, **ENGINES})
    return FAILURES[request.param]


def test_a_failing_engine_costs_the_exit_code_and_no_verdict(run: Run, told: str) -> None:
    outcome = run("check", "counter.tw", "--threads", "worker=3", "--verbose", "--jobs", "1")
    assert outcome.code == 70
    lines = outcome.out.splitlines()
    assert lines[-1] == "UNSAFE"
    assert any(line.startswith("  ✗ UNSAFE  race_free x") for line in lines)
    assert any(line.startswith("  ✓ SAFE    mutex") for line in lines)
    assert any(line.startswith(f"defect of threadwise: {told}") for line in lines)
    assert any(line.startswith("  failing") and told in line for line in lines)
    for needed in ("Traceback", told, "threads = {'worker': 3}", "counter.tw", "Please report"):
        assert needed in outcome.err
    (shown,) = (line for line in lines if line.startswith("  program "))
    assert shown.removeprefix("  program ") in outcome.err


def test_a_failing_engine_alone_leaves_all_open(run: Run, told: str) -> None:
    outcome = run("check", "counter.tw", "--engine", "failing", "--property", "all")
    assert outcome.code == 70
    assert told in outcome.out
    assert "not decided: " in outcome.out or outcome.out.splitlines()[-1].startswith("UNKNOWN (")


def test_defects_in_json(run: Run, told: str) -> None:
    outcome = run("check", "counter.tw", "--format", "json")
    assert outcome.code == 70
    document = json.loads(outcome.out)
    (defect,) = document["defects"]
    assert defect["engine"] == "failing"
    assert defect["message"].startswith(told)
    assert defect["program_hash"]
    assert "Traceback" in defect["traceback"]
    assert document["tried"][0]["outcome"] == defect["message"]
    assert document["verdict"] == "UNSAFE"
    assert {p["verdict"] for p in document["properties"]} == {"SAFE", "UNSAFE"}


def test_evidence_is_written_beside_a_failing_engine(run: Run, told: str) -> None:
    outcome = run("check", "counter.tw", "--certificate", "proof.json", "--trace", "bug.json")
    assert outcome.code == 70
    assert run("certify", "counter.tw", "proof.json").code == 0
    assert run("replay", "counter.tw", "bug.json").code == 0


def test_explain_beside_a_failing_engine(run: Run, told: str) -> None:
    outcome = run("explain", "counter.tw")
    assert outcome.code == 70
    assert told in outcome.err
    assert outcome.out


def test_same_input_same_output(run: Run) -> None:
    first, second = run("check", "counter.tw"), run("check", "counter.tw")
    assert first.out.splitlines()[:-2] == second.out.splitlines()[:-2]


# -- several files -------------------------------------------------------------------------------


def test_every_file_is_checked_and_the_gravest_code_counts(run: Run) -> None:
    Path("bad.tw").write_text("thread")
    Path("good.tw").write_text("bool b;\nthread t { b = true; }\ninvariant i: b || !b;\n")
    outcome = run("check", "counter.tw", "bad.tw", "good.tw")
    assert outcome.code == 2
    assert "\nUNSAFE\n\ngood.tw\n" in outcome.out
    assert outcome.out.endswith("\nSAFE\n")
    assert outcome.err.startswith("bad.tw:1:")


def test_a_wrong_option_is_told_once(run: Run) -> None:
    outcome = run("check", "counter.tw", "./counter.tw", "--engine", "explict")
    assert outcome.code == 2
    assert outcome.err.count("unknown engine") == 1


def test_an_interrupt_ends_the_whole_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def interrupted(path: str, *_: object) -> Result:
        asked.append(path)
        waiting = PropertyResult("races", "race", Verdict.UNKNOWN, reason="interrupted (SIGINT)")
        reason = "interrupted (SIGINT)"
        return Result(path, (waiting,), reason, interrupted=True, statistics={"states": 7})

    monkeypatch.setattr(checking, "check_file", interrupted)
    outcome = run("check", "counter.tw", "other.tw")
    assert outcome.code == 3
    assert outcome.out.endswith("UNKNOWN (interrupted (SIGINT) after 7 states)\n")
    assert asked == ["counter.tw"]


def test_an_interrupt_outside_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Result:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "check_file", interrupted)
    outcome = run("check", "counter.tw", "other.tw")
    assert (outcome.code, outcome.err) == (3, "interrupted\n")


# -- JSON ----------------------------------------------------------------------------------------


def test_json_of_one_file_is_an_object(run: Run) -> None:
    outcome = run("check", "counter.tw", "--format", "json")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    assert document["file"] == "counter.tw"
    assert document["verdict"] == "UNSAFE"
    verdicts = {checked["name"]: checked["verdict"] for checked in document["properties"]}
    assert verdicts["race_free x"] == "UNSAFE"
    assert verdicts["small"] == "SAFE"
    assert document["statistics"]["states"] > 0


def test_json_of_several_files_is_a_list(run: Run) -> None:
    outcome = run("check", "counter.tw", "missing.tw", "./counter.tw", "--format", "json")
    assert outcome.code == 2
    assert [item["file"] for item in json.loads(outcome.out)] == ["counter.tw", "./counter.tw"]


def test_json_of_a_rejected_file_is_nothing(run: Run) -> None:
    outcome = run("check", "missing.tw", "--format", "json")
    assert (outcome.code, outcome.out) == (2, "")


# -- options -------------------------------------------------------------------------------------


def test_defines_and_threads_reach_the_program(run: Run) -> None:
    Path("n.tw").write_text(
        "const int N = 1;\nint[0..9] x;\nthread t[N] { atomic { x = x + 1; } }\n"
        "invariant i: x < 3;\n"
    )
    assert run("check", "n.tw").code == 0
    assert run("check", "n.tw", "-D", "N=3").code == 1
    assert run("check", "n.tw", "--threads", "t=3").code == 1
    verbose = run("check", "n.tw", "-D", "N=2", "--threads", "t=1", "--verbose")
    assert "loaded with -D N=2 --threads t=1" in verbose.out
    assert "tried:" in verbose.out


def test_defaults_from_the_settings_file(run: Run) -> None:
    Path("threadwise.toml").write_text('[check]\nproperty = ["small"]\n')
    assert run("check", "counter.tw").code == 0
    assert run("check", "counter.tw", "--property", "races").code == 1


def test_broken_settings_file(run: Run) -> None:
    Path("threadwise.toml").write_text("[check]\nenigne = 3\n")
    outcome = run("check", "counter.tw")
    assert outcome.code == 2
    assert outcome.err == (
        "threadwise.toml:2:1: error: unknown setting `enigne` in [check]\n"
        "    enigne = 3\n"
        "    ^~~~~~\n"
        "hint: did you mean `engine`?\n"
    )


# -- evidence ------------------------------------------------------------------------------------


def test_a_trace_can_be_replayed(run: Run) -> None:
    assert run("check", "counter.tw", "--trace", "bug.json").code == 1
    outcome = run("replay", "counter.tw", "bug.json")
    assert outcome.code == 0
    assert outcome.out.endswith("reproduces: bug.json violates race_free x of counter.tw\n")
    assert "step  worker[0]" in outcome.out


def test_further_traces_are_numbered(run: Run) -> None:
    outcome = run("check", "counter.tw", "--property", "all", "--trace", "bug.json")
    assert "written to bug.json\n" in outcome.err
    assert "written to bug.json.2\n" in outcome.err
    assert run("replay", "counter.tw", "bug.json.2").code == 0


def test_a_trace_of_another_program_does_not_reproduce(run: Run) -> None:
    run("check", "counter.tw", "--trace", "bug.json")
    Path("other.tw").write_text("bool b;\nthread t { b = true; }\n")
    outcome = run("replay", "other.tw", "bug.json")
    assert outcome.code == 1
    assert outcome.out.startswith("does not reproduce: ")


def test_a_damaged_trace_does_not_reproduce(run: Run) -> None:
    run("check", "counter.tw", "--trace", "bug.json")
    data = json.loads(Path("bug.json").read_text())
    del data["steps"][0]
    Path("bug.json").write_text(json.dumps(data))
    assert run("replay", "counter.tw", "bug.json").code == 1
    Path("bug.json").write_text("{}")
    assert run("replay", "counter.tw", "bug.json").code == 2


def test_a_certificate_can_be_checked(run: Run) -> None:
    arguments = ("--property", "small", "--property", "mutex", "--engine", "explicit")
    outcome = run("check", "counter.tw", *arguments, "--certificate", "proof.json")
    assert outcome.code == 0
    assert "written to proof.json\n" in outcome.err
    certified = run("certify", "counter.tw", "proof.json")
    assert certified.code == 0
    assert certified.out.startswith("valid: proof.json proves for counter.tw\n")
    assert "  small\n" in certified.out


def test_a_damaged_certificate_is_refuted(run: Run) -> None:
    run("check", "counter.tw", "--property", "small", "--certificate", "proof.json")
    header, *tables = map(json.loads, Path("proof.json").read_text().splitlines())
    states = next(table for table in tables if table["table"] == "states")
    del states["rows"][1]
    Path("proof.json").write_text("\n".join(map(json.dumps, [header, *tables])))
    assert run("certify", "counter.tw", "proof.json").code == 2
    header["tables"]["states"] -= 1
    Path("proof.json").write_text("\n".join(map(json.dumps, [header, *tables])))
    outcome = run("certify", "counter.tw", "proof.json")
    assert outcome.code == 1
    assert outcome.out.startswith("refuted: ")


def test_a_certificate_of_another_program_is_rejected(run: Run) -> None:
    run("check", "counter.tw", "--property", "small", "--certificate", "proof.json")
    Path("other.tw").write_text("bool b;\nthread t { b = true; }\n")
    assert run("certify", "other.tw", "proof.json").code == 2
    Path("proof.json").write_text("not json")
    assert run("certify", "counter.tw", "proof.json").code == 2


def test_limits_of_certify(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[Budget] = []

    def slow(path: str, certificate: str, budget: Budget, **_: object) -> None:
        budgets.append(budget)
        raise BudgetExhausted("time limit of 2 s reached", Resource.TIME)

    monkeypatch.setattr(rechecking, "certify_file", slow)
    limits = ("--time-limit", "2", "--memory-limit", "1kB")
    outcome = run("certify", "counter.tw", "proof.json", *limits)
    assert (outcome.code, outcome.err) == (3, "time limit of 2 s reached\n")
    assert budgets == [Budget(2.0, 1000)]
    assert run("certify", "counter.tw", "proof.json", "--time-limit", "soon").code == 2


def test_nothing_to_write_is_told(run: Run) -> None:
    safe = run("check", "counter.tw", "--property", "small", "--trace", "bug.json")
    assert safe.err == "bug.json: not written, since no violation was found\n"
    arguments = ("--property", "race_free x", "--certificate", "proof.json")
    unsafe = run("check", "counter.tw", *arguments)
    assert unsafe.err == "proof.json: not written, since nothing was proved\n"
    assert not Path("bug.json").exists()
    assert not Path("proof.json").exists()


@pytest.mark.parametrize("option", ["--certificate", "--trace"])
def test_places_that_cannot_be_written(run: Run, option: str) -> None:
    assert "is a directory" in run("check", "counter.tw", option, ".").err
    assert "there is no directory" in run("check", "counter.tw", option, "no/such/x").err
    assert run("check", "counter.tw", "counter.tw", option, "x").code == 2
