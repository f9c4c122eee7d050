"""A page of text: styled lines and tables, turned into one string at the end.

Styles only show on a terminal; the plain form is what pipes and golden tests see. There, prose is
never wrapped, so that a line can be searched for, and only tables keep to the width. On a terminal
prose is wrapped between words: the terminal itself would split names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from io import StringIO
from typing import TYPE_CHECKING

from threadwise.core.diagnostics import Diagnostic
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.rendering import render
from threadwise.core.source import SourceFile
from threadwise.report.styled import Styled, shown_width

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

DEFAULT_WIDTH = 100
_HEIGHT = 25
_HANGING = 4
_WORD = re.compile(r"\S+")
_GAP = "  "
_HEADING = re.compile(r"(?P<place>\S.*?: )??(?P<severity>error|warning|note): (?P<rest>.*)")
_CARET = re.compile(r" +\^~*")
_SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}

Row = Sequence[str | Styled]


@dataclass(frozen=True)
class Style:
    """How a report should look; the default is what a pipe gets."""

    width: int = DEFAULT_WIDTH
    colour: bool = False
    full: bool = False
    """Show everything: no collapsed lists, no shortened traces."""
    verbose: bool = False
    """Show how the answer came about, not only the answer."""
    wrap: bool = False
    """Wrap prose at the width, between words."""


PLAIN = Style()


class Page:
    """Collects lines and tables."""

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style
        self._buffer = StringIO()

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(
            file=self._buffer,
            width=self.style.width,
            height=_HEIGHT,
            force_terminal=self.style.colour,
            color_system="standard" if self.style.colour else None,
            no_color=not self.style.colour,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )

    def line(self, content: str | Styled = "", style: str = "") -> None:
        """One line; on a terminal several if it is too long."""
        told = _text(content, style)
        if self.style.wrap and told.width > self.style.width:
            self._wrapped(told)
        else:
            self.unwrapped(told)

    def unwrapped(self, content: str | Styled, style: str = "") -> None:
        """One line, however long."""
        told = _text(content, style)
        if self.style.colour:
            self._console.print(told.rich, soft_wrap=True)
        else:
            self._buffer.write(f"{told.printed}\n")

    def _wrapped(self, line: Styled) -> None:
        """A line in parts, the second and others further to the right."""
        indent = len(line.plain) - len(line.plain.lstrip())
        left, start, end = indent, indent, indent
        for word in _WORD.finditer(line.plain):
            wide = shown_width(line.plain[start : word.end()])
            if end > start and left + wide > self.style.width:
                self.unwrapped(Styled(" " * left).add(line.between(start, end)))
                left, start = indent + _HANGING, word.start()
            end = word.end()
        self.unwrapped(Styled(" " * left).add(line.between(start, end)))

    def blank(self) -> None:
        """An empty line, unless the page is empty or ends with one."""
        written = self._buffer.getvalue()
        if written and not written.endswith("\n\n"):
            self.line()

    def aligned(self, rows: Sequence[Row], indent: str = "", least: Sequence[int] = ()) -> None:
        """Rows with aligned columns, each row one line; a column without text is left out.

        `least` are widths of the first columns, for rows that others follow.
        """
        cells = [[_text(cell) for cell in row] for row in rows]
        widths = [max(cell.width for cell in column) for column in zip(*cells, strict=True)]
        for column, width in enumerate(least):
            widths[column] = max(width, widths[column])
        for row in cells:
            line = Styled(indent)
            for cell, width in zip(row, widths, strict=True):
                if width:
                    line.add(cell).add(" " * (width - cell.width) + _GAP)
            self.line(line.without_end())

    def table(self, table: Table) -> None:
        """A table that keeps to the width of the page."""
        self._console.print(table)

    def diagnostics(
        self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]
    ) -> None:
        """Messages with source line and caret."""
        for line in render(diagnostics, sources).splitlines():
            told = _styled_diagnostic(line)
            if line.startswith(" "):  # source, and what points to a place in it
                self.unwrapped(told)
            else:
                self.line(told)

    def text(self) -> str:
        """Everything, without blanks at the ends of lines."""
        lines = self._buffer.getvalue().split("\n")
        return "\n".join(line.rstrip() for line in lines)


def _text(content: str | Styled, style: str = "") -> Styled:
    # Tabs and control characters of a source line must not reach the terminal.
    return content if isinstance(content, Styled) else Styled(printable(content), style)


def printable(text: str) -> str:
    """Source text on one line, without what a terminal might act upon."""
    return "".join(c if c.isprintable() else " " for c in text)


def _styled_diagnostic(line: str) -> Styled:
    heading = _HEADING.fullmatch(line)
    if heading is not None and not line.startswith(" "):
        severity = heading["severity"]
        return Styled.of(
            (heading["place"] or "", "bold"),
            (f"{severity}: ", _SEVERITY_STYLES[severity]),
            heading["rest"],
        )
    if _CARET.fullmatch(line):
        return Styled(line, "bold green")
    if line.startswith("hint: "):
        return Styled.of(("hint: ", "bold cyan"), line.removeprefix("hint: "))
    return Styled(line)
