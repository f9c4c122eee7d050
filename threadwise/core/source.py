"""Source files, positions and spans.

Lines and columns count from 1, columns in characters; a span ends just before its end column.
Offsets count characters of `SourceFile.text` from 0. Only a line feed ends a line, so that line
numbers agree with those of editors and compilers. Reading files is the business of `reading`.
"""

import re
from bisect import bisect_right
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a file: from a line and column up to, but not including, the end column."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def at(cls, path: str, line: int, column: int, length: int = 1) -> "Span":
        """The span of `length` characters within one line."""
        return cls(path, line, column, line, column + length)

    def to(self, last: "Span") -> "Span":
        """The span from the start of this one to the end of `last`, in the same file."""
        return Span(self.path, self.line, self.column, last.end_line, last.end_column)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class SourceFile:
    """The text of one input, under the name by which messages refer to it."""

    path: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @property
    def line_count(self) -> int:
        """How many lines there are; a text without line feed has one."""
        return len(self._line_starts)

    def line(self, number: int) -> str:
        """The given line without its end; empty if the file has no such line."""
        if not 1 <= number <= self.line_count:
            return ""
        start = self._line_starts[number - 1]
        last = number == self.line_count
        end = len(self.text) if last else self._line_starts[number] - 1
        return self.text[start:end]

    def position(self, offset: int) -> Position:
        """The line and column of an offset; one outside the text means its first or last place."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def span(self, start_offset: int, end_offset: int) -> Span:
        """The span of `text[start_offset:end_offset]`."""
        start = self.position(start_offset)
        end = self.position(max(start_offset, end_offset))
        return Span(self.path, start.line, start.column, end.line, end.column)
