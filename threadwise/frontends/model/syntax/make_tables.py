"""Generates `tables.json`; run it after a change of `grammar.lark`:

python -m threadwise.frontends.model.syntax.make_tables
"""

from __future__ import annotations

from threadwise.frontends.model.syntax.build import TreeBuilder
from threadwise.frontends.model.syntax.tables import STORED

if __name__ == "__main__":
    STORED.store(TreeBuilder())
