"""The reference of the language is true: its models load, its list of words is the grammar's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.frontends.model.loading import load
from threadwise.frontends.model.syntax.lexer import Lexer
from threadwise.frontends.model.syntax.tables import load_parser
from threadwise.frontends.model.typing.symbols import OPERATIONS

PAGE = (Path(__file__).parents[4] / "docs/user/language.md").read_text(encoding="utf-8")
MODELS = re.findall(r"^```c\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("model", MODELS)
def test_models_load(model: str) -> None:
    load(model)


def test_there_are_models() -> None:
    assert len(MODELS) >= 5


def test_reserved_words() -> None:
    (listed,) = re.findall(
        r"^Reserved words:\n\n```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
    )
    parser = load_parser()
    assert set(listed.split()) == Lexer(parser.terminals, parser.lexer_conf.ignore).reserved
    assert all(f"`{name}`" in PAGE for name in OPERATIONS)
