"""A batch while it runs: a live table on a terminal, a line for each result elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from threadwise.batch.summary import summarise
from threadwise.batch.tasks import Ending, is_wrong
from threadwise.cli import terminal

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from threadwise.batch.database import Known
    from threadwise.batch.outcome import Outcome
    from threadwise.results.verdict import Verdict

_SHOWN = 10
"""How many of the last results the live table shows."""


class BatchProgress:
    """Takes results as they arrive."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._ended: list[tuple[Known, Outcome]] = []
        self._started = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> BatchProgress:
        if sys.stdout.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(highlight=False, markup=False, emoji=False)
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def take(self, known: Known | None, outcome: Outcome | None) -> None:
        """A result, or only the time."""
        if known is not None and outcome is not None:
            self._ended.append((known, outcome))
            if self._live is None:
                terminal.out(f"{line(known, outcome)}\n")
        if self._live is not None:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        figures = summarise(
            (outcome.ending, known.task.expected) for known, outcome in self._ended
        )
        last = [line(known, outcome) for known, outcome in self._ended[-_SHOWN:]]
        return Group(
            *(Text(text, overflow="ellipsis", no_wrap=True) for text in last),
            Text(f"{figures}  ({len(self._ended)} of {self._total}, {self._time_left()})"),
        )

    def _time_left(self) -> str:
        elapsed = time.monotonic() - self._started
        if not self._ended:
            return f"{_time(elapsed)} so far"
        rate = len(self._ended) / elapsed
        left = (self._total - len(self._ended)) / rate
        return f"{_time(elapsed)} so far, {rate * 60:.0f} a minute, {_time(left)} left"


def line(known: Known, outcome: Outcome) -> str:
    """A result in a line."""
    wall = "" if outcome.usage.wall_s is None else f"{outcome.usage.wall_s:.1f} s"
    mark = _mark(outcome.ending, known.task.expected)
    told = f"{outcome.ending.value:8} {mark:6}{wall:>9}  {known.task.name}"
    return told if outcome.reason is None else f"{told}  ({outcome.reason})"


def _mark(ending: Ending, expected: Verdict | None) -> str:
    if is_wrong(ending, expected):
        return "WRONG"
    return "" if expected is None or not ending.is_answer else "right"


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
