"""The driver believes nothing: what engines claim is checked before it is told."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.unit.semantics.running import model
from threadwise import driver
from threadwise.core.budget import Budget
from threadwise.core.errors import InputError, InternalError, Unsupported
from threadwise.core.options import LoadOptions
from threadwise.core.progress import Started, Stopped
from threadwise.core.source import SourceFile
from threadwise.driver import CheckOptions, check_file, check_loaded, work
from threadwise.driver.loading import load_c_sources
from threadwise.engines import registry
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.registry import EngineInfo
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.results.result import Defect, DefectKind, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import Trace

pytestmark = pytest.mark.usefixtures("defects_expected")

TEXT = """
int[0..3] x;
thread t[2] { x = x + 1; }
invariant small: x < 2; invariant fine: x <= 2;
"""
PROGRAM = model(TEXT)
NAMES = ("small", "fine")

Script = Callable[[Task], Iterator[Finding]]


@dataclass
class Scripted:
    """An engine that claims what it is told to claim."""

    script: Script
    name: str = "scripted"

    def run(self, task: Task) -> Iterator[Finding]:
        return self.script(task)


def check(
    monkeypatch: pytest.MonkeyPatch,
    *scripts: Script,
    program: Program = PROGRAM,
    in_process: bool = True,
    options: CheckOptions | None = None,
) -> Result:
    """Check with the given engines and nothing else."""

    def info(number: int, script: Script) -> EngineInfo:
        name = f"scripted-{number}"
        return EngineInfo(name, "", "", "", lambda: Scripted(script, name))

    engines = [info(n, script) for n, script in enumerate(scripts)]
    monkeypatch.setattr(driver, "auto_engines", lambda: engines)
    chosen = options or CheckOptions(properties=NAMES)
    return check_loaded("x.tw", lambda: program, chosen, in_process=in_process)


def good_trace(task: Task) -> Trace:
    (found,) = (f for f in ExplicitEngine().run(task) if isinstance(f, Violated))
    return found.trace


def good_certificate(task: Task) -> StateSetCertificate:
    properties = tuple(p for p in task.properties if p.name == "fine")
    quiet = replace(task, properties=properties, listener=lambda _: None)
    (found,) = ExplicitEngine().run(quiet)
    assert isinstance(found, Proved)
    assert isinstance(found.certificate, StateSetCertificate)
    return found.certificate


def honest(task: Task) -> Iterator[Finding]:
    return ExplicitEngine().run(task)


def silent(task: Task) -> Iterator[Finding]:
    return iter(())


@pytest.mark.parametrize("in_process", [True, False])
def test_honest_work(monkeypatch: pytest.MonkeyPatch, in_process: bool) -> None:
    result = check(monkeypatch, honest, in_process=in_process)
    assert [(p.name, p.verdict) for p in result.properties] == [
        ("small", Verdict.UNSAFE),
        ("fine", Verdict.SAFE),
    ]
    unsafe, safe = result.properties
    assert unsafe.trace is not None
    assert safe.certificate is not None
    assert unsafe.engine == safe.engine == "scripted-0"
    assert result.verdict is Verdict.UNSAFE
    assert result.program_hash == program_hash(PROGRAM)
    assert result.statistics["states"] == 4
    assert [(a.engine, a.outcome) for a in result.tried] == [("scripted-0", "decided all")]


def only_defect(result: Result) -> Defect:
    (defect,) = result.defects
    return defect


def wrong_trace(task: Task) -> Iterator[Finding]:
    yield Violated(replace(good_trace(task), moves=()))


def wrong_proof(task: Task) -> Iterator[Finding]:
    certificate = good_certificate(task)
    yield Proved(("fine",), replace(certificate, states=certificate.states[:-1]))


def proof_of_a_violated_property(task: Task) -> Iterator[Finding]:
    yield Proved(NAMES, replace(good_certificate(task), properties=NAMES))


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
    monkeypatch.setattr(driver, "auto_engines", lambda: engines)
    result = check_loaded("x.c", lambda: loaded, CheckOptions(), in_process=True)
    assert asked.count("crashing") == 1
    assert asked.count("honest") > 1
    assert len(result.defects) == 1
    assert result.verdict is Verdict.SAFE


def test_a_proof_whose_check_crashes_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing(*_: object, **__: object) -> object:
        raise KeyError("nothing")

    monkeypatch.setattr(work, "check_certificate", crashing)
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


@pytest.mark.parametrize("in_process", [True, False])
def test_a_listener_that_fails_is_no_failing_engine(file: str, in_process: bool) -> None:
    def deaf(event: object) -> None:
        raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        check_file(file, CheckOptions(engine="explicit"), deaf, in_process=in_process)


def test_engines_are_tried_in_order_until_all_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []

    def only_small(task: Task) -> Iterator[Finding]:
        seen.append(tuple(p.name for p in task.properties))
        yield Violated(good_trace(task))

    def rest(task: Task) -> Iterator[Finding]:
        seen.append(tuple(p.name for p in task.properties))
        yield Proved(("fine",), good_certificate(task))

    def never(task: Task) -> Iterator[Finding]:
        raise AssertionError("nothing is left to do")

    result = check(monkeypatch, silent, only_small, rest, never)
    assert seen == [("small", "fine"), ("fine",)]
    assert [a.engine for a in result.tried] == ["scripted-0", "scripted-1", "scripted-2"]
    assert [p.engine for p in result.properties] == ["scripted-1", "scripted-2"]


def test_reasons_of_the_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(task: Task) -> Iterator[Finding]:
        yield Undecided(NAMES, "too hard", ("max-depth", 3), ("line one", "line two"))

    result = check(monkeypatch, first)
    assert {p.verdict for p in result.properties} == {Verdict.UNKNOWN}
    assert {p.reason for p in result.properties} == {"too hard"}
    assert result.properties[0].explanation == ("line one", "line two")
    assert result.bounds == {"max-depth": 3}
    assert result.verdict is Verdict.UNKNOWN


def test_an_engine_that_does_not_apply_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(task: Task) -> Iterator[Finding]:
        yield from ()
        raise Unsupported("such a thing")

    result = check(monkeypatch, unable, honest)
    assert [a.outcome for a in result.tried] == ["unsupported: such a thing", "decided all"]
    alone = check(monkeypatch, unable)
    assert {p.reason for p in alone.properties} == {"unsupported: such a thing"}


@pytest.mark.parametrize("in_process", [True, False])
def test_what_was_decided_before_the_budget_ran_out_is_kept(
    monkeypatch: pytest.MonkeyPatch, in_process: bool
) -> None:
    def long(task: Task) -> Iterator[Finding]:
        if "fine" in {checked.name for checked in task.properties}:
            yield Proved(("fine",), good_certificate(task))
        while True:
            task.meter.check()

    options = CheckOptions(properties=NAMES, budget=Budget(time_s=3))
    result = check(monkeypatch, long, in_process=in_process, options=options)
    verdicts = {p.name: p.verdict for p in result.properties}
    assert verdicts == {"small": Verdict.UNKNOWN, "fine": Verdict.SAFE}
    assert result.reason is not None
    assert "limit" in result.reason


@pytest.mark.parametrize("in_process", [True, False])
def test_a_step_limit_ends_the_whole_work(
    monkeypatch: pytest.MonkeyPatch, in_process: bool
) -> None:
    def endless(task: Task) -> Iterator[Finding]:
        yield from ()
        while True:
            task.meter.check()

    options = CheckOptions(properties=NAMES, budget=Budget(steps=2000))
    result = check(monkeypatch, endless, endless, in_process=in_process, options=options)
    assert result.reason == "step limit of 2000 reached"
    assert result.verdict is Verdict.UNKNOWN


def test_an_engine_that_diverges_does_not_keep_others_from_answering(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def endless(task: Task) -> Iterator[Finding]:
        yield from ()
        while True:
            task.meter.check()

    result = check(monkeypatch, endless, honest)
    assert {p.engine for p in result.properties} == {"scripted-1"}
    assert [a.engine for a in result.tried] == ["scripted-0", "scripted-1"]
    assert result.tried[0].outcome == "stopped after 5,000 steps"


def test_slices_grow_and_start_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def slow(task: Task) -> Iterator[Finding]:
        tried.append(0)
        for _ in range(50_000):
            task.meter.check()
            tried[-1] += 1
        yield from honest(task)

    result = check(monkeypatch, slow)
    assert tried == [5_000, 20_000, 50_000]
    assert result.verdict is Verdict.UNSAFE


# -- supervised -----------------------------------------------------------------------------------


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


def test_endless_work_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(task: Task) -> Iterator[Finding]:
        time.sleep(1000)
        yield from ()

    options = CheckOptions(properties=NAMES, budget=Budget(time_s=0.3))
    started = time.monotonic()
    result = check(monkeypatch, endless, in_process=False, options=options)
    assert time.monotonic() - started < 10
    assert result.verdict is Verdict.UNKNOWN
    assert [a.engine for a in result.tried] == ["scripted-0"]
    assert {p.reason for p in result.properties} == {"time limit of 0.3 s reached"}


# -- files ----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "x.tw"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def comparable(result: Result) -> object:
    """All of a result that does not depend on the clock or on where the work was done."""
    answers = [replace(p, check_time_s=None) for p in result.properties]
    tried = [(a.engine, a.outcome) for a in result.tried]
    counted = {k: v for k, v in result.statistics.items() if k in ("states", "guarantees")}
    return answers, tried, counted, result.unreached, result.bounds, result.program_hash


def test_auto_answers_the_same_in_processes_and_without(file: str) -> None:
    options = CheckOptions(properties=("all",))
    results = [check_file(file, options, in_process=in_process) for in_process in (True, False)]
    first, second = ([(p.name, p.verdict) for p in result.properties] for result in results)
    assert first == second


@pytest.mark.parametrize("engine", registry.ENGINES)
def test_supervised_and_in_process_give_the_same(file: str, engine: str) -> None:
    options = CheckOptions(properties=("all",), engine=engine)
    supervised = check_file(file, options)
    assert comparable(supervised) == comparable(check_file(file, options, in_process=True))
    assert "peak_memory_bytes" in supervised.statistics


def test_the_listener_hears_the_work(file: str) -> None:
    for in_process in (True, False):
        events: list[object] = []
        check_file(file, CheckOptions(engine="explicit"), events.append, in_process=in_process)
        assert isinstance(events[0], Started)
        assert isinstance(events[-1], Stopped)


def test_input_errors_pass_through(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tw"
    bad.write_text("thread t { y = 1; }", encoding="utf-8")
    for in_process in (True, False):
        with pytest.raises(InputError, match="unknown"):
            check_file(str(bad), in_process=in_process)
        with pytest.raises(InputError, match="no such file"):
            check_file(str(tmp_path / "missing.tw"), in_process=in_process)


def test_unknown_engines_and_properties(file: str) -> None:
    with pytest.raises(InputError, match="unknown engine"):
        check_file(file, CheckOptions(engine="expliciit"), in_process=True)
    with pytest.raises(InputError, match="unknown property"):
        check_file(file, CheckOptions(properties=("smal",)), in_process=True)


def test_how_a_file_was_loaded_is_part_of_the_result(tmp_path: Path) -> None:
    path = tmp_path / "n.tw"
    path.write_text("const int N = 1; int[0..9] x; thread t[N] { x = x + 1; } invariant i: x < 3;")
    load = LoadOptions(defines={"N": "3"})
    options = CheckOptions(properties=("i",), load=load)
    result = check_file(str(path), options, in_process=True)
    assert result.load == load
    assert result.verdict is Verdict.UNSAFE
    more = CheckOptions(properties=("i",), load=LoadOptions(threads={"t": 2}))
    assert check_file(str(path), more, in_process=True).verdict is Verdict.SAFE


def test_nothing_to_check_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "empty.tw"
    path.write_text("thread t[0] { skip; }")
    assert check_file(str(path), in_process=True).verdict is Verdict.SAFE


def test_unreached_statements_are_told(tmp_path: Path) -> None:
    path = tmp_path / "vacuous.tw"
    path.write_text("bool b; thread t { assume(b); assert(false); }")
    result = check_file(str(path), in_process=True)
    assert result.verdict is Verdict.SAFE
    assert [(u.text, u.is_assertion) for u in result.unreached] == [("assert(false)", True)]


# -- the audit ----------------------------------------------------------------------------------


def believe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that believes everything."""

    def believed(program: Program, certificate: Certificate, *_: object, **__: object) -> object:
        return CheckedProof(certificate.properties, frozenset(), frozenset({0}))

    monkeypatch.setattr(work, "check_certificate", believed)


def test_a_proof_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    _, safe = check(monkeypatch, honest).properties
    assert safe.audit is not None
    assert (safe.audit.states, safe.audit.complete) == (4, True)


def test_unless_nobody_wants_that(monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch)
    options = CheckOptions(properties=NAMES, audit=False)
    _, safe = check(monkeypatch, wrong_proof, options=options).properties
    assert (safe.verdict, safe.audit) == (Verdict.SAFE, None)


def test_a_proof_that_a_run_refutes_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch)
    result = check(monkeypatch, wrong_proof, honest)
    defect = only_defect(result)
    assert defect.kind is DefectKind.PROOF
    assert "a run refutes: it does not list the state" in defect.message
    assert [p.engine for p in result.properties] == ["scripted-1", "scripted-1"]


def test_a_run_that_violates_the_property_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch)
    result = check(monkeypatch, proof_of_a_violated_property, silent)
    small, fine = result.properties
    assert (small.verdict, small.engine) == (Verdict.UNSAFE, "audit")
    assert small.trace is not None
    assert fine.verdict is Verdict.UNKNOWN
    assert "a run violates `small`" in only_defect(result).message
