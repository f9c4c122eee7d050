"""What kinds of values options take, read from the command line or from `threadwise.toml` alike.

A value that does not fit raises InputError, with the name of the option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import ClassVar, Protocol

from threadwise.core.budget import parse_memory, parse_time
from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.suggestions import did_you_mean

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Value(Protocol):
    """How the value of an option is read."""

    @property
    def given_as(self) -> type:
        """What the command line gives: `str`, `int`, `bool`, or `list` for several texts."""

    def read(self, option: str, given: object) -> object:
        """The value; `option` is the long name without dashes in front. Raises InputError."""


@dataclass(frozen=True)
class Text:
    """A text that is not empty."""

    given_as: ClassVar[type] = str

    def read(self, option: str, given: object) -> str:
        """The text."""
        if not isinstance(given, str) or not given:
            raise _wrong(option, "a string")
        return given


@dataclass(frozen=True)
class Texts:
    """Texts, one each time the option is given."""

    given_as: ClassVar[type] = list

    def read(self, option: str, given: object) -> tuple[str, ...]:
        """The texts, in their order."""
        items = [given] if isinstance(given, str) else given
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise _wrong(option, "a string or a list of strings")
        return tuple(items)


@dataclass(frozen=True)
class Names:
    """Names, separated by commas."""

    given_as: ClassVar[type] = list

    def read(self, option: str, given: object) -> tuple[str, ...]:
        """The names, in their order."""
        texts = Texts().read(option, given)
        return tuple(name.strip() for item in texts for name in item.split(",") if name.strip())


@dataclass(frozen=True)
class SetOfNames:
    """Names, separated by commas, whose order does not matter."""

    given_as: ClassVar[type] = list

    def read(self, option: str, given: object) -> frozenset[str]:
        """The names."""
        return frozenset(Names().read(option, given))


@dataclass(frozen=True)
class Switch:
    """On or off."""

    off: str | None = None
    """The option that turns it off, unless that is `no-` and its name; empty: there is none."""
    given_as: ClassVar[type] = bool

    def read(self, option: str, given: object) -> bool:
        """Whether it is on."""
        if not isinstance(given, bool):
            raise _wrong(option, "true or false")
        return given


@dataclass(frozen=True)
class Number:
    """A whole number between bounds."""

    least: int
    most: int | None = None
    given_as: ClassVar[type] = int

    def read(self, option: str, given: object) -> int:
        """The number."""
        if not isinstance(given, int) or isinstance(given, bool):
            raise _wrong(option, "a whole number")
        if self.most is not None and given > self.most:
            raise _wrong(option, f"a whole number up to {self.most}")
        return at_least(self.least, given, f"--{option}")


@dataclass(frozen=True)
class Choice:
    """One of the values of an enumeration, by name."""

    kind: type[Enum]
    fold: Callable[[str], str] = str
    """Applied to what is given, for names in any case."""
    given_as: ClassVar[type] = str

    def read(self, option: str, given: object) -> Enum:
        """The member."""
        known = [choice.value for choice in self.kind]
        wanted = self.fold(str(given))
        if wanted not in known:
            hint = did_you_mean(str(given), known)
            message = f"{option}: `{given}` is not one of {', '.join(known)}"
            raise InputError.of(message, hint=hint)
        return self.kind(wanted)


@dataclass(frozen=True)
class TimeLimit:
    """A time in seconds or with a unit, or `none`."""

    given_as: ClassVar[type] = str

    def read(self, option: str, given: object) -> float | None:
        """Seconds; None if there is no limit."""
        return None if given == "none" else parse_time(_quantity(option, given))


@dataclass(frozen=True)
class Memory:
    """A number of bytes, with a unit or without."""

    given_as: ClassVar[type] = str

    def read(self, option: str, given: object) -> int:
        """Bytes."""
        return parse_memory(_quantity(option, given))


@dataclass(frozen=True)
class Constants:
    """`NAME=VALUE`, or in a file also a table of names and values."""

    given_as: ClassVar[type] = list

    def read(self, option: str, given: object) -> Mapping[str, str]:
        """The values by name."""
        return parse_defines(_assignments(option, given))


@dataclass(frozen=True)
class Counts:
    """`NAME=COUNT`, or in a file also a table of names and numbers."""

    given_as: ClassVar[type] = list

    def read(self, option: str, given: object) -> Mapping[str, int]:
        """The numbers by name."""
        return parse_threads(_assignments(option, given))


def parse_defines(given: Iterable[str]) -> dict[str, str]:
    """Constants and their values from `NAME=VALUE`; the value of a macro may be empty."""
    defines: dict[str, str] = {}
    for item in given:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not _NAME.fullmatch(name) or not equals:
            raise InputError.of(
                f"-D {item}: expected a name, `=` and a value", hint="write -D N=20"
            )
        defines[name] = value
    return defines


def parse_threads(given: Iterable[str]) -> dict[str, int]:
    """Thread counts from `NAME=COUNT`."""
    threads: dict[str, int] = {}
    for item in given:
        name, equals, count = (part.strip() for part in item.partition("="))
        if not _NAME.fullmatch(name) or not equals or not re.fullmatch(r"[0-9]{1,9}", count):
            raise InputError.of(
                f"--threads {item}: expected the name of a thread, `=` and a number",
                hint="write --threads client=4",
            )
        threads[name] = int(count)
    return threads


def at_least(least: int, value: int, option: str) -> int:
    """The value of a numeric option, unless it is too small."""
    if value < least:
        raise InputError.of(f"{option} {value}: expected a number of at least {least}")
    return value


def _wrong(option: str, expected: str) -> InputError:
    return InputError.of(f"{option}: expected {expected}")


def _quantity(option: str, given: object) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise _wrong(option, "a number, or a string with a unit")
    return str(given)


def _assignments(option: str, given: object) -> Iterable[str]:
    if isinstance(given, dict):
        return [f"{name}={_literal(item)}" for name, item in given.items()]
    return Texts().read(option, given)


def _literal(item: object) -> str:
    return str(item).lower() if isinstance(item, bool) else str(item)
