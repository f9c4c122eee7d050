"""`threadwise validate`: check a witness, of this tool or of another."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, read_sources
from threadwise.cli.options import AnswerFormat, Given, ProgramFiles, one_program, takes_options

if TYPE_CHECKING:
    from threadwise.driver.validation import Validated


@guarded
@takes_options("validate")
def validate(
    files: ProgramFiles,
    witness: Annotated[
        str,
        typer.Option(
            "--witness",
            metavar="WITNESS",
            help="What `check --witness` or another tool wrote.",
            show_default=False,
        ),
    ],
    format_: AnswerFormat = None,
    *,
    given: Given,
) -> ExitCode:
    """Check a witness in the SV-COMP format (YAML, 2.x).

    The waypoints of a violation are followed to an interleaving, which is replayed. The invariants
    of a proof are checked, with their ghosts, and so is the property.

    \b
    Example:
      threadwise check queue.c --property races --witness queue.yml
      threadwise validate queue.c --witness queue.yml

    Exit code: 0 the witness is confirmed, 1 it is refused, 2 it is malformed or about another
    program, 3 undecided.
    """
    from threadwise.cli.check import driver_options
    from threadwise.cli.options import is_json
    from threadwise.cli.settings import resolve
    from threadwise.driver.validation import Answer, validate_file

    as_json = is_json(format_)
    file, beside = one_program(files)
    settings = resolve(given, files)
    options = driver_options(settings, beside)
    found = validate_file(file, witness, options.load, options.budget)
    terminal.out(_json(file, witness, found) if as_json else _text(found, full=settings.full))
    codes = {
        Answer.CONFIRMED: ExitCode.SAFE,
        Answer.REFUSED: ExitCode.UNSAFE,
        Answer.UNDECIDED: ExitCode.UNKNOWN,
    }
    return codes[found.answer]


def _text(found: Validated, *, full: bool) -> str:
    from threadwise.report.page import printable
    from threadwise.report.text import trace_to_text

    lines = [f"  {verdict.value:7}  {printable(told)}\n" for told, verdict in found.invariants]
    if found.described is not None:
        location = found.described.location
        sources = read_sources([location.path] if location else [])
        style = terminal.style_for(sys.stdout, full=full)
        lines.append(trace_to_text(found.described, sources, style) + "\n")
    lines.append(f"{found.answer.value}: {printable(found.reason)}\n")
    return "".join(lines)


def _json(file: str, witness: str, found: Validated) -> str:
    import json

    from threadwise.report.rechecked import FORMAT_VERSION

    told = {
        "format_version": FORMAT_VERSION,
        "file": file,
        "witness": witness,
        "answer": found.answer.value,
        "reason": found.reason,
        "property": found.described.trace.property if found.described else None,
        "invariants": [
            {"invariant": text, "verdict": verdict.value} for text, verdict in found.invariants
        ],
    }
    return json.dumps(told, indent=2) + "\n"
