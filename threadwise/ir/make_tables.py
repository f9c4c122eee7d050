"""Generates `tables.json`; run it after a change of `ir.lark`:

python -m threadwise.ir.make_tables
"""

from __future__ import annotations

from threadwise.ir.read_program import ProgramReader
from threadwise.ir.reader import STORED

if __name__ == "__main__":
    STORED.store(ProgramReader())
