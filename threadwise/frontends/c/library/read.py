"""The table that we ship, and the files of `--library`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.frontends.c.library.entry import Table
from threadwise.frontends.c.library.family import read_family


def read_table(files: Iterable[str] = ()) -> Table:
    """Our own table and those of the user's files; later ones win."""
    table = own_table()
    for path in files:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError.of(f"cannot read the library `{path}`: {error}") from None
        table = table.merged(read_family(path, text))
    return table


@cache
def own_table() -> Table:
    """The table that we ship."""
    table = Table()
    folder = resources.files("threadwise.frontends.c.library")
    for file in sorted(folder.iterdir(), key=lambda item: item.name):
        if file.name.endswith(".toml"):
            path = f"<library>/{file.name}"
            table = table.merged(read_family(path, file.read_text(encoding="utf-8")))
    return table
