"""Messages about the input: what is wrong, where, and what to do about it.

Front ends and validators collect diagnostics in a `DiagnosticBag` and go on, so that one run
reports several mistakes; `rendering` turns them into text.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span


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
