"""The same program in other words: what becomes of places, constants and types.

    records           a record variable becomes a variable per field
    temporaries       a global variable becomes a local of each procedure that uses it
    named pointers    an address becomes its place in a list of those that occur
    integer pointers  an address that is an integer becomes the integer

Each is a map of edges, with the conditions under which it keeps the meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Allocate, Call, Command, Free
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsWritten,
    Place,
    PointerExpr,
    PointerToInt,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, conjuncts, rebuild, root, subexpressions
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    Edge,
    FillValue,
    Initial,
    ListedValues,
    Procedure,
    Program,
    stated_values,
)
from threadwise.ir.rewriting import Rewriting
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    EnumType,
    IntType,
    MachineType,
    PointerType,
    RecordType,
    Type,
    Value,
    is_scalar,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.flow import Live
from threadwise.proofs.simplified.shared import Shared
from threadwise.proofs.toolbox.intervals import bounds, inside


@dataclass
class Translation:
    """Edges and declarations in other words; by default the same."""

    def __post_init__(self) -> None:
        self._rewriting = Rewriting(self.place, self.expr)

    def edge(self, edge: Edge) -> Edge:
        """An edge."""
        return self._rewriting.edge(edge)

    def declaration(self, declaration: Declaration) -> Iterator[Declaration]:
        """What becomes of a global variable."""
        yield declaration

    def variable(self, variable: Variable) -> Variable:
        """What becomes of another variable."""
        return variable

    def type(self, held: Type) -> Type:
        """What becomes of a type."""
        return held

    def place(self, place: Place) -> Place:
        """What becomes of a place."""
        match place:
            case VariablePlace(variable):
                return VariablePlace(self.variable(variable))
            case FieldPlace(base, field):
                return FieldPlace(self.place(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self.place(base), self.expr(index))
            case DerefPlace(pointer, held):
                return DerefPlace(self.expr(pointer), held)

    def expr(self, expr: Expr) -> Expr:
        """What becomes of an expression."""
        match expr:
            case Read(place):
                return Read(self.place(place))
            case IsWritten(place):
                return IsWritten(self.place(place))
            case AddressOf(place):
                return AddressOf(self.place(place))
            case _:
                return rebuild(expr, self.expr)


# -- records -------------------------------------------------------------------------------------


@dataclass
class Records(Translation):
    """Records that no pointer leads to, field by field."""

    split: frozenset[str]

    def declaration(self, declaration: Declaration) -> Iterator[Declaration]:
        """A variable per field, with its part of the initial values."""
        if declaration.variable.name not in self.split:
            yield declaration
            return
        start = 0
        for variable in _fields(declaration.variable):
            size = size_of(variable.type, NO_THREADS)
            initial: Initial = declaration.initial
            if isinstance(initial, ListedValues):
                initial = ListedValues(initial.values[start : start + size])
            start += size
            yield Declaration(variable, initial)

    def place(self, place: Place) -> Place:
        """A field of such a record is a variable."""
        if isinstance(place, FieldPlace):
            base = self.place(place.base)
            origin = root(place)
            if (
                isinstance(base, VariablePlace)
                and isinstance(base.type, RecordType)
                and isinstance(origin, VariablePlace)
                and origin.variable.scope is Scope.GLOBAL
                and origin.variable.name in self.split
            ):
                name = f"{base.variable.name}.{place.field}"
                return VariablePlace(replace(base.variable, name=name, type=place.type))
            return FieldPlace(base, place.field)
        return super().place(place)


def _fields(variable: Variable) -> Iterator[Variable]:
    if not isinstance(variable.type, RecordType):
        yield variable
        return
    for field, part in variable.type.fields:
        yield from _fields(replace(variable, name=f"{variable.name}.{field}", type=part))


def records(before: Program, after: Program, shared: Shared) -> Records:
    """The records that are split; raises Refuted if they may not be."""
    kept = {declaration.variable.name for declaration in after.globals}
    split: set[str] = set()
    for number, declaration in enumerate(before.globals):
        variable = declaration.variable
        if variable.name in kept:
            continue
        if not isinstance(variable.type, RecordType) or not has_static_size(variable.type):
            raise Refuted(f"`{variable.name}` is no record")
        if variable.name in shared.taken or any(a.number >= number for a in shared.addresses):
            raise Refuted(f"an address tells where `{variable.name}` is")
        split.add(variable.name)
    return Records(frozenset(split))


# -- temporaries ---------------------------------------------------------------------------------


@dataclass
class Temporaries(Translation):
    """Global variables as locals, procedure by procedure."""

    gone: frozenset[str]
    own: Mapping[str, Mapping[str, Variable]]
    """By procedure and name of the global variable."""
    procedure_of: Callable[[Edge], str]
    here: str = ""

    def edge(self, edge: Edge) -> Edge:
        """The edge, with the locals of its procedure."""
        here = self.procedure_of(edge)
        if here != self.here:
            self.here = here
            self._rewriting = Rewriting(self.place, self.expr)
        return super().edge(edge)

    def declaration(self, declaration: Declaration) -> Iterator[Declaration]:
        """Nothing is left of them."""
        if declaration.variable.name not in self.gone:
            yield declaration

    def variable(self, variable: Variable) -> Variable:
        """The local in place of a global variable."""
        if variable.scope is not Scope.GLOBAL or variable.name not in self.gone:
            return variable
        found = self.own.get(self.here, {}).get(variable.name)
        if found is None:
            raise Refuted(f"`{variable.name}` is nowhere")
        return found


def temporaries(before: Program, after: Program, shared: Shared) -> Temporaries:
    """The variables that became locals; raises Refuted if they may not.

    No access to them races, and their values are used inside atomic regions only, where no other
    thread writes them.
    """
    kept = {declaration.variable.name for declaration in after.globals}
    gone = {d.variable.name: d.variable for d in before.globals if d.variable.name not in kept}
    first = min((n for n, d in enumerate(before.globals) if d.variable.name in gone), default=0)
    for name, variable in gone.items():
        if name in shared.taken or name not in shared.harmless:
            raise Refuted(f"`{name}` is more than temporary")
        if not is_scalar(variable.type):
            raise Refuted(f"`{name}` is no scalar")
    if gone and any(address.number >= first for address in shared.addresses):
        raise Refuted("an address tells where variables are")
    own: dict[str, dict[str, Variable]] = {}
    for old, new in zip(before.procedures, after.procedures, strict=True):
        own[new.name] = _locals_for(gone, old, new)
        _check_regions(before, new, {v.name for v in own[new.name].values()})
    return Temporaries(frozenset(gone), own, lambda edge: before.procedure_of[edge.source].name)


def _locals_for(
    gone: Mapping[str, Variable], old: Procedure, new: Procedure
) -> dict[str, Variable]:
    known = {d.variable.name for d in old.locals}
    found: dict[str, Variable] = {}
    for declaration in new.locals:
        variable = declaration.variable
        if variable.name in known:
            continue
        origin = next((g for g in gone if variable.name.rstrip("$") == g.rstrip("$")), None)
        if origin is None or origin in found or variable.type != gone[origin].type:
            raise Refuted(f"`{variable.name}` comes from nowhere")
        found[origin] = variable
    return found


def _check_regions(before: Program, procedure: Procedure, names: set[str]) -> None:
    """Raises Refuted if locals of these names are of use where others may take steps."""
    if not names:
        return
    needed = Live(procedure)
    for location in procedure.locations:
        assert location.origin is not None
        read = any(needed.at(location.id, name) for name in names)
        if read and not before.locations[location.origin].atomic:
            raise Refuted(f"a temporary is read behind location {location.origin}")
    for edge in procedure.edges:
        if isinstance(edge.action, Call) and any(needed.at(edge.target, n) for n in names):
            raise Refuted("a temporary is read behind a call")


# -- pointers ------------------------------------------------------------------------------------


@dataclass
class Replaced(Translation):
    """Pointers as values of another type."""

    kind: EnumType | IntType | MachineType
    values: Mapping[Value, int]
    integers: bool = False

    def edge(self, edge: Edge) -> Edge:
        """The edge; one that is never taken does nothing."""
        if self.integers and _needs_an_address(edge):
            return replace(edge, action=Command(FALSE))
        return super().edge(edge)

    def type(self, held: Type) -> Type:
        """The type with the other one in place of pointers."""
        match held:
            case PointerType():
                return self.kind
            case ArrayType(element, extent):
                return ArrayType(self.type(element), extent)
            case RecordType(name, fields):
                return RecordType(name, tuple((field, self.type(part)) for field, part in fields))
            case _:
                return held

    def variable(self, variable: Variable) -> Variable:
        """The variable with another type."""
        return replace(variable, type=self.type(variable.type))

    def declaration(self, declaration: Declaration) -> Iterator[Declaration]:
        """The declaration with other initial values."""
        initial: Initial = declaration.initial
        if isinstance(initial, FillValue):
            initial = FillValue(self._value(initial.value))
        elif isinstance(initial, ListedValues):
            initial = ListedValues(tuple(map(self._value, initial.values)))
        yield Declaration(self.variable(declaration.variable), initial)

    def _value(self, value: Value) -> Value:
        return self.values[value] if value is NULL or isinstance(value, Address) else value

    def expr(self, expr: Expr) -> Expr:
        """The expression over the other values."""
        match expr:
            case Const(value, PointerType()):
                return Const(self._value(value), self.kind)
            case IntToPointer(operand) | PointerToInt(operand) if self.integers:
                return self.expr(operand)
            case HoldsInteger() if self.integers:
                return TRUE
            case _:
                return super().expr(expr)


def named_pointers(before: Program, after: Program, shared: Shared) -> Replaced:
    """Pointers as an enumeration: they are copied and compared only; raises Refuted."""
    different = {(edge.action, edge.operation): edge for edge in before.edges}
    _check_pointers(before, shared, different.values(), allowed=())
    (kind,) = after.enums[len(before.enums) :]
    addresses = sorted(shared.addresses)
    if len(kind.members) != len(addresses) + 1:
        raise Refuted("there are as many names as addresses")
    return Replaced(kind, {NULL: 0, **{a: n for n, a in enumerate(addresses, start=1)}})


_WORD = MachineType(64, signed=True)


def integer_pointers(before: Program, after: Program, shared: Shared) -> Replaced:
    """Pointers as integers: they hold nothing else; raises Refuted.

    That is an invariant: while it holds, edges that need a pointer to hold an address are not
    taken, and no other edge makes an address.
    """
    taken = {
        (edge.action, edge.operation): edge for edge in before.edges if not _needs_an_address(edge)
    }
    _check_pointers(
        before, shared, taken.values(), allowed=(IntToPointer, PointerToInt, HoldsInteger)
    )
    if any(address.number != INTEGER_OBJECT for address in shared.addresses):
        raise Refuted("a pointer holds an address")
    values: dict[Value, int] = {NULL: 0, **{a: a.offset for a in shared.addresses}}
    limits = (_WORD.low, _WORD.high)
    fits = all(inside((value, value), limits) for value in values.values()) and all(
        inside(bounds(part.operand, {}), limits)
        for edge in before.edges
        for expr in edge_expressions(edge)
        for part in subexpressions(expr)
        if isinstance(part, IntToPointer)
    )
    return Replaced(_WORD if fits else IntType(), values, integers=True)


def _needs_an_address(edge: Edge) -> bool:
    """Whether a pointer must hold an address where an edge is taken."""
    return any(
        isinstance(part, Unary)
        and part.op is UnaryOp.NOT
        and isinstance(part.operand, HoldsInteger)
        for part in conjuncts(edge.action.guard)
    )


def _check_pointers(
    program: Program, shared: Shared, edges: Iterable[Edge], allowed: tuple[type, ...]
) -> None:
    """Raises Refuted if pointers are more than values."""
    if UNSET in shared.addresses:
        raise Refuted("a pointer may be unset")
    for declaration, _ in program.declarations:
        if isinstance(declaration.initial, AnyValue):
            raise Refuted("a pointer may hold anything")
        if UNSET in stated_values(declaration.initial):
            raise Refuted("a pointer may be unset")
    for edge in edges:
        if isinstance(edge.action, Allocate | Free):
            raise Refuted("there is a heap")
        places = list(action_places(edge.action))
        if isinstance(edge.action, Command) and any(
            isinstance(place.type, PointerType) for place in edge.action.havocs
        ):
            raise Refuted("a pointer is an input")
        for expr in edge_expressions(edge):
            for part in subexpressions(expr):
                if isinstance(part, Read):
                    places.append(part.place)
                elif isinstance(part, PointerExpr) and not isinstance(part, allowed):
                    raise Refuted("a pointer is more than copied and compared")
                elif _orders_pointers(part):
                    raise Refuted("pointers are ordered")
        if any(isinstance(root(place), DerefPlace) for place in places):
            raise Refuted("a pointer is followed")


def _orders_pointers(expr: Expr) -> bool:
    return (
        isinstance(expr, Binary)
        and expr.op not in (BinaryOp.EQ, BinaryOp.NE)
        and isinstance(expr.left.type, PointerType)
    )
