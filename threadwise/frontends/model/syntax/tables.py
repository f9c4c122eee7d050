"""The parser of the model language, loaded from tables.

`tables.json` is generated from `grammar.lark` by `make_tables`.
"""

from __future__ import annotations

from pathlib import Path

import lark

from threadwise.core.grammars import StoredGrammar
from threadwise.frontends.model.syntax.build import TreeBuilder

_HERE = Path(__file__).parent
STORED = StoredGrammar(
    _HERE / "grammar.lark",
    _HERE / "tables.json",
    {"lexer": "basic", "keep_all_tokens": True, "maybe_placeholders": False},
)


def load_parser(stored: StoredGrammar = STORED) -> lark.Lark:
    """The parser of the model language."""
    return stored.load(TreeBuilder())
