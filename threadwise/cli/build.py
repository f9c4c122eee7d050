"""`threadwise build`: record how a project is built, so that it can be checked."""

from __future__ import annotations

from typing import Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded

SHOWN = 20
"""So many programs are listed."""


@guarded
def build(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND...", help="What builds the project.", show_default=False),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write what was compiled, as JSON."
        ),
    ] = "compile_commands.json",
) -> int:
    """Run a build, and record what it compiles and links.

    The C files go to a compilation database, which other tools read as well; how
    programs and libraries are linked goes to link_commands.json beside it. Only
    what is built is recorded: clean the project first.

    \b
    Examples:
      threadwise build -- make -j4
      threadwise check compile_commands.json --program server

    Exit code: that of the build, or 2 if nothing of C was compiled.
    """
    from threadwise.core.words import count
    from threadwise.driver.recording import record

    recorded = record(command, output)
    told = f"{output}: {count(recorded.files, 'C file')}"
    shown = ", ".join(recorded.programs[:SHOWN])
    more = " …" if len(recorded.programs) > SHOWN else ""
    if recorded.programs:
        told += f" of {count(len(recorded.programs), 'program')}: {shown}{more}"
    terminal.err(f"{told}\n")
    if recorded.exit_code:
        terminal.err(f"the build failed with exit code {recorded.exit_code}\n")
        return recorded.exit_code
    if not recorded.files:
        terminal.err(
            "hint: is everything built already? Compilers that are called by their whole paths, "
            "as by CMake, are not seen: CMake has -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n"
        )
        return ExitCode.REJECTED
    return ExitCode.SAFE
