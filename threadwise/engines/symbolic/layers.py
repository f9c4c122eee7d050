"""Error states backwards, layer by layer, and a trace through the layers.

Layer 0 violates the property; every state of layer k + 1 has a step into layer k or below. The
layers are sets of states of the program itself, without ghosts. A trace starts in an initial state
of some layer and is followed forwards in the reference semantics, each time to a successor in the
lowest layer that has one: it comes down at least one layer with each step.
"""

from __future__ import annotations

from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.core.errors import InternalError
from threadwise.engines.symbolic.states import contains, pick
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter
from threadwise.traces.trace import Trace


class Layers:
    """The error states of one property."""

    def __init__(self, model: Model, states: Node) -> None:
        self.model = model
        self.layers = [states]
        self.all = states

    def add_predecessors(self, states: Node, within: Node | None = None) -> bool:
        """A new layer with the states before some error states; whether there are new ones."""
        found = predecessors(self.model, states) & ~self.all
        if within is not None:
            found = found & within
        if found == self.model.manager.false:
            return False
        self.layers.append(found)
        self.all = self.all | found
        return True

    def trace(self, program: Program, start: Node, name: str) -> Trace:
        """A run from one of the initial states `start`, which are error states."""
        interpreter = Interpreter(program)
        rank, state = self._first(start)
        initial = state.g.cells
        moves: list[Move] = []
        while rank > 0:
            rank, move, state = self._down(interpreter, state, rank)
            moves.append(move)
        return Trace(program_hash(program), name, initial, tuple(moves))

    def _first(self, start: Node) -> tuple[int, State]:
        for rank, layer in enumerate(self.layers):
            both = layer & start
            if both != self.model.manager.false:
                return rank, pick(self.model, both)
        raise InternalError("an initial state that is in no layer")

    def _down(self, interpreter: Interpreter, state: State, rank: int) -> tuple[int, Move, State]:
        offered = list(interpreter.successors(state))
        for lower in range(rank):
            for transition in offered:
                if contains(self.model, self.layers[lower], transition.state):
                    return lower, transition.move, transition.state
        raise InternalError("an error state without a way to the error")


def predecessors(model: Model, states: Node) -> Node:
    """The states from which one step leads into a set; no thread has stopped there."""
    manager = model.manager
    before = manager.union(
        action.pre(manager, states) for thread in model.threads for action in thread.actions
    )
    for thread in model.threads:
        before = before & thread.reach & ~thread.stopped
    return before
