"""Inside atomic regions, the steps of one statement become one edge.

A front end writes a statement as several edges, because each access to shared memory is a step of
its own. Where no other thread can observe the state between two of them, they are merged: a hidden
location m with a single edge into it disappears,

    s --[p] x := e--> m --[q] y := f--> t     becomes     s --[p && q'] x := e, y := f'--> t

where q' and f' are q and f with e for x. Two edges with opposite conditions between the same
locations become one, with `c ? e : f` for what they assign. A local that is overwritten, or dead
afterwards, is not assigned, provided that what it would have read is still read whenever the edge
is taken, or cannot race.

Not merged: edges with operations (but see `_operations_fit`), edges that go through pointers,
choices that the same statement reads, and pairs of which only one synchronises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeGuard

from threadwise.analyses.escape import harmless_variables
from threadwise.analyses.graphs import (
    incoming_edges,
    numbered_again,
    outgoing_edges,
    visiting_order,
)
from threadwise.analyses.liveness import LiveMasks, live_masks
from threadwise.analyses.uses import EdgeUses, Names, Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import GIVING, TAKING, Assignment, Command
from threadwise.ir.expr import (
    CONNECTIVES,
    Binary,
    Conditional,
    Expr,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    children,
    conjunction,
    conjuncts,
    place_expressions,
    read_places,
    rebuild,
    rebuild_place,
    root,
    subexpressions,
)
from threadwise.ir.folding import folded, opposite
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import is_scalar

LARGEST = 80
"""Edges with more subexpressions than this are not made."""
MOST_PATHS = 16
"""Nor those that stand for more paths of the program before."""


def join_statements(program: Program, uses: Uses | None = None) -> Program:
    """The program with fewer edges inside atomic regions; invariants see all variables."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    uses = uses or Uses()
    harmless = harmless_variables(program, uses)
    joined = [Joining(procedure, harmless, uses).run() for procedure in program.procedures]
    return replace(program, procedures=numbered_again(joined))


class Joining:
    """Joins the edges of one procedure, in the order of control flow."""

    def __init__(self, procedure: Procedure, harmless: Names, uses: Uses) -> None:
        self.procedure = procedure
        self.harmless = harmless
        """Global variables whose accesses never race."""
        self.uses = uses
        self.outgoing = outgoing_edges(procedure)
        self.incoming = incoming_edges(procedure)

    @cached_property
    def live(self) -> LiveMasks:
        """What is read behind each location, as the procedure was."""
        return live_masks(self.procedure, self.uses)

    def run(self) -> Procedure:
        """The procedure with what could be joined joined."""
        order = visiting_order(self.procedure.entry, self.outgoing)
        hidden = {location.id for location in self.procedure.locations if location.atomic}
        waiting = [here for here in order if here in hidden]
        gone: set[LocId] = set()
        while found := {here for here in waiting if self.removed(here)}:
            gone |= found
            waiting = [here for here in waiting if here not in found]
        locations = tuple(loc for loc in self.procedure.locations if loc.id not in gone)
        edges = tuple(edge for loc in locations for edge in self.outgoing[loc.id])
        return replace(self.procedure, locations=locations, edges=edges)

    def removed(self, middle: LocId) -> bool:
        """Whether a location could be done without: the edges on both sides are joined then."""
        self._unite(middle)
        if len(self.incoming[middle]) != 1:
            return False
        (first,), seconds = self.incoming[middle], self.outgoing[middle]
        if len(seconds) > 1 and len(self.outgoing[first.source]) > 1:
            return False
        joined = [edge for second in seconds if (edge := self.joined(first, second))]
        if not joined or len(joined) < len(seconds):
            return False
        self.bypass(middle, [(first, joined)])
        return True

    def bypass(self, middle: LocId, joined: Iterable[tuple[Edge, list[Edge]]]) -> None:
        """Put joined edges in the place of those that lead to a location, which disappears."""
        for first, edges in joined:
            self._replace([first], edges)
        for second in self.outgoing[middle]:
            self._detach(second)
        self.outgoing[middle] = []

    def _replace(self, old: list[Edge], new: list[Edge]) -> None:
        """Put edges in the place of others that leave the same location."""
        listed = self.outgoing[old[0].source]
        at = next(i for i, edge in enumerate(listed) if edge is old[0])
        listed[at : at + 1] = new
        for edge in old:
            self._detach(edge)
            listed[:] = [other for other in listed if other is not edge]
        for edge in new:
            self.incoming[edge.target].append(edge)

    def _detach(self, edge: Edge) -> None:
        arriving = self.incoming[edge.target]
        arriving[:] = [other for other in arriving if other is not edge]

    # -- one edge after the other ----------------------------------------------------------------

    def joined(self, first: Edge, second: Edge) -> Edge | None:
        """Both edges as one, if that is possible."""
        a, b = first.action, second.action
        if not isinstance(a, Command) or not isinstance(b, Command):
            return None
        if first.source in (second.source, second.target) or not self.fit(first, second):
            return None
        if not all(_is_whole(place) for place in (*_targets(a), *a.havocs)):
            return None
        values, apart = _by_target(a), self._choices_apart(a, b, second.target)
        if values is None or _by_target(b) is None or apart is None:
            return None
        a, b = apart
        later = _substituted(b, values)
        overwritten = {*_targets(b), *b.havocs}
        command = Command(
            conjunction((a.guard, later.guard)),
            (*(x for x in a.assignments if x.target not in overwritten), *later.assignments),
            (*(place for place in a.havocs if place not in overwritten), *later.havocs),
        )
        sync = first.sync if _touches_shared(self.uses.of(first)) else second.sync
        command = self._without_dead(command, second.target)
        lost = [value for target, value in values.items() if target in overwritten]
        if _size(command) > LARGEST or not self._still_reads(command, lost):
            return None
        if len(first.origin) * len(second.origin) > MOST_PATHS:
            return None
        operation = first.operation or second.operation
        origin = tuple((*head, *tail) for head in first.origin for tail in second.origin)
        return replace(
            first,
            target=second.target,
            action=command,
            sync=sync,
            operation=operation,
            origin=origin,
        )

    def _operations_fit(self, first: Edge, second: Edge) -> bool:
        """Whether one edge can have the operations of both.

        It can if they have one kind of operation, one that takes or gives, and an edge without an
        operation writes no global variable.
        """
        if first.operation is None and second.operation is None:
            return True
        kinds = {edge.operation.kind for edge in (first, second) if edge.operation is not None}
        if len(kinds) > 1 or not kinds <= {*TAKING, *GIVING}:
            return False
        return all(
            edge.operation is not None or not self.uses.of(edge).written_globals
            for edge in (first, second)
        )

    def fit(self, first: Edge, second: Edge) -> bool:
        """Whether two edges are of one statement, and of those that can be joined."""
        if (first.span, first.text) != (second.span, second.text):
            return False
        if first.mover or second.mover or not self._operations_fit(first, second):
            return False
        used = self.uses.of(first), self.uses.of(second)
        if any(each.follows or each.computes for each in used):
            return False
        return first.sync == second.sync or not all(_touches_shared(each) for each in used)

    def _choices_apart(
        self, first: Command, second: Command, target: LocId
    ) -> tuple[Command, Command] | None:
        """Both commands, the second not reading what the first one chooses.

        A copy of a choice that is read nowhere else becomes a choice itself.
        """
        reads = [place for expr in action_expressions(second) for place in read_places(expr)]
        copies = {
            each.value.place: each
            for each in second.assignments
            if isinstance(each.value, Read)
            and each.value.place in first.havocs
            and reads.count(each.value.place) == 1
            and self._is_dead(each.value.place, target)
            and _is_whole(each.target)
            and each.target.type == each.value.type
        }
        if any(place in first.havocs and place not in copies for place in reads):
            return None
        havocs = tuple(place for place in first.havocs if place not in copies)
        chosen = tuple(each.target for each in copies.values())
        kept = tuple(each for each in second.assignments if each not in copies.values())
        later = Command(second.guard, kept, (*chosen, *second.havocs))
        return replace(first, havocs=havocs), later

    def _is_dead(self, place: Place, target: LocId) -> bool:
        return _is_local(place) and not self.live.has(target, place.variable.name)

    def _without_dead(self, command: Command, target: LocId) -> Command:
        """The command without assignments to locals that are dead afterwards."""
        kept = list(command.assignments)
        for each in command.assignments:
            if not self._is_dead(each.target, target):
                continue
            rest = [other for other in kept if other is not each]
            if self._still_reads(replace(command, assignments=tuple(rest)), [each.value]):
                kept = rest
        return replace(command, assignments=tuple(kept))

    def _still_reads(self, command: Command, values: Sequence[Expr]) -> bool:
        """Whether the command reads, whenever it is taken, what in these values may race."""
        read = self._racing(part for value in values for part in subexpressions(value))
        return read <= self._racing(_surely_evaluated(command))

    def _racing(self, parts: Iterable[Expr]) -> set[Place]:
        """The places that are read among these expressions and whose accesses may race."""
        found: set[Place] = set()
        for part in parts:
            if isinstance(part, Read):
                base = root(part.place)
                if not isinstance(base, VariablePlace) or (
                    base.variable.scope is Scope.GLOBAL and base.variable.name not in self.harmless
                ):
                    found.add(part.place)
        return found

    # -- one edge beside the other ---------------------------------------------------------------

    def _unite(self, target: LocId) -> None:
        """Make edges to a location one if they differ in a condition only."""
        again = True
        while again:
            again = False
            for a, b in _opposite_pairs(self.incoming[target]):
                united = self._united(a, b)
                if united is not None:
                    self._replace([a, b], [united])
                    again = True
                    break

    def _united(self, first: Edge, second: Edge) -> Edge | None:
        a, b = first.action, second.action
        if first.source != second.source or first.sync != second.sync:
            return None
        if not isinstance(a, Command) or not isinstance(b, Command) or a.havocs or b.havocs:
            return None
        if not self.fit(first, second):
            return None
        split = _opposites(list(conjuncts(a.guard)), list(conjuncts(b.guard)))
        if split is None:
            return None
        common, condition = split
        values, others = _by_target(a), _by_target(b)
        if values is None or others is None:
            return None
        targets = dict.fromkeys((*values, *others))
        if not all(_is_local(t) or (t in values and t in others) for t in targets):
            return None
        chosen = {t: (values.get(t, Read(t)), others.get(t, Read(t))) for t in targets}
        asked = any(then != otherwise for then, otherwise in chosen.values())
        if not asked and self._racing(subexpressions(condition)):
            return None
        assignments = tuple(Assignment(t, _choice(condition, *both)) for t, both in chosen.items())
        command = Command(conjunction(common), assignments)
        if _size(command) > LARGEST or len(first.origin) + len(second.origin) > MOST_PATHS:
            return None
        operation = first.operation or second.operation
        origin = (*first.origin, *second.origin)
        return replace(first, action=command, operation=operation, origin=origin)


def _opposite_pairs(arriving: Sequence[Edge]) -> Iterator[tuple[Edge, Edge]]:
    """Pairs of edges with one source and opposite conditions, in the order of both.

    What two guards begin with may be the same: each is looked up by every way to divide it.
    """
    together: dict[LocId, list[Edge]] = {}
    for edge in arriving:
        together.setdefault(edge.source, []).append(edge)
    if len(together) == len(arriving):
        return
    several = {here for here, edges in together.items() if len(edges) > 1}
    found: dict[tuple[LocId, tuple[Expr, ...], Expr], list[int]] = {}
    divided: list[list[tuple[tuple[Expr, ...], Expr]]] = []
    for position, edge in enumerate(arriving):
        divided.append(list(_divided(edge.action.guard)) if edge.source in several else [])
        for common, rest in divided[-1]:
            found.setdefault((edge.source, common, rest), []).append(position)
    for position, edge in enumerate(arriving):
        others = {
            other
            for common, rest in divided[position]
            for other in found.get((edge.source, common, opposite(rest)), ())
            if other > position
        }
        yield from ((edge, arriving[other]) for other in sorted(others))


def _divided(guard: Expr) -> Iterator[tuple[tuple[Expr, ...], Expr]]:
    """The ways to divide a guard into a beginning, and a rest that is not empty."""
    parts = list(conjuncts(guard))
    for common in range(len(parts)):
        yield tuple(parts[:common]), conjunction(parts[common:])


# -- terms ---------------------------------------------------------------------------------------


def _touches_shared(used: EdgeUses) -> bool:
    return bool(used.read_globals or used.written_globals)


def _is_whole(place: Place) -> TypeGuard[VariablePlace]:
    return isinstance(place, VariablePlace) and is_scalar(place.type)


def _is_local(place: Place) -> TypeGuard[VariablePlace]:
    return _is_whole(place) and place.variable.scope is Scope.LOCAL


def _targets(command: Command) -> list[Place]:
    return [each.target for each in command.assignments]


def _by_target(command: Command) -> dict[Place, Expr] | None:
    """What is assigned to each place; None if a place is assigned twice."""
    found = {each.target: each.value for each in command.assignments}
    return found if len(found) == len(command.assignments) else None


def _size(command: Command) -> int:
    exprs = [command.guard, *(each.value for each in command.assignments)]
    return sum(1 for expr in exprs for _ in subexpressions(expr))


def _substituted(command: Command, values: Mapping[Place, Expr]) -> Command:
    """The command as it is seen from before an assignment."""

    def expr(old: Expr) -> Expr:
        if isinstance(old, Read) and old.place in values:
            return values[old.place]
        return folded(rebuild(old, expr))

    return Command(
        expr(command.guard),
        tuple(
            Assignment(rebuild_place(each.target, expr), expr(each.value))
            for each in command.assignments
        ),
        tuple(rebuild_place(place, expr) for place in command.havocs),
    )


def _choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    return then if then == otherwise else Conditional(condition, then, otherwise)


def _opposites(a: list[Expr], b: list[Expr]) -> tuple[list[Expr], Expr] | None:
    """What two guards have in common at their beginnings, if they are opposite in the rest."""
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    if common is None:
        return None
    rest, other = conjunction(a[common:]), conjunction(b[common:])
    return (a[:common], rest) if opposite(rest) == other else None


def _surely_evaluated(command: Command) -> Iterator[Expr]:
    """What is evaluated whenever an edge is taken: its guard holds then."""
    pending = list(conjuncts(command.guard))
    for each in command.assignments:
        pending += [each.value, *place_expressions(each.target)]
    while pending:
        expr = pending.pop()
        yield expr
        match expr:
            case Conditional(condition, _, _):
                pending.append(condition)
            case Binary(op, left, _) if op in CONNECTIVES:
                pending.append(left)
            case Read(place):
                pending += place_expressions(place)
            case _:
                pending += children(expr)
