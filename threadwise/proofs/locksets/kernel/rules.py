"""The rules by which a claim holds after a step: KEEP and INTRO, as the package states them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import threadwise.ir.expr as ir
import threadwise.proofs.locksets.kernel.claims as said
import threadwise.proofs.locksets.kernel.names as names
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate
from threadwise.ir.fold import conjuncts, root
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    Edge,
    EdgeId,
    LocId,
    Template,
    stated_values,
)
from threadwise.ir.types import default_value, is_scalar
from threadwise.proofs.locksets.kernel.ground import Effects, Ground, is_sayable
from threadwise.proofs.locksets.kernel.points_to import written
from threadwise.proofs.locksets.kernel.view import View


@dataclass(frozen=True)
class Step:
    """A step to a location, and what the thread knows before."""

    ground: Ground
    view: View
    target: LocId
    edge: Edge | None
    """None: a thread begins."""
    effects: Effects
    bound: Mapping[ir.Variable, ir.Expr | None] | None = None
    """What variables begin with, if a thread begins."""

    @cached_property
    def to(self) -> str:
        """The procedure that the step leads to."""
        return self.ground.program.procedure_of[self.target].name

    @cached_property
    def guard(self) -> frozenset[ir.Expr]:
        """What the edge waits for, by name."""
        parts = () if self.edge is None else conjuncts(self.edge.action.guard)
        return frozenset(self.view.truth(part) for part in parts)

    @cached_property
    def writes(self) -> list[tuple[ir.Place, ir.Expr | None]]:
        """What the edge writes itself, the last write first."""
        return [] if self.edge is None else written(self.edge.action)[::-1]

    @cached_property
    def inside(self) -> bool:
        """Whether the step ends inside of an atomic region, so that no other thread is next."""
        return self.edge is not None and self.ground.program.locations[self.target].atomic

    def admits(self, claim: said.Claim) -> bool:
        """Whether a rule shows a claim after the step."""
        if not is_sayable(claim):
            return False
        if not self.inside and not self.ground.is_stable(claim, self.to):
            return False
        try:
            return self._shows(claim)
        except names.Lost:
            return False

    def _shows(self, claim: said.Claim) -> bool:
        match claim:
            case said.Fact(condition):
                name = self.view.truth(names.before(condition, self._value))
                return name == ir.TRUE or name in self.view.facts or name in self.guard
            case said.Holds(mutex):
                return self._holds(mutex)
            case said.Entered(mutex):
                return self._entered(mutex)
            case said.Owns(pointer):
                return self._owns(pointer)
            case said.Count(edge, times):
                return self.view.counts.get(edge) == times - (self._spawns == edge)
            case said.Handle(variable, edge, time):
                return self._handle(variable, edge, time)
            case said.Over(edge, time):
                joined = self.ground.threads.joined(self.edge, self.view)
                return (edge, time) in self.view.over or (edge, time) in joined

    # -- KEEP and ASSIGN -------------------------------------------------------------------------

    def _value(self, place: ir.Place) -> ir.Expr | None:
        """What the step assigns to a place that is read after it; raises Lost."""
        base = root(place)
        if isinstance(base, ir.DerefPlace) or base.variable.scope is ir.Scope.GLOBAL:
            if not self.ground.memory.cells(place, self.to).isdisjoint(self.effects.cells):
                raise names.Lost
            return None
        if self.bound is not None:
            found = self.bound.get(base.variable) if place == base else None
            if found is None:
                raise names.Lost
            return found
        for target, value in self.writes:
            if target == place and value is not None and names.is_definite(place):
                return value
            if root(target) == base:
                raise names.Lost
        return None

    # -- ACQUIRE, RELEASE and ENTER --------------------------------------------------------------

    def _holds(self, mutex: ir.Place) -> bool:
        if not self.ground.owners(mutex, self.to).isdisjoint(self.effects.released):
            return False
        name = self.view.place(names.place_before(mutex, self._value))
        owner = ir.FieldPlace(name, "owner")
        mine = ir.Binary(ir.BinaryOp.EQ, ir.Read(owner), ir.SelfId())
        if name in self.view.held or mine in self.guard:
            return True
        taken = (target for target, value in self.writes if value == ir.SelfId())
        return any(self.view.place(target) == owner for target in taken)

    def _entered(self, mutex: ir.Place) -> bool:
        if self.edge is None or not self.inside:
            return False
        name = self.view.place(names.place_before(mutex, self._value))
        within = self.ground.program.locations[self.edge.source].atomic
        return name in (self.view.entered if within else self.view.held)

    # -- ALLOCATE and PUBLISH --------------------------------------------------------------------

    def _owns(self, pointer: ir.Expr) -> bool:
        if self.edge is None:
            return False
        if isinstance(self.edge.action, Allocate) and pointer == ir.Read(self.edge.action.target):
            return True
        earlier = names.before(pointer, self._value)
        procedure = self.ground.program.procedure_of[self.edge.source].name
        objects = {cell.object for cell in self.ground.memory.leads(earlier, procedure)}
        return objects.isdisjoint(self.effects.escaping) and self.view.owns(earlier)

    # -- SPAWN and JOIN --------------------------------------------------------------------------

    @cached_property
    def _spawns(self) -> EdgeId | None:
        """The edge, if it spawns a thread."""
        taken = None if self.edge is None else self.edge.id
        return taken if taken in self.ground.threads.spawns else None

    def _handle(self, variable: ir.Place, edge: EdgeId, time: int) -> bool:
        if self._spawns == edge and self.view.counts.get(edge) == time:
            for target, value in self.writes:
                if target == variable:
                    return value == self.ground.threads.fresh(edge)
        earlier = self.view.named(names.before(ir.Read(variable), self._value))
        return self.view.handles.get(earlier) == (edge, time)


def beginning(ground: Ground, template: Template) -> Step:
    """BEGIN: the step by which a thread comes to its first location."""
    body = ground.program.procedure[template.body]
    spawned: said.Case = frozenset(said.Count(edge, 0) for edge in ground.threads.spawns)
    bound = {d.variable: _beginning(d) for d in (*template.variables, *body.locals)}
    return Step(ground, View(spawned), body.entry, None, Effects(), bound)


def _beginning(declaration: Declaration) -> ir.Expr | None:
    """What a variable begins with; None if it is no single value."""
    held = declaration.variable.type
    if not is_scalar(held) or isinstance(declaration.initial, AnyValue):
        return None
    values = stated_values(declaration.initial)
    return ir.Const(values[0] if values else default_value(held), held)  # type: ignore[arg-type]  # scalar
