"""The table that we ship, and the files of `--library`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.frontends.c.library.entry import Table
from threadwise.frontends.c.library.family import read_family
from threadwise.frontends.c.library.stored import stored_table


def read_table(files: Iterable[str] = ()) -> Table:
    """Our own table and those of the user's files; later ones win."""
    table = own_table()
    for path in files:
        table = _resolved(table.merged(read_family(path, read_source(path).text)))
    return table


def _resolved(table: Table) -> Table:
    """The table with the effects of entries that are as others are."""
    entries = dict(table.entries)
    for name, entry in entries.items():
        if entry.same_as is None or entry.effect:
            continue
        other = entries.get(entry.same_as)
        if other is None or other.same_as is not None:
            message = f"`{name}` is as `{entry.same_as}`, which has no effect of its own"
            raise InputError.of(message, entry.span)
        effect = other.effect.replace(f"ignores({other.name})", f"ignores({name})")
        headers = tuple(dict.fromkeys((*entry.headers, *other.headers)))
        entries[name] = replace(
            entry, effect=effect, headers=headers, effect_line=other.effect_line, source=other.span
        )
    return Table(entries, table.types)


@cache
def own_table() -> Table:
    """The table that we ship."""
    files = sorted(Path(__file__).parent.glob("*.toml"))
    return stored_table(files, lambda: _read(files))


def _read(files: Iterable[Path]) -> Table:
    table = Table()
    for file in files:
        path = f"<library>/{file.name}"
        table = table.merged(read_family(path, file.read_text(encoding="utf-8")))
    return _resolved(table)
