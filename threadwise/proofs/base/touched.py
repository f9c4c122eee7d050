"""Which shared memory a step of a run accesses."""

from __future__ import annotations

from threadwise.ir.commands import Call, Return
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Access, Interpreter


def touched(interpreter: Interpreter, before: State, move: Move) -> list[Access]:
    """The accesses of a move that is possible in a state."""
    g, l = before.g, before.locals[move.thread]
    found: list[Access] = []
    for choice in move.choices:
        edge = interpreter.program.edges[choice.edge]
        if isinstance(edge.action, Call | Return):
            return []
        taken = next(interpreter.fire(edge, move.thread, g, l, choice.values))
        _, g, l, accesses = taken
        found += accesses
    return found
