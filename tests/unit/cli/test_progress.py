import io
import sys

import pytest

from threadwise.cli import progress
from threadwise.cli.progress import ProgressLine, describe
from threadwise.core.progress import Progress, Started, Stopped, silent


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with ProgressLine() as listener:
        assert listener is silent


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressLine() as listener:
        listener(Started("explicit"))
    assert stream.getvalue() == ""


def test_long_work_shows_its_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressLine() as listener:
        listener(Progress("explicit", counters={"states": 12345}))
    assert "explicit: 12,345 states" in stream.getvalue()


def test_events_in_words() -> None:
    assert describe(Started("explicit")) == "explicit: starting"
    assert describe(Stopped("explicit", "decided")) == "explicit: decided"
    assert describe(Stopped("explicit")) == "explicit: done"
    event = Progress("explicit", "checking", {"states": 3, "path_edges": 4})
    assert describe(event) == "explicit: checking, 3 states, 4 path edges"
