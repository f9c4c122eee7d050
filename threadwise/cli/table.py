"""`threadwise table`: what batches came to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from threadwise.batch.table.rows import Row

FORMATS = ("text", "csv", "json")


@guarded
def table(
    databases: Annotated[
        list[str],
        typer.Argument(
            metavar="DATABASE...", help="What `threadwise batch` wrote.", show_default=False
        ),
    ],
    format_: Annotated[
        str, typer.Option("--format", metavar="text|csv|json", help="What the table looks like.")
    ] = "text",
    html: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write web pages instead.", show_default=False),
    ] = None,
    quantile: Annotated[
        str | None,
        typer.Option(
            metavar="OUT.svg",
            help="Plot how many tasks are answered within which time, a line for each database.",
            show_default=False,
        ),
    ] = None,
    scatter: Annotated[
        str | None,
        typer.Option(
            metavar="OUT.svg",
            help="Plot the times of two databases against each other.",
            show_default=False,
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Tell what changed from the first to the second.")
    ] = False,
) -> ExitCode:
    """Show results of batches as tables, pages and plots.

    \b
    Examples:
      threadwise table results.db
      threadwise table results.db --format csv > results.csv
      threadwise table results.db --html report
      threadwise table old.db new.db --diff
      threadwise table old.db new.db --quantile cactus.svg --scatter times.svg

    Exit code: 0, or with --diff 1 if an answer is newly wrong, is lost or has changed.
    """
    from threadwise.batch.table.rows import read_rows
    from threadwise.cli.options import one_of

    one_of("--format", format_, FORMATS)
    runs = {path: read_rows(path) for path in databases}
    if diff or scatter is not None:
        _check_two(databases)
    if scatter is not None:
        from threadwise.batch.table import plots

        first, second = runs.items()
        plots.scatter(first, second, Path(scatter))
    if quantile is not None:
        from threadwise.batch.table import plots

        plots.quantile(runs, Path(quantile))
    if diff:
        return _diff(*runs.values())
    if html is not None:
        _pages(runs, Path(html))
    elif quantile is None and scatter is None:
        for rows in runs.values():
            terminal.out(_formatted(rows, format_))
    return ExitCode.SAFE


def _check_two(databases: Sequence[str]) -> None:
    from threadwise.core.errors import InputError

    if len(dict.fromkeys(databases)) != 2:
        raise InputError.of("two databases are needed to compare them")


def _diff(before: Sequence[Row], after: Sequence[Row]) -> ExitCode:
    from threadwise.batch.table.diff import difference, to_text

    found = difference(before, after)
    terminal.out(to_text(found))
    return ExitCode.UNSAFE if found.is_worse else ExitCode.SAFE


def _formatted(rows: Sequence[Row], format_: str) -> str:
    from threadwise.batch.table.text import to_csv, to_json, to_text

    match format_:
        case "csv":
            return to_csv(rows)
        case "json":
            return to_json(rows)
        case _:
            return to_text(rows, terminal.style_for(sys.stdout).width)


def _pages(runs: Mapping[str, Sequence[Row]], folder: Path) -> None:
    """One set of pages for each database; with one, directly in the folder."""
    from importlib.util import find_spec

    from threadwise.batch.table.html import write_pages

    for number, (path, rows) in enumerate(runs.items()):
        target = folder if len(runs) == 1 else folder / str(number)
        plots: list[str] = []
        if find_spec("matplotlib") is not None:
            from threadwise.batch.table.plots import quantile

            target.mkdir(parents=True, exist_ok=True)
            quantile({path: rows}, target / "quantile.svg")
            plots.append("quantile.svg")
        write_pages(rows, Path(path).name, target, plots)
        terminal.out(f"{target / 'index.html'}\n")
