"""The interface of a library: `--entry queue.h` names the functions that this header declares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from threadwise.core.c_options import COptions
from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse import Parser

HEADER = ".h"


def with_declared(options: COptions) -> COptions:
    """The options with the functions that are declared in place of the headers."""
    if not any(name.endswith(HEADER) for name in options.entry):
        return options
    names = [name for each in options.entry for name in _named(each, options)]
    return replace(options, entry=tuple(dict.fromkeys(names)))


def _named(entry: str, options: COptions) -> Iterator[str]:
    """A function, or those of a header; raises InputError."""
    if not entry.endswith(HEADER):
        yield entry
        return
    parser = Parser(replace(options, entry=(), entry_init=()))
    parser.add([read_source(entry)])
    for function in parser.declared:
        if os.path.realpath(function.span.path) == os.path.realpath(entry):
            yield function.name


def with_defined(options: COptions, asked: COptions, program: tree.Program) -> COptions:
    """The same without what a header declares and the program does not define."""

    def is_defined(name: str) -> bool:
        function = program.functions.get(name)
        return function is not None and function.body is not None and not function.library

    kept = tuple(name for name in options.entry if name in asked.entry or is_defined(name))
    if asked.entry and not kept:
        headers = ", ".join(asked.entry)
        raise InputError.of(f"--entry {headers}: the program defines no function declared there")
    return replace(options, entry=kept)
