"""Rows of a report that are printed as soon as properties are decided, if a run goes on.

A run that is killed from outside has then said what it knew. One that takes but a moment prints
its report in one piece, in the order of the source.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from threadwise.cli import terminal
from threadwise.core.doubts import EXPECTED
from threadwise.results.result import PropertyResult
from threadwise.results.verdict import Verdict

if TYPE_CHECKING:
    from threadwise.driver.running.collector import Collector
    from threadwise.report.page import Style

PATIENCE_S = 0.5
"""So long a row waits for the end of the run."""


class Arrivals:
    """Prints rows as properties are decided."""

    def __init__(
        self,
        style: Style,
        before: Callable[[], object],
        separator: str = "",
        patience_s: float | None = None,
    ) -> None:
        self.style = style
        self.before = before
        """What to do before something is printed."""
        self.separator = separator
        """What sets the report apart from the one before."""
        self.patience_s = PATIENCE_S if patience_s is None else patience_s
        self.told: dict[str, Verdict] = {}
        """The properties whose rows were printed, and what these say."""
        self.since: float | None = None
        self.chooses: Callable[[Sequence[str]], bool] = lambda paths: False
        """Whether something may be left out of the report about files that were read."""
        self._all: bool | None = None

    def watch(self, known: Collector) -> None:
        """Print what was decided, unless it is very new."""
        new = [
            result
            for result in known.decided.values()
            if self._is_final(known, result) and self.told.get(result.name) is not result.verdict
        ]
        if not new:
            self.since = None
            return
        if self.since is None:
            self.since = time.monotonic()
        if time.monotonic() - self.since >= self.patience_s:
            self._print(known, new)
            self.since = None

    def _is_final(self, known: Collector, result: PropertyResult) -> bool:
        """Whether the report will say the same, as far as is known.

        A proof that has still to be tried with what programs must expect may be taken away.
        """
        if result.verdict is Verdict.UNSAFE:
            if self._all is None:
                self._all = not self.chooses(known.files)
            return self._all
        untried = any(
            assumed.matters is None and assumed.doubt.kind in EXPECTED for assumed in result.doubts
        )
        return result.verdict is Verdict.SAFE and not untried

    def _print(self, known: Collector, new: list[PropertyResult]) -> None:
        from threadwise.report.text import rows_to_text

        everything = (*known.listed, *known.spare)
        listed = [PropertyResult(name, kind, Verdict.UNKNOWN) for name, kind, _ in everything]
        rows = rows_to_text(known.file, new, listed, self.style, first=not self.told)
        self.before()
        terminal.out(rows if self.told else self.separator + rows)
        self.told |= {result.name: result.verdict for result in new}
