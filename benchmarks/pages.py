"""`docs/benchmarks.md`: each benchmark writes its own section, with date and kind of machine."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


def conditions() -> str:
    """When and on what kind of machine."""
    today = datetime.now(UTC).date().isoformat()
    kind = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors"
    return (
        f"Measured on {today}, {kind}, Python {platform.python_version()}, other work beside it."
    )


def write_section(name: str, text: str) -> None:
    """Put a section in the place of the one of the same name, or at the end."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = PAGE.read_text(encoding="utf-8")
    section = f"{begin}\n{text.strip()}\n{end}"
    if begin in page:
        before, rest = page.split(begin, 1)
        _, after = rest.split(end, 1)
        page = before + section + after
    else:
        page = f"{page.rstrip()}\n\n{section}\n"
    PAGE.write_text(page, encoding="utf-8")
