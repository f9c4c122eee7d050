"""The steps of a thread as formulas, with paths that exclude each other merged where they meet.

As `steps`, but a path through an atomic region that branches and joins again is followed once
behind the join: values that differ become case distinctions. So a loop over N cells with a branch
in it costs N rounds, not 2^N paths. Two paths are merged only if a solver says that no state takes
both; a loop is only followed as long as a solver says that some state does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from threadwise.backends.smt.handle import Term
from threadwise.backends.smt.solver import Answer, Solver
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Command
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.proofs.toolbox.smt.edges import Firing
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment, Store
from threadwise.proofs.toolbox.smt.values import combined

MOST_VISITS = 5_000


@dataclass(frozen=True)
class MergedStep:
    """Some steps from one location to another: when, what is then, and along which edges."""

    source: LocId
    target: LocId
    condition: Term
    after: Environment
    edges: frozenset[EdgeId]


class MergedSteps:
    """The steps of threads without calls."""

    def __init__(self, program: Program, encoder: Encoder, solver: Solver) -> None:
        self.program = program
        self.logic = encoder.logic
        self.values = encoder.values
        self.firing = Firing(encoder)
        self.solver = solver
        self.order = _reverse_postorder(program)

    def steps(self, source: LocId, before: Environment, known: Term) -> list[MergedStep]:
        """All steps of a thread at a location, where something is known of the state."""
        self.solver.push()
        try:
            self.solver.add(known)
            return self._steps(source, before)
        finally:
            self.solver.pop()

    def _steps(self, source: LocId, before: Environment) -> list[MergedStep]:
        begun = MergedStep(source, source, self.logic.true, before, frozenset())
        arrived: list[MergedStep] = []
        pending: dict[LocId, list[MergedStep]] = {}
        self._leave(begun, pending, arrived)
        visits = 0
        while pending:
            place = min(pending, key=self.order.__getitem__)
            for step in pending.pop(place):
                visits += 1
                if visits > MOST_VISITS:
                    span = self.program.locations[source].span
                    raise Unsupported("an atomic block that may loop without bound", span)
                self._leave(step, pending, arrived)
        return arrived

    def _leave(
        self,
        begun: MergedStep,
        pending: dict[LocId, list[MergedStep]],
        arrived: list[MergedStep],
    ) -> None:
        """Follow the edges from where some paths are."""
        for edge in self.program.outgoing[begun.target]:
            if not isinstance(edge.action, Command):
                raise Unsupported("a call or memory in a proof by formulas with ghosts", edge.span)
            fired = self.firing.fire(edge, begun.after)
            terms = [begun.condition, self.logic.simplify(fired.condition)]
            condition = self.logic.conjunction(terms)
            if self.logic.is_false(condition):
                continue
            after = self._simplified(begun.after, fired.after)
            step = MergedStep(begun.source, edge.target, condition, after, begun.edges | {edge.id})
            if not self.program.locations[edge.target].atomic:
                arrived.append(step)
            elif self._is_forward(begun.target, edge.target) or self._is_possible(condition):
                self._add(pending.setdefault(edge.target, []), step)

    def _is_forward(self, source: LocId, target: LocId) -> bool:
        return self.order.get(source, -1) < self.order[target]

    def _is_possible(self, condition: Term) -> bool:
        return self.solver.satisfiable(condition) is not Answer.UNSATISFIABLE

    def _simplified(self, before: Environment, after: Environment) -> Environment:
        """Changed values in their simplest form: an index that is a number must look like one."""

        def simpler(old: Store, new: Store) -> Store:
            return {
                v: value if value is old[v] else combined(self.logic.simplify, value)
                for v, value in new.items()
            }

        return replace(
            after,
            shared=simpler(before.shared, after.shared),
            own=simpler(before.own, after.own),
        )

    def _add(self, waiting: list[MergedStep], step: MergedStep) -> None:
        for position, other in enumerate(waiting):
            both = self.logic.conjunction([other.condition, step.condition])
            if self.solver.satisfiable(both) is Answer.UNSATISFIABLE:
                waiting[position] = self._merged(other, step)
                return
        waiting.append(step)

    def _merged(self, one: MergedStep, two: MergedStep) -> MergedStep:
        def either(first: Store, second: Store) -> Mapping:  # type: ignore[type-arg]
            return {
                v: value
                if value is second[v]
                else self.values.choice(one.condition, value, second[v])
                for v, value in first.items()
            }

        after = replace(
            one.after,
            shared=either(one.after.shared, two.after.shared),
            own=either(one.after.own, two.after.own),
        )
        condition = self.logic.disjunction([one.condition, two.condition])
        return MergedStep(one.source, one.target, condition, after, one.edges | two.edges)


def _reverse_postorder(program: Program) -> dict[LocId, int]:
    """The locations inside atomic regions; what flows into a location mostly comes before it."""
    finished: dict[LocId, None] = {}
    seen: set[LocId] = set()

    def inside(place: LocId) -> list[LocId]:
        return [e.target for e in program.outgoing[place] if program.locations[e.target].atomic]

    for location in program.locations:
        if location.atomic:
            continue
        stack = [(location.id, inside(location.id))]
        while stack:
            place, targets = stack[-1]
            if targets:
                target = targets.pop(0)
                if target not in seen:
                    seen.add(target)
                    stack.append((target, inside(target)))
            else:
                stack.pop()
                if program.locations[place].atomic:
                    finished[place] = None
    return {place: -number for number, place in enumerate(finished)}
