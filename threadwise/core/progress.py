"""Events for observers of a run, such as the progress line of a terminal.

Code below the command line prints nothing; it sends events to a `Listener`. Events are plain
picklable values, since they may cross from the worker process to its supervisor.
"""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.statistics import Number


@dataclass(frozen=True, slots=True)
class Started:
    """A phase or an engine begins."""

    engine: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a phase or an engine has come: a short message and its counters at this moment."""

    engine: str
    message: str = ""
    counters: Mapping[str, Number] = field(default_factory=dict)
    waiting: float | None = None
    """Of a search that visits millions of states: what share of those it found it still has to
    visit. It shrinks as the end comes nearer."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A phase or an engine has ended, and how."""

    engine: str
    reason: str = ""


Event = Started | Progress | Stopped


class Listener(Protocol):
    """Anything that takes events."""

    def __call__(self, event: Event, /) -> None:
        """Take notice of an event; must be quick and must not raise."""


def silent(event: Event, /) -> None:
    """The listener that ignores everything."""


class Throttle:
    """A listener that forwards `Progress` at most every `interval_s` seconds, the rest always."""

    def __init__(
        self,
        listener: Listener,
        interval_s: float = 0.1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listener = listener
        self._interval_s = interval_s
        self._clock = clock
        self._next = float("-inf")

    def __call__(self, event: Event, /) -> None:
        """Forward the event or drop it."""
        if isinstance(event, Progress):
            now = self._clock()
            if now < self._next:
                return
            self._next = now + self._interval_s
        self._listener(event)
