"""Rows as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from threadwise.batch.summary import Summary, summarise
from threadwise.batch.table.rows import COLUMNS, Row

Cell = str | int | float | None

_WIDER = 10_000
"""Columns of characters that no terminal has."""


def summary_of(rows: Sequence[Row]) -> Summary:
    """The figures for all rows with a result."""
    return summarise((row.ending, row.expected) for row in rows if row.ending is not None)


def to_text(rows: Sequence[Row], width: int) -> str:
    """A table as wide as the terminal; tasks and reasons that do not fit are cut at their end."""
    from rich.console import Console
    from rich.table import Table

    shown = [name for name in COLUMNS if any(row.cells()[name] is not None for row in rows)]
    table = Table(box=None, pad_edge=False, header_style="")
    for name in shown:
        is_number = name in {"points", "wall_s", "cpu_s", "memory_mb"}
        justify = "right" if is_number else "left"
        ratio = 1 if name in {"task", "reason"} else None
        table.add_column(name, justify=justify, no_wrap=True, overflow="ellipsis", ratio=ratio)  # type: ignore[arg-type]
    for row in rows:
        cells = row.cells()
        table.add_row(*(_printable(_text(cells[name])) for name in shown))
    target = io.StringIO()
    console = Console(file=target, width=width, highlight=False, markup=False, emoji=False)
    anything = console.options.update_width(_WIDER)
    if console.measure(table, options=anything).maximum > width:
        table.expand = True  # only then are the columns cut that have a ratio
    console.print(table)
    lines = [line.rstrip() for line in target.getvalue().splitlines()]
    return "\n".join([*lines, "", str(summary_of(rows)), ""])


def to_csv(rows: Sequence[Row]) -> str:
    """A header and a line for each task."""
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.cells() for row in rows)
    return target.getvalue()


def to_json(rows: Sequence[Row]) -> str:
    """An object for each task, and the figures."""
    figures = summary_of(rows)
    document = {
        "format_version": 1,
        "tasks": [row.cells() for row in rows],
        "summary": {
            "endings": {ending.value: count for ending, count in figures.endings.items()},
            "wrong": figures.wrong,
            "points": figures.points,
            "most_points": figures.most,
        },
    }
    return json.dumps(document, indent=2) + "\n"


def _text(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case float():
            return f"{cell:.1f}"
        case _:
            return str(cell)


def _printable(text: str) -> str:
    """Names and reasons as characters that move no cursor."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
