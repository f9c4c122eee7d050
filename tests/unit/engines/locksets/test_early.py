"""What is proved in part is told before the engine looks for more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_model_source
from threadwise.engines.api import Finding, Task, Undecided
from threadwise.engines.locksets import lockset_engine as engine
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import Property


@dataclass
class _Stub:
    open: int
    proved: tuple[str, ...] = ()

    def findings(self, _: Sequence[str]) -> Iterator[Finding]:
        yield Undecided(("races",), f"{self.open} open")


class _Engine(LocksetEngine):
    """Has these many locations left open after each look, each of some steps."""

    def __init__(self, *left: int, steps: int) -> None:
        self.left = left
        self.steps = steps

    def _outcomes(self, task: Task, kept: Sequence[Property]) -> Iterator[_Stub]:  # type: ignore[override]
        for left in self.left:
            for _ in range(self.steps):
                task.meter.check()
            yield _Stub(left)

    def told(self, limit: int | None = None) -> list[str]:
        """What is told, in order."""
        program = load_model_source(SourceFile("t.tw", "thread main { }"), LoadOptions())
        task = Task(program, (), meter=Meter(Budget(steps=limit), period=1))
        found: list[str] = []
        try:
            for finding in self._found(task, ()):
                assert isinstance(finding, Undecided)
                found.append(finding.reason)
        except BudgetExhausted:
            found.append("stopped")
        return found


LONG = engine.LONG


@pytest.mark.parametrize(
    ("left", "steps", "limit", "told"),
    [
        ((3, 2), 10, None, ["2 open"]),
        ((3, 2), LONG + 10, None, ["3 open", "2 open"]),
        ((3, 3), LONG + 10, None, ["3 open"]),
        ((3, 5, 1), LONG + 10, None, ["3 open", "1 open"]),
        ((0, 2), LONG + 10, None, ["0 open"]),
        ((3, 2), LONG + 10, LONG + 20, ["3 open", "stopped"]),
        ((3, 2), 10, 15, ["3 open", "stopped"]),
        ((3,), 10, 5, ["stopped"]),
    ],
)
def test_what_is_told_and_when(
    left: tuple[int, ...], steps: int, limit: int | None, told: list[str]
) -> None:
    assert _Engine(*left, steps=steps).told(limit) == told
