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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from threadwise.cli.c_options import allowed_doubts, data_model, names, unknown_functions
from threadwise.cli.options import at_least, parse_defines, parse_threads
from threadwise.core.budget import parse_memory, parse_time
from threadwise.core.c_options import COptions, DataModel, UnknownFunctions
from threadwise.core.diagnostics import Diagnostic, Severity, did_you_mean
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile, Span

FILE_NAME = "threadwise.toml"
TABLE = "check"


class Format(Enum):
    """What a report looks like."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    GCC = "gcc"


DEFAULT_TIME_LIMIT_S = 300.0
"""Who wants to wait longer says so."""


@dataclass(frozen=True)
class CheckSettings:
    """Everything that can be set about a check, one field per option."""

    property: tuple[str, ...] = ()
    engine: str = "auto"
    define: Mapping[str, str] = field(default_factory=dict)
    threads: Mapping[str, int] = field(default_factory=dict)
    max_threads: int | None = None
    max_depth: int | None = None
    symmetry: bool = True
    k: int | None = None
    expose: bool | None = None
    facts: bool | None = None
    max_bdd_nodes: int | None = None
    max_solver_units: int | None = None
    second_solver: bool = False
    audit: bool = True
    time_limit: float | None = DEFAULT_TIME_LIMIT_S
    memory_limit: int | None = None
    jobs: int | None = None
    cache: str | None = None
    first: bool = False
    format: Format = Format.TEXT
    certificate: str | None = None
    trace: str | None = None
    witness: str | None = None
    sarif_all: bool = False
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: str | None = None
    write_baseline: str | None = None
    unknown_exit: int | None = None
    full: bool = False
    verbose: bool = False
    include: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    standard: str = "gnu17"
    data_model: DataModel = DataModel.LP64
    entry: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    assume_pure: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    unknown_functions: UnknownFunctions = UnknownFunctions.LOCAL
    create_may_fail: bool = False
    spurious_wakeups: bool = False
    malloc_may_fail: bool = False
    weak_cas_may_fail: bool = False
    trylock_may_fail: bool = False

    def c(self) -> COptions:
        """How C is read."""
        return COptions(
            include=self.include,
            undefine=self.undefine,
            standard=self.standard,
            data_model=self.data_model,
            entry=self.entry,
            library=self.library,
            pure=frozenset(self.assume_pure),
            idle=frozenset(self.idle),
            unknown_functions=self.unknown_functions,
            create_may_fail=self.create_may_fail,
            doubts=allowed_doubts(lambda name: getattr(self, name)),
        )


def resolve(given: Mapping[str, Any]) -> CheckSettings:
    """The settings for what stands on the command line; options not given are None."""
    settings = CheckSettings()
    path = Path(FILE_NAME)
    if path.exists():
        settings = _with_file(settings, path)
    for option, value in given.items():
        if value is not None:
            settings = _with(settings, option, _READERS[option](value))
    return settings


def _with(settings: CheckSettings, option: str, value: object) -> CheckSettings:
    before = getattr(settings, option)
    if isinstance(before, Mapping) and isinstance(value, Mapping):
        value = {**before, **value}
    changes: dict[str, Any] = {option: value}
    return replace(settings, **changes)


# -- the file ------------------------------------------------------------------------------------


def _with_file(settings: CheckSettings, path: Path) -> CheckSettings:
    from threadwise.core.reading import read_source

    source = read_source(path)
    table = _table(source)
    errors: list[Diagnostic] = []
    for key, value in table.items():
        option = key.replace("-", "_")
        if option not in _READERS:
            known = [name.replace("_", "-") for name in _READERS]
            hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
            message = f"unknown setting `{key}` in [{TABLE}]"
            errors.append(Diagnostic(Severity.ERROR, message, _span_of(source, key), hint))
            continue
        try:
            settings = _with(settings, option, _READERS[option](value))
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


# -- values, as either the command line or the file gives them -----------------------------------


def _wrong(option: str, expected: str) -> InputError:
    return InputError.of(f"{option}: expected {expected}")


def _strings(option: str) -> Callable[[object], tuple[str, ...]]:
    def read(value: object) -> tuple[str, ...]:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise _wrong(option, "a string or a list of strings")
        return tuple(items)

    return read


def _names(option: str) -> Callable[[object], tuple[str, ...]]:
    return lambda value: names(_strings(option)(value))


def _string(option: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or not value:
            raise _wrong(option, "a string")
        return value

    return read


def _switch(option: str) -> Callable[[object], bool]:
    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise _wrong(option, "true or false")
        return value

    return read


def _number(option: str, least: int, most: int | None = None) -> Callable[[object], int]:
    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _wrong(option, "a whole number")
        if most is not None and value > most:
            raise _wrong(option, f"a whole number up to {most}")
        return at_least(least, value, f"--{option}")

    return read


def _quantity(option: str, parse: Callable[[str], float]) -> Callable[[object], float]:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _wrong(option, "a number, or a string with a unit")
        return parse(str(value))

    return read


def _named(
    option: str, parse: Callable[[list[str]], Mapping[str, object]]
) -> Callable[[object], Mapping[str, object]]:
    """`NAME=VALUE` strings, or a table of names and values."""

    def read(value: object) -> Mapping[str, object]:
        if isinstance(value, dict):
            value = [f"{name}={_literal(item)}" for name, item in value.items()]
        return parse(list(_strings(option)(value)))

    return read


def _literal(item: object) -> str:
    return str(item).lower() if isinstance(item, bool) else str(item)


def _time_limit(value: object) -> object:
    """A time, or none at all."""
    return None if value == "none" else _quantity("time-limit", parse_time)(value)


def _format(value: object) -> Format:
    if isinstance(value, Format):
        return value
    names = [choice.value for choice in Format]
    if value not in names:
        hint = did_you_mean(str(value), names)
        raise InputError.of(f"format: `{value}` is not one of {', '.join(names)}", hint=hint)
    return Format(value)


_READERS: dict[str, Callable[[object], object]] = {
    "property": _strings("property"),
    "engine": _string("engine"),
    "define": _named("define", parse_defines),
    "threads": _named("threads", parse_threads),
    "max_threads": _number("max-threads", least=1),
    "include": _strings("include"),
    "undefine": _strings("undefine"),
    "standard": _string("standard"),
    "data_model": data_model,
    "entry": _names("entry"),
    "library": _strings("library"),
    "assume_pure": _names("assume-pure"),
    "idle": _names("idle"),
    "unknown_functions": unknown_functions,
    "create_may_fail": _switch("create-may-fail"),
    "spurious_wakeups": _switch("spurious-wakeups"),
    "malloc_may_fail": _switch("malloc-may-fail"),
    "weak_cas_may_fail": _switch("weak-cas-may-fail"),
    "trylock_may_fail": _switch("trylock-may-fail"),
    "max_depth": _number("max-depth", least=0),
    "symmetry": _switch("symmetry"),
    "k": _number("k", least=1, most=3),
    "expose": _switch("expose"),
    "facts": _switch("facts"),
    "max_bdd_nodes": _number("max-bdd-nodes", least=1),
    "max_solver_units": _number("max-solver-units", least=1),
    "second_solver": _switch("second-solver"),
    "audit": _switch("audit"),
    "time_limit": _time_limit,
    "memory_limit": _quantity("memory-limit", parse_memory),
    "jobs": _number("jobs", least=1),
    "cache": _string("cache"),
    "first": _switch("first"),
    "format": _format,
    "certificate": _string("certificate"),
    "trace": _string("trace"),
    "witness": _string("witness"),
    "sarif_all": _switch("sarif-all"),
    "only": _strings("only"),
    "exclude": _strings("exclude"),
    "baseline": _string("baseline"),
    "write_baseline": _string("write-baseline"),
    "unknown_exit": _number("unknown-exit", least=0, most=125),
    "full": _switch("full"),
    "verbose": _switch("verbose"),
}
