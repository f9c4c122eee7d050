"""`threadwise reproduce`: run a recorded interleaving in the user's own C program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded
from threadwise.cli.options import AnswerFormat

if TYPE_CHECKING:
    from threadwise.reproduction.outcome import Outcome


@guarded
def reproduce(
    trace: Annotated[
        str,
        typer.Argument(metavar="TRACE", help="What `check --trace` wrote.", show_default=False),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="The program, if it is not where the trace says.",
            show_default=False,
        ),
    ] = None,
    compiler: Annotated[
        str, typer.Option("--compiler", metavar="COMMAND", help="The C compiler.")
    ] = "gcc",
    flag: Annotated[
        list[str] | None,
        typer.Option(
            "--flag",
            metavar="FLAG",
            help="One more option for compiling and linking, as in --flag=-lz. Repeatable.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", metavar="COUNT", min=1, help="How often to run it.")
    ] = 1,
    gdb: Annotated[
        str | None,
        typer.Option(
            "--gdb",
            metavar="OUT",
            help="Also write a script that walks the same interleaving in gdb.",
            show_default=False,
        ),
    ] = None,
    format_: AnswerFormat = None,
) -> ExitCode:
    """Run a trace natively, in the program itself.

    The C sources, which are not changed, are compiled with -fsanitize=thread and linked with a
    small runtime that holds each thread until its turn.

    \b
    Example:
      threadwise check queue.c --property races --trace bug.json
      threadwise reproduce bug.json

    Exit code: 0 reproduced, 1 the program does something else than the trace, 2 wrong input or a
    program that cannot be built, 3 a step cannot be forced.
    """
    from threadwise.cli.options import is_json
    from threadwise.driver.reproducing import ReproduceOptions, reproduce_file

    as_json = is_json(format_)
    options = ReproduceOptions(compiler, tuple(flag or ()), runs, gdb)
    outcome = reproduce_file(trace, file, options)
    terminal.out(_json(trace, outcome) if as_json else _text(outcome, gdb))
    return _code(outcome)


def _code(outcome: Outcome) -> ExitCode:
    from threadwise.reproduction.outcome import OutcomeKind

    match outcome.kind:
        case OutcomeKind.REPRODUCED:
            return ExitCode.SAFE
        case OutcomeKind.DIVERGED:
            return ExitCode.UNSAFE
        case OutcomeKind.NOT_FORCED:
            return ExitCode.UNKNOWN


def _text(outcome: Outcome, gdb: str | None) -> str:
    from threadwise.report.page import printable

    place = "" if outcome.step is None else f" at step {outcome.step}"
    lines = [f"{outcome.kind.value}{place}: {outcome.reason}"]
    lines += [f"  {line}" for line in outcome.seen]
    if gdb is not None and outcome.built:
        lines.append(f"gdb -x {gdb} walks through it, a step for each `turn`")
    return "".join(f"{printable(line)}\n" for line in lines)


def _json(trace: str, outcome: Outcome) -> str:
    import json

    from threadwise.report.rechecked import FORMAT_VERSION

    told = {
        "format_version": FORMAT_VERSION,
        "trace_file": trace,
        "outcome": outcome.kind.value,
        "step": outcome.step,
        "reason": outcome.reason,
        "seen": list(outcome.seen),
    }
    return json.dumps(told, indent=2) + "\n"
