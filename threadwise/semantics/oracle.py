"""The brute-force oracle: all reachable states, and which properties some state violates.

No parents, no traces, no tricks: engines are tested against this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter


@dataclass(frozen=True)
class OracleAnswer:
    """The results of brute force.

    `cut` says that a call was not followed because of the depth bound; `limits` are the limits of
    the model that some state ran into.
    """

    states: frozenset[State]
    violated: frozenset[str]
    cut: bool
    limits: frozenset[str]


def explore(program: Program, properties: Sequence[Property], max_depth: int = 50) -> OracleAnswer:
    """Visit every state whose stacks are at most `max_depth` deep."""
    interpreter = Interpreter(program)
    checker = PropertyChecker(interpreter)
    reached = set(interpreter.initial_states())
    pending = list(reached)
    violated: set[str] = set()
    limits: set[str] = set()
    cut = False
    while pending:
        state = pending.pop()
        violated |= {p.name for p in properties if checker.violated(p, state)}
        limit = checker.limit(state)
        if limit is not None:
            limits.add(limit)
        for _, successor in interpreter.successors(state):
            if any(len(stack) > max_depth for stack in successor.stacks):
                cut = True
            elif successor not in reached:
                reached.add(successor)
                pending.append(successor)
    return OracleAnswer(frozenset(reached), frozenset(violated), cut, frozenset(limits))
