"""The steps of single threads as formulas, for certificates that are checked by a solver.

A step starts at a visible location, follows one edge or a path through an atomic region, and
ends at the next visible location. Its `condition` says when it can be taken, over the
environment before and the constants for havocs; `after` is the environment it leads to. Calls
and returns change no shared variable; what they do to a thread's own variables is left out here,
so they are for proofs that are not about those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, LocId, Program
from threadwise.proofs.toolbox.smt.edges import Firing, SharedAccess, Steps
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment, Environments
from threadwise.proofs.toolbox.smt.terms import Terms

MOST_STEPS = 2000
"""More paths than this through an atomic region are not listed."""
LONGEST_STEP = 400


@dataclass(frozen=True)
class SymbolicStep:
    """One step of one thread."""

    source: LocId
    target: LocId
    edges: tuple[Edge, ...]
    condition: Term
    after: Environment
    accesses: tuple[SharedAccess, ...]


class SymbolicSteps:
    """The steps of the threads of a program, from environments that a caller makes."""

    def __init__(
        self,
        program: Program,
        logic: Terms,
        tick: Callable[[], object],
    ) -> None:
        self.program = program
        self.logic = logic
        self.environments = Environments(program, logic)
        self.encoder = Encoder(self.environments)
        self.firing = Firing(self.encoder)
        self.walk = Steps(self.firing)
        self.tick = tick

    @cached_property
    def locations(self) -> dict[str, list[LocId]]:
        """Per template the visible locations of its threads that are no failures."""
        found: dict[str, list[LocId]] = {}
        for template in self.program.templates:
            names: dict[str, None] = {}
            pending = [template.body]
            while pending:
                name = pending.pop()
                if name not in names:
                    names[name] = None
                    for edge in self.program.procedure[name].edges:
                        if isinstance(edge.action, Call):
                            pending.append(edge.action.procedure)
            found[template.name] = [
                location.id
                for procedure in self.program.procedures
                if procedure.name in names
                for location in procedure.locations
                if not location.atomic and location.failure is None
            ]
        return found

    def steps(self, before: Environment) -> Iterator[SymbolicStep]:
        """The steps, without calls and returns, of a thread whose location is known."""
        assert isinstance(before.location, int)
        source = LocId(before.location)
        self._listed = 0
        begun = SymbolicStep(source, source, (), self.logic.true, before, ())
        yield from self._continued(begun)

    def _continued(self, begun: SymbolicStep) -> Iterator[SymbolicStep]:
        if len(begun.edges) > LONGEST_STEP or self._listed > MOST_STEPS:
            span = self.program.locations[begun.source].span
            raise Unsupported("an atomic block with very many or very long paths", span)
        for edge in self.program.outgoing[begun.target]:
            if isinstance(edge.action, Call | Return):
                continue
            self.tick()
            fired = self.firing.fire(edge, begun.after)
            condition = self.logic.conjunction(
                [begun.condition, self.logic.simplify(fired.condition)]
            )
            if self.logic.is_false(condition):
                continue
            step = SymbolicStep(
                begun.source,
                edge.target,
                (*begun.edges, edge),
                condition,
                fired.after,
                (*begun.accesses, *self.walk.edge_accesses(edge, begun.after)),
            )
            self._listed += 1
            if self.program.locations[edge.target].atomic:
                yield from self._continued(step)
            else:
                yield step
