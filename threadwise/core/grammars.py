"""Parsers whose tables are built beforehand and loaded at start-up.

Tables that were made from another grammar or by another version of the parser library are not
used: the parser is then built from the grammar, which takes some tenths of a second longer.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from threadwise.core.quick_dataclass import dataclass, field


@dataclass(frozen=True)
class StoredGrammar:
    """A grammar, where its tables are, and how its parser is made."""

    grammar: Path
    tables: Path
    options: dict[str, Any] = field(default_factory=dict)
    """Options for the parser library, apart from the transformer."""

    def load(self, transformer: object) -> lark.Lark:
        """The parser, from its tables if they fit."""
        try:
            stored = json.loads(self.tables.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return self.build(transformer)
        if stored.get("fingerprint") != self.fingerprint():
            return self.build(transformer)
        data = stored["data"]
        table = data["parser"]["parser"]
        table["tokens"] = _integer_keys(table["tokens"])
        table["states"] = {
            int(state): _integer_keys(actions) for state, actions in table["states"].items()
        }
        # The library offers this entry to its own stand-alone parsers; `Lark.load` is the same
        # without a way to pass the transformer.
        load = cast(Any, lark.Lark)._load_from_dict
        memo = _integer_keys(stored["memo"])
        return cast(lark.Lark, load(data, memo, transformer=transformer))

    def build(self, transformer: object) -> lark.Lark:
        """The parser, made from the grammar."""
        text = self.grammar.read_text(encoding="utf-8")
        whole: dict[str, Any] = {**self.options, "transformer": transformer}
        return lark.Lark(text, parser="lalr", **whole)

    def store(self, transformer: object) -> None:
        """Build the tables and write them."""
        parser = self.build(transformer)
        parser.options.options["transformer"] = None
        data, memo = cast(Any, parser).memo_serialize([TerminalDef, Rule])
        stored = {"fingerprint": self.fingerprint(), "data": data, "memo": memo}
        text = json.dumps(stored, separators=(",", ":"))
        self.tables.write_text(text + "\n", encoding="utf-8")

    def fingerprint(self) -> str:
        """What the tables depend on: the grammar and the version of the library."""
        digest = hashlib.sha256(self.grammar.read_bytes()).hexdigest()
        return f"{digest} lark {lark.__version__}"


def _integer_keys(mapping: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in mapping.items()}
