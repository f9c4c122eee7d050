"""Traces and certificates as JSON files: versioned, and checked when read."""

from threadwise.evidence.jsonio.certificates import certificate_from_json, certificate_to_json
from threadwise.evidence.jsonio.documents import (
    CERTIFICATE_FORMAT,
    FORMAT_VERSION,
    TRACE_FORMAT,
    load_from_json,
    parse,
    span_to_json,
)
from threadwise.evidence.jsonio.traces import (
    differences,
    trace_from_json,
    trace_to_json,
)

__all__ = [
    "CERTIFICATE_FORMAT",
    "FORMAT_VERSION",
    "TRACE_FORMAT",
    "certificate_from_json",
    "certificate_to_json",
    "differences",
    "load_from_json",
    "parse",
    "span_to_json",
    "trace_from_json",
    "trace_to_json",
]
