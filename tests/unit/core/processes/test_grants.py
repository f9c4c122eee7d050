"""A meter that waits where its steps are spent."""

from __future__ import annotations

import os
import time

import pytest

from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.core.processes.grants import Grant, GrantedMeter, Orders, Spent


def metered(*grants: Grant, granted: int = 0) -> tuple[GrantedMeter, list[int], list[object]]:
    """A meter with these grants, what it said it spent, and the news it heard."""
    spent: list[int] = []
    heard: list[object] = []
    coming = iter(grants)

    def wait(told: Spent) -> Grant:
        spent.append(told.steps)
        return next(coming)

    return GrantedMeter(wait, heard.append, granted), spent, heard


def take(meter: Meter, steps: int) -> None:
    for _ in range(steps):
        meter.check()


def test_it_waits_exactly_when_a_grant_is_spent() -> None:
    meter, spent, _ = metered(Grant(3000), Grant(5), granted=10)
    take(meter, 10)
    assert spent == []
    take(meter, 3000)
    assert spent == [10]
    take(meter, 5)
    assert spent == [10, 3010]
    assert meter.steps == 3015


def test_parts_of_the_work_wait_as_well() -> None:
    meter, spent, _ = metered(Grant(100), Grant(100), granted=10)
    part = meter.slice(150)
    with pytest.raises(BudgetExhausted):
        take(part, 1000)
    assert spent == [10, 110]
    assert meter.steps == 150


def test_news_are_heard() -> None:
    meter, _, heard = metered(Grant(1, "one"), Grant(1), Grant(1, "three"))
    take(meter, 3)
    assert heard == ["one", "three"]


def test_work_at_leisure_needs_no_grant_and_is_counted() -> None:
    meter, spent, _ = metered(Grant(2000), granted=10)
    with meter.at_leisure():
        take(meter, 5000)
    assert spent == []
    take(meter, 1024)
    assert spent[0] >= 5000


def test_a_limit_is_a_limit() -> None:
    meter = GrantedMeter(lambda _: Grant(100), lambda _: None, budget=Budget(steps=250))
    with pytest.raises(BudgetExhausted):
        take(meter, 1000)
    assert meter.steps == 250


def test_orders_arrive_and_end() -> None:
    orders = Orders()
    news = "x" * 10_000
    orders.grant(Grant(7, news))
    orders.grant(Grant(8))
    assert [orders.wait(), orders.wait()] == [Grant(7, news), Grant(8)]
    os.close(orders.writer)
    with pytest.raises(EOFError):
        orders.wait()
    os.close(orders.reader)


def test_only_work_is_counted_as_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither waiting nor being stopped by a signal takes processor time."""
    used = [5.0]
    monkeypatch.setattr(time, "process_time", lambda: used[0])
    told: list[float] = []

    def wait(spent: Spent) -> Grant:
        told.append(spent.time_s)
        return Grant(10)

    meter = GrantedMeter(wait, lambda news: None, 10)
    for _ in range(3):
        take(meter, 10)
        used[0] += 2.0
    assert told == [2.0, 4.0]
    assert meter.worked_s == 6.0
