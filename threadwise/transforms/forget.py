"""Projection: programs without the values of some variables, with at least the same behaviours.

`forget(program, names)` gives a program over the same locations and edges in which the *forgotten*
variables, those that are projected away, hold a single value:

    a forgotten scalar cell       has the type int[0..0]
    assigned to                   x := e     becomes  x := 0
    a conjunct of a guard that    is left out: the edge is enabled at least where it was
      reads a forgotten variable
    x := e where e reads one      becomes  havoc x
    f(e)                          becomes  f(0) if the parameter is forgotten
    x := f(e)                     becomes  f(e) if x is

Every step of the original is a step of the result, with forgotten cells mapped to 0: guards only
got weaker, and a variable that is not forgotten gets every value it could get. Every access of the
original is one of the result: what an edge no longer evaluates, it still reads, in conjuncts like
`x == x` that are always true (`i < 9 ==> a[i] == a[i]` where it might not exist). An array that
is indexed by something forgotten becomes a single cell, so that any two accesses to it meet. So
whatever race or failure the original can reach, the result can reach: a proof for the result is a
proof for the original. Deadlocks and invariants are not preserved.

Accesses matter only to races. Where race properties are about some variables, a forgotten one that
none of them is about is not mentioned any more.

A mutex is forgotten as other data: it is always free then.

Three things would not be sound or not be finite, and are refused: forgetting what a pointer may
lead to, a variable that must take any value of a type with many values, and a parameter or a
result that is kept but depends on what is forgotten. A cycle inside an atomic
region, which only data kept from going on for ever, is opened: one of its locations becomes
visible. That adds behaviours, and keeps races where steps with plain accesses are not opened, and
read nothing that synchronises; elsewhere it is refused.

`threadwise.proofs.transformed.forgotten` verifies the result, without this code.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from threadwise.analyses.loops import cycles
from threadwise.core.errors import Unsupported
from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Action, Assignment, Call, Command, Return
from threadwise.ir.expr import (
    CONNECTIVES,
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjunction,
    conjuncts,
    is_shared,
    place_definedness,
    read_places,
    root,
    subexpressions,
    uses_memory,
)
from threadwise.ir.program import DEFAULT, Declaration, Edge, LocId, Procedure, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import (
    ArrayType,
    BoolType,
    EnumType,
    MachineType,
    MutexType,
    PerThread,
    RangeType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    default_value,
)

ONE_VALUE = RangeType(0, 0)
NOTHING = Const(0, ONE_VALUE)
MOST_REMEMBERED = 1 << 15
"""Of so many edges it is remembered what becomes of them."""
MOST_VALUES = 16
"""A variable of a type with more values is not given any value of it."""


def variable_key(variable: Variable, procedure: str) -> str:
    """The name by which a variable is forgotten; locals belong to a procedure."""
    if variable.scope is Scope.GLOBAL:
        return variable.name
    if variable.scope is Scope.THREAD:
        return f"{variable.name}@"
    return f"{procedure}.{variable.name}@"


def may_be_any(held: Type) -> bool:
    """Whether a type has few enough values to enumerate them."""
    match held:
        case BoolType() | TidType():
            return True
        case EnumType(_, members):
            return len(members) <= MOST_VALUES
        case RangeType(low, high):
            return high - low < MOST_VALUES
        case MachineType():
            return 1 << held.width <= MOST_VALUES
        case _:
            return False


def forget(program: Program, names: Iterable[str]) -> Program:
    """The program without the data in the named variables; raises Unsupported.

    It is remembered with the program: engines, checks and audits ask for the same slices.
    """
    if uses_memory(program):
        raise Unsupported("forgetting data beside pointers")
    forgotten = sorted(set(names))
    key = f"without {forgotten}"
    if key not in program.made:
        program.made[key] = _Forgetting(program, frozenset(forgotten)).run()
    return program.made[key]


@dataclass(frozen=True)
class _View:
    """How the expressions of one procedure change."""

    program: Program
    procedure: str
    forgotten: frozenset[str]
    collapsed: frozenset[str]
    unwatched: frozenset[Variable] = frozenset()
    """Shared variables that no race property is about."""

    def is_unwatched(self, place: Place) -> bool:
        """Whether nobody asks who accesses a place."""
        base = root(place)
        assert isinstance(base, VariablePlace)
        return base.variable.scope is not Scope.GLOBAL or base.variable in self.unwatched

    def is_forgotten(self, place: Place) -> bool:
        base = root(place)
        assert isinstance(base, VariablePlace)
        return variable_key(base.variable, self.procedure) in self.forgotten

    def reads_forgotten(self, expr: Expr) -> bool:
        return any(map(self.is_forgotten, _places_of(expr)))

    def place(self, place: Place) -> Place:
        """The place in the program that has forgotten."""
        base = root(place)
        assert isinstance(base, VariablePlace)
        if not self.is_forgotten(place):
            return place
        key = variable_key(base.variable, self.procedure)
        changed = VariablePlace(changed_variable(base.variable, key, self.collapsed))
        if key in self.collapsed:
            return changed
        return _rebased(place, changed)

    def touched(self, expr: Expr) -> Iterator[Expr]:
        """Formulas that are true and read every shared place the expression may read."""
        for place in _places_of(expr):
            if is_shared(place) and not self.is_unwatched(place):
                yield self.reading(place, expr)

    def reading(self, place: Place, whole: Expr) -> Expr:
        """A formula that is true and reads a place, if it exists."""
        there = self.place(place)
        if any(self.reads_forgotten(index) for index in _indices(there)):
            raise Unsupported("an index that is forgotten, of a variable that is not")
        same = Binary(BinaryOp.EQ, Read(there), Read(there))
        exists = place_definedness(there)
        if exists == TRUE:
            return same
        if not all(map(_is_simple, _indices(there))) and _has_branches(whole):
            raise Unsupported("a computed index that is only sometimes looked at")
        return Binary(BinaryOp.IMPLIES, exists, same)


def _is_simple(index: Expr) -> bool:
    match index:
        case Const() | SelfId():
            return True
        case Read(place):
            return isinstance(place, VariablePlace)
        case _:
            return False


def _has_branches(expr: Expr) -> bool:
    return any(
        isinstance(part, Conditional) or (isinstance(part, Binary) and part.op in CONNECTIVES)
        for part in subexpressions(expr)
    )


class _Forgetting:
    def __init__(self, program: Program, names: frozenset[str]) -> None:
        self.program = program
        self.names = names
        self.collapsed = frozenset(self._collapsed())
        self.unwatched = frozenset(_unwatched(program))

    def _collapsed(self) -> Iterator[str]:
        """Forgotten mutexes, and arrays that are indexed by something forgotten."""
        for declaration in self.program.globals:
            if isinstance(declaration.variable.type, MutexType):
                yield declaration.variable.name
        for procedure in self.program.procedures:
            for edge in procedure.edges:
                for array, indices in _mentioned(Same(edge), procedure.name).indexed:
                    if array in self.names and not self.names.isdisjoint(indices):
                        yield array

    def run(self) -> Program:
        """The program that has forgotten."""
        procedures = tuple(map(self._procedure, self.program.procedures))
        opened = [
            here.id
            for old, new in zip(self.program.procedures, procedures, strict=True)
            for here, there in zip(old.locations, new.locations, strict=True)
            if here.atomic != there.atomic
        ]
        if opened and not _may_open(self.program, opened):
            raise Unsupported("a loop over forgotten data in an atomic block")
        return replace(
            self.program,
            globals=tuple(self._declared(d, "") for d in self.program.globals),
            procedures=procedures,
            templates=tuple(
                replace(t, variables=tuple(self._declared(d, "") for d in t.variables))
                for t in self.program.templates
            ),
        )

    def _declared(self, declaration: Declaration, procedure: str) -> Declaration:
        key = variable_key(declaration.variable, procedure)
        if key not in self.names:
            return declaration
        held = declaration.variable.type
        if not forgettable(held) and not isinstance(held, MutexType):
            raise Unsupported(f"forgetting {declaration.variable.name}, which synchronises")
        changed = changed_variable(declaration.variable, key, self.collapsed)
        return Declaration(changed, DEFAULT)

    def _procedure(self, procedure: Procedure) -> Procedure:
        view = _View(self.program, procedure.name, self.names, self.collapsed, self.unwatched)
        edges = tuple(_changed(view, edge) for edge in procedure.edges)
        opened = _cycles(procedure)
        return replace(
            procedure,
            parameters=tuple(
                self._declared(Declaration(p), procedure.name).variable
                for p in procedure.parameters
            ),
            locals=tuple(self._declared(d, procedure.name) for d in procedure.locals),
            locations=tuple(
                replace(location, atomic=False) if location.id in opened else location
                for location in procedure.locations
            ),
            edges=edges,
        )


def _unwatched(program: Program) -> Iterator[Variable]:
    """The shared variables that no race property is about."""
    races = [checked for checked in program.properties if isinstance(checked, RaceProperty)]
    if not races or any(checked.variables is None for checked in races):
        return
    watched = {name for checked in races for name in checked.variables or ()}
    for declaration in program.globals:
        if declaration.variable.name not in watched:
            yield declaration.variable


@dataclass(frozen=True)
class _Mentioned:
    """What an edge mentions; variables by the names that they are forgotten by."""

    keys: frozenset[str]
    shared: frozenset[Variable]
    indexed: tuple[tuple[str, frozenset[str]], ...]
    """Arrays, each with what is read to find the element."""


@lru_cache(maxsize=MOST_REMEMBERED)
def _mentioned(edge: Same, procedure: str) -> _Mentioned:
    found = edge.kept
    assert isinstance(found, Edge)
    places = [*action_places(found.action)]
    for expr in action_expressions(found.action):
        places += _places_of(expr)
    subject = None if found.operation is None else found.operation.subject
    told = [*places, *([] if subject is None else _places_of(subject))]
    variables = [
        root_variable(inner)
        for place in told
        for inner in (place, *(p for index in _indices(place) for p in _places_of(index)))
    ]
    return _Mentioned(
        frozenset(variable_key(variable, procedure) for variable in variables),
        frozenset(v for v in variables if v.scope is Scope.GLOBAL),
        tuple(
            (
                variable_key(root_variable(place), procedure),
                frozenset(
                    variable_key(root_variable(inner), procedure)
                    for index in _indices(place)
                    for inner in _places_of(index)
                ),
            )
            for place in places
            if any(True for _ in _indices(place))
        ),
    )


_known_edges: OrderedDict[tuple[object, ...], Edge] = OrderedDict()
"""What becomes of edges: a program has many slices, most of which treat an edge alike."""


def _changed(view: _View, edge: Edge) -> Edge:
    """An edge; that of a command depends on which of the variables that it mentions are kept."""
    if not isinstance(edge.action, Command):
        return _changed_anew(view, edge)
    told = _mentioned(Same(edge), view.procedure)
    key = (
        Same(edge),
        view.procedure,
        view.forgotten & told.keys,
        view.collapsed & told.keys,
        view.unwatched & told.shared,
    )
    known = _known_edges.get(key)
    if known is None:
        known = _known_edges[key] = _changed_anew(view, edge)
        if len(_known_edges) > MOST_REMEMBERED:
            _known_edges.popitem(last=False)
    return known


def _changed_anew(view: _View, edge: Edge) -> Edge:
    """An edge; what threads do with a mutex that is forgotten is no operation any more."""
    operation = edge.operation
    if operation is not None and operation.subject is not None:
        operation = None if view.reads_forgotten(operation.subject) else operation
    return replace(edge, action=_action(view, edge), operation=operation)


def _action(view: _View, edge: Edge) -> Action:
    action = edge.action
    if isinstance(action, Call):
        return _call(view, action, edge)
    if isinstance(action, Return):
        return _return(view, action, edge)
    if not isinstance(action, Command):
        raise Unsupported("forgetting data beside a heap", edge.span)
    kept: list[Expr] = []
    for conjunct in conjuncts(action.guard):
        kept += view.touched(conjunct) if view.reads_forgotten(conjunct) else [conjunct]
    assignments: list[Assignment] = []
    havocs: list[Place] = []
    for assignment in action.assignments:
        target, value = assignment.target, assignment.value
        for index in _indices(target):
            if view.reads_forgotten(index):
                kept += view.touched(index)
        if view.is_forgotten(target):
            kept += view.touched(value)
            if not view.is_unwatched(target):
                assignments.append(Assignment(view.place(target), NOTHING))
        elif view.reads_forgotten(value):
            kept += view.touched(value)
            havocs.append(_any(view, target, edge))
        else:
            assignments.append(Assignment(_known(view, target, edge), value))
    for place in action.havocs:
        if view.is_forgotten(place):
            if not view.is_unwatched(place):
                assignments.append(Assignment(view.place(place), NOTHING))
        else:
            havocs.append(_any(view, place, edge))
    return Command(conjunction(list(dict.fromkeys(kept))), tuple(assignments), tuple(havocs))


def _call(view: _View, call: Call, edge: Edge) -> Call:
    """A call; nothing that it evaluates is shared, so what is left out need not be read."""
    callee = view.program.procedure[call.procedure]
    inside = replace(view, procedure=callee.name)
    arguments: list[Expr] = []
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        if inside.is_forgotten(VariablePlace(parameter)):
            argument = NOTHING
        elif view.reads_forgotten(argument):
            raise Unsupported("a call that passes on what is forgotten", edge.span)
        arguments.append(argument)
    result = call.result
    if result is not None:
        result = None if view.is_forgotten(result) else _known(view, result, edge)
    return Call(call.procedure, tuple(arguments), result, _private_guard(view, call.guard))


def _return(view: _View, returned: Return, edge: Edge) -> Return:
    """A return; a value that depends on forgotten variables must not be used by any caller."""
    value = returned.value
    if value is not None and view.reads_forgotten(value):
        if result_is_used(view.program, view.procedure, view.forgotten):
            raise Unsupported("a result that depends on what is forgotten", edge.span)
        held = view.program.procedure[view.procedure].result
        assert isinstance(held, ScalarType)
        value = Const(default_value(held), held)
    return Return(value, _private_guard(view, returned.guard))


def _private_guard(view: _View, guard: Expr) -> Expr:
    return conjunction([part for part in conjuncts(guard) if not view.reads_forgotten(part)])


def result_is_used(program: Program, procedure: str, forgotten: Container[str]) -> bool:
    """Whether a result of the procedure goes where it is not forgotten."""
    return any(
        isinstance(edge.action, Call)
        and edge.action.procedure == procedure
        and edge.action.result is not None
        and variable_key(root_variable(edge.action.result), caller.name) not in forgotten
        for caller in program.procedures
        for edge in caller.edges
    )


def root_variable(place: Place) -> Variable:
    """The variable that a place is part of, where there are no pointers."""
    base = root(place)
    assert isinstance(base, VariablePlace)
    return base.variable


def _any(view: _View, place: Place, edge: Edge) -> Place:
    if not may_be_any(place.type):
        raise Unsupported("any value of a type with many values", edge.span)
    return _known(view, place, edge)


def _known(view: _View, place: Place, edge: Edge) -> Place:
    if any(map(view.reads_forgotten, _indices(place))):
        raise Unsupported("an index that is forgotten, of a variable that is not", edge.span)
    return place


# -- types and places ----------------------------------------------------------------------------


def changed_variable(variable: Variable, key: str, collapsed: frozenset[str]) -> Variable:
    """A forgotten variable."""
    held: Type = ONE_VALUE if key in collapsed else _one_value(variable.type)
    return replace(variable, type=held)


def _one_value(held: Type) -> Type:
    match held:
        case ArrayType(element, extent):
            return ArrayType(_one_value(element), extent)
        case RecordType(name, fields):
            changed = tuple((field, _one_value(part)) for field, part in fields)
            return RecordType(f"{name}, forgotten", changed)
        case _:
            return ONE_VALUE


def forgettable(held: Type) -> bool:
    """Whether nothing in a type is there to synchronise."""
    match held:
        case ArrayType(element, extent):
            return not isinstance(extent, PerThread) and forgettable(element)
        case RecordType(_, fields):
            return all(forgettable(part) for _, part in fields)
        case _:
            return isinstance(held, ScalarType) and not isinstance(held, TidType)


def _rebased(place: Place, base: VariablePlace) -> Place:
    match place:
        case VariablePlace():
            return base
        case FieldPlace(inner, field):
            return FieldPlace(_rebased(inner, base), field)
        case IndexPlace(inner, index):
            return IndexPlace(_rebased(inner, base), index)
        case _:
            raise Unsupported("forgetting data beside pointers")


def _indices(place: Place) -> Iterator[Expr]:
    while not isinstance(place, VariablePlace):
        if isinstance(place, IndexPlace):
            yield place.index
        assert isinstance(place, IndexPlace | FieldPlace)
        place = place.base


def _places_of(expr: Expr) -> list[Place]:
    """Every place an expression may look at, those in indices included."""
    found = list(read_places(expr))
    found += [part.place for part in subexpressions(expr) if isinstance(part, IsWritten)]
    return found


def _may_open(program: Program, opened: Container[LocId]) -> bool:
    """Whether a step that is cut in two at these locations races as before."""
    leader: dict[LocId, LocId] = {}
    """Of atomic locations that edges join, all but one lead to another one."""

    def group(edge: Edge) -> int:
        for end in (edge.source, edge.target):
            if program.locations[end].atomic:
                while end in leader:
                    end = leader[end]
                return end
        return -1 - edge.id

    for edge in program.edges:
        one = group(edge)
        other = group(replace(edge, source=edge.target))
        if one >= 0 and other >= 0 and one != other:
            leader[LocId(one)] = LocId(other)
    plain = {group(e) for e in program.edges if not e.sync and _touches_shared(e.action)}
    for edge in program.edges:
        if group(edge) in plain:
            if edge.source in opened or edge.target in opened:
                return False
            read = (p for expr in action_expressions(edge.action) for p in _places_of(expr))
            for place in filter(is_shared, read):
                if edge.sync or root_variable(place).sync:
                    return False
    return all(
        checked.variables is None
        for checked in program.properties
        if isinstance(checked, RaceProperty)
    )


def _touches_shared(action: Action) -> bool:
    read = (place for expr in action_expressions(action) for place in _places_of(expr))
    return any(map(is_shared, action_places(action))) or any(map(is_shared, read))


def _cycles(procedure: Procedure) -> frozenset[LocId]:
    """A location on each cycle of atomic ones."""
    inside = {location.id for location in procedure.locations if location.atomic}
    edges = [e for e in procedure.edges if e.source in inside and e.target in inside]
    opened: set[LocId] = set()
    pending = cycles(sorted(inside), edges)
    while pending:
        part = pending.pop()
        head = min(part)
        opened.add(head)
        rest = [node for node in part if node != head]
        pending.extend(cycles(rest, [e for e in edges if head not in (e.source, e.target)]))
    return frozenset(opened)
