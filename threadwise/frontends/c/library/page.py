"""The page of the documentation that lists all functions of the table.

python -m threadwise.frontends.c.library.page > docs/user/c-functions.md
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.frontends.c.library.entry import Entry
from threadwise.frontends.c.library.read import own_table

_HEAD = """\
# The functions of the C library

What calling each of them does, and what a verdict then assumes; made from the tables themselves
(`python -m threadwise.frontends.c.library.page`). *Not modelled*: calling it is UNKNOWN. *Any
value* is one that comes from outside; a value that is *not computed* is one that C determines: no
violation rests on it. [The C library](c-library.md) says how to describe further functions.
"""


def page() -> str:
    """The whole page."""
    families: dict[str, list[Entry]] = {}
    for entry in own_table().entries.values():
        if not entry.variable and not entry.name.startswith("__library_"):
            families.setdefault(entry.span.path.rpartition("/")[2], []).append(entry)
    lines = [_HEAD]
    for family in sorted(families):
        lines += [f"## {family.removesuffix('.toml')}", "", *_table(families[family]), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(entries: list[Entry]) -> Iterator[str]:
    assumes = any(entry.assumes for entry in entries)
    yield "| function | effect |" + (" assumed |" if assumes else "")
    yield "|---|---|" + ("---|" if assumes else "")
    for entry in sorted(entries, key=lambda each: each.name):
        effect = f"not modelled: {entry.description}" if entry.limit else entry.description
        row = f"| `{entry.name}` | {effect.replace('|', chr(92) + '|')} |"
        yield row + (f" {'; '.join(entry.assumes)} |" if assumes else "")


if __name__ == "__main__":
    import sys

    sys.stdout.write(page())
