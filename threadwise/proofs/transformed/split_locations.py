"""Whether a program is another one whose locations are split by local values, and no more.

Each location is a copy of one of the program before, and *tells* values of places that belong to
the thread alone: an assertion. By the obligations, a thread of the program after can always be at
a copy of the location where the thread of the program before is, one whose assertion holds:

    (1) both have the same threads, variables and properties, no pointers and no calls; copies are
        as their originals, and in their procedure
    (2) told are local variables, and cells a[self] of arrays with a cell per thread, if only the
        one template of the procedure has the array, and nothing but a[self] is written there
    (3) what is told at the entry holds at the beginning
    (4) an edge of a copy is one of an edge of its original: it does the same, under more
        conditions, or with one value instead of an input; what its target tells holds then
    (5) where an edge of the original can be taken, and what is told holds, one of its edges can be
        taken, to the same effect; for every value of the inputs that are given one

(4) and (5) are formulas, unless an edge is unchanged; they are decided by a solver. There are no
obligations for copies that cannot be reached from the entry. Guards only get stronger, so every
run of the program after is one of the program before, too, and what holds in one holds in the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from threadwise.backends.smt.handle import Term
from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, Expr, IndexPlace, Place, Read, Scope, SelfId, VariablePlace
from threadwise.ir.fold import action_places, conjuncts
from threadwise.ir.program import (
    Declaration,
    DefaultValue,
    Edge,
    EdgeId,
    FillValue,
    LocId,
    Procedure,
    Program,
)
from threadwise.ir.types import ArrayType, BoolType, PerThread, ScalarType, Value, default_value
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import refuse_memory, variable_of
from threadwise.proofs.toolbox.smt.obligations import Obligations, Slot

Told = tuple[tuple[Place, Value], ...]
"""Places, and what they hold."""


def check_split_locations(
    before: Program,
    after: Program,
    copies: Sequence[tuple[LocId, Told]],
    origins: Sequence[EdgeId],
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> None:
    """Raises Refuted unless the assertions of split locations hold."""
    refuse_memory(before)
    if replace(after, procedures=before.procedures) != before:  # (1)
        raise Refuted("another program")
    if len(before.procedures) != len(after.procedures) or len(copies) != len(after.locations):
        raise Refuted("other procedures")
    numbers = [edge.id for edge in after.edges], [here.id for here in after.locations]
    if numbers != (list(range(len(origins))), list(range(len(copies)))):
        raise Refuted("edges or locations have other numbers")
    if not set(origins) <= {edge.id for edge in before.edges}:
        raise Refuted("edges come from nowhere")
    obligations = Obligations(before, tick, second=second_solver)
    for old, new in zip(before.procedures, after.procedures, strict=True):
        _Procedure(before, old, new, copies, origins, obligations).check()


class _Procedure:
    """One procedure, before and after."""

    def __init__(
        self,
        before: Program,
        old: Procedure,
        new: Procedure,
        copies: Sequence[tuple[LocId, Told]],
        origins: Sequence[EdgeId],
        obligations: Obligations,
    ) -> None:
        self.before = before
        self.old = old
        self.new = new
        self.copies = copies
        self.origins = origins
        self.obligations = obligations
        self.logic = obligations.logic
        self.owners = [t.name for t in before.templates if t.body == old.name]
        self.originals = {location.id: location for location in old.locations}
        self.outgoing: dict[LocId, list[Edge]] = {here.id: [] for here in new.locations}

    def check(self) -> None:
        """Raises Refuted unless threads are always at a copy whose assertion holds."""
        self._check_frame()
        for place in dict.fromkeys(p for here in self.new.locations for p in self._told(here.id)):
            self._check_place(place)
        for place, value in self._told(self.new.entry).items():  # (3)
            if not _is(self._initial(place), value):
                raise Refuted(f"`{variable_of(place).name}` starts otherwise")
        reached = [self.new.entry]
        seen = set(reached)
        for here in reached:  # which grows
            self._check_copy(here)
            for edge in self.outgoing[here]:
                if edge.target not in seen:
                    seen.add(edge.target)
                    reached.append(edge.target)

    def _check_frame(self) -> None:
        old, new = self.old, self.new
        if replace(new, entry=old.entry, locations=old.locations, edges=old.edges) != old:
            raise Refuted(f"another procedure `{old.name}`")
        for here in new.locations:
            origin = self.originals.get(self.copies[here.id][0])
            if origin is None or replace(here, id=origin.id) != origin:
                raise Refuted(f"location {here.id} is a copy of none")
        if self.copies[new.entry][0] != old.entry:
            raise Refuted("threads begin elsewhere")
        for edge in new.edges:
            origin_edge = self.before.edges[self.origins[edge.id]]
            ends = self.copies[edge.source][0], self.copies[edge.target][0]
            same = replace(edge, id=origin_edge.id, source=ends[0], target=ends[1])
            if replace(same, action=origin_edge.action) != origin_edge:
                raise Refuted(f"edge {edge.id} is a copy of none")
            if not isinstance(origin_edge.action, Command) or edge.source not in self.outgoing:
                raise Refuted(f"edge {edge.id} calls or returns")
            self.outgoing[edge.source].append(edge)

    def _told(self, here: LocId) -> dict[Place, Value]:
        return dict(self.copies[here][1])

    # -- (2) -------------------------------------------------------------------------------------

    def _check_place(self, place: Place) -> None:
        match place:
            case VariablePlace(variable) if variable.scope is Scope.LOCAL:
                if not any(d.variable == variable for d in self.old.locals):
                    raise Refuted(f"`{variable.name}` is not declared")
                edges: Sequence[Edge] = self.old.edges
            case IndexPlace(VariablePlace(variable), SelfId()) if variable.scope is Scope.GLOBAL:
                held = variable.type
                if not isinstance(held, ArrayType) or not isinstance(held.extent, PerThread):
                    raise Refuted(f"`{variable.name}` has no cell for a thread")
                if self.owners != [held.extent.template]:
                    raise Refuted(f"`{variable.name}` belongs to other threads")
                edges = self.before.edges
            case _:
                raise Refuted("a place is told that may not be")
        for edge in edges:
            for target in action_places(edge.action):
                if variable_of(target) == variable and target != place:
                    raise Refuted(f"edge {edge.id} writes to what is told otherwise")

    def _initial(self, place: Place) -> Value | None:
        variable = variable_of(place)
        declarations: Sequence[Declaration] = (*self.old.locals, *self.before.globals)
        (found,) = (d for d in declarations if d.variable == variable)
        match found.initial:
            case DefaultValue():
                return default_value(place.type)  # type: ignore[arg-type]  # told is a scalar
            case FillValue(value):
                return value
            case _:
                return None

    # -- (4) and (5) -----------------------------------------------------------------------------

    def _check_copy(self, here: LocId) -> None:
        made: dict[EdgeId, list[Edge]] = {}
        for edge in self.outgoing[here]:
            made.setdefault(self.origins[edge.id], []).append(edge)
        for old in self.before.outgoing[self.copies[here][0]]:
            self._check_edge(here, old, made.get(old.id, []))

    def _check_edge(self, here: LocId, old: Edge, made: Sequence[Edge]) -> None:
        told = self._told(here)
        ways = [self._way(old, edge) for edge in made]
        for edge in made:
            action = edge.action
            assert isinstance(action, Command)
            for place, value in self._told(edge.target).items():
                if not self._holds_after(here, action, place, value, told):
                    raise Refuted(f"edge {edge.id} leads where something else is told")
        if any(edge.action == old.action for edge in made):
            return
        for slot in self._slots(here):
            if not self._is_covered(slot, told, old, made, ways):
                raise Refuted(f"edge {old.id} is lost where values are told")

    def _way(self, old: Edge, edge: Edge) -> dict[Place, Const]:
        """The inputs of an edge that are given one value; raises Refuted if it does more."""
        was, now = old.action, edge.action
        if not isinstance(was, Command) or not isinstance(now, Command):
            raise Refuted(f"edge {old.id} calls or returns")
        given: dict[Place, Const] = {}
        for assignment in now.assignments[len(was.assignments) :]:
            place, value = assignment.target, assignment.value
            if place not in was.havocs or place in given or not isinstance(value, Const):
                raise Refuted(f"edge {edge.id} writes something else")
            given[place] = value
        same = (
            now.assignments[: len(was.assignments)] == was.assignments
            and now.havocs == tuple(place for place in was.havocs if place not in given)
            and list(conjuncts(now.guard))[: len(list(conjuncts(was.guard)))]
            == list(conjuncts(was.guard))
            and len(set(was.havocs)) == len(was.havocs)
        )
        if not same:
            raise Refuted(f"edge {edge.id} does something else")
        return given

    def _holds_after(
        self,
        here: LocId,
        action: Command,
        place: Place,
        value: Value,
        told: Mapping[Place, Value],
    ) -> bool:
        """Whether a place holds a value after a command."""
        if place in action.havocs:
            return False
        written = [a for a in action.assignments if a.target == place]
        if not written:
            return place in told and _is(told[place], value)
        last = written[-1].value
        if isinstance(last, Const):
            return _is(last.value, value)
        return all(self._is_given(slot, told, action, last, value) for slot in self._slots(here))

    def _slots(self, here: LocId) -> Iterator[Slot]:
        """A thread at the original of a copy, per template."""
        for template in self.owners:
            yield self.obligations.slot(0, template, self.copies[here][0])

    def _is_given(
        self, slot: Slot, told: Mapping[Place, Value], action: Command, given: Expr, value: Value
    ) -> bool:
        encoder = self.obligations.encoder
        term = encoder.value(given, slot.env)
        same = self.logic.equal(term, self._literal(given, value))
        guard = encoder.holds(action.guard, slot.env)
        premise = [*self._premise(slot, told), guard, encoder.defined(given, slot.env)]
        return self.obligations.follows(self.logic.conjunction(premise), same)

    def _is_covered(
        self,
        slot: Slot,
        told: Mapping[Place, Value],
        old: Edge,
        made: Sequence[Edge],
        ways: Sequence[Mapping[Place, Const]],
    ) -> bool:
        """Whether one of the edges can be taken wherever the original can."""
        encoder, environments = self.obligations.encoder, self.obligations.environments
        was = old.action
        assert isinstance(was, Command)
        inputs: dict[Place, Term] = {}
        premise = [*self._premise(slot, told), encoder.holds(was.guard, slot.env)]
        for place in dict.fromkeys(place for way in ways for place in way):
            held: ScalarType = place.type  # type: ignore[assignment]  # a havoc is scalar
            inputs[place] = self.logic.fresh("any", environments.sort(held))
            premise += environments.in_type(held, inputs[place], chosen=True)
        taken: list[Term] = []
        for edge, way in zip(made, ways, strict=True):
            conditions = [encoder.holds(edge.action.guard, slot.env)]
            for place, value in way.items():
                given = encoder.value(value, slot.env)
                conditions.append(self.logic.equal(inputs[place], given))
            taken.append(self.logic.conjunction(conditions))
        covered = self.logic.disjunction(taken)
        return self.obligations.follows(self.logic.conjunction(premise), covered)

    def _premise(self, slot: Slot, told: Mapping[Place, Value]) -> Iterator[Term]:
        """What is known of a thread: its id, types, and what is told."""
        yield self.obligations.known([slot])
        for place, value in told.items():
            held = self.obligations.encoder.read(place, slot.env)
            yield self.logic.equal(held, self._literal(Read(place), value))

    def _literal(self, expr: Expr, value: Value) -> Term:
        held: ScalarType = expr.type  # type: ignore[assignment]  # what is told is a scalar
        if isinstance(held, BoolType) != isinstance(value, bool) or not isinstance(value, int):
            raise Refuted("a value of another type is told")
        return self.obligations.environments.literal(held, value)


def _is(one: Value | None, other: Value) -> bool:
    """Whether two values are the same, and of the same kind."""
    return type(one) is type(other) and one == other
