"""What all evidence files have in common: format, version, how the program was loaded, spans."""

from __future__ import annotations

import json

from threadwise.core.errors import InputError
from threadwise.core.source import Span
from threadwise.evidence.jsonio.stores import Json, as_integer, well_formed
from threadwise.evidence.result import LoadOptions

FORMAT_VERSION = 1
TRACE_FORMAT = "threadwise-trace"
CERTIFICATE_FORMAT = "threadwise-certificate"


def parse(text: str, path: str, expected_format: str) -> Json:
    """The JSON object of a file; InputError unless it is of the expected format and version."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError.of(f"{path}: not a JSON file: {error}") from error
    found = data.get("format") if isinstance(data, dict) else None
    if found != expected_format:
        raise InputError.of(f"{path}: not a {expected_format} file")
    if data.get("format_version") != FORMAT_VERSION:
        version = data.get("format_version")
        raise InputError.of(f"{path}: format version {version} is not {FORMAT_VERSION}")
    return data


def load_from_json(data: Json, path: str) -> LoadOptions:
    """How the program of a piece of evidence was loaded."""

    def read() -> LoadOptions:
        load = data["load"]
        return LoadOptions(
            {str(k): str(v) for k, v in load["defines"].items()},
            {str(k): as_integer(v) for k, v in load["threads"].items()},
            as_integer(load["max_threads"]),
        )

    return well_formed(read, path)


def load_to_json(load: LoadOptions) -> Json:
    """How the program was loaded."""
    return {
        "defines": dict(load.defines),
        "threads": dict(load.threads),
        "max_threads": load.max_threads,
    }


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
