"""Comparing output with golden files; `UPDATE_GOLDEN=1 pytest …` rewrites them."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent


def assert_golden(name: str, text: str) -> None:
    """The text equals the golden file of this name."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
