"""The progress line on a terminal: which engine is at work and how far it has come."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from threadwise.core.progress import Event, Listener, Progress, Started, Stopped, silent
from threadwise.core.words import counted

if TYPE_CHECKING:
    from rich.live import Live

_PATIENCE_S = 0.5
"""Work that is done by then needs no progress line."""


class ProgressLine:
    """A line on standard error that is redrawn in place and removed at the end.

    It is redrawn when events arrive, not by a thread: the work runs in a forked process, and forks
    and threads do not go together.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Listener:
        return self._take if sys.stderr.isatty() else silent

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def hide(self) -> None:
        """Remove the line until the next event."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _take(self, event: Event, /) -> None:
        elapsed = time.monotonic() - self._started
        if elapsed >= _PATIENCE_S:
            self._show(f"{describe(event)}  {elapsed:.0f} s")

    def _show(self, line: str) -> None:
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False, markup=False, emoji=False)
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        from rich.text import Text

        self._live.update(Text(line, overflow="ellipsis", no_wrap=True), refresh=True)


def describe(event: Event) -> str:
    """An event in words: "explicit: 12,345 states"."""
    match event:
        case Started(engine):
            return f"{engine}: starting"
        case Stopped(engine, reason):
            return f"{engine}: {reason or 'done'}"
        case Progress(engine, message, counters):
            figures = [counted(name, value) for name, value in counters.items()]
            return f"{engine}: {', '.join([message, *figures] if message else figures)}"
