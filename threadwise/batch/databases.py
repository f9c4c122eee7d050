"""Compile databases: which programs there are in one.

A database lists translation units and not how they are linked. Every file with a `main` is a
program, and all files without one belong to each of them. Where that is too much, databases of
their own say what belongs together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.core.writing import write_lines

DATABASE = "compile_commands.json"
_MAIN = re.compile(r"(?:^|[;}])[^\n;{}#()]*\bmain\s*\([^;{}]*\)\s*\{", re.MULTILINE)


def programs_of(path: str, made: Path) -> Iterator[tuple[str, str]]:
    """Name and database of each program; raises InputError.

    With one `main`, or none, that is the database itself. Otherwise databases with the entries of
    one program each are written below the folder `made`.
    """
    entries = _entries(path)
    mains = [n for n, entry in enumerate(entries) if _has_main(_source(path, entry))]
    if len(mains) < 2:
        yield path, path
        return
    for number in mains:
        part = [entry for n, entry in enumerate(entries) if n == number or n not in mains]
        folder = made / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        write_lines(folder / DATABASE, [json.dumps(part, indent=1)])
        yield f"{path}:{entries[number]['file']}", str(folder / DATABASE)


def _entries(path: str) -> list[dict[str, Any]]:
    try:
        entries = json.loads(read_source(path).text)
    except (ValueError, RecursionError) as error:
        raise InputError.of(f"{path}: not a JSON file: {error}") from error
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("file"), str) for entry in entries
    ):
        raise InputError.of(f"{path}: expected a list of commands, each with its `file`")
    return [_placed(path, entry) for entry in entries]


def _placed(path: str, entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with its folder spelt out: a part of the database may lie elsewhere."""
    folder = Path(path).parent / str(entry.get("directory", "."))
    return {**entry, "directory": str(folder.resolve())}


def _source(path: str, entry: dict[str, Any]) -> str:
    return str(Path(entry["directory"]) / entry["file"])


def _has_main(path: str) -> bool:
    return Path(path).suffix in {".c", ".i"} and bool(_MAIN.search(read_source(path).text))
