"""Text with styles, in parts: what a page is made of.

`rich` draws what a terminal shows. A pipe shows no styles, and loading `rich` takes as long as
checking a small program; so parts are put together here, and given to it only where styles show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

_ONE_COLUMN = frozenset("…·→—✓✗⋮—–’‘“”")
"""What reports use beside letters."""

_BEYOND = "\u0300"
"""From here on, characters may be combined, or wide."""

_WITHOUT_WIDTH = {ord(each): None for each in "\a\b\v\f\r"}
_TAB = 8


def shown_width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    plain = text.isascii() or all(each < _BEYOND or each in _ONE_COLUMN for each in text)
    if plain and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


class Styled:
    """A line, or a part of one."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self._parts = [(text, style)] if text else []

    @classmethod
    def of(cls, *parts: str | tuple[str, str]) -> Styled:
        """Several parts, some of them with a style."""
        made = cls()
        for part in parts:
            if isinstance(part, str):
                made.add(part)
            else:
                made.add(*part)
        return made

    def add(self, text: str | Styled, style: str = "") -> Styled:
        """Put something at the end; the same object, for more of it."""
        if isinstance(text, Styled):
            self._parts += text._parts
        elif text:
            self._parts.append((text, style))
        return self

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self._parts)

    @property
    def width(self) -> int:
        """How many columns it takes."""
        return shown_width(self.plain)

    def between(self, start: int, end: int) -> Styled:
        """Some of its characters, by position."""
        return Styled.of(*self._within(start, end))

    def _within(self, start: int, end: int) -> Iterator[tuple[str, str]]:
        at = 0
        for text, style in self._parts:
            yield text[max(start - at, 0) : max(end - at, 0)], style
            at += len(text)

    def without_end(self) -> Styled:
        """The same without blanks at the end."""
        return self.between(0, len(self.plain.rstrip()))

    def __bool__(self) -> bool:
        return any(text for text, _ in self._parts)

    @property
    def printed(self) -> str:
        """The text as `rich` prints it: without what moves the cursor."""
        return self.plain.translate(_WITHOUT_WIDTH).expandtabs(_TAB)

    @property
    def rich(self) -> Text:
        """The same for a terminal, or a cell of a table."""
        from rich.text import Text

        if len(self._parts) == 1:
            return Text(*self._parts[0])  # a style of the whole also fills what is padded
        return Text.assemble(*self._parts)
