"""Certificate files: JSON, one object per line; large tables are written and read in parts.

    {"format": "threadwise-certificate", "kind": "thread-modular", "tables": {"globals": 3, …}, …}
    {"table": "globals", "rows": [[-1, 1], [0, 1], [0, 0]]}
    {"table": "reached", "part": [0], "rows": [[0, 0], [1, 1], …]}

The first line of a certificate names its tables and how many rows each has, so that a file that
was cut short is noticed; tables with a part per thread say which part the rows belong to. A file
may hold several certificates, one after the other. A header may also contain its tables itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from threadwise.core.documents import (
    CERTIFICATE_FORMAT,
    MALFORMED,
    as_list,
    as_position,
    decode,
    malformed,
    parse,
    shown,
)
from threadwise.core.errors import InputError

Json = Any

DEPTH = {
    "globals": 0,
    "threads": 0,
    "locals": 0,
    "states": 0,
    "chosen": 0,
    "order": 0,
    "futures": 1,
    "parts": 0,
    "ranks": 0,
    "stores": 0,
    "formulas": 0,
    "context_calls": 0,
    "tests": 0,
    "decisions": 0,
    "conjuncts": 0,
    "reached": 1,
    "guarantees": 1,
    "pairs": 1,
    "path_edges": 1,
    "callers": 1,
    "claims": 1,
    "nodes": 1,
    "frames": 1,
    "sums": 1,
    "sum_calls": 1,
    "sum_returns": 1,
    "marks": 1,
    "node_ranks": 1,
    "chain": 2,
}
"""The tables that are written in parts: how many indices name a part."""

CHUNK = 1000
"""Rows per line."""


def certificate_lines(document: dict[str, Json]) -> Iterator[str]:
    """A certificate document (`threadwise.proofs.base.documents`), line by line."""
    tables = {name: document[name] for name in DEPTH if isinstance(document.get(name), list)}
    header = {name: value for name, value in document.items() if name not in tables}
    header["tables"] = {
        name: sum(len(rows) for _, rows in _parts(table, DEPTH[name]))
        for name, table in tables.items()
    }
    header["shapes"] = {
        name: _shape(table, DEPTH[name]) for name, table in tables.items() if DEPTH[name]
    }
    yield json.dumps(header)
    for name, table in tables.items():
        for part, rows in _parts(table, DEPTH[name]):
            for start in range(0, len(rows), CHUNK):
                line: dict[str, Json] = {"table": name, "rows": rows[start : start + CHUNK]}
                if part:
                    line["part"] = list(part)
                yield json.dumps(line)


def _parts(table: list[Json], depth: int) -> Iterator[tuple[tuple[int, ...], list[Json]]]:
    """The lists of rows of a table, with the indices that lead to them."""
    if depth == 0:
        yield (), table
        return
    for index, inner in enumerate(table):
        for rest, rows in _parts(inner, depth - 1):
            yield (index, *rest), rows


def _shape(table: list[Json], depth: int) -> Json:
    """The table without its rows."""
    return [] if depth == 0 else [_shape(inner, depth - 1) for inner in table]


class Document(NamedTuple):
    """A certificate of a file: its JSON, and the line it begins in."""

    data: dict[str, Json]
    line: int


def read_certificates(lines: Iterable[str], path: str) -> Iterator[Document]:
    """The certificates of a file, one after the other; InputError if one is malformed."""
    current: Document | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if current is not None and line.startswith('{"table"'):
                _add_rows(current.data, decode(line, path, number))
                continue
            if current is not None:
                _check_complete(current, path)
                yield current
            current = Document(_header(parse(line, path, CERTIFICATE_FORMAT, number)), number)
        except MALFORMED as error:
            raise malformed(f"{path}:{number}", error) from error
    if current is None:
        raise InputError.of(f"{path}: not a {CERTIFICATE_FORMAT} file")
    _check_complete(current, path)
    yield current


def _header(document: dict[str, Json]) -> dict[str, Json]:
    shapes = document.get("shapes", {})
    for name, rows in document.get("tables", {}).items():
        as_position(rows)
        document[name] = _empty(shapes[name], DEPTH[name]) if DEPTH[name] else []
    return document


def _empty(shape: Json, depth: int) -> list[Json]:
    """A table that has its parts, and no rows."""
    parts = as_list(shape)
    if depth == 0 and parts:
        raise ValueError("the shape of a table with rows")
    return [_empty(inner, depth - 1) for inner in parts]


def _add_rows(document: dict[str, Json], line: dict[str, Json]) -> None:
    name = line["table"]
    if name not in document["tables"]:
        raise ValueError(f"rows of a table {shown(name)} that was not announced")
    target = document[name]
    part = line.get("part", [])
    if len(part) != DEPTH[name]:
        raise ValueError(f"a part of `{name}` with {len(part)} indices")
    for index in part:
        if as_position(index) >= len(target):
            raise ValueError(f"no part {index} of `{name}`")
        target = target[index]
    target.extend(as_list(line["rows"]))


def _check_complete(document: Document, path: str) -> None:
    for name, expected in document.data.get("tables", {}).items():
        found = sum(len(rows) for _, rows in _parts(document.data[name], DEPTH[name]))
        if found != expected:
            reason = f"table `{name}` has {found} rows instead of {expected}"
            raise InputError.of(f"{path}:{document.line}: {reason}")
