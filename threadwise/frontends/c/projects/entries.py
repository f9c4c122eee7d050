"""Files of commands: compilation databases, and the same for what is linked.

    [{"directory": "/src/build", "file": "../a.c", "arguments": ["cc", "-c", "../a.c"]}, …]

`command`, one text as for a shell, may stand for `arguments`; `output` is optional. Words that
begin with `@` name files with more words.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile

LINKS = "link_commands.json"
"""Beside a compilation database: how programs and libraries are linked."""
MOST_DEEP = 10
"""So many files of words may name each other."""


@dataclass(frozen=True)
class Entry:
    """A command."""

    folder: Path
    """Where it is run."""
    words: tuple[str, ...]
    """The compiler, or another tool, and its arguments."""
    file: str | None = None
    """The source that the database lists it for, as it names it."""
    output: str | None = None
    """What the database says that it makes."""


def entries_of(source: SourceFile) -> list[Entry]:
    """The commands of a file; raises InputError."""
    try:
        listed = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise InputError.of(f"{source.path}: not a JSON file: {error}") from error
    if not isinstance(listed, list):
        raise InputError.of(f"{source.path}: expected a list of commands")
    parent = Path(source.path).parent
    return [_entry(each, f"{source.path}: entry {n}", parent) for n, each in enumerate(listed)]


def _entry(told: Any, where: str, parent: Path) -> Entry:
    if not isinstance(told, dict) or not isinstance(told.get("file", ""), str):
        raise InputError.of(f"{where}: expected an object with a `file`")
    folder = told.get("directory", ".")
    if not isinstance(folder, str):
        raise InputError.of(f"{where}: `directory` is not a string")
    words = told.get("arguments")
    if words is None and isinstance(told.get("command"), str):
        try:
            words = shlex.split(told["command"])
        except ValueError as error:
            raise InputError.of(f"{where}: cannot split the command: {error}") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError.of(f"{where}: expected `arguments` or a `command`")
    output = told.get("output")
    place = parent / folder
    return Entry(
        place,
        tuple(_spelt_out(words, place)),
        told.get("file"),
        output if isinstance(output, str) else None,
    )


def _spelt_out(words: list[str], folder: Path, depth: int = 0) -> Iterator[str]:
    """The words, with those of the files that are named among them; what is not there stays."""
    for word in words:
        named = folder / word[1:]
        if word.startswith("@") and depth < MOST_DEEP and named.is_file():
            try:
                more = shlex.split(named.read_text(encoding="utf-8", errors="replace"))
            except ValueError as error:
                raise InputError.of(f"{named}: cannot split these options: {error}") from error
            yield from _spelt_out(more, folder, depth + 1)
        else:
            yield word
