"""Messages about the input: what is wrong, where, and what to do about it.

Front ends and validators collect diagnostics in a `DiagnosticBag` and go on, so that one run
reports several mistakes; `render` turns them into text:

    counter.tw:7:9: error: unknown variable `contr`
        x = contr + 1;
            ^~~~~
    hint: did you mean `counter`?

Input may be hostile: a line of two million characters, tabs, control characters, a position behind
the end of the file. Rendering shows a window around the caret, expands tabs and replaces what a
terminal might act upon.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from threadwise.core.source import SourceFile, Span

_INDENT = "    "
_TAB = "    "
_WINDOW = 100
_WINDOW_BEFORE_CARET = 40
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Severity(Enum):
    """How grave a diagnostic is; only errors stop a run."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that belongs to a diagnostic, often about another place ("declared here")."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message about the input."""

    severity: Severity
    message: str
    span: Span | None = None
    hint: str | None = None
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        return f"{place}{self.severity.value}: {self.message}"


class DiagnosticBag:
    """Collects diagnostics, each once, up to a limit per severity; the rest is only counted."""

    def __init__(self, limit: int = 50) -> None:
        self._limit = limit
        # Dictionaries serve as ordered sets here.
        self._kept: dict[Severity, dict[Diagnostic, None]] = {kind: {} for kind in Severity}
        self._dropped = dict.fromkeys(Severity, 0)

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep the diagnostic, or count it if there are too many already."""
        kept = self._kept[diagnostic.severity]
        if diagnostic in kept:
            return
        if len(kept) < self._limit:
            kept[diagnostic] = None
        else:
            self._dropped[diagnostic.severity] += 1

    def error(
        self, message: str, span: Span | None, hint: str | None = None, notes: Sequence[Note] = ()
    ) -> None:
        """Add an error."""
        self.add(Diagnostic(Severity.ERROR, message, span, hint, tuple(notes)))

    def warning(
        self, message: str, span: Span | None, hint: str | None = None, notes: Sequence[Note] = ()
    ) -> None:
        """Add a warning."""
        self.add(Diagnostic(Severity.WARNING, message, span, hint, tuple(notes)))

    @property
    def has_errors(self) -> bool:
        """Whether some diagnostic is an error."""
        return bool(self._kept[Severity.ERROR])

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was collected, by position, then "… and N more" for what was not kept."""
        kept = [diagnostic for kind in self._kept.values() for diagnostic in kind]
        kept.sort(key=_position_key)
        for severity, dropped in self._dropped.items():
            if dropped:
                kept.append(Diagnostic(Severity.NOTE, f"… and {dropped} more {severity.value}s"))
        return tuple(kept)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics())

    def __len__(self) -> int:
        return sum(map(len, self._kept.values())) + sum(self._dropped.values())


def _position_key(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return ("", 0, 0) if span is None else (span.path, span.line, span.column)


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant by a misspelt name, or None."""
    by_folded = {candidate.casefold(): candidate for candidate in sorted(candidates)}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The hint "did you mean `…`?" for a misspelt name, or None."""
    candidate = suggest(name, candidates)
    return None if candidate is None else f"did you mean `{candidate}`?"


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """The diagnostics as text, with source lines for the spans whose file is in `sources`."""
    lines: list[str] = []
    for diagnostic in diagnostics:
        lines += _message(diagnostic.severity, diagnostic.message, diagnostic.span)
        lines += _excerpt(diagnostic.span, sources)
        for note in diagnostic.notes:
            lines += _message(Severity.NOTE, note.message, note.span)
            lines += _excerpt(note.span, sources)
        if diagnostic.hint is not None:
            lines.append(f"hint: {_clean(diagnostic.hint)}")
    return "".join(line + "\n" for line in lines)


def _message(severity: Severity, message: str, span: Span | None) -> list[str]:
    place = f"{_clean(str(span))}: " if span is not None else ""
    return [f"{place}{severity.value}: {_clean(message)}"]


def _excerpt(span: Span | None, sources: Mapping[str, SourceFile]) -> list[str]:
    """The source line of the span and a second line that underlines the span."""
    source = sources.get(span.path) if span is not None else None
    if span is None or source is None or not 1 <= span.line <= source.line_count:
        return []
    line = source.line(span.line)
    start = max(0, min(span.column - 1, len(line)))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    end = max(start, min(end, len(line)))

    first = max(0, start - _WINDOW_BEFORE_CARET) if len(line) > _WINDOW else 0
    last = min(len(line), first + _WINDOW)
    prefix = "…" if first > 0 else ""
    suffix = "…" if last < len(line) else ""
    before = prefix + _display(line[first:start])
    marked = _display(line[start : min(end, last)])
    after = _display(line[min(end, last) : last]) + suffix
    underline = "^" + "~" * (_width(marked) - 1)
    return [
        (_INDENT + before + marked + after).rstrip(),
        _INDENT + " " * _width(before) + underline,
    ]


def _display(text: str) -> str:
    return _clean(text.rstrip("\r")).replace("\t", _TAB)


def _clean(text: str) -> str:
    return _CONTROL.sub(_REPLACEMENT, text)


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
