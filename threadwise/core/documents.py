"""What all evidence files have in common: format, version, well-formed values, spans.

How the program was loaded is in `core.load_documents`.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable
from typing import Any, TypeVar

from threadwise.core.errors import InputError
from threadwise.core.source import Span

MOST_THREADS = 100_000
"""Evidence about more threads of a template than this is refused."""


Json = Any


Item = TypeVar("Item")


def shown(item: Json) -> str:
    """An item for a message: short, however large or deep it is."""
    return reprlib.repr(item)


def as_text(item: Json) -> str:
    """A string."""
    if not isinstance(item, str):
        raise TypeError(f"{shown(item)} is not a text")
    return item


def as_truth(item: Json) -> bool:
    """A truth value."""
    if not isinstance(item, bool):
        raise TypeError(f"{shown(item)} is not a truth value")
    return item


def as_list(item: Json) -> list[Json]:
    """A list."""
    if not isinstance(item, list):
        raise TypeError(f"{shown(item)} is not a list")
    return item


def as_integer(item: Json) -> int:
    """A number that is no truth value."""
    if isinstance(item, bool) or not isinstance(item, int):
        raise TypeError(f"{shown(item)} is not an integer")
    return item


def as_position(item: Json) -> int:
    """A number from 0."""
    if as_integer(item) < 0:
        raise ValueError(f"{shown(item)} is not a position")
    return as_integer(item)


def as_count(item: Json) -> int:
    """A number of threads."""
    if as_position(item) > MOST_THREADS:
        raise ValueError(f"{shown(item)} threads are too many")
    return as_position(item)


def as_bit(item: Json) -> int:
    """0 or 1."""
    if as_position(item) > 1:
        raise ValueError(f"{shown(item)} is neither 0 nor 1")
    return as_position(item)


MALFORMED = (
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What reading raises where a document has another shape than expected."""


def malformed(place: str, error: Exception) -> InputError:
    """The error for the user; `place` is a file, with the line if that is known."""
    match error:
        case KeyError():
            told = f"there is no {', '.join(map(shown, error.args))}"
        case RecursionError():
            told = "it is nested too deeply"
        case _:
            told = str(error) or type(error).__name__
    return InputError.of(f"{place}: malformed: {told}")


def well_formed(read: Callable[[], Item], place: str) -> Item:
    """What `read` gives; InputError if the document is not of the expected shape."""
    try:
        return read()
    except MALFORMED as error:
        raise malformed(place, error) from error


FORMAT_VERSION = 2
"""1 was about the program after simplification; 2 is about the program of record."""
TRACE_FORMAT = "threadwise-trace"
CERTIFICATE_FORMAT = "threadwise-certificate"


def parse(text: str, path: str, expected_format: str, line: int = 1) -> Json:
    """The JSON object of a text, from some line on; InputError unless of format and version."""
    data = decode(text, path, line)
    place = path if line == 1 else f"{path}:{line}"
    found = data.get("format") if isinstance(data, dict) else None
    if found != expected_format:
        raise InputError.of(f"{place}: not a {expected_format} file")
    if data.get("format_version") != FORMAT_VERSION:
        version = data.get("format_version")
        if version == 1:
            raise InputError.of(
                f"{place}: format 1, which is about simplified programs, is not read any more",
                hint="`threadwise check` writes format 2",
            )
        raise InputError.of(f"{place}: format version {shown(version)} is not {FORMAT_VERSION}")
    return data


def decode(text: str, path: str, line: int = 1) -> Json:
    """The JSON value of a text that begins in some line of a file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{line + error.lineno - 1}:{error.colno}"
        raise InputError.of(f"{place}: not a JSON file: {error.msg}") from error
    except RecursionError as error:
        raise InputError.of(f"{path}:{line}: not a JSON file: nested too deeply") from error
    except ValueError as error:  # a number with too many digits
        raise InputError.of(f"{path}:{line}: not a JSON file: {error}") from error


def span_to_json(span: Span | None) -> Json:
    """A source position."""
    if span is None:
        return None
    return {
        "file": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
