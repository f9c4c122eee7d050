"""Programs that have no result: rejected, or not read for another reason."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.quick_dataclass import dataclass


@dataclass(frozen=True)
class Failure:
    """Why there is no result for a program."""

    file: str
    messages: tuple[Diagnostic, ...]
    """Errors, at least one."""

    @staticmethod
    def of(file: str, found: Sequence[Diagnostic], told: str) -> Failure:
        """The errors among what was found in the input; without any, how the message ends."""
        errors = tuple(each for each in found if each.severity is Severity.ERROR)
        last = told.strip().rpartition("\n")[2]
        return Failure(file, errors or (Diagnostic(Severity.ERROR, last),))
