"""The steps of single threads as formulas, for certificates that are checked by a solver.

A step starts at a visible location, follows one edge or a path through an atomic region, and
ends at the next visible location. Its `condition` says when it can be taken, over the
environment before and the constants for havocs; `after` is the environment it leads to. Calls
and returns change no shared variable; what they do to a thread's own variables is left out here,
so they are for proofs that do not speak about those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.values import Step as PathStep
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import Expr, Place, Read, Variable, VariablePlace
from threadwise.ir.fold import is_shared, place_expressions, subexpressions
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import MutexType, Type

MOST_STEPS = 2000
"""More paths than this through an atomic region are not listed."""
LONGEST_STEP = 400


@dataclass(frozen=True)
class SharedAccess:
    """An access to a part of a shared variable."""

    variable: Variable
    path: tuple[PathStep, ...]
    write: bool
    sync: bool


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
        logic: Logic,
        tick: Callable[[], object],
    ) -> None:
        self.program = program
        self.logic = logic
        self.environments = Environments(program, logic)
        self.encoder = Encoder(self.environments)
        self.firing = Firing(self.encoder)
        self.tick = tick

    @cached_property
    def locations(self) -> dict[str, list[LocId]]:
        """Per template the visible locations without failure that its threads may rest in."""
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
                [begun.condition, *map(self.logic.simplify, fired.terms)]
            )
            if self.logic.is_false(condition):
                continue
            step = SymbolicStep(
                begun.source,
                edge.target,
                (*begun.edges, edge),
                condition,
                fired.after,
                (*begun.accesses, *self._accesses(edge, begun.after)),
            )
            self._listed += 1
            if self.program.locations[edge.target].atomic:
                yield from self._continued(step)
            else:
                yield step

    # -- accesses --------------------------------------------------------------------------------

    def _accesses(self, edge: Edge, before: Environment) -> Iterator[SharedAccess]:
        """The shared accesses of an edge, those that a short circuit may leave out included."""
        action = edge.action
        assert isinstance(action, Command)
        targets = [*(a.target for a in action.assignments), *action.havocs]
        evaluated: list[Expr] = [action.guard, *(a.value for a in action.assignments)]
        for target in targets:
            evaluated.extend(place_expressions(target))
        for whole in evaluated:
            for part in subexpressions(whole):
                if isinstance(part, Read) and is_shared(part.place):
                    yield self._access(edge, part.place, before, write=False)
        for target in targets:
            if is_shared(target):
                yield self._access(edge, target, before, write=True)

    def _access(
        self, edge: Edge, place: Place, before: Environment, *, write: bool
    ) -> SharedAccess:
        variable, path = self.encoder.path(place, before)
        sync = edge.sync or variable.sync or _is_part_of_mutex(place)
        return SharedAccess(variable, tuple(map(self._plain, path)), write, sync)

    def _plain(self, step: PathStep) -> PathStep:
        return step if isinstance(step, str) else self.logic.simplify(step)

    def same_cell(self, first: SharedAccess, second: SharedAccess) -> Term:
        """Whether two accesses to scalar parts of one variable are to the same cell."""
        if first.variable != second.variable or len(first.path) != len(second.path):
            return self.logic.false
        parts: list[Term] = []
        for one, other in zip(first.path, second.path, strict=True):
            if isinstance(one, str) or isinstance(other, str):
                parts.append(self.logic.boolean(isinstance(one, str) and one == other))
            else:
                parts.append(self.logic.equal(one, other))
        return self.logic.conjunction(parts)


def _is_part_of_mutex(place: Place) -> bool:
    while not isinstance(place, VariablePlace):
        held: Type = place.type
        if isinstance(held, MutexType):
            return True
        base = getattr(place, "base", None)
        if base is None:
            return False
        place = base
    return isinstance(place.type, MutexType)
