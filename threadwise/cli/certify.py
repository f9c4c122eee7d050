"""`threadwise certify`: check a recorded proof."""

from __future__ import annotations

from typing import Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded
from threadwise.cli.options import File, MemoryLimit, TimeLimit


@guarded
def certify(
    file: File,
    certificate: Annotated[
        str,
        typer.Argument(
            metavar="CERTIFICATE", help="What `check --certificate` wrote.", show_default=False
        ),
    ],
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
) -> ExitCode:
    """Check a proof without searching for it again.

    The checker shares no code with the engine that found the proof. Constants and thread counts
    are those of the run that wrote it.

    \b
    Example:
      threadwise check counter.tw --certificate proof.json
      threadwise certify counter.tw proof.json

    Exit code: 0 the proof is valid, 1 it is refuted, 2 it is malformed or for another program,
    3 a limit was reached.
    """
    from threadwise.core.budget import Budget, parse_memory, parse_time
    from threadwise.driver import certify_file
    from threadwise.evidence.proof import Refuted

    budget = Budget(
        None if time_limit is None else parse_time(time_limit),
        None if memory_limit is None else parse_memory(memory_limit),
    )
    try:
        proof = certify_file(file, certificate, budget)
    except Refuted as refuted:
        terminal.out(f"refuted: {refuted}\n")
        return ExitCode.UNSAFE
    proved = "".join(f"  {name}\n" for name in proof.properties)
    terminal.out(f"valid: {certificate} proves for {file}\n{proved}")
    return ExitCode.SAFE
