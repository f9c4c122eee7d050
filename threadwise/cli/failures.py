"""What happens to exceptions: a message for the user and an exit code.

| raised              | shown on standard error                           | exit |
|---------------------|---------------------------------------------------|------|
| `InputError`        | the diagnostics, with line and caret              | 2    |
| `Unsupported`       | the construct, with line and caret                | 3    |
| `BudgetExhausted`   | the limit                                         | 3    |
| `KeyboardInterrupt` | "interrupted"                                     | 3    |
| anything else       | stack trace, context, and the request to report   | 70   |
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, ParamSpec

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from threadwise.core.diagnostics import Diagnostic
    from threadwise.core.source import SourceFile
    from threadwise.results.result import Result

Parameters = ParamSpec("Parameters")


def guarded(body: Callable[Parameters, int]) -> Callable[Parameters, None]:
    """A subcommand that ends with an exit code whatever happens in it."""

    @functools.wraps(body)
    def command(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        code: int
        try:
            code = body(*args, **kwargs)
        except typer.Exit:
            raise
        except (Exception, KeyboardInterrupt) as error:
            message, code = explain(error)
            terminal.err(message)
        raise typer.Exit(code)

    return command


def diagnostics_of(error: BaseException) -> tuple[Diagnostic, ...]:
    """What an exception says of the input; nothing if it is about something else."""
    from threadwise.core.diagnostics import Diagnostic, Severity
    from threadwise.core.errors import InputError, Unsupported

    match error:
        case InputError():
            return tuple(error.diagnostics)
        case Unsupported():
            message = f"unsupported: {error.construct}"
            return (Diagnostic(Severity.ERROR, message, error.span, error.hint),)
        case _:
            return ()


def explain(error: BaseException) -> tuple[str, ExitCode]:
    """The message for the user and the exit code that an exception means."""
    from threadwise.core.errors import BudgetExhausted, InputError, Unsupported

    match error:
        case InputError():
            return rendered(diagnostics_of(error)), ExitCode.REJECTED
        case Unsupported():
            return rendered(diagnostics_of(error)), ExitCode.UNKNOWN
        case BudgetExhausted():
            return f"{error.reason}\n", ExitCode.UNKNOWN
        case KeyboardInterrupt():
            return "interrupted\n", ExitCode.UNKNOWN
        case MemoryError():
            return "memory ran out\n", ExitCode.UNKNOWN
        case _:
            return _internal(error), ExitCode.INTERNAL


def tell_defects(result: Result) -> None:
    """Say on standard error where the tool failed, with what a report of it needs."""
    if result.defects:
        from threadwise.report.defects import defects_text

        terminal.err(defects_text(result))


def rendered(diagnostics: Iterable[Diagnostic]) -> str:
    """Diagnostics with the source lines they point at, coloured on a terminal."""
    import sys

    from threadwise.core.rendering import render

    listed = list(diagnostics)
    spans = [span for d in listed for span in (d.span, *(note.span for note in d.notes))]
    sources = read_sources(span.path for span in spans if span is not None)
    if not terminal.is_coloured(sys.stderr):
        return render(listed, sources)
    from threadwise.report.page import Page

    page = Page(terminal.style_for(sys.stderr))
    page.diagnostics(listed, sources)
    return page.text()


def read_sources(paths: Iterable[str]) -> Mapping[str, SourceFile]:
    """The files that can be read; a message about one that cannot shows no line of it."""
    from threadwise.core.errors import InputError
    from threadwise.core.reading import read_source

    sources: dict[str, SourceFile] = {}
    for path in dict.fromkeys(paths):
        try:
            sources[path] = read_source(path)
        except InputError:
            continue
    return sources


def _internal(error: BaseException) -> str:
    from threadwise.core.errors import InternalError

    parts = ["".join(traceback.format_exception(error))]
    if isinstance(error, InternalError):
        parts += [f"{title}:\n{text.rstrip()}\n" for title, text in error.context.items()]
    parts.append(
        f"threadwise: internal error: {error}\n"
        "This is a defect of threadwise, and no verdict can be given. Please report it, with the\n"
        "input file, the command line and everything above.\n"
    )
    return "\n".join(parts)
