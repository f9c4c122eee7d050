"""`threadwise dump-ir`: the program of record, or as the engines see it."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded
from threadwise.cli.options import Given, ProgramFiles, one_program, takes_options


class IrFormat(Enum):
    """Forms of the intermediate representation."""

    TEXT = "text"
    DOT = "dot"
    LIBRARY = "library"


@guarded
@takes_options("dump-ir")
def dump_ir(
    files: ProgramFiles,
    format_: Annotated[
        IrFormat,
        typer.Option(
            "--format",
            help="Text, a graph for Graphviz, or descriptions of unknown functions to fill in.",
        ),
    ] = IrFormat.TEXT,
    simplified: Annotated[
        bool, typer.Option("--simplified", help="The program after the simplification of C.")
    ] = False,
    *,
    given: Given,
) -> ExitCode:
    """Print the program that evidence is about.

    Procedures are graphs whose edges are atomic actions. C is simplified for the engines; with
    --simplified, the program that they see.

    \b
    Examples:
      threadwise dump-ir counter.tw
      threadwise dump-ir --simplified queue.c main.c
      threadwise dump-ir server.c --format library > server.toml
      threadwise dump-ir counter.tw --format dot | dot -Tsvg > counter.svg
    """
    from threadwise.cli.settings import without_file
    from threadwise.driver.loading import load_program, load_simplified

    file, beside = one_program(files)
    settings = without_file(given, files)
    options = settings.load(beside)
    if format_ is IrFormat.LIBRARY:
        from threadwise.driver.loading import undescribed

        terminal.out(undescribed(file, options))
        return ExitCode.SAFE
    load = load_simplified if simplified else load_program
    program = load(file, options)
    match format_:
        case IrFormat.TEXT:
            from threadwise.ir.text.printer import print_program

            text = print_program(program)
        case IrFormat.DOT:
            from threadwise.report.graphviz import to_dot

            text = to_dot(program)
    terminal.out(text if text.endswith("\n") else text + "\n")
    return ExitCode.SAFE
