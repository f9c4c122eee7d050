"""Every path of the program before is an edge of the program after, and the other way round.

States of the two programs are related if threads are at corresponding locations
(`Location.origin`), global variables that both have are equal, and locals that are live in the
program after (`flow.live`) are equal. For each path from such a location to the next one, along
edges that can be taken given what holds there (`facts`):

    (1) there is an edge of the program after, between the locations that correspond to its ends,
        that can be taken if and only if the path can
    (2) afterwards variables that both have are equal, except dead locals; choices of the program
        after can be made so
    (3) the edge makes every access of the path that may be part of a race, and synchronises if
        the path does
    (4) it is annotated with the same operation, unless the subject is `none`, or has no value

A path is an edge, or several through locations of an atomic region that the program after does not
have. Nothing but these paths leads to a location that the program after does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.ir.commands import (
    GIVING,
    TAKING,
    Action,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    Operation,
    Return,
)
from threadwise.ir.expr import (
    CONNECTIVES,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, children, is_shared, place_expressions, root
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import NONE
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.effects import Effect, effect_of
from threadwise.proofs.simplified.facts import Facts
from threadwise.proofs.simplified.flow import Live, covered, names_read
from threadwise.proofs.simplified.normal import Normal, is_never, parts

MOST_PATHS = 4_096
"""More paths than this from one location are not considered."""

Cases = Callable[[Edge], "list[dict[Expr, Const]]"]


def _same(edge: Edge) -> Edge:
    return edge


def _one_case(_: Edge) -> list[dict[Expr, Const]]:
    return [{}]


@dataclass
class Comparison:
    """Compares a program with what a pass made of it."""

    before: Program
    after: Program
    facts: Facts
    translated: Callable[[Edge], Edge] = _same
    """Edges of the program before, expressed in the program after."""
    cases: Cases = _one_case
    """The cases that are distinguished at an edge of the program before; they cover all states."""
    normal: Normal = field(default_factory=Normal)
    """What else is known of terms."""

    def __post_init__(self) -> None:
        self.image: dict[LocId, LocId] = {}
        for location in self.after.locations:
            if location.origin is None or location.origin in self.image:
                raise Refuted(f"location {location.id} comes from nowhere")
            self.image[location.origin] = location.id
        self.made: dict[tuple[EdgeId, ...], list[Edge]] = {}
        for edge in self.after.edges:
            if not edge.origin:
                raise Refuted(f"edge {edge.id} comes from nowhere")
            for path in edge.origin:
                self.made.setdefault(path, []).append(edge)
        self._globals = {declaration.variable.name for declaration in self.after.globals}
        self._live: dict[str, Live] = {}
        self._effects: dict[tuple[Action | bool | Const | None, ...], Effect] = {}

    def check(self) -> None:
        """Raises Refuted unless the programs belong together, edge by edge."""
        known: set[tuple[EdgeId, ...]] = set()
        outgoing, paths = self.before.outgoing, self.made
        for here in filter(self.facts.reached, self.image):
            longer: list[tuple[Edge, ...]] = []
            for edge in outgoing[here]:
                key: tuple[EdgeId, ...] = (edge.id,)
                made = paths.get(key)
                if made is not None:
                    known.add(key)
                    if len(made) > 1 or not self._is_kept(edge, made[0]):
                        self._compare((edge,), made)
                else:
                    longer.append((edge,))
            if longer:
                for key, path in self._paths(here, longer):
                    known.add(key)
                    self._compare(path, paths[key])
        for numbers, edges in self.made.items():
            if numbers not in known and not self._excluded(numbers):
                raise Refuted(f"edge {edges[0].id} comes from no path")

    def _is_kept(self, old: Edge, new: Edge) -> bool:
        """Whether nothing of an edge has changed: most edges pass through most passes."""
        return (
            new.action is old.action
            and new.operation is old.operation
            and new.sync == old.sync
            and new.mover == old.mover
            and self.translated is _same
            and new.source == self.image[old.source]
            and (isinstance(old.action, Return) or new.target == self.image.get(old.target))
        )

    def _excluded(self, path: Sequence[EdgeId]) -> bool:
        """Whether a path cannot be taken, and need not have been considered."""
        edges = [self.before.edges[number] for number in path]
        joined = all(a.target == b.source for a, b in pairwise(edges))
        if not joined or edges[0].source not in self.image:
            return False
        return self.facts.excludes(edges[0]) or self._is_impossible(edges)

    def _paths(
        self, here: LocId, pending: list[tuple[Edge, ...]]
    ) -> Iterator[tuple[tuple[EdgeId, ...], tuple[Edge, ...]]]:
        """Paths, with their numbers, to the next locations that the program after has.

        They begin as those that are pending, which lead from a location.
        """
        for _ in range(MOST_PATHS):
            if not pending:
                return
            path = pending.pop()
            key = tuple([edge.id for edge in path])
            if key in self.made:
                yield key, path
                continue
            last = path[-1]
            if self.facts.excludes(path[0]) or self._is_impossible(path):
                continue
            there = self.before.locations[last.target]
            if there.id in self.image or not there.atomic or not isinstance(last.action, Command):
                raise Refuted(f"edge {last.id} is lost")
            if any(edge.source == there.id for edge in path):
                raise Refuted(f"edge {last.id}: a loop that is not there any more")
            pending += [(*path, edge) for edge in self.before.outgoing[there.id]]
        raise Refuted(f"too many paths from location {here}")

    def _is_impossible(self, path: Sequence[Edge]) -> bool:
        if not all(isinstance(edge.action, Command) for edge in path):
            return False
        old, normal = list(map(self.translated, path)), self._normal(path[0])
        cases = self.cases(path[0])
        return all(is_never(effect_of(old, replace(normal, case=c)).guard) for c in cases)

    def _normal(self, first: Edge) -> Normal:
        base = self.facts.normal(first.source)
        return replace(self.normal, value=base.value, written=base.written, within=base.within)

    def _narrow(self, first: Edge, normal: Normal) -> Normal:
        """Normal forms where an edge is taken."""
        within = self.facts.narrowed(first)
        if within is None:
            return normal
        return replace(normal, within=self.facts.normal(first.source, within=within).within)

    # -- a path and its edges --------------------------------------------------------------------

    def _compare(self, path: tuple[Edge, ...], made: Sequence[Edge]) -> None:
        first, last = path[0], path[-1]
        for edge in made:
            if edge.source != self.image[first.source]:
                raise Refuted(f"edge {edge.id} does not begin where edge {first.id} does")
            ends = isinstance(last.action, Return)
            if not ends and edge.target != self.image.get(last.target):
                raise Refuted(f"edge {edge.id} does not end where edge {last.id} does")
        old = [self.translated(edge) for edge in path]
        pair = len(path) == 1 and len(made) == 1
        if pair and (_is_alike(old[0], made[0]) or self._forgets(old[0], made[0])):
            return
        normal = self._normal(first)
        if self.facts.excludes(first):
            if not all(is_never(normal.of(edge.action.guard)) for edge in made):
                raise Refuted(f"edge {first.id}, which cannot be taken, is another one now")
            return
        for case in self.cases(first):
            told = replace(normal, case=case) if case else normal
            fitting = [e for e in made if not is_never(told.of(e.action.guard))]
            if not self._fits(old, fitting, told):
                raise Refuted(f"edge {first.id} is another one now")

    def _forgets(self, old: Edge, new: Edge) -> bool:
        """Whether edges differ only in constants that are assigned to dead locals.

        Assignments of an edge happen at once, so that one that reads nothing and is not read
        changes nothing: a short cut for conditions (1) to (4).
        """
        before, after = old.action, new.action
        if not isinstance(before, Command) or not isinstance(after, Command):
            return False
        if not _is_annotated_alike(old, new):
            return False
        if before.guard != after.guard or before.havocs != after.havocs:
            return False
        same = 0  # what both begin with is left out on both sides, or on none
        for a, b in zip(before.assignments, after.assignments, strict=False):
            if a is not b:
                break
            same += 1
        one, other = (
            [a for a in each.assignments[same:] if not self._is_unseen(a, new)]
            for each in (before, after)
        )
        return one == other

    def _is_unseen(self, assignment: Assignment, edge: Edge) -> bool:
        """Whether a constant is assigned to a local that is dead after an edge."""
        target = assignment.target
        return (
            isinstance(assignment.value, Const)
            and isinstance(target, VariablePlace)
            and target.variable.scope is Scope.LOCAL
            and not self._matters(target.variable, edge)
        )

    def _fits(self, old: Sequence[Edge], made: Sequence[Edge], normal: Normal) -> bool:
        """Whether a path is one of some edges, and each of them it."""
        if not all(isinstance(edge.action, Command) for edge in old):
            return len(old) == 1 and all(self._is_other(old[0], edge, normal) for edge in made)
        effect = effect_of(old, normal) if len(old) > 1 else self._effect(old[0], old[0], normal)
        if is_never(effect.guard):
            return True
        if not made:
            return False
        return all(self._is_image(old, effect, edge, normal) for edge in made)

    def _effect(self, edge: Edge, first: Edge, normal: Normal) -> Effect:
        """The effect of one edge where another begins.

        If nothing but values of locals is known there, it is that of all edges that do the same
        where the locals in them hold the same.
        """
        if self.facts.bounds is not None or normal.case or normal.memory is not None:
            return effect_of([edge], normal)
        known = {} if self.facts.values is None else self.facts.values[first.source]
        key = (edge.action, edge.sync, *map(known.get, names_read(edge.action)))
        found = self._effects.get(key)
        if found is None:
            found = self._effects[key] = effect_of([edge], normal)
        return found

    def _is_other(self, old: Edge, new: Edge, normal: Normal) -> bool:
        """Whether two calls, returns, allocations or ends of life are the same."""
        if new.operation != old.operation or new.sync != old.sync or new.mover != old.mover:
            return False
        a, b = old.action, new.action
        if type(a) is not type(b) or normal.of(a.guard) != normal.of(b.guard):
            return False
        match a, b:
            case Call(), Call():
                return (
                    a.procedure == b.procedure
                    and a.result == b.result
                    and [*map(normal.of, a.arguments)] == [*map(normal.of, b.arguments)]
                )
            case Return(), Return():
                return _both(normal, a.value, b.value)
            case Allocate(), Allocate():
                same = replace(a, guard=b.guard, target=b.target, count=b.count) == b
                places = normal.place(a.target) == normal.place(b.target)
                return same and places and _both(normal, a.count, b.count)
            case Free(), Free():
                return normal.of(a.pointer) == normal.of(b.pointer)
            case _:
                return False

    def _is_image(self, old: Sequence[Edge], effect: Effect, new: Edge, normal: Normal) -> bool:
        """Conditions (1) to (4) for a path of commands."""
        command = new.action
        if not isinstance(command, Command):
            return False
        theirs = self._effect(new, old[0], normal)
        if not self._same_guard(effect.guard, theirs.guard, new, normal):
            return False
        assumed = frozenset(parts(BinaryOp.AND, effect.guard))
        given = self._narrow(old[0], replace(normal, assumed=assumed))
        return (
            self._same_state(effect, theirs, new, given)
            and self._same_accesses(old, effect, new, theirs)
            and _same_operation(old, new, normal)
            and all(edge.mover == new.mover for edge in old)
        )

    def _same_guard(self, guard: Expr, theirs: Expr, new: Edge, normal: Normal) -> bool:
        if guard == theirs:
            return True
        if set(parts(BinaryOp.AND, guard)) == set(parts(BinaryOp.AND, theirs)):
            return True
        if len(new.origin) == 1:
            return False
        paths = [[self.before.edges[number] for number in path] for path in new.origin]
        guards = [effect_of([*map(self.translated, path)], normal).guard for path in paths]
        return covered([theirs], [guard]) and covered(guards, [theirs])

    def _same_state(self, one: Effect, other: Effect, new: Edge, normal: Normal) -> bool:
        """Condition (2)."""
        if len(one.stores) != len(other.stores):
            kept = [store for store in one.stores if self._exists(store[0])]
            if len(kept) != len(other.stores):
                return False
            one = replace(one, stores=kept)
        for (place, value), (at, their) in zip(one.stores, other.stores, strict=True):
            if place != at or (their is not None and not _equal(normal, value, their)):
                return False
        for variable in {**one.whole, **other.whole}:
            if variable in other.chosen or not self._matters(variable, new):
                continue
            unchanged = Read(VariablePlace(variable))
            mine, theirs = one.whole.get(variable, unchanged), other.whole.get(variable, unchanged)
            if not _equal(normal, mine, theirs):
                return False
        return True

    def _matters(self, variable: Variable, edge: Edge) -> bool:
        """Whether a variable is there, and read, after an edge of the program after."""
        if variable.scope is not Scope.LOCAL:
            return self._exists(VariablePlace(variable))
        procedure = self.after.procedure_of[edge.source]
        if procedure.name not in self._live:
            self._live[procedure.name] = Live(procedure)
        return self._live[procedure.name].at(edge.target, variable.name)

    def _exists(self, place: Place) -> bool:
        """Whether the program after has the variable that a place is of."""
        base = root(place)
        if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.GLOBAL:
            return True
        return base.variable.name in self._globals

    # -- accesses --------------------------------------------------------------------------------

    def _same_accesses(self, old: Sequence[Edge], one: Effect, new: Edge, other: Effect) -> bool:
        """Condition (3)."""
        if len(old) == 1 and old[0].sync != new.sync:
            return False
        written = {place for place, _ in other.touched}
        for place, sync in one.touched:
            if self._may_race(place) and (place not in written or sync != new.sync):
                return False
        same = {*other.evaluated, *parts(BinaryOp.AND, other.guard)}
        surely: set[Place] | None = None
        for term, places, sync in one.reads:
            racing = {place for place in places if self._may_race(place)}
            if not racing:
                continue
            if sync != new.sync:
                return False
            if {*parts(BinaryOp.AND, term)} <= same:
                continue
            if surely is None:
                surely = {*written, *_surely_read((*other.evaluated, other.guard))}
            if not racing <= surely:
                return False
        return True

    def _may_race(self, place: Place) -> bool:
        return self.facts.shared.may_race(place)


def _is_alike(one: Edge, other: Edge) -> bool:
    same = one.action is other.action or one.action == other.action
    return same and _is_annotated_alike(one, other)


def _is_annotated_alike(one: Edge, other: Edge) -> bool:
    return (
        (one.operation is other.operation or one.operation == other.operation)
        and one.sync == other.sync
        and one.mover == other.mover
    )


def _both(normal: Normal, one: Expr | None, other: Expr | None) -> bool:
    if one is None or other is None:
        return one is other
    return normal.of(one) == normal.of(other)


def _equal(normal: Normal, one: Expr | None, other: Expr) -> bool:
    if one is None:
        return False
    return one == other or normal.of(one) == normal.of(other)


def _surely_read(exprs: Iterable[Expr]) -> Iterator[Place]:
    """What is read whenever an edge is taken: its guard holds then."""
    pending = [part for expr in exprs for part in parts(BinaryOp.AND, expr)]
    while pending:
        match pending.pop():
            case Read(place) | IsWritten(place):
                yield place
                pending += place_expressions(place)
            case Conditional(condition, _, _):
                pending.append(condition)
            case Binary(op, left, _) if op in CONNECTIVES:
                pending.append(left)
            case expr:
                pending += children(expr)


def _same_operation(old: Sequence[Edge], new: Edge, normal: Normal) -> bool:
    """Condition (4).

    An operation that gives to waiting threads, or takes, may be the operation of a whole path if
    it is that of all edges of the path that write shared memory.
    """
    operations = [edge.operation for edge in old if edge.operation is not None]
    if not operations and new.operation is None:
        return True
    if len(old) == 1 and operations:
        return _same_purpose(operations[0], new.operation, normal)
    if new.operation is None or new.operation.subject is not None:
        return False
    return new.operation.kind in (*TAKING, *GIVING) and all(
        edge.operation == new.operation
        or (edge.operation is None and not any(map(is_shared, action_places(edge.action))))
        for edge in old
    )


def _same_purpose(one: Operation, other: Operation | None, normal: Normal) -> bool:
    subject = None if one.subject is None else normal.of(one.subject)
    if other is None:
        nobody = isinstance(subject, Const) and subject.value == NONE
        return nobody or (subject is not None and normal.has_no_value(subject))
    return other.kind is one.kind and _both(normal, one.subject, other.subject)
