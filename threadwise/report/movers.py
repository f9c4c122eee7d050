"""Which statements commute with those of other threads, as text.

client
  line 38  both    r = x         nobody else touches these cells at the same time
  line 39  right   acquire(m)    acquire of m
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from threadwise.core.source import Span
from threadwise.report.page import PLAIN, Page, Style


@dataclass(frozen=True)
class MoverLine:
    """A statement as the threads of a template execute it."""

    template: str
    span: Span | None
    text: str
    direction: str
    """both, right, left or none."""
    reason: str
    refuted: bool = False
    """Whether an annotation claims more."""


def movers_text(lines: Sequence[MoverLine], style: Style = PLAIN) -> str:
    """All statements, template by template."""
    page = Page(style)
    for template in dict.fromkeys(line.template for line in lines):
        page.line(template, "bold")
        rows = [
            (
                "" if line.span is None else f"line {line.span.line}",
                line.direction,
                line.text,
                f"WRONG: {line.reason}" if line.refuted else line.reason,
            )
            for line in lines
            if line.template == template
        ]
        page.aligned(rows, "  ")
    return page.text()
