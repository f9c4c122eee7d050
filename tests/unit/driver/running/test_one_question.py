"""Whether any assertion fails is one question: nobody waits for the others once one does."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.driver.running.messages import Decided
from threadwise.driver.running.work import GRACE_S, Work
from threadwise.driver.selection import are_one_question
from threadwise.engines.api import EngineOptions
from threadwise.results.result import PropertyResult
from threadwise.results.verdict import Verdict

TWO = model("int[0..3] x;\nthread t[2] {\n x = 1;\n assert(x == 0);\n assert(x <= 1);\n}")


class Clock:
    """What time it is, as a test wants it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def work_at(clock: Clock, budget: Budget | None = None) -> tuple[Work, list[object]]:
    sent: list[object] = []
    meter = Meter(budget or Budget(), clock=clock)
    asked = [p for p in TWO.properties if p.name.startswith("assert:")]
    work = Work(TWO, asked, EngineOptions(), meter, sent.append)
    work.asked_together = True
    return work, sent


def decided(work: Work, verdict: Verdict) -> None:
    work.decide(Decided((PropertyResult("assert:4", "assertion", verdict),)))


@pytest.mark.parametrize("taken", [0.1, 7.0])
def test_after_a_violation_the_rest_has_as_long_again(taken: float) -> None:
    clock = Clock()
    work, sent = work_at(clock)
    clock.now = taken
    decided(work, Verdict.UNSAFE)
    going: list[bool] = []
    for more in (-0.01, 0.01):
        clock.now = taken + max(taken, GRACE_S) + more
        going.append(work.goes_on)
    assert going == [True, False]
    work.give_up()
    last = sent[-1]
    assert isinstance(last, Decided)
    (left,) = last.results
    assert left.name == "assert:5"
    assert left.verdict is Verdict.UNKNOWN
    assert "--property assert:5" in (left.reason or "")


def test_a_proof_answers_nothing_yet() -> None:
    clock = Clock()
    work, _ = work_at(clock)
    decided(work, Verdict.SAFE)
    clock.now = 1000.0
    assert work.goes_on


def test_where_steps_are_counted_time_does_not_matter() -> None:
    """The same output, however fast the machine."""
    clock = Clock()
    work, _ = work_at(clock, Budget(steps=10))
    decided(work, Verdict.UNSAFE)
    clock.now = 1000.0
    assert work.goes_on


@pytest.mark.parametrize(
    ("selectors", "one"),
    [
        (["assertions"], True),
        (["unreach-call"], True),
        ([], False),
        (["races"], False),
        (["assertions", "races"], False),
        (["assert:4"], False),
    ],
)
def test_who_asks_one_question(selectors: list[str], one: bool) -> None:
    assert are_one_question(selectors) == one
