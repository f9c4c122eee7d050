"""The page about functions is what the tables say."""

from __future__ import annotations

from pathlib import Path

from threadwise.frontends.c.library.page import page
from threadwise.frontends.c.library.read import own_table

PAGE = Path(__file__).parents[5] / "docs" / "user" / "c-functions.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_entry_is_described() -> None:
    silent = [e.name for e in own_table().entries.values() if not e.variable and not e.description]
    assert silent == []
