"""Generates `tables.json`; run it after a change of `ir.lark`:

python -m threadwise.ir.text.make_tables
"""

from __future__ import annotations

from threadwise.ir.text.parsing import STORED
from threadwise.ir.text.read_program import ProgramReader

if __name__ == "__main__":
    STORED.store(ProgramReader())
