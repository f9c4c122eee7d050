"""Rows as web pages: a table that can be filtered and sorted, and a page for each task.

The pages need nothing from elsewhere, and show texts of programs as text whatever is in them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadwise.batch.table.rows import COLUMNS, Row
from threadwise.batch.table.text import summary_of
from threadwise.core.errors import InputError

NUMBERS = frozenset({"points", "wall_s", "cpu_s", "memory_mb"})
CHOICES = frozenset({"verdict", "expected", "engine"})


def write_pages(rows: Sequence[Row], title: str, folder: Path, plots: Sequence[str] = ()) -> None:
    """Write `index.html` and a page for each task below `tasks/`; raises InputError.

    `plots` are files in the folder that the first page shows.
    """
    templates = _templates()
    try:
        (folder / "tasks").mkdir(parents=True, exist_ok=True)
        index = templates.get_template("index.html").render(
            title=title,
            columns=COLUMNS,
            numbers=NUMBERS,
            choices={name: _values(rows, name) for name in COLUMNS if name in CHOICES},
            rows=[(number, row, row.cells()) for number, row in enumerate(rows)],
            summary=str(summary_of(rows)),
            plots=plots,
        )
        (folder / "index.html").write_text(index, encoding="utf-8")
        page = templates.get_template("task.html")
        for number, row in enumerate(rows):
            text = page.render(row=row, cells=row.cells(), report=_report(row))
            (folder / "tasks" / f"{number}.html").write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError.of(f"{folder}: cannot be written: {error.strerror}") from None


def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("threadwise.batch.table"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _values(rows: Sequence[Row], column: str) -> list[str]:
    found = {str(cell) for row in rows if (cell := row.cells()[column]) is not None}
    return sorted(found)


def _report(row: Row) -> str:
    return "" if row.report is None else json.dumps(row.report, indent=2)
