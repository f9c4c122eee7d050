import io
import sys

import pytest

from threadwise.cli import terminal


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.is_coloured(Terminal())
    assert not terminal.is_coloured(io.StringIO())


def test_no_color_and_dumb_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.is_coloured(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal.is_coloured(Terminal())


def test_a_pipe_has_a_fixed_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert terminal.style_for(io.StringIO()).width == 100
    assert terminal.style_for(Terminal()).width == 33


def test_no_character_fails_to_print(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    terminal.prepare_streams()
    terminal.out("✓ SAFE ✗ UNSAFE ? UNKNOWN x: 0 → 1 … 2 s · ☃\n")
    assert raw.getvalue() == b"+ SAFE x UNSAFE ? UNKNOWN x: 0 -> 1 ... 2 s - ?\n"


def test_signs_stay_where_they_can_be_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    terminal.prepare_streams()
    terminal.out("✓ 0 → 1\n")
    assert raw.getvalue().decode("utf-8") == "✓ 0 → 1\n"
