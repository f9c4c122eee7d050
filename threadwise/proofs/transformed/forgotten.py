"""Whether a program is the projection of another one: some variables are forgotten, no more.

Let α map a state of the program before to one of the program after: forgotten cells hold 0, an
array that is *collapsed* is a single cell, everything else is the same. The obligations ensure
that α is a simulation: every step of the program before, from s to t, is one of the program after,
from α(s) to α(t), along the same edge, with at least the same accesses, cells mapped by α:

    (1) both have the same threads, procedures, locations and properties, and no pointers; a
        variable is declared as before, or it is forgotten: all its cells have the one value 0
    (2) a conjunct of a guard is one of the guard before that reads nothing forgotten, so it holds
        where the guard before does; or it is `p == p`, perhaps under conditions that hold where p
        exists, and p exists under these, or because the edge before certainly reads it
    (3) an assigned value is the one from before, if that reads nothing forgotten; or any value; or
        0, if the target is forgotten. Havocs come last, as they did. What is forgotten and not
        *watched* need not be assigned to: it holds 0 all the time
    (4) watched places that the edge before may read in expressions that were removed, the edge
        after reads in any case
    (5) arguments and results: likewise; a result that is another value is never used
    (6) a location may be visible that was not, if what is claimed allows it (`cut_steps`)
    (7) an edge is annotated as before, or its operation is about a mutex that is forgotten.
        Annotations say nothing about what a step does

A shared variable is *watched* if a claimed race property is about it. So failures before are
failures after, and so are races on what is watched. How the program after was made plays no
role here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeGuard, TypeVar

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Call, Command, Return
from threadwise.ir.expr import (
    FALSE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import DEFAULT, Declaration, Edge, Procedure, Program, Template
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.ir.types import (
    ArrayType,
    RangeType,
    RecordType,
    Type,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import (
    evaluated,
    indices,
    is_clear,
    needed,
    places_read,
    refuse_memory,
    surely_read,
    variable_of,
    within,
)
from threadwise.proofs.transformed.cut_steps import check_cut_steps
from threadwise.proofs.transformed.known_edges import Comparison, KnownEdges

ONE_VALUE = RangeType(0, 0)
ZERO = Const(0, ONE_VALUE)


def check_forgotten(before: Program, after: Program, claimed: Sequence[Property]) -> None:
    """Raises Refuted unless claims that hold after forgetting also hold before."""
    if not all(isinstance(checked, FailureProperty | RaceProperty) for checked in claimed):
        raise Refuted("forgetting data keeps races and failures only")
    refuse_memory(before)
    shared = _pairs(before.globals, after.globals)
    if replace(after, globals=before.globals, procedures=(), templates=()) != replace(
        before, procedures=(), templates=()
    ):
        raise Refuted("another program")
    for old_template, new_template in _zipped(before.templates, after.templates):
        shared = _merged(shared, _template(old_template, new_template))
    for old, new in _zipped(before.procedures, after.procedures):
        parameters = _pairs(_declarations(old.parameters), _declarations(new.parameters))
        locals_ = _pairs(old.locals, new.locals)
        if len(new.parameters) + len(new.locals) != len({**parameters, **locals_}):
            raise Refuted("a variable is declared twice")
        names = {**shared, **parameters, **locals_}
        watched = frozenset(v for v in names if _is_watched(v, claimed))
        _Procedure(before, after, old, new, names, watched).check()
    check_cut_steps(before, after, claimed)  # (6)


def _is_watched(variable: Variable, claimed: Sequence[Property]) -> bool:
    """Whether a claimed race property is about a variable; if nothing is claimed, all count."""
    return variable.scope is Scope.GLOBAL and (
        not claimed
        or any(
            checked.variables is None or variable.name in checked.variables
            for checked in claimed
            if isinstance(checked, RaceProperty)
        )
    )


# -- (1) declarations ----------------------------------------------------------------------------

Names = Mapping[Variable, Variable]
"""What becomes of variables."""


T = TypeVar("T")


def _zipped(old: Sequence[T], new: Sequence[T]) -> Iterator[tuple[T, T]]:
    if len(old) != len(new):
        raise Refuted("more or fewer parts")
    return zip(old, new, strict=True)


def _declarations(variables: Sequence[Variable]) -> list[Declaration]:
    return [Declaration(variable) for variable in variables]


def _pairs(old: Sequence[Declaration], new: Sequence[Declaration]) -> dict[Variable, Variable]:
    found: dict[Variable, Variable] = {}
    for one, other in _zipped(old, new):
        if one != other:
            was, now = one.variable, other.variable
            if replace(now, type=was.type) != was or other.initial != DEFAULT:
                raise Refuted(f"`{was.name}` is another variable")
            if not _has_one_value(was.type, now.type):
                raise Refuted(f"`{was.name}` is neither kept nor forgotten")
        found[one.variable] = other.variable
    return found


def _has_one_value(was: Type, now: Type) -> bool:
    if now == ONE_VALUE:
        return True
    match was, now:
        case ArrayType(old, size), ArrayType(new, extent):
            return size == extent and _has_one_value(old, new)
        case RecordType(_, old_fields), RecordType(_, new_fields):
            return len(old_fields) == len(new_fields) and all(
                field == name and _has_one_value(old, new)
                for (field, old), (name, new) in zip(old_fields, new_fields, strict=True)
            )
        case _:
            return False


def _merged(names: Names, more: Names) -> dict[Variable, Variable]:
    if any(names.get(variable, now) != now for variable, now in more.items()):
        raise Refuted("variables of one name are not forgotten together")
    return {**names, **more}


def _template(old: Template, new: Template) -> dict[Variable, Variable]:
    if replace(new, variables=old.variables) != old:
        raise Refuted(f"other threads `{old.name}`")
    return _pairs(old.variables, new.variables)


# -- (2) to (5) edges ----------------------------------------------------------------------------


class _Procedure:
    """One procedure, before and after."""

    def __init__(
        self,
        before: Program,
        after: Program,
        old: Procedure,
        new: Procedure,
        names: Names,
        watched: frozenset[Variable],
    ) -> None:
        self.before = before
        self.after = after
        self.old = old
        self.new = new
        self.names = names
        self.watched = watched
        """Variables, as they were before, races on which are claimed to be absent."""

    def check(self) -> None:
        """Raises Refuted unless the steps before are steps after."""
        old, new = self.old, self.new
        same = (old.name, old.result, old.entry) == (new.name, new.result, new.entry)
        if not same:
            raise Refuted(f"another procedure `{old.name}`")
        for here, there in _zipped(old.locations, new.locations):
            if here is there:
                continue
            if replace(there, atomic=here.atomic) != here or (there.atomic and not here.atomic):
                raise Refuted(f"location {here.id} is another one")
        known = Comparison(KnownEdges.of(self.before), self.names, self.watched)
        for one, other in _zipped(old.edges, new.edges):
            if (one is not other or self._forgets) and not known.is_known(one, other):
                self._edge(one, other)
                known.remember(one, other)

    @cached_property
    def _forgets(self) -> bool:
        return any(variable != now for variable, now in self.names.items())

    def _edge(self, old: Edge, new: Edge) -> None:
        if replace(new, action=old.action, operation=old.operation) != old:
            raise Refuted(f"edge {old.id} is another one")
        gone = old.operation is not None and self._looks(old.operation.subject)
        if new.operation != (None if gone else old.operation):  # (7)
            raise Refuted(f"edge {old.id} waits for what is forgotten")
        match old.action, new.action:
            case Command(), Command():
                self._command(old, old.action, new.action)
            case Call(), Call():
                self._call(old, old.action, new.action)
            case Return(), Return():
                self._return(old, old.action, new.action)
            case _:
                raise Refuted(f"edge {old.id} does something else")

    def _command(self, edge: Edge, old: Command, new: Command) -> None:
        if FALSE in conjuncts(old.guard):
            return
        gone = self._guard(edge, old, new)
        assignments: list[Assignment] = []
        optional: set[int] = set()
        havocs: list[Place] = []
        writes: list[tuple[Place, Expr | None]] = [(a.target, a.value) for a in old.assignments]
        for place, value in [*writes, *((place, None) for place in old.havocs)]:
            target = self._place(place)
            if target != place:
                if variable_of(place) not in self.watched:
                    optional.add(len(assignments))
                assignments.append(Assignment(target, ZERO))
                gone += [*indices(place)] if value is None else [*indices(place), value]
            elif value is None or self._looks(value):
                havocs.append(place)
                gone += () if value is None else (value,)
            else:
                assignments.append(Assignment(place, value))
        kept = _without_some(new.assignments, assignments, optional)
        if not kept or Counter(new.havocs) != Counter(havocs):  # (3)
            raise Refuted(f"edge {edge.id} writes something else")
        looked = {place for part in conjuncts(new.guard) for place in surely_read(part)}
        looked |= {p for p in map(_looked_at, conjuncts(new.guard)) if p is not None}
        looked |= {place for expr in evaluated(new) for place in surely_read(expr)}
        for expr in gone:  # (4)
            for place in places_read(expr):
                if variable_of(place) in self.watched and self._place(place) not in looked:
                    raise Refuted(f"edge {edge.id} no longer looks at `{variable_of(place).name}`")

    def _guard(self, edge: Edge, old: Command, new: Command) -> list[Expr]:
        """The conjuncts that are gone; raises Refuted if others came than may."""
        given = list(conjuncts(old.guard))
        kept = {part for part in given if not self._looks(part)}
        left = [part for part in conjuncts(new.guard) if part not in kept]
        if left:
            looked = [*given, *evaluated(old)]
            sure = {self._place(p) for expr in looked for p in surely_read(expr)}
            if not all(self._only_looks(part, sure) for part in left):  # (2)
                raise Refuted(f"the guard of edge {edge.id} is stronger")
        still = set(conjuncts(new.guard))
        return [part for part in given if part not in still]

    def _only_looks(self, part: Expr, sure: Container[Place]) -> bool:
        """Whether a conjunct is always true, and reads a place."""
        place = _looked_at(part)
        if place is None:
            return False
        conditions = set(conjuncts(part.left)) if _is_implication(part) else set()
        if not conditions <= set(needed(place)):
            return False
        return place in sure or self._exists(place, conditions)

    def _call(self, edge: Edge, old: Call, new: Call) -> None:
        self._private_guard(edge, old.guard, new.guard)
        callee = self.before.procedure.get(old.procedure)
        made = self.after.procedure.get(new.procedure)
        if callee is None or made is None or old.procedure != new.procedure:
            raise Refuted(f"edge {edge.id} calls something else")
        arguments = list(_zipped(old.arguments, new.arguments))
        parameters = _zipped(callee.parameters, made.parameters)
        for (given, passed), (was, now) in zip(arguments, parameters, strict=True):
            fine = passed == ZERO if was != now else passed == given and not self._looks(given)
            if not fine:
                raise Refuted(f"edge {edge.id} passes something else")
        if new.result is None:
            kept = old.result is not None and self._place(old.result) == old.result
        else:
            kept = new.result != old.result or self._place(new.result) != new.result
        if kept:
            raise Refuted(f"edge {edge.id} keeps another result")

    def _return(self, edge: Edge, old: Return, new: Return) -> None:
        self._private_guard(edge, old.guard, new.guard)
        if old.value == new.value and not self._looks(old.value):
            return
        used = any(
            isinstance(call.action, Call)
            and call.action.procedure == self.new.name
            and call.action.result is not None
            for call in self.after.edges
        )
        if used or not isinstance(new.value, Const):
            raise Refuted(f"edge {edge.id} returns something else")

    def _private_guard(self, edge: Edge, old: Expr, new: Expr) -> None:
        kept = {part for part in conjuncts(old) if not self._looks(part)}
        if not set(conjuncts(new)) <= kept:
            raise Refuted(f"the guard of edge {edge.id} is stronger")

    # -- places ----------------------------------------------------------------------------------

    def _looks(self, expr: Expr | None) -> bool:
        """Whether an expression may read a forgotten variable."""
        return expr is not None and any(
            self._now(variable_of(place)) != variable_of(place) for place in places_read(expr)
        )

    def _now(self, variable: Variable) -> Variable:
        if variable not in self.names:
            raise Refuted(f"`{variable.name}` is not declared")
        return self.names[variable]

    def _place(self, place: Place) -> Place:
        """What becomes of a place."""
        variable = variable_of(place)
        now = self._now(variable)
        if now.type == ONE_VALUE and now != variable:
            return VariablePlace(now)
        if any(map(self._looks, indices(place))):
            raise Refuted("an index is forgotten, and what it selects is not")
        return place if now == variable else _rebased(place, VariablePlace(now))

    def _exists(self, place: Place, known: Container[Expr]) -> bool:
        """Whether a place of the program after exists, under conditions that have a value."""
        match place:
            case VariablePlace(variable):
                return variable in self.names.values()
            case FieldPlace(base, _):
                return self._exists(base, known)
            case IndexPlace(base, index):
                held = base.type
                simple = isinstance(index, Const | SelfId) or (
                    isinstance(index, Read)
                    and isinstance(index.place, VariablePlace)
                    and self._exists(index.place, ())
                )
                if not simple or not isinstance(held, ArrayType) or not self._exists(base, known):
                    return False
                return all(one in known or is_clear(one) for one in within(held, index))
            case _:
                return False


def _without_some(
    found: Sequence[Assignment], whole: Sequence[Assignment], optional: Container[int]
) -> bool:
    """Whether a list of assignments is another one, in which optional ones may be missing."""
    rest = iter(found)
    wanted = next(rest, None)
    for position, assignment in enumerate(whole):
        if assignment == wanted:
            wanted = next(rest, None)
        elif position not in optional:
            return False
    return wanted is None


def _is_implication(part: Expr) -> TypeGuard[Binary]:
    return isinstance(part, Binary) and part.op is BinaryOp.IMPLIES


def _looked_at(part: Expr) -> Place | None:
    """The place p of `p == p` or of `… ==> p == p`."""
    if _is_implication(part):
        part = part.right
    match part:
        case Binary(BinaryOp.EQ, Read(place), Read(other)) if place == other:
            return place
        case _:
            return None


def _rebased(place: Place, base: VariablePlace) -> Place:
    match place:
        case FieldPlace(inner, field):
            return FieldPlace(_rebased(inner, base), field)
        case IndexPlace(inner, index):
            return IndexPlace(_rebased(inner, base), index)
        case _:
            return base
