"""Engines side by side: they wait, go on, win, lose and crash without a trace in the others."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.unit.driver.running.scripted import (
    NAMES,
    check,
    comparable,
    good_certificate,
    good_trace,
    honest,
    silent,
)
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.running.lanes import (
    ASLEEP,
    CHECK,
    COMPILES,
    FEW_WAIT,
    LONG_SEARCH_S,
    SEARCH_S,
    WIDE,
    Lane,
    Turn,
)
from threadwise.driver.running.messages import Checked, Claimed
from threadwise.driver.running.racing import FIRST_ROUND_S, HOLD_S, LEAST_OVERRUN_S, TIMES_S, Race
from threadwise.driver.running.work import Work
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.features import LARGE
from threadwise.engines.registry import ENGINES
from threadwise.results.result import DefectKind, Result
from threadwise.results.verdict import Verdict

Script = Callable[[Task], Iterator[Finding]]

JOBS = (1, 2, 4)
PROPERTIES = CheckOptions(properties=NAMES)


def race(
    monkeypatch: pytest.MonkeyPatch, *scripts: Script, jobs: int = 2, **options: object
) -> Result:
    """Check with these engines in processes of their own."""
    chosen = replace(PROPERTIES, jobs=jobs, **options)  # type: ignore[arg-type]
    return check(monkeypatch, *scripts, in_process=False, options=chosen)


def spend(task: Task, steps: int) -> None:
    for _ in range(steps):
        task.meter.check()


def endless(task: Task) -> Iterator[Finding]:
    yield from ()
    while True:
        task.meter.check()


def proves(task: Task) -> Iterator[Finding]:
    yield Proved(("fine",), good_certificate(task))


def violates(task: Task) -> Iterator[Finding]:
    yield Violated(good_trace(task))


@pytest.mark.parametrize("jobs", JOBS)
def test_an_engine_goes_on_where_it_waited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jobs: int
) -> None:
    """It takes many grants, and begins once."""
    begun = tmp_path / "begun"

    def slow(task: Task) -> Iterator[Finding]:
        with begun.open("a") as file:
            file.write("once ")
        spend(task, 100_000)
        yield from honest(task)

    result = race(monkeypatch, endless, slow, jobs=jobs)
    assert result.verdict is Verdict.UNSAFE
    assert {p.engine for p in result.properties} == {"scripted-1"}
    assert begun.read_text() == "once "


def test_an_engine_that_hangs_in_native_code_costs_nobody_the_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It never asks its meter, and is stopped from outside, also with one job."""

    def hangs(task: Task) -> Iterator[Finding]:
        yield from ()
        time.sleep(1000)

    result = race(monkeypatch, hangs, honest, jobs=1)
    assert {p.engine for p in result.properties} == {"scripted-1"}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_killed_process_costs_its_engine_only(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals, defects_expected: None
) -> None:
    def dies(task: Task) -> Iterator[Finding]:
        yield from proves(task)
        spend(task, 20_000)
        os.kill(os.getpid(), number)

    result = race(monkeypatch, dies, endless, violates)
    assert [(p.verdict, p.engine) for p in result.properties] == [
        (Verdict.UNSAFE, "scripted-2"),
        (Verdict.SAFE, "scripted-0"),
    ]


@pytest.mark.slow
def test_memory_that_an_engine_takes_costs_that_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"

    def hungry(task: Task) -> Iterator[Finding]:
        pid.write_text(str(os.getpid()))
        kept = []
        while True:
            kept.append(bytearray(os.urandom(1 << 20)))
            time.sleep(0.005)
            spend(task, 10)
            yield from ()

    def slow(task: Task) -> Iterator[Finding]:
        while not pid.exists() or Path("/proc", pid.read_text()).exists():
            spend(task, 10)
        yield from honest(task)

    inherited = psutil.Process().memory_info().rss
    allowed = Budget(memory_bytes=inherited + 400_000_000)
    result = race(monkeypatch, hungry, slow, budget=allowed)
    assert {p.engine for p in result.properties} == {"scripted-1"}
    (outcome,) = (a.outcome for a in result.tried if a.engine == "scripted-0")
    assert re.match(r"memory limit of [\d.]+ [MG]B reached", outcome)


def test_what_others_decide_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine claims what others proved meanwhile: that is not looked at, hence no defect."""

    def late(task: Task) -> Iterator[Finding]:
        spend(task, 50_000)
        yield Proved(("fine",), replace(good_certificate(task), states=()))
        yield from violates(task)

    result = race(monkeypatch, late, proves, jobs=1)
    assert [(p.verdict, p.engine) for p in result.properties] == [
        (Verdict.UNSAFE, "scripted-0"),
        (Verdict.SAFE, "scripted-1"),
    ]
    assert result.defects == ()


BOTH = """
int[0..3] x;
thread t[2] { x = x + 1; }
invariant small: x < 3; invariant fine: x <= 2;
"""


def test_a_proof_counts_for_what_others_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: the proof of both properties came when one of them was proved already."""

    def late(task: Task) -> Iterator[Finding]:
        spend(task, 100_000)
        yield from honest(task)

    options = replace(PROPERTIES, jobs=2)
    result = check(
        monkeypatch, proves, late, program=model(BOTH), in_process=False, options=options
    )
    assert {p.name: p.engine for p in result.properties} == {
        "small": "scripted-1",
        "fine": "scripted-0",
    }
    assert result.verdict is Verdict.SAFE
    assert not result.defects


def test_a_proof_of_what_others_refuted_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, defects_expected: None
) -> None:
    """Nor does it prove what it claims besides."""

    def late(task: Task) -> Iterator[Finding]:
        certificate = good_certificate(task)
        spend(task, 100_000)
        yield Proved(NAMES, replace(certificate, properties=NAMES))

    result = race(monkeypatch, violates, late)
    verdicts = {p.name: p.verdict for p in result.properties}
    assert verdicts == {"small": Verdict.UNSAFE, "fine": Verdict.UNKNOWN}
    assert result.defects


def test_the_plan_decides_who_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have a proof; the first needs longer, within its first grant."""

    def first(task: Task) -> Iterator[Finding]:
        time.sleep(0.1)
        spend(task, 10)
        yield from honest(task)

    for jobs in JOBS:
        result = race(monkeypatch, first, honest, jobs=jobs, budget=Budget(steps=10**6))
        assert {p.engine for p in result.properties} == {"scripted-0"}


def test_the_output_is_the_same_for_every_number_of_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def hard(task: Task) -> Iterator[Finding]:
        spend(task, 7_000)
        yield Undecided(NAMES, "too hard", ("max-depth", 3))

    def half(task: Task) -> Iterator[Finding]:
        spend(task, 12_345)
        yield from proves(task)
        spend(task, 5_000)
        yield from violates(task)

    def other_half(task: Task) -> Iterator[Finding]:
        spend(task, 14_000)
        yield from violates(task)
        yield from endless(task)

    for steps in (10_000, 40_000, 60_000, 10**6):
        results = [
            race(
                monkeypatch,
                hard,
                half,
                endless,
                other_half,
                silent,
                jobs=jobs,
                budget=Budget(steps=steps),
            )
            for jobs in JOBS
        ]
        told = [(comparable(result), result.reason) for result in results]
        assert told[0] == told[1] == told[2]
        decided = [p.verdict is not Verdict.UNKNOWN for p in results[0].properties]
        assert all(decided) == (steps >= 60_000)


def test_one_violation_can_be_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for in_process in (True, False):
        result = check(
            monkeypatch,
            violates,
            endless,
            in_process=in_process,
            options=replace(PROPERTIES, first=True),
        )
        assert [p.verdict for p in result.properties] == [Verdict.UNSAFE, Verdict.UNKNOWN]
        assert "--first" in str(result.properties[1].reason)


def test_evidence_to_the_contrary_is_a_defect(
    monkeypatch: pytest.MonkeyPatch, defects_expected: None
) -> None:
    """Both were checked, by a checker that is wrong: nobody may overlook that."""
    from threadwise.driver.running import evidence
    from threadwise.proofs.base.answer import CheckedProof

    def believed(program: object, certificate: object, *_: object, **__: object) -> object:
        return CheckedProof(NAMES, frozenset(), frozenset({0}))

    def liar(task: Task) -> Iterator[Finding]:
        yield Proved(("small",), replace(good_certificate(task), properties=("small",)))
        yield from endless(task)

    def late(task: Task) -> Iterator[Finding]:
        time.sleep(0.2)
        yield from violates(task)
        yield from proves(task)

    monkeypatch.setattr(evidence, "check_certificate", believed)
    result = race(monkeypatch, liar, late, audit=False)
    (defect,) = result.defects
    assert defect.kind is DefectKind.PROOF
    assert defect.message == "scripted-1 says UNSAFE of small, which is SAFE by scripted-0"


def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Losers are gone when the result is there, wherever they were."""
    seen = tmp_path / "pids"

    def noted(task: Task) -> Iterator[Finding]:
        with seen.open("a") as file:
            file.write(f"{os.getpid()}\n")
        yield from endless(task)

    def slow(task: Task) -> Iterator[Finding]:
        spend(task, 20_000)
        yield from honest(task)

    race(monkeypatch, noted, noted, slow)
    for pid in map(int, seen.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_facts_go_from_engine_to_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one found is there for whoever begins or goes on later."""

    def finds(task: Task) -> Iterator[Finding]:
        task.facts["some program"] = ()
        yield from endless(task)

    def needs(task: Task) -> Iterator[Finding]:
        while "some program" not in task.facts:
            task.meter.check()
        yield from honest(task)

    result = race(monkeypatch, needs, finds)
    assert {p.engine for p in result.properties} == {"scripted-0"}


def test_a_time_limit_tells_of_all_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    result = race(monkeypatch, endless, endless, budget=Budget(time_s=1.0))
    assert [a.engine for a in result.tried] == ["scripted-0", "scripted-1"]
    assert {a.outcome for a in result.tried} == {"time limit of 1 s reached"}
    assert sum(a.time_s for a in result.tried) < 2 * 1.1


def test_an_engine_that_sleeps_has_used_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it was stopped, or shared a processor."""

    def sleeps(task: Task) -> Iterator[Finding]:
        yield from ()
        time.sleep(1000)

    result = race(monkeypatch, sleeps, honest, jobs=1)
    times = {attempt.engine: attempt.time_s for attempt in result.tried}
    assert times["scripted-0"] < LEAST_OVERRUN_S / 2  # it was stopped after more than that


def test_an_engine_that_sleeps_until_time_is_up_has_used_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not the time since it began: with two jobs the same time would count twice."""

    def sleeps(task: Task) -> Iterator[Finding]:
        yield from ()
        time.sleep(1000)

    result = race(monkeypatch, sleeps, sleeps, budget=Budget(time_s=4 * TIMES_S))
    assert [a.engine for a in result.tried] == ["scripted-0", "scripted-1"]
    assert sum(a.time_s for a in result.tried) < TIMES_S


def test_an_engine_whose_end_comes_too_late_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last message is not read in its turn, since everything is decided."""

    def waits(task: Task) -> Iterator[Finding]:
        time.sleep(0.3)  # the other one is at its end by then
        yield from honest(task)

    result = race(monkeypatch, waits, silent)
    assert {p.engine for p in result.properties} == {"scripted-0"}
    assert "did not end" not in [attempt.outcome for attempt in result.tried]
    assert "scripted-1" in [attempt.engine for attempt in result.tried]


def test_later_engines_wait_while_evidence_is_checked() -> None:
    """Not those before it in the plan, whose answers count, and not for ever."""
    before, claims, after = (
        Turn(Lane(ENGINES[name]), 1.0) for name in ("tar", "explicit", "walks")
    )
    race = object.__new__(Race)
    race.exact, race.searches_decide, race.turns = False, True, [before, claims, after]
    stopped: list[Turn] = []
    race._stop = stopped.append  # type: ignore[method-assign, assignment]
    race.work = SimpleNamespace(open={"one": None, "two": None})  # type: ignore[assignment]
    assert not race._holds()
    claims.tell(Claimed("explicit", ("one",)))
    assert not race._holds()
    claims.tell(Claimed("explicit", ("one", "two")))
    assert race._holds()
    assert stopped == [after]
    claims.tell(Checked("explicit"))
    assert not race._holds()
    claims.tell(Claimed("explicit", ("one", "two")))
    claims.claimed_at -= HOLD_S
    assert race._holds()  # it was hardly at work since then
    claims.lane.time_s += HOLD_S
    assert not race._holds()


def test_evidence_that_took_long_to_find_is_waited_for_as_long() -> None:
    claims = Turn(Lane(ENGINES["explicit"], time_s=3 * HOLD_S), 1.0)
    claims.tell(Claimed("explicit", ("one",)))
    claims.claimed_at -= 8 * HOLD_S
    claims.lane.time_s += (3 * CHECK - 1) * HOLD_S
    assert claims.answers(["one"], HOLD_S)
    claims.lane.time_s += 2 * HOLD_S
    assert not claims.answers(["one"], HOLD_S)


def test_others_wait_for_a_search_that_is_about_to_end() -> None:
    """At first, and later if few states are left to visit, but not for ever; who runs goes on."""
    other, searches = (Turn(Lane(ENGINES[name]), 1.0) for name in ("tar", "explicit"))
    race = object.__new__(Race)
    race.exact, race.searches_decide, race.turns = False, True, [other, searches]
    stopped: list[Turn] = []
    race._stop = stopped.append  # type: ignore[method-assign, assignment]
    race.work = SimpleNamespace(open={"one": None})  # type: ignore[assignment]
    lane = searches.lane
    lane.look_at_search(None)
    assert not race._holds()
    lane.look_at_search(2 * FEW_WAIT, WIDE)
    race.searches_decide = False
    assert not race._holds()
    race.searches_decide = True
    assert race._holds()
    assert not stopped
    lane.time_s += SEARCH_S
    assert not race._holds()
    lane.look_at_search(FEW_WAIT, WIDE)
    assert not race._holds()  # a few for ever, perhaps
    lane.look_at_search(FEW_WAIT, 4 * WIDE)
    assert race._holds()
    lane.time_s = LONG_SEARCH_S
    assert not race._holds()
    lane.waiting = None
    lane.look_at_search(COMPILES)
    lane.time_s += SEARCH_S / 2
    lane.look_at_search(2 * FEW_WAIT)
    lane.time_s += SEARCH_S / 2
    assert race._holds()  # to compile it is no part of the search
    race.exact = True
    lane.time_s = 0.0
    assert not race._holds()


def test_rounds_overlap_when_an_engine_has_used_its_time() -> None:
    """Not earlier because other processes use the processor."""
    turn = Turn(Lane(ENGINES["explicit"]), 1.0)
    race = object.__new__(Race)
    race.exact, race.rounds_begun, race.turns = False, 1, [turn]
    turn.began -= 2 * FIRST_ROUND_S
    assert not race._overlap()
    turn.lane.time_s += 2 * FIRST_ROUND_S
    assert race._overlap()
    turn.lane.time_s = 0.0
    turn.began -= ASLEEP * FIRST_ROUND_S
    assert race._overlap()  # it does not use a processor at all
    race.exact = True
    assert not race._overlap()


def test_turns_that_took_too_long_are_made_up_for() -> None:
    lane = Lane(ENGINES["explicit"])
    lane.due_s, lane.used_s = 1.0, 1.4
    assert not lane.sits_out(0.5)
    lane.used_s = 2.1
    assert [lane.sits_out(0.5) for _ in range(3)] == [True, True, False]


def test_one_engine_has_a_core_of_its_own_where_there_are_several() -> None:
    text = "int[0..3] x; thread t[2] {" + "x = 1;" * (LARGE + 1) + "} race_free x;"
    program = model(text)

    def weight(jobs: int, budget: Budget) -> int:
        work = Work(program, program.properties, EngineOptions(), Meter(budget), lambda _: None)
        (lane,) = Race(work, [ENGINES["locksets"]], jobs=jobs).lanes
        return lane.row.weight

    assert weight(2, Budget()) > weight(1, Budget()) == weight(2, Budget(steps=1_000))
