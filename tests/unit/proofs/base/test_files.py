"""Certificate files: lines in, documents out, and what is wrong is noticed."""

import json

import pytest

from threadwise.core.documents import CERTIFICATE_FORMAT, FORMAT_VERSION
from threadwise.core.errors import InputError
from threadwise.proofs.base.files import CHUNK, certificate_lines, read_certificates

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
    ((document, line),) = read_certificates(lines, "f")
    assert (stripped(document), line) == (DOCUMENT, 1)


def test_a_frontier_chain_keeps_its_empty_parts() -> None:
    chain = {**DOCUMENT, "kind": "frontier", "chain": [[[[0, 0]], []], [[], [[1, 1]]]]}
    ((document, _),) = read_certificates(certificate_lines(chain), "f")
    assert document["chain"] == chain["chain"]


def test_a_file_may_hold_several_certificates() -> None:
    other = {**DOCUMENT, "properties": ["b"]}
    lines = [*certificate_lines(DOCUMENT), *certificate_lines(other)]
    assert [stripped(d) for d, _ in read_certificates(lines, "f")] == [DOCUMENT, other]


def test_a_document_on_one_line_is_read_too() -> None:
    assert list(read_certificates([json.dumps(DOCUMENT)], "f")) == [(DOCUMENT, 1)]


def test_every_missing_line_is_noticed() -> None:
    lines = list(certificate_lines(DOCUMENT))
    for gone in range(len(lines)):
        with pytest.raises(InputError):
            list(read_certificates(lines[:gone] + lines[gone + 1 :], "f"))


@pytest.mark.parametrize(
    "line",
    [
        '{"table": "unknown", "rows": []}',
        '{"table": "reached", "rows": [[0, 0]]}',
        '{"table": "reached", "part": [2], "rows": [[0, 0]]}',
        '{"table": "reached", "part": [-1], "rows": [[0, 0]]}',
        '{"table": "globals", "part": [0], "rows": [[0, 0]]}',
        '{"table": "globals", "rows": 7}',
        '{"table": "globals", "rows": ["a", {"b": 1}, NaN, 7]}',
        '{"table": "globals", "rows": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"table": "globals", "rows": [' + "1" * 10_000 + "]}",
        '{"table": ["globals"], "rows": []}',
        '{"table": "reached", "part": ["0"], "rows": []}',
        '{"table"',
        "[]",
    ],
)
def test_a_wrong_line_is_refused(line: str) -> None:
    lines = [*certificate_lines(DOCUMENT), line]
    with pytest.raises(InputError, match=rf"f:(1|{len(lines)}):"):
        list(read_certificates(lines, "f"))
