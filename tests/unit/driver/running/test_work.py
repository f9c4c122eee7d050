"""The driver believes nothing: what engines claim is checked before it is told."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.unit.driver.running.scripted import (
    NAMES,
    PROGRAM,
    check,
    good_certificate,
    good_trace,
    honest,
    silent,
)
from threadwise.core.budget import Budget
from threadwise.core.errors import Unsupported
from threadwise.driver.check_options import CheckOptions
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.ir.text.printer import program_hash
from threadwise.results.verdict import Verdict

pytestmark = pytest.mark.usefixtures("defects_expected")


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


@pytest.mark.slow
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
