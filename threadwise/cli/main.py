"""The entry point of the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from threadwise import __version__
from threadwise.cli import (
    annotate,
    batch,
    build,
    certify,
    check,
    dump_ir,
    engines,
    explain,
    replay,
    reproduce,
    simulate,
    table,
    terminal,
    validate,
)
from threadwise.core.processes.garbage import collect_seldom
from threadwise.core.recursion import deep_recursion

app = typer.Typer(
    name="threadwise",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check.check)
app.command("explain")(explain.explain)
app.command("annotate")(annotate.annotate)
app.command("replay")(replay.replay)
app.command("reproduce")(reproduce.reproduce)
app.command("certify")(certify.certify)
app.command("validate")(validate.validate)
app.command("simulate")(simulate.simulate)
app.command("build")(build.build)
app.command("batch")(batch.batch)
app.command("table")(table.table)
app.command("engines")(engines.engines)
app.command("dump-ir")(dump_ir.dump_ir)


def _print_version(wanted: bool) -> None:
    if wanted:
        from threadwise.backends.libraries import installed

        terminal.out("\n".join([f"threadwise {__version__}", *installed(), ""]))
        raise typer.Exit


@app.callback()
def _threadwise(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and the libraries in use, and exit.",
            show_default=False,
        ),
    ] = False,
) -> None:
    """Prove multithreaded programs one thread at a time.

    \b
    Examples:
      threadwise check counter.tw
      threadwise check counter.tw --property races --engine explicit
      threadwise simulate counter.tw --seed 7
    """


def main() -> None:
    """Run the command line and exit."""
    terminal.prepare_streams()
    collect_seldom()
    with deep_recursion():
        app(prog_name="threadwise")
