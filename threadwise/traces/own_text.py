"""Where the user's own text is while a thread is in a function of the library.

Most functions of the library are written out where they are called, and have the lines of the
calls. Those that call functions of the user, as `pthread_once` does, are procedures with lines of
their own, which users do not know.
"""

from __future__ import annotations

from threadwise.core.source import Span
from threadwise.ir.program import Edge, Program
from threadwise.semantics.state import State

_LIBRARY = "<library>"


def is_own(span: Span | None) -> bool:
    """Whether a place is in the user's text."""
    return span is not None and not span.path.startswith(_LIBRARY)


def own_edge(program: Program, state: State, thread: int, edge: Edge) -> Edge | None:
    """The edge, or the user's call from which its thread came to it; None: there is none."""
    if edge.span is None or is_own(edge.span):
        return edge
    calls = (program.edges[frame.call] for frame in reversed(state.stacks[thread]))
    return next((call for call in calls if is_own(call.span)), None)
