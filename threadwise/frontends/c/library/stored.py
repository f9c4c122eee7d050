"""The table that we ship, as it was read the last time.

Reading fifty files of TOML takes longer than all else that is done with a small program. So the
table is kept beside the compiled modules, as these are: in `__pycache__`, under the names, sizes
and times of the files that it was made from, those of the code that reads them included. What was
made from other files is made again. Nothing is kept where Python keeps no compiled modules.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from threadwise.core.source import Span
from threadwise.frontends.c.library.entry import Entry, Table

_HERE = Path(__file__).parent
_STORE = _HERE / "__pycache__" / "library.json"
_SPANS = ("span", "source")
_TUPLES = ("headers", "assumes")


def stored_table(files: Iterable[Path], read: Callable[[], Table], store: Path = _STORE) -> Table:
    """The table made from some files, read only if it is not stored, or of other files."""
    made_from = [_stamp(file) for file in (*files, *sorted(_HERE.glob("*.py")))]
    with suppress(OSError, ValueError, LookupError, TypeError):  # not there, or no table
        found = json.loads(store.read_text(encoding="utf-8"))
        if found["made from"] == made_from:
            return Table({row[0]: _entry(row) for row in found["entries"]}, found["types"])
    table = read()
    if not sys.dont_write_bytecode:
        rows = [astuple(entry) for entry in table.entries.values()]
        text = json.dumps({"made from": made_from, "entries": rows, "types": table.types})
        with suppress(OSError):  # a folder that must not be written: it is read again next time
            _write(store, text)
    return table


def _stamp(file: Path) -> list[str | int]:
    status = file.stat()
    return [file.name, status.st_size, status.st_mtime_ns]


def _write(store: Path, text: str) -> None:
    """Write a file that others may be reading or writing."""
    store.parent.mkdir(exist_ok=True)
    other = store.with_suffix(f".{os.getpid()}")
    other.write_text(text, encoding="utf-8")
    other.replace(store)


_NAMES = [field.name for field in fields(Entry)]
_SPAN_PLACES = [_NAMES.index(name) for name in _SPANS]
_TUPLE_PLACES = [_NAMES.index(name) for name in _TUPLES]


def _entry(row: list[Any]) -> Entry:
    for place in _SPAN_PLACES:
        row[place] = row[place] and Span(*row[place])
    for place in _TUPLE_PLACES:
        row[place] = tuple(row[place])
    return Entry(*row)
