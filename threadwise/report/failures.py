"""Programs that have no result: rejected, or not read for another reason."""

from __future__ import annotations

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.errors import InputError, Unsupported
from threadwise.core.quick_dataclass import dataclass


@dataclass(frozen=True)
class Failure:
    """Why there is no result for a program."""

    file: str
    messages: tuple[Diagnostic, ...]
    """At least one."""

    @staticmethod
    def of(file: str, error: BaseException, told: str) -> Failure:
        """What an exception says, or, without places in the source, what was told of it."""
        match error:
            case InputError():
                messages = tuple(d for d in error.diagnostics if d.severity is Severity.ERROR)
            case Unsupported():
                message = f"unsupported: {error.construct}"
                messages = (Diagnostic(Severity.ERROR, message, error.span),)
            case _:
                messages = ()
        last = told.strip().rpartition("\n")[2]
        return Failure(file, messages or (Diagnostic(Severity.ERROR, last),))
