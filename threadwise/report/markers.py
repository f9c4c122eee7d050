"""Comments that say which findings are not to be reported.

    count++;  // threadwise: ignore races -- only for statistics

A marker stands in a comment on the line of an access, or alone on the line above. It names what is
ignored there, and may give a reason behind two dashes. Texts in quotes are no comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import SourceFile, Span
from threadwise.core.suggestions import did_you_mean

KINDS = {
    "races": "race",
    "deadlocks": "deadlock",
    "assertions": "assertion",
    "mutex": "mutex",
    "memory": "memory",
    "range": "range",
    "invariants": "invariant",
}
"""What can be ignored, and the kind of property that it is."""

WORD = "threadwise:"
"""What all markers begin with."""
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)
_MARKER = re.compile(
    r"threadwise:[ \t]*ignore\b[ \t]*([^\n*]*?)(?:[ \t]--[ \t]*([^\n]*?))?[ \t]*(?:\*/|$)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Marker:
    """What is ignored in a line, and why."""

    span: Span
    """The marker itself."""
    line: int
    """The line that it is about."""
    words: tuple[str, ...]
    reason: str | None = None

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of properties that it names."""
        return frozenset(KINDS[word] for word in self.words if word in KINDS)


class Markers:
    """Those of some files."""

    def __init__(self, found: Iterable[Marker]) -> None:
        self.all = tuple(found)
        self._at: dict[tuple[str, int], list[Marker]] = {}
        for marker in self.all:
            self._at.setdefault((marker.span.path, marker.line), []).append(marker)

    @staticmethod
    def of(sources: Mapping[str, SourceFile]) -> Markers:
        """All markers in comments."""
        return Markers(marker for source in sources.values() for marker in _markers(source))

    def at(self, kind: str, places: Iterable[Span]) -> Marker | None:
        """The first one that says to ignore this kind in one of these places."""
        for span in places:
            for marker in self._at.get((span.path, span.line), ()):
                if kind in marker.kinds:
                    return marker
        return None

    def complaints(self) -> Iterator[Diagnostic]:
        """What markers say that has no meaning."""
        for marker in self.all:
            for word in marker.words or ("",):
                if word not in KINDS:
                    hint = did_you_mean(word, list(KINDS)) or f"known: {', '.join(KINDS)}"
                    told = f"`{WORD} ignore {word}`: nothing is called so"
                    yield Diagnostic(Severity.WARNING, told, marker.span, hint)


def _markers(source: SourceFile) -> Iterator[Marker]:
    text = source.text
    if WORD not in text:
        return
    for comment in _TOKEN.finditer(text):
        if comment[0][0] != "/":
            continue
        for found in _MARKER.finditer(comment[0]):
            start = comment.start() + found.start()
            span = source.span(start, comment.start() + found.end())
            words = tuple(word for word in re.split(r"[\s,]+", found[1]) if word)
            alone = _is_alone(text, comment.start(), comment.end())
            last = text.count("\n", 0, comment.end())
            line = last + 2 if alone else span.line
            yield Marker(span, line, words, found[2] or None)


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a comment shares its lines with nothing."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end : text.find("\n", end) if "\n" in text[end:] else len(text)]
    return not before.strip() and not after.strip()
