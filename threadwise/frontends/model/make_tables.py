"""Generates `tables.json`; run it after a change of `grammar.lark`:

python -m threadwise.frontends.model.make_tables
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from lark.grammar import Rule
from lark.lexer import TerminalDef

from threadwise.frontends.model.tables import TABLES, build_parser, fingerprint


def write_tables(path: Path = TABLES) -> None:
    """Build the tables and store them."""
    parser = build_parser()
    parser.options.options["transformer"] = None
    data, memo = cast(Any, parser).memo_serialize([TerminalDef, Rule])
    stored = {"fingerprint": fingerprint(), "data": data, "memo": memo}
    path.write_text(json.dumps(stored, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_tables()
