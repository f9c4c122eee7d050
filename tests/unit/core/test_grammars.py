"""Stored parser tables: up to date, and used only where they fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from threadwise.core.grammars import StoredGrammar
from threadwise.frontends.model.syntax import tables
from threadwise.frontends.model.syntax.build import TreeBuilder
from threadwise.ir.text import parsing

STORED = {
    "threadwise.frontends.model.syntax": tables.STORED,
    "threadwise.ir.text": parsing.STORED,
}


@pytest.mark.parametrize("package", list(STORED))
def test_stored_tables_are_those_of_the_grammar(package: str) -> None:
    stored = STORED[package]
    found = json.loads(stored.tables.read_text(encoding="utf-8"))
    assert found["fingerprint"].split()[0] == stored.fingerprint().split()[0], (
        f"run python -m {package}.make_tables"
    )


def test_tables_are_used_only_if_they_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[bool] = []
    original = StoredGrammar.build

    def counting(stored: StoredGrammar, transformer: object) -> object:
        built.append(True)
        return original(stored, transformer)

    path = tmp_path / "tables.json"
    stored = StoredGrammar(tables.STORED.grammar, path, tables.STORED.options)
    monkeypatch.setattr(StoredGrammar, "build", counting)
    tables.load_parser(stored)
    path.write_text("no json", encoding="utf-8")
    tables.load_parser(stored)
    path.write_text('{"fingerprint": "of another grammar"}', encoding="utf-8")
    tables.load_parser(stored)
    assert len(built) == 3
    stored.store(TreeBuilder())
    assert len(built) == 4
    tables.load_parser(stored)
    assert len(built) == 4
