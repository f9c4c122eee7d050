"""Diagnostics as text, with the source line and a caret:

    counter.tw:7:9: error: unknown variable `contr`
        x = contr + 1;
            ^~~~~
    hint: did you mean `counter`?

Input may be hostile: a line of two million characters, tabs, control characters, a position behind
the end of the file. Rendering shows a window around the caret, expands tabs and replaces what a
terminal might act upon.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.source import SourceFile, Span

_INDENT = "    "
_TAB = "    "
_WINDOW = 100
_WINDOW_BEFORE_CARET = 40
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


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
