"""Limits on time, memory and steps.

A `Budget` says how much may be used. Two parties enforce it: the supervisor process, from outside,
and a `Meter` inside the work, which costs a decrement per step and checks clock and memory only
now and then. The step limit is exact and hence the same on every machine.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from threadwise.core.errors import BudgetExhausted, InputError, Resource
from threadwise.core.quick_dataclass import dataclass

_TIME_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_MEMORY_UNITS = {"": 1, "b": 1} | {
    unit: factor
    for power, letter in enumerate("kmgt", start=1)
    for unit, factor in (
        (letter, 1000**power),
        (letter + "b", 1000**power),
        (letter + "ib", 1024**power),
    )
}
_QUANTITY = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much time, memory and how many steps work may take; None means no limit."""

    time_s: float | None = None
    memory_bytes: int | None = None
    steps: int | None = None


UNLIMITED = Budget()


def parse_time(text: str) -> float:
    """Seconds from "60", "1.5s", "500ms", "2m" or "1h"; InputError for anything else."""
    value = _quantity(text, _TIME_UNITS)
    if value is None or value <= 0:
        raise InputError.of(
            f"`{text}` is not a time limit", hint="write seconds, as in 60, or 500ms, 2m, 1h"
        )
    return value


def parse_memory(text: str) -> int:
    """Bytes from "200MB", "8GB" (powers of 1000), "1GiB" (of 1024) or "1048576"."""
    value = _quantity(text, _MEMORY_UNITS)
    if value is None or value < 1:
        raise InputError.of(
            f"`{text}` is not a memory limit", hint="write an amount with unit, as in 200MB or 8GB"
        )
    return int(value)


def _quantity(text: str, units: Mapping[str, float]) -> float | None:
    match = _QUANTITY.fullmatch(text)
    factor = units.get(match[2].lower()) if match else None
    return None if match is None or factor is None else float(match[1]) * factor


def resident_bytes() -> int:
    """The resident memory of this process now."""
    import psutil

    return int(psutil.Process().memory_info().rss)


class Meter:
    """Counts the steps of some work and stops it by `BudgetExhausted` when a limit is reached."""

    def __init__(
        self,
        budget: Budget,
        period: int = 1024,
        clock: Callable[[], float] = time.monotonic,
        memory: Callable[[], int] = resident_bytes,
    ) -> None:
        self.budget = budget
        self._period = period
        self._clock = clock
        self._memory = memory
        self._started = clock()
        self._whole: Meter | None = None
        self._parts: list[Meter] = []
        self._counted = 0
        self._round = 0
        self._left = 0
        self._next_round()

    @property
    def steps(self) -> int:
        """How many steps were counted so far, those of slices included."""
        own = self._counted + self._round - self._left
        return own + sum(part.steps for part in self._parts)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the meter was made."""
        return self._clock() - self._started

    @property
    def worked_s(self) -> float:
        """Seconds at work since the meter was made; waiting does not count."""
        return self.elapsed_s

    @contextmanager
    def at_leisure(self) -> Iterator[None]:
        """A context in which steps need no grant (`core.processes.grants`): for work others wait
        for."""
        yield

    def check(self) -> None:
        """Count one step; cheap, meant for inner loops. Raises BudgetExhausted."""
        if self._left == 0:
            self.measure()
            self._next_round()
        self._left -= 1

    def measure(self) -> None:
        """Check all limits now, without counting a step. Raises BudgetExhausted."""
        if self._whole is not None:
            self._whole.measure()
        budget = self.budget
        if budget.steps is not None and self.steps >= budget.steps:
            raise BudgetExhausted(f"step limit of {budget.steps} reached", Resource.STEPS)
        if budget.time_s is not None and self.elapsed_s >= budget.time_s:
            raise BudgetExhausted(
                f"time limit of {format_time(budget.time_s)} reached", Resource.TIME
            )
        if budget.memory_bytes is not None and self._memory() > budget.memory_bytes:
            raise BudgetExhausted(
                f"memory limit of {format_memory(budget.memory_bytes)} reached", Resource.MEMORY
            )

    def count(self, steps: int) -> None:
        """Count steps that were taken elsewhere; limits are checked later."""
        self._counted += steps

    def slice(self, steps: int, time_s: float | None = None) -> "Meter":
        """A meter for a part of the work: so many steps, within the limits of the whole.

        With a time the result depends on the machine.
        """
        if self.budget.steps is not None:
            steps = max(0, min(steps, self.budget.steps - self.steps))
        part = Meter(Budget(steps=steps, time_s=time_s), self._period, self._clock, self._memory)
        part._whole = self
        part._next_round()
        self._parts.append(part)
        return part

    def allows(self, error: BudgetExhausted) -> None:
        """Return if only a slice of this was used up; otherwise raise what stops the whole."""
        if error.resource is Resource.MEMORY:
            raise error
        self.measure()

    def _next_round(self) -> None:
        self._counted += self._round - self._left
        self._round = self._left = 0
        self._round = self._left = self._allowance()

    def _allowance(self) -> int:
        """How many steps may be taken before all limits are checked again."""
        allowed = self._period
        if self.budget.steps is not None:
            allowed = max(0, min(allowed, self.budget.steps - self.steps))
        return allowed if self._whole is None else min(allowed, self._whole._allowance())


def format_time(seconds: float) -> str:
    """A time limit as messages show it: "60 s", "0.5 s"."""
    return f"{seconds:g} s"


def format_memory(amount: int) -> str:
    """A number of bytes as messages show it: "200 MB", "1.5 GB"."""
    value = float(amount)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.4g} {unit}"
        value /= 1000
    return f"{value:.4g} TB"
