"""Which parts of a `for` header are there.

libclang lists only the parts that are present. If that leaves a doubt, the printed form of the
function decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.frontends.c.parse import printed
from threadwise.frontends.c.parse.native import Kind, Node
from threadwise.frontends.c.parse.printed import PrintedFunction

Present = tuple[bool, bool, bool]
_ALL = 3


def present_parts(
    function: PrintedFunction | None, loop: Node, given: Sequence[Node]
) -> Present | None:
    """Whether the loop has a first part, a condition, a part after; None: it is unclear."""
    if len(given) == _ALL:
        return True, True, True
    if not given:
        return False, False, False
    if given[0].kind == Kind.DECL_STMT and len(given) == 1:
        return True, False, False
    tokens = function.behind(loop, Kind.FOR_STMT, "for") if function is not None else None
    if tokens is None:
        return None
    found = [bool(part) for part in printed.parts(tokens, ";")]
    if len(found) != _ALL or sum(found) != len(given):
        return None
    return found[0], found[1], found[2]
