"""Certificate files: lines in, documents out, and what is wrong is noticed."""

import json

import pytest

from threadwise.core.errors import InputError
from threadwise.evidence.certificate_files import CHUNK, certificate_lines, read_certificates
from threadwise.evidence.jsonio import CERTIFICATE_FORMAT, FORMAT_VERSION

DOCUMENT = {
    "format": CERTIFICATE_FORMAT,
    "format_version": FORMAT_VERSION,
    "kind": "thread-modular",
    "program_hash": "0",
    "properties": ["a"],
    "globals": [[n] for n in range(CHUNK + 5)],
    "locals": [],
    "reached": [[[0, 1], [1, 1]], []],
    "guarantees": [[[0, 1]], [[1, 0]]],
}


def stripped(document: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in document.items() if key not in ("tables", "shapes")}


def test_what_is_written_is_read() -> None:
    lines = list(certificate_lines(DOCUMENT))
    assert len(lines) == 1 + 2 + 1 + 2
    (document,) = read_certificates(lines, "f")
    assert stripped(document) == DOCUMENT


def test_a_frontier_chain_keeps_its_empty_parts() -> None:
    chain = {**DOCUMENT, "kind": "frontier", "chain": [[[[0, 0]], []], [[], [[1, 1]]]]}
    (document,) = read_certificates(certificate_lines(chain), "f")
    assert document["chain"] == chain["chain"]


def test_a_file_may_hold_several_certificates() -> None:
    other = {**DOCUMENT, "properties": ["b"]}
    lines = [*certificate_lines(DOCUMENT), *certificate_lines(other)]
    assert [stripped(d) for d in read_certificates(lines, "f")] == [DOCUMENT, other]


def test_a_document_on_one_line_is_read_too() -> None:
    assert read_certificates([json.dumps(DOCUMENT)], "f") == [DOCUMENT]


def test_every_missing_line_is_noticed() -> None:
    lines = list(certificate_lines(DOCUMENT))
    for gone in range(len(lines)):
        with pytest.raises(InputError):
            read_certificates(lines[:gone] + lines[gone + 1 :], "f")


@pytest.mark.parametrize(
    "line",
    [
        '{"table": "unknown", "rows": []}',
        '{"table": "reached", "rows": [[0, 0]]}',
        '{"table": "reached", "part": [2], "rows": [[0, 0]]}',
        '{"table": "reached", "part": [-1], "rows": [[0, 0]]}',
        '{"table": "globals", "part": [0], "rows": [[0, 0]]}',
        '{"table": "globals", "rows": 7}',
        '{"table"',
        "[]",
    ],
)
def test_a_wrong_line_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        read_certificates([*certificate_lines(DOCUMENT), line], "f")
