"""Places of libclang as spans: lines as line markers say, columns in characters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from threadwise.core.source import SourceFile, Span
from threadwise.frontends.c.parse.native import Node, presumed_location

_WORD = re.compile(r"\w+")
UNKNOWN_PLACE = "<unknown>"


class Places:
    """Turns cursors and ranges into spans.

    What comes out of a macro is where the macro is used; what stands behind a line marker is in
    the file that the marker names.
    """

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self._sources = sources
        self._wide = {path for path, source in sources.items() if not source.text.isascii()}
        self._known: dict[tuple[int, int], Span] = {}
        self._ends: dict[int, tuple[str, int, int]] = {}
        """Where ranges begin or end: many do so together."""

    def span(self, node: Node) -> Span:
        """The span of a cursor."""
        return self.of_range(node.extent)

    def of_range(self, extent: Any) -> Span:
        """The span of a range; one that ends elsewhere than it begins becomes a point."""
        first, last = extent.begin_int_data, extent.end_int_data
        known = self._known.get((first, last))
        if known is None:
            known = self._known[first, last] = self._of_range(extent)
        return known

    def _of_range(self, extent: Any) -> Span:
        path, line, column = self._end(extent.begin_int_data, extent, "start")
        end_path, end_line, end_column = self._end(extent.end_int_data, extent, "end")
        if end_path != path or (end_line, end_column) <= (line, column):
            return Span.at(path, line, column)
        return Span(path, line, column, end_line, end_column)

    def _end(self, number: int, extent: Any, side: str) -> tuple[str, int, int]:
        known = self._ends.get(number)
        if known is None:
            known = self._ends[number] = self._place(getattr(extent, side))
        return known

    def at(self, location: Any) -> Span:
        """The span of the word, or else the character, that begins somewhere."""
        path, line, column = self._place(location)
        source = self._sources.get(path)
        word = _WORD.match(source.line(line), column - 1) if source is not None else None
        return Span.at(path, line, column, len(word[0]) if word else 1)

    def _place(self, location: Any) -> tuple[str, int, int]:
        path, line, column = presumed_location(location)
        if path in self._wide:
            encoded = self._sources[path].line(line).encode("utf-8", errors="surrogateescape")
            column = len(encoded[: column - 1].decode("utf-8", errors="replace")) + 1
        return path or UNKNOWN_PLACE, max(line, 1), max(column, 1)

    def of_name(self, node: Node) -> Span:
        """The name in a declaration."""
        path, line, column = self._place(node.location)
        return Span.at(path, line, column, max(1, len(node.spelling)))
