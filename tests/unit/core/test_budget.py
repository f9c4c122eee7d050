import pytest

from threadwise.core.budget import (
    UNLIMITED,
    Budget,
    Meter,
    format_memory,
    format_time,
    parse_memory,
    parse_time,
)
from threadwise.core.errors import BudgetExhausted, InputError, Resource


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60", 60), ("1.5", 1.5), ("2m", 120), ("500ms", 0.5), ("1h", 3600), (" 3 S ", 3)],
)
def test_times(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("200MB", 200_000_000),
        ("8GB", 8_000_000_000),
        ("8g", 8_000_000_000),
        ("1GiB", 2**30),
        ("1.5 kB", 1500),
        ("1048576", 2**20),
    ],
)
def test_memory_amounts(text: str, amount: int) -> None:
    assert parse_memory(text) == amount


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "nan", "inf", "1e9", "ten", "5 parsecs", "5m 3s", "٣", "9" * 400]
)
def test_bad_amounts_are_input_errors(text: str) -> None:
    with pytest.raises(InputError, match="is not a time limit"):
        parse_time(text)
    with pytest.raises(InputError, match="is not a memory limit"):
        parse_memory(text)


def test_amounts_in_messages() -> None:
    assert format_time(60.0) == "60 s"
    assert format_time(0.25) == "0.25 s"
    assert format_memory(512) == "512 B"
    assert format_memory(200_000_000) == "200 MB"
    assert format_memory(1_500_000_000) == "1.5 GB"
    assert format_memory(10**16) == "1e+04 TB"


@pytest.mark.parametrize("steps", [0, 1, 7, 8, 9, 100])
def test_step_limit_is_exact(steps: int) -> None:
    meter = Meter(Budget(steps=steps), period=8)
    for _ in range(steps):
        meter.check()
    assert meter.steps == steps
    with pytest.raises(BudgetExhausted, match=f"step limit of {steps}") as caught:
        meter.check()
    assert caught.value.resource is Resource.STEPS
    assert meter.steps == steps


def test_exhausted_meter_stays_exhausted() -> None:
    meter = Meter(Budget(steps=3), period=2)
    for _ in range(3):
        meter.check()
    for _ in range(5):
        with pytest.raises(BudgetExhausted):
            meter.check()


def test_time_limit_is_noticed_within_a_period() -> None:
    now = 100.0
    meter = Meter(Budget(time_s=5), period=4, clock=lambda: now)
    for _ in range(10):
        meter.check()
    now = 105.0
    meter.check()
    meter.check()
    with pytest.raises(BudgetExhausted, match="time limit of 5 s reached") as caught:
        meter.check()
    assert caught.value.resource is Resource.TIME
    assert meter.elapsed_s == 5


def test_memory_limit() -> None:
    meter = Meter(Budget(memory_bytes=1000), memory=lambda: 1001)
    with pytest.raises(BudgetExhausted, match="memory limit of 1 kB reached") as caught:
        meter.measure()
    assert caught.value.resource is Resource.MEMORY


def test_memory_is_really_measured() -> None:
    with pytest.raises(BudgetExhausted):
        Meter(Budget(memory_bytes=1)).measure()
    Meter(Budget(memory_bytes=2**44)).measure()


def test_no_limit() -> None:
    meter = Meter(UNLIMITED)
    for _ in range(5000):
        meter.check()
    assert meter.steps == 5000


def test_a_slice_has_its_own_steps() -> None:
    whole = Meter(Budget())
    part = whole.slice(3)
    for _ in range(3):
        part.check()
    with pytest.raises(BudgetExhausted) as caught:
        part.check()
    assert caught.value.resource is Resource.STEPS
    whole.check()


def test_a_slice_keeps_to_the_limits_of_the_whole() -> None:
    now = [0.0]
    whole = Meter(Budget(time_s=5), clock=lambda: now[0])
    part = whole.slice(10)
    part.check()
    now[0] = 6.0
    with pytest.raises(BudgetExhausted) as caught:
        part.measure()
    assert caught.value.resource is Resource.TIME


def test_a_slice_may_have_a_time_of_its_own() -> None:
    now = 0.0
    whole = Meter(Budget(time_s=10), period=1, clock=lambda: now)
    now = 4.0
    part = whole.slice(1000, time_s=2)
    part.check()
    now = 6.0
    with pytest.raises(BudgetExhausted) as over:
        part.check()
    assert over.value.resource is Resource.TIME
    whole.allows(over.value)
    now = 10.0
    with pytest.raises(BudgetExhausted):
        whole.allows(over.value)


def test_steps_of_slices_count_for_the_whole() -> None:
    whole = Meter(Budget(steps=10), period=4)
    for steps in (7, 3):
        part = whole.slice(steps)
        for _ in range(steps):
            part.check()
    assert whole.steps == 10
    with pytest.raises(BudgetExhausted, match="step limit of 10 reached"):
        whole.measure()
    with pytest.raises(BudgetExhausted, match="step limit of 10 reached"):
        whole.slice(100).check()
