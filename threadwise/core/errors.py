"""The ways in which work can end early. There are four, and each has one catcher:

| raised            | means                                     | caught by      | becomes |
|-------------------|-------------------------------------------|----------------|---------|
| `InputError`      | the user's mistake: syntax, types, usage  | command line   | exit 2  |
| `Unsupported`     | a construct that is not modelled soundly  | driver         | UNKNOWN |
| `BudgetExhausted` | time, memory or steps ran out             | driver, worker | UNKNOWN |
| `InternalError`   | a defect of the tool itself               | see below      | exit 70 |

All of them survive pickling, since they may cross from the worker process to its supervisor.
"""

from collections.abc import Iterable, Mapping
from enum import Enum

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.source import Span


class ThreadwiseError(Exception):
    """Base of all exceptions that the tool raises on purpose."""


class InputError(ThreadwiseError):
    """The input is wrong; carries at least one diagnostic.

    Raised by front ends, readers and option parsing. The command line renders the diagnostics and
    exits with 2; the Python API lets it through to the caller. No stack trace is shown.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    @classmethod
    def of(cls, message: str, span: Span | None = None, hint: str | None = None) -> "InputError":
        """An input error with a single diagnostic."""
        return cls([Diagnostic(Severity.ERROR, message, span, hint)])

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))


class Unsupported(ThreadwiseError):  # noqa: N818 - not a failure but a reason for UNKNOWN
    """The program uses a construct whose meaning the tool does not model soundly.

    Raised by front ends, passes and engines. The driver turns it into UNKNOWN with file, line and
    construct; the auto strategy tries the next engine first if an engine raised it.
    """

    def __init__(self, construct: str, span: Span | None = None, hint: str | None = None) -> None:
        self.construct = construct
        self.span = span
        self.hint = hint
        super().__init__(construct, span, hint)

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        return f"{place}unsupported: {self.construct}"


class Resource(Enum):
    """What a budget limits."""

    TIME = "time"
    MEMORY = "memory"
    STEPS = "steps"


class BudgetExhausted(ThreadwiseError):  # noqa: N818 - not a failure but a reason for UNKNOWN
    """A limit on time, memory or steps was reached.

    Raised by `budget.Meter` and by engines with limits of their own. The driver turns it into
    UNKNOWN with the statistics so far; one that escapes the work of a worker process becomes the
    corresponding `worker.Ending`.
    """

    def __init__(self, reason: str, resource: Resource = Resource.STEPS) -> None:
        self.reason = reason
        self.resource = resource
        super().__init__(reason, resource)

    def __str__(self) -> str:
        return self.reason


class InternalError(ThreadwiseError):
    """The tool contradicts itself: an invariant of its own failed, or a checker refuted an engine.

    If an engine raises it, or any exception that is not expected, the driver gives up that engine,
    notes a `Defect` and goes on. Elsewhere it reaches the command line, which shows message,
    context (such as the printed IR or the refuted evidence) and stack trace. The exit code is 70
    in any case.
    """

    def __init__(self, message: str, context: Mapping[str, str] | None = None) -> None:
        self.message = message
        self.context = dict(context or {})
        super().__init__(message, self.context)

    def __str__(self) -> str:
        return self.message
