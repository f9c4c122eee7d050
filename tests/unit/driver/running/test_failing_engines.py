"""Engines that crash, or whose evidence fails its check, decide nothing and cost no other."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.driver.running.scripted import (
    NAMES,
    PROGRAM,
    Script,
    Scripted,
    check,
    good_certificate,
    good_trace,
    honest,
    only_defect,
    proof_of_a_violated_property,
    wrong_proof,
)
from threadwise.core.errors import InternalError
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver import checking
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.driver.running import evidence, work
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.registry import EngineInfo
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.results.result import DefectKind
from threadwise.results.verdict import Verdict

pytestmark = pytest.mark.usefixtures("defects_expected")


def wrong_trace(task: Task) -> Iterator[Finding]:
    yield Violated(replace(good_trace(task), moves=()))


def proof_of_less(task: Task) -> Iterator[Finding]:
    """The certificate is right, but the engine says it proves another property as well."""
    yield Proved(NAMES, good_certificate(task))


def proof_for_another_program(task: Task) -> Iterator[Finding]:
    yield Proved(("fine",), replace(good_certificate(task), program_hash="0" * 64))


def crash(task: Task) -> Iterator[Finding]:
    yield from ()
    raise ZeroDivisionError("oh")


def contradiction(task: Task) -> Iterator[Finding]:
    yield from ()
    raise InternalError("no such thing", {"program": "global x"})


FAILURES = {
    "trace": (wrong_trace, DefectKind.TRACE, "scripted-0 gave a trace that fails"),
    "proof": (wrong_proof, DefectKind.PROOF, "scripted-0 gave a proof that fails"),
    "violated": (proof_of_a_violated_property, DefectKind.PROOF, "violates `small`"),
    "less": (proof_of_less, DefectKind.PROOF, "claims less"),
    "another": (proof_for_another_program, DefectKind.PROOF, "another program"),
    "crash": (crash, DefectKind.CRASH, "scripted-0 crashed: ZeroDivisionError: oh"),
    "contradiction": (contradiction, DefectKind.CRASH, "no such thing"),
}


@pytest.mark.parametrize("in_process", [True, False])
@pytest.mark.parametrize("name", FAILURES)
def test_a_failing_engine_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, name: str, in_process: bool
) -> None:
    script, kind, message = FAILURES[name]
    result = check(monkeypatch, script, in_process=in_process)
    assert {p.verdict for p in result.properties} == {Verdict.UNKNOWN}
    defect = only_defect(result)
    assert (defect.kind, defect.engine) == (kind, "scripted-0")
    assert message in defect.message
    assert {p.reason for p in result.properties} == {defect.message}
    assert [a.outcome for a in result.tried] == [defect.message]
    assert "Traceback" in defect.traceback
    assert defect.properties == NAMES
    assert defect.program_hash == program_hash(PROGRAM)


@pytest.mark.parametrize("in_process", [True, False])
@pytest.mark.parametrize("name", FAILURES)
def test_a_failing_engine_costs_no_other(
    monkeypatch: pytest.MonkeyPatch, name: str, in_process: bool
) -> None:
    script, _, message = FAILURES[name]
    result = check(monkeypatch, script, honest, in_process=in_process)
    assert [(p.verdict, p.engine) for p in result.properties] == [
        (Verdict.UNSAFE, "scripted-1"),
        (Verdict.SAFE, "scripted-1"),
    ]
    assert message in only_defect(result).message
    assert [a.engine for a in result.tried] == ["scripted-0", "scripted-1"]


def test_what_an_engine_decided_before_it_failed_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(task: Task) -> Iterator[Finding]:
        yield Proved(("fine",), good_certificate(task))
        yield from crash(task)

    result = check(monkeypatch, half)
    assert [p.verdict for p in result.properties] == [Verdict.UNKNOWN, Verdict.SAFE]
    assert only_defect(result).properties == ("small",)


def test_a_failing_engine_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow engine needs three slices; the liar would have three goes."""
    asked: list[int] = []

    def liar(task: Task) -> Iterator[Finding]:
        asked.append(1)
        return wrong_proof(task)

    def slow(task: Task) -> Iterator[Finding]:
        for _ in range(50_000):
            task.meter.check()
        yield from honest(task)

    result = check(monkeypatch, liar, slow)
    assert len(asked) == 1
    assert len(result.defects) == 1
    assert result.verdict is Verdict.UNSAFE
    assert [a.engine for a in result.tried] == ["scripted-0", *["scripted-1"] * 3]


def test_a_failing_engine_is_not_asked_about_variants_of_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What allocation returns is in doubt, so the program is checked in several variants."""
    text = """
    #include <assert.h>
    #include <stdlib.h>
    int main(void) { int *p = malloc(sizeof *p); *p = 1; assert(*p == 1); return 0; }
    """
    loaded = load_c_sources([SourceFile("x.c", text)], LoadOptions())
    asked: list[str] = []

    def engine(name: str, script: Script) -> EngineInfo:
        def noted(task: Task) -> Iterator[Finding]:
            asked.append(name)
            return script(task)

        return EngineInfo(name, "", "", "", lambda: Scripted(noted, name))

    engines = [engine("crashing", crash), engine("honest", honest)]
    monkeypatch.setattr(checking, "auto_engines", lambda: engines)
    result = check_loaded("x.c", lambda: loaded, CheckOptions(), in_process=True)
    assert asked.count("crashing") == 1
    assert asked.count("honest") > 1
    assert len(result.defects) == 1
    assert result.verdict is Verdict.SAFE


def test_a_proof_whose_check_crashes_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing(*_: object, **__: object) -> object:
        raise KeyError("nothing")

    monkeypatch.setattr(evidence, "check_certificate", crashing)
    result = check(monkeypatch, honest)
    assert [p.verdict for p in result.properties] == [Verdict.UNSAFE, Verdict.UNKNOWN]
    assert only_defect(result).message == "scripted-0 crashed: KeyError: 'nothing'"


@pytest.mark.parametrize("in_process", [True, False])
def test_a_failure_between_engines_keeps_what_was_decided(
    monkeypatch: pytest.MonkeyPatch, in_process: bool
) -> None:
    def half(task: Task) -> Iterator[Finding]:
        yield Proved(("fine",), good_certificate(task))

    def failing(self: work.Work) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(work.Work, "give_up", failing)
    result = check(monkeypatch, half, in_process=in_process)
    assert [p.verdict for p in result.properties] == [Verdict.UNKNOWN, Verdict.SAFE]
    assert only_defect(result).engine is None
    assert "ZeroDivisionError: oh" in only_defect(result).message
    assert "Traceback" in only_defect(result).traceback


def test_the_options_of_a_run_that_failed_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    options = CheckOptions(
        properties=NAMES, max_depth=7, load=LoadOptions(max_threads=3), second_solver=True
    )
    defect = only_defect(check(monkeypatch, crash, options=options))
    assert defect.options == {
        "properties": "('small', 'fine')",
        "max_depth": "7",
        "max_threads": "3",
        "second_solver": "True",
    }
    assert defect.steps == 5_000


def test_a_killed_worker_is_unknown_and_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(task: Task) -> Iterator[Finding]:
        yield Proved(("fine",), good_certificate(task))
        os.kill(os.getpid(), signal.SIGKILL)

    started = time.monotonic()
    result = check(monkeypatch, killed, in_process=False)
    assert time.monotonic() - started < 10
    verdicts = {p.name: p.verdict for p in result.properties}
    assert verdicts == {"small": Verdict.UNKNOWN, "fine": Verdict.SAFE}
    assert result.verdict is Verdict.UNKNOWN
    assert "SIGKILL" in str(result.properties[0].reason)
    assert result.defects == ()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_native_code_that_crashes_is_a_defect(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    def crashes(task: Task) -> Iterator[Finding]:
        yield Proved(("fine",), good_certificate(task))
        os.kill(os.getpid(), number)

    result = check(monkeypatch, crashes, honest, in_process=False)
    assert [(p.verdict, p.engine) for p in result.properties] == [
        (Verdict.UNSAFE, "scripted-1"),
        (Verdict.SAFE, "scripted-0"),
    ]
    defect = only_defect(result)
    assert (defect.kind, defect.engine) == (DefectKind.CRASH, "scripted-0")
    assert defect.message == f"scripted-0 crashed: worker killed by {number.name}"
    assert [(a.engine, a.outcome) for a in result.tried] == [
        ("scripted-0", defect.message),
        ("scripted-1", "decided all"),
    ]


def test_native_code_that_exits_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def exits(task: Task) -> Iterator[Finding]:
        yield from ()
        os._exit(5)

    result = check(monkeypatch, exits, in_process=False)
    assert "exit code 5" in only_defect(result).message


def test_a_crash_while_loading_is_an_internal_error() -> None:
    def load() -> Program:
        raise ZeroDivisionError("oh")

    with pytest.raises(InternalError, match="ZeroDivisionError") as caught:
        check_loaded("x.tw", load)
    assert "load" in caught.value.context["traceback"]
    with pytest.raises(ZeroDivisionError):
        check_loaded("x.tw", load, in_process=True)
