"""A function as libclang prints it: macros expanded, made from the tree itself.

For what cursors do not tell: the n-th occurrence of a keyword in the printed text is that of the
n-th cursor of the kind that begins with it. Where the numbers of both differ nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from threadwise.frontends.c.parse.native import Node, descendants, pretty_printed

_TOKEN = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_$][\w$]*|\S""", re.DOTALL)


class PrintedFunction:
    """The printed form of one definition."""

    def __init__(self, definition: Node) -> None:
        self._definition = definition
        self._places: dict[str, dict[int, int]] = {}

    @cached_property
    def _tokens(self) -> list[str]:
        return _TOKEN.findall(pretty_printed(self._definition))

    def behind(self, node: Node, kind: Any, keyword: str) -> list[str] | None:
        """The tokens behind the keyword with which a cursor begins; None if that is unclear."""
        if keyword not in self._places:
            self._places[keyword] = self._locate(kind, keyword)
        place = self._places[keyword].get(node.hash)
        return None if place is None else self._tokens[place + 1 :]

    def _locate(self, kind: Any, keyword: str) -> dict[int, int]:
        nodes = [
            node.hash for node in descendants(self._definition) if node._kind_id == kind.value
        ]
        places = [place for place, token in enumerate(self._tokens) if token == keyword]
        return dict(zip(nodes, places, strict=True)) if len(nodes) == len(places) else {}


def parts(tokens: Sequence[str], separator: str) -> Iterator[list[str]]:
    """What stands between separators, in the parentheses with which the tokens begin."""
    depth = 0
    part: list[str] = []
    for token in tokens:
        if token in {"(", "[", "{"}:
            depth += 1
            if depth == 1:
                continue
        elif token in {")", "]", "}"}:
            depth -= 1
            if depth == 0:
                break
        if token == separator and depth == 1:
            yield part
            part = []
        else:
            part.append(token)
    yield part
