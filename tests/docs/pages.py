"""The pages of the documentation, and the blocks of code in them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    str(path.relative_to(ROOT))
    for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
]
"""All Markdown files of the project, as paths from its root."""

ELLIPSIS = "…\n"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The blocks of code of a page, each with its language."""
    for found in _BLOCK.finditer(text_of(page)):
        yield found[1], found[2]


def with_blocks(language: str) -> list[str]:
    """The pages that have code in a language."""
    return [page for page in PAGES if any(found == language for found, _ in blocks(page))]


def pattern(expected: str) -> str:
    """A regular expression for expected output.

    A line `…` stands for any number of lines, and `…` in a line for anything in it.
    """
    lines = (
        r"(?:.*\n)*"
        if line == ELLIPSIS
        else ".*".join(map(re.escape, normalised(line).split("…")))
        for line in expected.splitlines(keepends=True)
    )
    return "".join(lines)


def normalised(text: str) -> str:
    """Output without what differs from run to run: times and memory."""
    return re.sub(r"\d+ MB", "M MB", re.sub(r"\d+\.\d\d s", "T s", text))
