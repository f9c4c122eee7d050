"""Which line of Python made a statement."""

from __future__ import annotations

import contextlib
import inspect
import linecache
from pathlib import Path

from threadwise.core.source import Span

_OWN = str(Path(__file__).parent)
_CONTEXTLIB = contextlib.__file__


def calling_line() -> Span | None:
    """The line outside of this package, and of `with` statements, that is being executed."""
    frame = inspect.currentframe()
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith(_OWN) and path != _CONTEXTLIB:
            text = linecache.getline(path, frame.f_lineno)
            indent = len(text) - len(text.lstrip())
            return Span.at(_shown(path), frame.f_lineno, indent + 1, max(1, len(text.strip())))
        frame = frame.f_back
    return None


def _shown(path: str) -> str:
    """The path as a user would type it: from the current directory, if it lies below."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
