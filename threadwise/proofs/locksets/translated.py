"""The program that is analysed in place of another one, and the way back.

It has the same runs and races (`threadwise.proofs.locksets.webs`,
`threadwise.proofs.locksets.contexts`); more of its variables are used for one purpose only.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.program import EdgeId, Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.locations import Location
from threadwise.proofs.locksets.contexts import Contexts, in_contexts
from threadwise.proofs.locksets.webs import Split, split
from threadwise.semantics.state import Move, State


@dataclass(frozen=True)
class Translated:
    """A program, and what is analysed in its place."""

    split: Split
    contexts: Contexts

    @property
    def program(self) -> Program:
        """The program that is analysed."""
        return self.contexts.program

    # -- there -----------------------------------------------------------------------------------

    def state(self, state: State, bodies: tuple[str, ...]) -> State:
        """The state that a state stands for, where threads begin with these bodies."""
        return self.contexts.state(self.split.state(state), bodies)

    def move(self, move: Move, bodies: tuple[str, ...]) -> Move:
        """The step that a step stands for."""
        steps = self.contexts.steps[bodies[move.thread]]
        choices = (
            choice._replace(edge=steps.get(choice.edge, choice.edge)) for choice in move.choices
        )
        return move._replace(choices=tuple(choices))

    # -- and back --------------------------------------------------------------------------------

    def proof(self, proof: CheckedProof) -> CheckedProof:
        """What was learnt, by the edges and locations of the program that was given."""
        if self.program is self.contexts.before:
            return proof
        return replace(
            proof,
            taken_edges=self._edges(proof.taken_edges),
            visited_locations=frozenset(
                int(self.contexts.locations[at]) for at in proof.visited_locations
            ),
            locations={
                name: tuple(map(self._location, found)) for name, found in proof.locations.items()
            },
        )

    def _edges(self, edges: Iterable[EdgeId]) -> frozenset[EdgeId]:
        return frozenset(self.contexts.edges[edge] for edge in edges)

    def _location(self, location: Location) -> Location:
        undecided = tuple(
            replace(pair, edges=frozenset(map(self._edges, pair.edges)))
            for pair in location.undecided
        )
        return replace(location, undecided=undecided, crowd=self._edges(location.crowd))


def translated(program: Program) -> Translated:
    """What is analysed in place of a program."""
    found = split(program)
    return Translated(found, in_contexts(found.program))
