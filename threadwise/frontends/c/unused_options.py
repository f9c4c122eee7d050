"""Options that name what the program does not have, such as a function with a misspelt name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from threadwise.frontends.c import tree
from threadwise.frontends.c.options import COptions


def unused(program: tree.Program, options: COptions) -> Iterator[str]:
    """In words, each in one line."""
    known = {function.shown for function in program.functions.values()}
    for option, names in (("--assume-pure", options.pure), ("--idle", options.idle)):
        for name in sorted(names - known - set(program.functions)):
            yield f"{option} {name}: the program has no such function"
    for folder in options.include:
        if not Path(folder).is_dir():
            yield f"-I {folder}: no such folder"
