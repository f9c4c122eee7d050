"""Where messages about a model go: nodes become spans and source text, errors are collected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from threadwise.core.diagnostics import DiagnosticBag, Note
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile, Span
from threadwise.core.suggestions import did_you_mean

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*[\s\S]*?\*/)+")
_LONGEST_TEXT = 60
_MOST_HINTS = 30
_FARTHEST = 3
"""How much longer or shorter the name meant may be than the one written."""


class Placed(Protocol):
    """Anything with a place in the text: nodes and tokens."""

    @property
    def start_pos(self) -> int:
        """The offset of the first character."""

    @property
    def end_pos(self) -> int:
        """The offset behind the last character."""


class Reporter:
    """Collects the errors of one model."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.bag = DiagnosticBag()
        self._latest: tuple[Placed | None, Span] = None, source.span(0, 0)

    def span(self, node: Placed) -> Span:
        """Where a node stands."""
        # Most statements ask several times in a row.
        if self._latest[0] is not node:
            self._latest = node, self.source.span(node.start_pos, node.end_pos)
        return self._latest[1]

    def text(self, node: Placed) -> str:
        """The source of a node on one line, cut if it is long."""
        # Twice the length leaves room for blanks and comments that fall away.
        end = min(node.end_pos, node.start_pos + 2 * _LONGEST_TEXT)
        text = _BLANK.sub(" ", self.source.text[node.start_pos : end])
        if len(text) > _LONGEST_TEXT or end < node.end_pos:
            return text[: _LONGEST_TEXT - 1].rstrip() + "…"
        return text

    def error(
        self,
        node: Placed | None,
        message: str,
        hint: str | None = None,
        *,
        notes: Iterable[tuple[str, Placed]] = (),
    ) -> None:
        """Report a mistake; the run goes on to find others."""
        placed = tuple(Note(text, self.span(where)) for text, where in notes)
        self.bag.error(message, None if node is None else self.span(node), hint, placed)

    def unknown(self, node: Placed, kind: str, name: str, candidates: Iterable[str]) -> None:
        """Report a name that means nothing here."""
        self.error(node, f"unknown {kind} `{name}`", self.near(name, candidates))

    def near(self, name: str, candidates: Iterable[str]) -> str | None:
        """The hint that another name was probably meant; none once there are many errors."""
        if len(self.bag) >= _MOST_HINTS:
            return None
        longest = _FARTHEST + len(name)
        return did_you_mean(
            name, [c for c in candidates if longest - 2 * _FARTHEST <= len(c) <= longest]
        )

    def raise_errors(self) -> None:
        """Stop if there was an error."""
        if self.bag.has_errors:
            raise InputError(self.bag.diagnostics())
