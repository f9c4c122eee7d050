"""Locations that tell what the few values of a thread's own variables are.

`split(program)` has each location once for every combination of values that *told* variables hold
there. Told are

    locals          with few values (truth values, enumerations, small ranges), and those that are
                    only ever given one of a few constants; where they are live
    cells a[self]   of the same types, in arrays with a cell per thread whose steps use no other

So that "threads at a location" tells threads apart that will do different things: a reference was
taken or not, a cache line is shared or exclusive. The variables themselves stay as they are, and
so do steps, but for two things: a step that the values forbid is left out, and a step that gives
such a variable one of several values is there once for each of them, with a guard that says when.

Soundness. A thread of the split program is always at a copy of the location where the thread of
the program is, one whose values are those of the told variables: steps keep this, by induction,
and nobody but the thread itself writes what is told. What is left out could not be taken. So both
programs have the same runs, but for the numbers of locations, and a copy has the labels, the
failure and the other attributes of its original: what holds in one holds in the other.
`threadwise.proofs.transformed.split_locations` verifies it, without this code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from threadwise.analyses.graphs import numbered_again, outgoing_edges
from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Uses
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Action, Assignment, Call, Command, Return
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IndexPlace,
    Place,
    Read,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import action_places, conjunction, negation, root, uses_memory
from threadwise.ir.folding import Folding, typed
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    EdgeId,
    FillValue,
    LocId,
    Procedure,
    Program,
)
from threadwise.ir.types import (
    ArrayType,
    BoolType,
    EnumType,
    PerThread,
    PointerType,
    RangeType,
    TidType,
    Type,
    Value,
    default_value,
    is_scalar,
)

MOST_VALUES = 4
MOST_COPIES = 400
"""A procedure with more locations than this is not worth splitting."""

Told = tuple[tuple[Place, Value], ...]
"""The values of some places, in a fixed order; one that is missing may hold anything."""


@dataclass(frozen=True)
class Split:
    """A program with its locations told apart, and what its edges and locations are copies of."""

    program: Program
    origins: tuple[EdgeId, ...]
    told: Mapping[LocId, Expr]
    """What holds at the copies of a location; those that have none but one are missing."""
    copies: tuple[tuple[LocId, Told], ...]
    """For each location the one that it is a copy of, and the values that are told there."""


def split(program: Program) -> Split:
    """The program with its locations told apart; raises Unsupported where nothing is told."""
    if uses_memory(program):
        raise Unsupported("telling locations apart beside pointers")
    if any(isinstance(edge.action, Call | Return) for edge in program.edges):
        raise Unsupported("telling locations apart beside procedures")
    uses = Uses()
    parts = [_Copies(program, procedure, uses) for procedure in program.procedures]
    procedures = numbered_again([part.procedure for part in parts])
    told: dict[LocId, Expr] = {}
    for part, procedure in zip(parts, procedures, strict=True):
        for location, formula in zip(procedure.locations, part.formulas(), strict=True):
            if formula is not None:
                told[location.id] = formula
    if not told:
        raise Unsupported("no variable to tell locations apart by")
    origins = tuple(origin for part in parts for origin in part.origins)
    copies = tuple(key for part in parts for key in part.ids)
    return Split(replace(program, procedures=procedures), origins, told, copies)


# -- what is told --------------------------------------------------------------------------------


def _told_places(program: Program, procedure: Procedure) -> list[tuple[Place, Value | None]]:
    """The places that a procedure tells, with the values they start with (None: any)."""
    found: list[tuple[Place, Value | None]] = []
    for declaration in procedure.locals:
        place = VariablePlace(declaration.variable)
        if _domain(place.type) or _is_given_few_constants(procedure, place):
            found.append((place, _initial(declaration, place.type)))
    owners = [template.name for template in program.templates if template.body == procedure.name]
    for declaration in program.globals:
        match declaration.variable.type:
            case ArrayType(element, PerThread(template)) if owners == [template]:
                own = IndexPlace(VariablePlace(declaration.variable), SelfId())
                if _domain(element) and _is_written_by_owners_only(program, own):
                    found.append((own, _initial(declaration, element)))
            case _:
                pass
    return found


def _domain(held: Type) -> tuple[Value, ...]:
    """The values of a type that has few; none of any other."""
    match held:
        case BoolType():
            return (False, True)
        case EnumType(_, members) if len(members) <= MOST_VALUES:
            return tuple(range(len(members)))
        case RangeType(low, high) if high - low < MOST_VALUES:
            return tuple(range(low, high + 1))
        case _:
            return ()


def _initial(declaration: Declaration, held: Type) -> Value | None:
    match declaration.initial:
        case initial if initial == DEFAULT and is_scalar(held):
            return default_value(held)  # type: ignore[arg-type]  # a scalar
        case FillValue(value):
            return value
        case _:
            return None


def _is_given_few_constants(procedure: Procedure, place: VariablePlace) -> bool:
    """Whether a number is only ever one of a few constants."""
    if not is_scalar(place.type) or isinstance(place.type, PointerType | TidType):
        return False
    values: set[Value] = set()
    for edge in procedure.edges:
        for target, value in _writes(edge.action):
            if root(target) == place:
                constants = _constants(value)
                if target != place or constants is None:
                    return False
                values.update(constants)
    return 0 < len(values) <= MOST_VALUES


def _constants(value: Expr | None) -> tuple[Value, ...] | None:
    match value:
        case Const(constant, _):
            return (constant,)
        case Conditional(_, Const(then, _), Const(otherwise, _)):
            return (then, otherwise)
        case _:
            return None


def _is_written_by_owners_only(program: Program, own: Place) -> bool:
    """Whether every step that writes to an array writes the cell of its own thread."""
    return all(
        target == own
        for edge in program.edges
        for target in action_places(edge.action)
        if root(target) == root(own)
    )


def _writes(action: Action) -> Iterator[tuple[Place, Expr | None]]:
    """What an action writes where; None: something that is not known."""
    if not isinstance(action, Command):
        for place in action_places(action):
            yield place, None
        return
    for assignment in action.assignments:
        yield assignment.target, assignment.value
    for place in action.havocs:
        yield place, None


# -- copies --------------------------------------------------------------------------------------


class _Copies:
    """One procedure with its locations told apart, found forwards from its entry."""

    def __init__(self, program: Program, procedure: Procedure, uses: Uses) -> None:
        places = _told_places(program, procedure)
        self.places = [place for place, _ in places]
        self.live = live_locals(procedure, uses)
        self.ids: dict[tuple[LocId, Told], LocId] = {}
        self.origins: list[EdgeId] = []
        outgoing = outgoing_edges(procedure)
        start = self._told(
            procedure.entry, {place: value for place, value in places if value is not None}
        )
        entry = self._copy(procedure.entry, start)
        edges: list[Edge] = []
        for here, told in _growing(self.ids):
            source = self.ids[here, told]
            for edge in outgoing[here]:
                for action, after in self._ways(edge.action, dict(told)):
                    target = self._copy(edge.target, self._told(edge.target, after))
                    changed = replace(edge, action=action)
                    edges.append(changed.renumbered(EdgeId(len(edges)), source, target))
                    self.origins.append(edge.id)
        reached = {here for here, _ in self.ids}
        for location in procedure.locations:
            if location.labels and location.id not in reached:  # formulas may name it
                self._copy(location.id, ())
        originals = {location.id: location for location in procedure.locations}
        copies = tuple(replace(originals[here], id=copy) for (here, _), copy in self.ids.items())
        self.procedure = replace(procedure, entry=entry, locations=copies, edges=tuple(edges))

    def formulas(self) -> Iterator[Expr | None]:
        """What is told at each copy; None where a location has only one."""
        copies = Counter(here for here, _ in self.ids)
        for here, told in self.ids:
            holds = conjunction([_equals(Read(place), place, value) for place, value in told])
            yield holds if copies[here] > 1 else None

    def _copy(self, here: LocId, told: Told) -> LocId:
        if len(self.ids) > MOST_COPIES:
            raise Unsupported("telling so many locations apart")
        return self.ids.setdefault((here, told), LocId(len(self.ids)))

    def _told(self, here: LocId, values: Mapping[Place, Value]) -> Told:
        """What is told at a location: locals only where somebody will read them."""
        live = self.live[here]
        return tuple(
            (place, values[place])
            for place in self.places
            if place in values
            and (not isinstance(place, VariablePlace) or place.variable.name in live)
        )

    def _ways(
        self, action: Action, values: dict[Place, Value]
    ) -> Iterator[tuple[Action, dict[Place, Value]]]:
        """What becomes of an action where some values are told, and what is told after it."""

        def known(place: Place) -> Const | None:
            return Const(values[place], place.type) if place in values else None

        folding = Folding(known, lambda _: False)
        if folding.of(action.guard) == FALSE:
            return
        written = {place: value for place, value in _writes(action) if place in self.places}
        if not isinstance(action, Command):
            yield action, {p: v for p, v in values.items() if p not in written}
            return
        choices = [
            _given(place) if value is None else _outcomes(place, folding.of(value))
            for place, value in written.items()
        ]
        for chosen in product(*choices):
            after = {place: value for place, value in values.items() if place not in written}
            conditions = [action.guard]
            changed = action
            for place, (condition, value) in zip(written, chosen, strict=True):
                if value is not None:
                    after[place] = value
                if condition is None:
                    changed = _with_value(changed, place, value)
                elif condition != TRUE:
                    conditions.append(condition)
            if len(conditions) > 1:
                changed = replace(changed, guard=conjunction(conditions))
            yield changed, after


Outcome = tuple[Expr | None, Value | None]
"""When a place is given which value: a condition (None: it is an input), and what is known."""


def _given(place: Place) -> Sequence[Outcome]:
    """The values of an input."""
    return [(None, value) for value in _domain(place.type)]


def _outcomes(place: Place, value: Expr) -> Sequence[Outcome]:
    """What a place is given, and when."""
    match value:
        case Const():
            return [(TRUE, _told_value(place, value))]
        case Conditional(condition, Const() as then, Const() as otherwise):
            return [
                (condition, _told_value(place, then)),
                (negation(condition), _told_value(place, otherwise)),
            ]
        case _ if isinstance(place.type, BoolType):
            return [(value, True), (negation(value), False)]
        case _ if isinstance(place.type, EnumType):
            return [(_equals(value, place, v), v) for v in _domain(place.type)]
        case _ if domain := _domain(place.type):
            cases = [(_equals(value, place, v), v) for v in domain]
            other = conjunction([negation(condition) for condition, _ in cases])
            return [*cases, (other, None)]
        case _:
            return [(TRUE, None)]


def _told_value(place: Place, constant: Const) -> Value | None:
    fitting = typed(constant, place)
    return None if fitting is None else fitting.value


def _equals(value: Expr, place: Place, constant: Value) -> Expr:
    return Binary(BinaryOp.EQ, value, Const(constant, place.type))


def _with_value(command: Command, place: Place, value: Value | None) -> Command:
    """A command with an input that has this value."""
    assert value is not None
    assignments = (*command.assignments, Assignment(place, Const(value, place.type)))
    havocs = tuple(other for other in command.havocs if other != place)
    return replace(command, assignments=assignments, havocs=havocs)


def _growing(ids: Mapping[tuple[LocId, Told], LocId]) -> Iterator[tuple[LocId, Told]]:
    """The copies, those included that are made meanwhile."""
    seen = 0
    while seen < len(ids):
        for key in list(ids)[seen:]:
            seen += 1
            yield key
