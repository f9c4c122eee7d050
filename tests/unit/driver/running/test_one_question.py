"""Whether any assertion fails is one question: nobody waits for the others once one does."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.driver.loading import Input
from threadwise.driver.running.messages import Decided, Send
from threadwise.driver.running.schedule import Schedule
from threadwise.driver.running.work import GRACE_S, Work
from threadwise.driver.selection import are_one_question
from threadwise.driver.verdicts.doubting import Doubting
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


def test_numbers_that_were_never_written_get_no_more_time() -> None:
    """What is postponed to another program belongs to the same question."""
    clock = Clock()
    meter = Meter(Budget(), clock=clock)
    begun: list[Work] = []

    def begin(_: Input, names: Iterable[str], __: Send) -> Work:
        work, _sent = work_at(clock)
        work.meter = meter
        work.settle([name for name in work.open if name not in {*names}])
        begun.append(work)
        return work

    class Answering(Schedule):
        """Finds a violation in the first program, and that the rest reads what has no value."""

        def run(self, work: Work) -> None:
            if len(begun) == 1:
                clock.now = 3.0
                decided(work, Verdict.UNSAFE)
                doubting.first.postponed["assert:5"] = None

    loaded = Input(TWO, allowing=lambda _: loaded)
    schedule = Answering(lambda _: (), ())
    doubting = Doubting(begin, schedule, meter, lambda _: None)
    doubting.run(loaded, ["assert:4", "assert:5"])
    assert [work.answered_s for work in begun] == [3.0] * len(begun)
    assert len(begun) > 1
    clock.now = 6.1
    assert all(work.is_late for work in begun)


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
