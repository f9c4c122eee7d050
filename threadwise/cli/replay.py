"""`threadwise replay`: run a recorded interleaving again."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, read_sources
from threadwise.cli.options import File, Full


@guarded
def replay(
    file: File,
    trace: Annotated[
        str,
        typer.Argument(metavar="TRACE", help="What `check --trace` wrote.", show_default=False),
    ],
    full: Full = None,
) -> ExitCode:
    """Replay a trace and see whether it violates its property.

    Constants and thread counts are those of the run that wrote the trace.

    \b
    Example:
      threadwise check counter.tw --trace bug.json
      threadwise replay counter.tw bug.json

    Exit code: 0 it reproduces, 1 it does not, 2 wrong input.
    """
    from threadwise.driver import replay_file
    from threadwise.evidence.replay import ReplayFailure
    from threadwise.report.text import trace_to_text

    try:
        described = replay_file(file, trace)
    except ReplayFailure as failure:
        terminal.out(f"does not reproduce: {failure}\n")
        return ExitCode.UNSAFE
    sources = read_sources([described.location.path] if described.location else [])
    style = terminal.style_for(sys.stdout, full=bool(full))
    terminal.out(trace_to_text(described, sources, style))
    terminal.out(f"\nreproduces: {trace} violates {described.trace.property} of {file}\n")
    return ExitCode.SAFE
