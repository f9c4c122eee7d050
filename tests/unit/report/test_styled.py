"""Styled text is measured, cut and printed as `rich` does."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from threadwise.report.page import Page, Style
from threadwise.report.styled import Styled, shown_width

TEXTS = st.text(st.sampled_from("ab x\té…·→—✓✗⋮漢\u0301😀"), max_size=12)
PARTS = st.lists(st.tuples(TEXTS, st.sampled_from(["", "bold", "dim", "cyan"])), max_size=4)


@given(TEXTS)
def test_width(text: str) -> None:
    assert shown_width(text) == cell_len(text)


@given(PARTS, st.integers(0, 12), st.integers(0, 12))
def test_parts(parts: list[tuple[str, str]], start: int, end: int) -> None:
    ours, theirs = Styled.of(*parts), Text.assemble(*parts)
    assert ours.plain == theirs.plain
    assert ours.between(start, end).plain == theirs.plain[start:end]
    assert ours.without_end().plain == theirs.plain.rstrip()
    assert bool(ours) == bool(theirs)


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(
    "line",
    [
        Styled("a line", "bold"),
        Styled.of(("note: ", "bold"), "and more ", ("✓", "green")),
        Styled.of("x\ty\b\r", ("z", "dim")),
        Styled(),
    ],
)
def test_printed(line: Styled, *, colour: bool) -> None:
    page = Page(Style(colour=colour))
    page.line(line)
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
    )
    console.print(line.rich, soft_wrap=True)
    assert page.text() == "\n".join(each.rstrip() for each in buffer.getvalue().split("\n"))
