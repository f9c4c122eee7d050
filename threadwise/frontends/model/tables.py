"""The parser's tables: built from the grammar beforehand, loaded at start-up.

`tables.json` is generated from `grammar.lark` by `make_tables`.

Tables that were made from another grammar or by another version of the parser library are not
used: the parser is then built from the grammar, which takes a tenth of a second longer.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import lark

from threadwise.frontends.model.build import TreeBuilder

_HERE = Path(__file__).parent
GRAMMAR = _HERE / "grammar.lark"
TABLES = _HERE / "tables.json"


def load_parser() -> lark.Lark:
    """The parser of the model language."""
    try:
        stored = json.loads(TABLES.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return build_parser()
    if stored.get("fingerprint") != fingerprint():
        return build_parser()
    data = stored["data"]
    table = data["parser"]["parser"]
    table["tokens"] = _integer_keys(table["tokens"])
    table["states"] = {
        int(state): _integer_keys(actions) for state, actions in table["states"].items()
    }
    # The library offers this entry to its own stand-alone parsers; `Lark.load` is the same
    # without a way to pass the transformer.
    load = cast(Any, lark.Lark)._load_from_dict
    return cast(lark.Lark, load(data, _integer_keys(stored["memo"]), transformer=TreeBuilder()))


def build_parser() -> lark.Lark:
    """The parser, made from the grammar."""
    return lark.Lark(
        GRAMMAR.read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=TreeBuilder(),
    )


def fingerprint() -> str:
    """What the tables depend on: the grammar and the version of the library."""
    digest = hashlib.sha256(GRAMMAR.read_bytes()).hexdigest()
    return f"{digest} lark {lark.__version__}"


def _integer_keys(mapping: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in mapping.items()}
