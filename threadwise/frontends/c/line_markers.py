"""The files behind a preprocessed one, as far as it shows them.

A preprocessed file says with line markers (`# 7 "queue.c"`) from which line of which file its
lines are. Messages and traces speak of those lines; their text is what the preprocessor made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from threadwise.core.source import SourceFile

_MARKER = re.compile(
    r'#\s*(?:line\s+)?(?P<line>\d+)(?:\s+"(?P<path>(?:[^"\\]|\\.)*)")?(?:\s+\d)*\s*'
)
_MOST_LINES = 200_000


def shown_sources(sources: Iterable[SourceFile]) -> dict[str, SourceFile]:
    """The sources by the names that spans use, with those that line markers name."""
    found: dict[str, SourceFile] = {}
    for source in sources:
        found[source.path] = source
        for path, lines in _marked(source).items():
            if path not in found:
                text = "\n".join(lines.get(n, "") for n in range(1, max(lines) + 1))
                found[path] = SourceFile(path, text)
    return found


def _marked(source: SourceFile) -> dict[str, dict[int, str]]:
    """The lines behind markers, by file and number.

    A line that comes in several pieces, as macros leave it, is empty: nothing fits its columns.
    """
    found: dict[str, dict[int, str]] = {}
    path, number = source.path, 0
    for line in source.text.split("\n"):
        if line.startswith("#"):
            match = _MARKER.fullmatch(line)
            if match is not None:
                path = match["path"] if match["path"] is not None else path
                number = int(match["line"])
            continue
        if path != source.path and 0 < number <= _MOST_LINES:
            lines = found.setdefault(path, {})
            known = lines.get(number, "")
            lines[number] = line if not known.strip() else known if not line.strip() else ""
        number += 1
    return found
