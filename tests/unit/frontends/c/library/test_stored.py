"""The table as it was read the last time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from threadwise.core.source import Span
from threadwise.frontends.c.library.entry import Entry, Table
from threadwise.frontends.c.library.read import own_table
from threadwise.frontends.c.library.stored import stored_table


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


class Reading:
    """Reads a table, and counts how often."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.times = 0

    def __call__(self) -> Table:
        self.times += 1
        return self.table


def entry(effect: str) -> Entry:
    return Entry("f", Span.at("<library>/f.toml", 1, 1), ("stdio.h",), "int f(void)", effect)


def test_what_is_stored_is_what_was_read(tmp_path: Path) -> None:
    read = Reading(own_table())
    for _ in range(2):
        found = stored_table([], read, tmp_path / "cache" / "library.json")
        assert repr(found) == repr(read.table)
    assert read.times == 1


def test_changed_files_are_read_again(tmp_path: Path) -> None:
    file, store = tmp_path / "f.toml", tmp_path / "library.json"
    file.write_text("one")
    first = Reading(Table({"f": entry("return 1;")}))
    assert stored_table([file], first, store) == first.table
    os.utime(file, ns=(1, 1))
    second = Reading(Table({"f": entry("return 2;")}))
    assert stored_table([file], second, store) == second.table
    file.write_text("longer")
    os.utime(file, ns=(1, 1))
    third = Reading(Table({"f": entry("return 3;")}))
    assert stored_table([file], third, store) == third.table
    assert stored_table([file], first, store) == third.table
    assert (first.times, second.times, third.times) == (1, 1, 1)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"made from": 1'])
def test_files_that_are_no_tables(tmp_path: Path, text: str) -> None:
    store = tmp_path / "library.json"
    store.write_text(text)
    read = Reading(Table({"f": entry("return 1;")}))
    assert stored_table([], read, store) == read.table
    assert stored_table([], read, store) == read.table
    assert read.times == 1


def test_nothing_is_stored_where_modules_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    read = Reading(Table())
    store = tmp_path / "library.json"
    assert stored_table([], read, store) == Table()
    assert not store.exists()
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert stored_table([], read, tmp_path / "file" / "library.json") == Table()
    assert read.times == 2
