"""How a program was loaded, for the reader: as the options that say it, and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any

from threadwise.core.c_options import COptions
from threadwise.core.doubts import SWITCHED
from threadwise.core.load_options import LoadOptions
from threadwise.core.options import options

_USUAL = LoadOptions()
_NAMES = {
    option.recorded.removeprefix("c."): option.key
    for option in reversed([*options().values()])
    if option.recorded
} | {"beside": "", "doubts": ""}
"""The options that fields stand for, of several the first; without name: files, and switches."""


def options_given(load: LoadOptions) -> list[str]:
    """The options that differ from their defaults, as on the command line."""
    found = [*_differing(load, _USUAL, ("c",)), *_differing(load.c, _USUAL.c, ("max_threads",))]
    return [option for name, value in found for option in _told(name, value)]


def load_to_json(load: LoadOptions) -> dict[str, Any]:
    """All options, those with their default values too."""
    found = {f.name: _plain(getattr(load, f.name)) for f in fields(LoadOptions) if f.name != "c"}
    found["c"] = {
        f.name: _plain(getattr(load.c, f.name))
        for f in fields(COptions)
        if f.name != "max_threads"
    }
    return found


def _differing(
    options: LoadOptions | COptions, usual: LoadOptions | COptions, but: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name not in but and value != getattr(usual, field.name):
            yield field.name, value


def _told(name: str, value: Any) -> Iterator[str]:
    """An option with its value, as often as it has to be given."""
    option = _NAMES.get(name, name)
    before = f"--{option} " if option else ("--" if name == "doubts" else "")
    match value:
        case bool():
            yield f"--{option}" if value else f"--no-{option}"
        case Mapping():
            yield from (f"{before}{shlex.quote(f'{k}={v}')}" for k, v in value.items())
        case tuple() | frozenset():
            items = sorted(value) if isinstance(value, frozenset) else value
            if name == "doubts":
                yield from (f"{before if i in SWITCHED else 'allowing '}{i}" for i in items)
                return
            yield from (f"{before}{shlex.quote(str(item))}" for item in items)
        case Enum():
            yield f"{before}{value.value}"
        case _:
            yield f"{before}{shlex.quote(str(value))}"


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return dict(value)
        case frozenset():
            return sorted(value)
        case tuple():
            return list(value)
        case Enum():
            return value.value
        case _:
            return value
