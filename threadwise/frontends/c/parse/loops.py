"""Which parts of a `for` header are there.

libclang lists only the parts that are present. If that leaves a doubt, the printed form of the
function decides: libclang prints it from its own tree, macros expanded, so its n-th `for` is the
n-th `for` cursor. Where the numbers of both differ nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from threadwise.frontends.c.parse.native import Kind, Node, pretty_printed

Present = tuple[bool, bool, bool]
_ALL = 3
_TOKEN = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_$][\w$]*|\S""", re.DOTALL)


class ForHeaders:
    """The `for` loops of one function."""

    def __init__(self, definition: Node) -> None:
        self._definition = definition

    def present(self, loop: Node, parts: Sequence[Node]) -> Present | None:
        """Whether the loop has a first part, a condition, a part after; None: it is unclear."""
        if len(parts) == _ALL:
            return True, True, True
        if not parts:
            return False, False, False
        if parts[0].kind == Kind.DECL_STMT and len(parts) == 1:
            return True, False, False
        found = self._by_hash.get(loop.hash)
        return found if found is not None and sum(found) == len(parts) else None

    @cached_property
    def _by_hash(self) -> dict[int, Present]:
        loops = [
            node.hash
            for node in self._definition.walk_preorder()
            if node._kind_id == Kind.FOR_STMT.value
        ]
        headers = printed_headers(pretty_printed(self._definition))
        return dict(zip(loops, headers, strict=True)) if len(loops) == len(headers) else {}


def printed_headers(text: str) -> list[Present]:
    """The headers of all loops in a printed function, in the order of their keywords."""
    tokens = _TOKEN.findall(text)
    return [_header(tokens, index + 1) for index, token in enumerate(tokens) if token == "for"]


def _header(tokens: Sequence[str], start: int) -> Present:
    depth, part = 0, 0
    present = [False, False, False]
    for token in tokens[start:]:
        if token in "([{":
            depth += 1
            if depth == 1:
                continue
        elif token in ")]}":
            depth -= 1
            if depth == 0:
                break
        if token == ";" and depth == 1:
            part += 1
        elif part < _ALL:
            present[part] = True
    return present[0], present[1], present[2]
