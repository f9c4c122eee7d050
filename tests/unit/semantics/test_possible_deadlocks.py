"""Candidates for threads that are stuck: whom each way on waits for."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.semantics.deadlocks import Standing, Waiting
from threadwise.semantics.possible_deadlocks import Candidate, Wait, candidate, stuck_candidates
from threadwise.semantics.waiting import Way

EDGE = model("mutex m; thread t { acquire(m); }").edges[0]
LIVE = Standing(live=True, ended=False, helps=0, holds=frozenset())


@pytest.mark.parametrize(
    ("awaited", "wait"),
    [
        (None, Wait(None, False, None, 5)),
        (0, Wait("seat 0", False, None, 5)),
        (3, Wait(None, True, None, 5)),
    ],
    ids=["nobody", "somebody", "somebody without a seat"],
)
def test_whom_a_way_waits_for(awaited: int | None, wait: Wait[str]) -> None:
    way = Way(EDGE, awaited, None, frozenset())
    found = candidate([Waiting(way, 5)], LIVE, {0: "seat 0"}.get, may_rest=False)
    assert found.waits == (wait,)


def test_who_can_step_or_has_ended_does_not_wait() -> None:
    way = Waiting(Way(EDGE, None, None, frozenset()), 0)
    assert candidate(None, LIVE, str, may_rest=True).waits is None
    ended = LIVE._replace(live=False, ended=True)
    assert candidate([way], ended, str, may_rest=True).waits is None


def waiting(*seats: str | None, may_rest: bool = False) -> Candidate[str]:
    waits = tuple(Wait(seat, False, None, 0) for seat in seats)
    return Candidate(waits, LIVE, may_rest)


def test_candidates_that_wait_for_each_other_are_stuck() -> None:
    free = Candidate[str](None, LIVE, may_rest=False)
    circle = {"a": [free, waiting("b")], "b": [waiting("a")], "c": [free]}
    assert stuck_candidates(circle, []) == {"a": [1], "b": [0]}
    assert stuck_candidates({"a": [waiting("b")], "b": [free]}, []) == {}
    resting = {"a": [waiting("b", may_rest=True)], "b": [waiting("a", may_rest=True)]}
    assert stuck_candidates(resting, []) == {}
    chain = {"a": [waiting("b")], "b": [waiting("c")], "c": [waiting("a"), free]}
    assert stuck_candidates(chain, []) == {"a": [0], "b": [0], "c": [0]}
