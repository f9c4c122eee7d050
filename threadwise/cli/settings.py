"""The settings of `check`: built-in defaults, then `threadwise.toml`, then the command line.

The file stands in the current directory; its table `[check]` takes the long options by name:

    [check]
    engine = "explicit"
    property = ["assertions", "races"]
    define = { N = 4 }
    threads = { client = 3 }
    time-limit = "2m"

Of constants and thread counts the command line replaces single ones, of anything else the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.errors import InputError
from threadwise.core.options import Settings, options
from threadwise.core.source import SourceFile, Span
from threadwise.core.suggestions import did_you_mean

FILE_NAME = "threadwise.toml"
TABLE = "check"


def resolve(given: Mapping[str, Any], files: Iterable[str] = ()) -> Settings:
    """The settings for what stands on the command line, `files` among it, and in the file."""
    path = Path(FILE_NAME)
    settings = _with_file(Settings(), path) if path.exists() else Settings()
    return _with_given(settings, given, files)


def without_file(given: Mapping[str, Any], files: Iterable[str] = ()) -> Settings:
    """The settings for what stands on the command line alone: to show a program, and run it."""
    return _with_given(Settings(), given, files)


def _with_given(settings: Settings, given: Mapping[str, Any], files: Iterable[str]) -> Settings:
    for option, value in given.items():
        if option == "define":
            value = macros(value, files)
        settings = _with(settings, option, value)
    return settings


def _with(settings: Settings, name: str, given: object) -> Settings:
    """With the value of one option; of constants and counts, those it names are replaced."""
    option = options()[name]
    value = option.value.read(option.key, given)
    before = getattr(settings, name)
    if isinstance(before, Mapping) and isinstance(value, Mapping):
        value = {**before, **value}
    changes: dict[str, Any] = {name: value}
    return replace(settings, **changes)


def macros(define: list[str], files: Iterable[str]) -> list[str]:
    """`-D NAME` is `-D NAME=1` in C."""
    from threadwise.driver.loading import is_c

    if not any(is_c(path) for path in files):
        return define
    return [item if "=" in item else f"{item}=1" for item in define]


# -- the file ------------------------------------------------------------------------------------


def _with_file(settings: Settings, path: Path) -> Settings:
    from threadwise.core.reading import read_source

    source = read_source(path)
    table = _table(source)
    errors: list[Diagnostic] = []
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in options():
            known = [option.key for option in options().values()]
            hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
            message = f"unknown setting `{key}` in [{TABLE}]"
            errors.append(Diagnostic(Severity.ERROR, message, _span_of(source, key), hint))
            continue
        try:
            settings = _with(settings, name, value)
        except InputError as error:
            span = _span_of(source, key)
            errors.extend(replace(diagnostic, span=span) for diagnostic in error.diagnostics)
    if errors:
        raise InputError(errors)
    return settings


def _table(source: SourceFile) -> Mapping[str, Any]:
    import tomllib

    try:
        document = tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"\s*\(at line (\d+), column (\d+)\)", str(error))
        span = Span.at(source.path, int(place[1]), int(place[2])) if place else None
        message = str(error)[: place.start()] if place else str(error)
        raise InputError.of(f"not a TOML file: {message}", span) from None
    for name, table in document.items():
        span = _span_of(source, name)
        if name != TABLE:
            hint = did_you_mean(name, [TABLE]) or f"settings stand in the table [{TABLE}]"
            raise InputError.of(f"unknown table `{name}`", span, hint)
        if not isinstance(table, dict):
            raise InputError.of(f"`{name}` is not a table", span, f"write [{TABLE}]")
    table = document.get(TABLE, {})
    assert isinstance(table, dict)
    return table


def _span_of(source: SourceFile, key: str) -> Span | None:
    """Where a key or a table stands; the parser does not say."""
    quoted = re.escape(key)
    found = re.search(rf"^[ \t]*\[?[ \t]*[\"']?({quoted})\b", source.text, re.MULTILINE)
    return source.span(*found.span(1)) if found else None
