"""`threadwise replay`: run a recorded interleaving again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, read_sources
from threadwise.cli.options import AnswerFormat, File, Given, TimeLimit, takes_options

if TYPE_CHECKING:
    from threadwise.driver.rechecking import Replayed


@guarded
@takes_options("replay")
def replay(
    file: File,
    trace: Annotated[
        str,
        typer.Argument(metavar="TRACE", help="What `check --trace` wrote.", show_default=False),
    ],
    time_limit: TimeLimit = None,
    format_: AnswerFormat = None,
    *,
    given: Given,
) -> ExitCode:
    """Replay a trace and see whether it violates its property.

    The program is loaded with the options of the run that wrote the trace; those that differ from
    the defaults are shown. Every step must do what the file says.

    \b
    Example:
      threadwise check counter.tw --trace bug.json
      threadwise replay counter.tw bug.json

    Exit code: 0 it reproduces, 1 it does not, 2 wrong input, 3 a limit was reached.
    """
    from threadwise.cli.options import budget_from, is_json
    from threadwise.cli.settings import without_file
    from threadwise.driver.rechecking import replay_file
    from threadwise.traces.replay import ReplayFailure

    as_json = is_json(format_)
    settings = without_file(given)
    try:
        found = replay_file(file, trace, budget_from(time_limit, settings.memory_limit))
    except ReplayFailure as failure:
        if as_json:
            terminal.out(_json(file, trace, reproduces=False, reason=str(failure)))
        else:
            terminal.out(f"does not reproduce: {failure}\n")
        return ExitCode.UNSAFE
    if as_json:
        from threadwise.report.rechecked import replayed_to_json

        told = replayed_to_json(found.described, found.load, found.assumptions)
        terminal.out(_json(file, trace, reproduces=True, **told))
    else:
        terminal.out(_text(file, trace, found, full=settings.full))
    return ExitCode.SAFE


def _text(file: str, trace: str, found: Replayed, *, full: bool) -> str:
    from threadwise.report.rechecked import reproduces_text
    from threadwise.report.text import trace_to_text

    described = found.described
    sources = read_sources([described.location.path] if described.location else [])
    steps = trace_to_text(described, sources, terminal.style_for(sys.stdout, full=full))
    name = described.trace.property
    return f"{steps}\n{reproduces_text(file, trace, name, found.load, found.assumptions)}"


def _json(file: str, trace_file: str, /, **answer: object) -> str:
    import json

    from threadwise.report.rechecked import FORMAT_VERSION

    about = {"format_version": FORMAT_VERSION, "file": file, "trace_file": trace_file}
    return json.dumps({**about, **answer}, indent=2) + "\n"
