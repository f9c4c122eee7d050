"""Random well-typed terms of the IR, given what is declared around them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from threadwise.ir.expr import (
    CONNECTIVES,
    AddressOf,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    IsValid,
    Place,
    PointerAdd,
    Quantified,
    Quantifier,
    Read,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    NONE,
    NULL,
    POINTER,
    TID,
    Address,
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    MutexKind,
    MutexType,
    Overflow,
    PerThread,
    PointerType,
    RangeType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    Value,
    bounds_of,
    fields_of,
    is_integer,
)

NAMES = [
    *("x", "y", "i", "m", "client", "worker.next", "worker", "next", "owner", "edge", "self"),
    *("self.index", "int8", "uint32x", "true", "a b", "tick`", "größe", "0", "x.y", "back\\slash"),
]
"""Ordinary names, reserved ones, and some that need quotes."""

ORDERED = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)
EQUALITIES = (BinaryOp.EQ, BinaryOp.NE)
ARITHMETIC = tuple(op for op in BinaryOp if op not in (*CONNECTIVES, *ORDERED, *EQUALITIES))


def names(count: int, at_least: int = 0) -> st.SearchStrategy[list[str]]:
    """Some different names."""
    return st.lists(st.sampled_from(NAMES), min_size=at_least, max_size=count, unique=True)


def numbers() -> st.SearchStrategy[int]:
    """Integers, mostly small."""
    return st.integers(-3, 9) | st.integers(-(2**70), 2**70)


@st.composite
def scalar_types(draw: st.DrawFn, enums: tuple[EnumType, ...] = ()) -> ScalarType:
    """Any scalar type."""
    simple: list[ScalarType] = [BOOL, INT, TID, POINTER, *enums]
    match draw(st.integers(0, 3)):
        case 0:
            low = draw(st.integers(-4, 4))
            high = draw(st.integers(low, low + 5))
            return RangeType(low, high, draw(st.sampled_from(Overflow)))
        case 1:
            return MachineType(draw(st.sampled_from((1, 8, 32, 64))), draw(st.booleans()))
        case _:
            return draw(st.sampled_from(simple))


def types(
    enums: tuple[EnumType, ...], records: tuple[RecordType, ...], templates: tuple[str, ...]
) -> st.SearchStrategy[Type]:
    """Any type made from the given enumerations, records and templates."""
    base: st.SearchStrategy[Type] = scalar_types(enums) | st.builds(
        MutexType, st.sampled_from(MutexKind)
    )
    if records:
        base |= st.sampled_from(records)
    extents: st.SearchStrategy[int | PerThread] = st.integers(1, 3)
    if templates:
        extents |= st.builds(PerThread, st.sampled_from(templates))
    return (
        base
        | st.builds(ArrayType, base, extents)
        | st.builds(ArrayType, st.builds(ArrayType, base, extents), extents)
    )


@st.composite
def values(draw: st.DrawFn, scalar: ScalarType, objects: int = 1) -> Value:
    """Any value of a scalar type."""
    match scalar:
        case BoolType():
            return draw(st.booleans())
        case PointerType():
            address = st.builds(Address, st.integers(0, max(objects - 1, 0)), st.integers(0, 3))
            return draw(st.just(NULL) | address if objects else st.just(NULL))
        case TidType():
            return NONE
        case EnumType(_, members):
            return draw(st.integers(0, len(members) - 1))
        case IntType():
            return draw(numbers())
        case RangeType() | MachineType():
            return draw(st.integers(scalar.low, scalar.high))


@dataclass(frozen=True)
class Surroundings:
    """What a term may mention."""

    variables: tuple[Variable, ...]
    enums: tuple[EnumType, ...] = ()
    types: tuple[Type, ...] = (INT,)
    """What pointers may point to."""
    templates: tuple[str, ...] = ()
    memory: bool = True
    """Whether shared memory may be looked at."""
    index: bool = False
    """Whether `self.index` makes sense."""
    bound: tuple[ThreadVariable, ...] = ()
    own: dict[str, tuple[Variable, ...]] = field(default_factory=dict)
    """The thread-scoped variables of each template, for invariants."""
    labels: tuple[tuple[str, str], ...] = ()
    invariant: bool = False
    exists: bool = False

    def reading(self, variables: tuple[Variable, ...]) -> Surroundings:
        """The same with other variables."""
        return replace(self, variables=variables)


def same_kind(left: Type, right: Type) -> bool:
    """Whether values may be assigned to each other."""
    return (is_integer(left) and is_integer(right)) or left == right


@st.composite
def places_below(
    draw: st.DrawFn, base: Place, around: Surroundings, depth: int, *, whole: bool = False
) -> Place:
    """A scalar part of a place, or the place itself where it may be an aggregate."""
    held = base.type
    while isinstance(held, ArrayType | RecordType | MutexType):
        if whole and draw(st.booleans()):
            break
        if isinstance(held, ArrayType):
            wanted: ScalarType = TID if isinstance(held.extent, PerThread) else INT
            base = IndexPlace(base, draw(exprs(wanted, around, depth - 1)))
        elif fields_of(held):
            base = FieldPlace(base, draw(st.sampled_from(fields_of(held)))[0])
        else:
            break
        held = base.type
    return base


@st.composite
def places(
    draw: st.DrawFn, around: Surroundings, depth: int, *, whole: bool = False
) -> Place | None:
    """Any place, scalar unless `whole`; None if there is none."""
    sources: list[Variable | None] = list(around.variables)
    if around.memory and depth > 0:
        sources.append(None)
    if not sources:
        return None
    source = draw(st.sampled_from(sources))
    if source is None:
        pointer = draw(exprs(POINTER, around, depth - 1))
        root: Place = DerefPlace(pointer, draw(st.sampled_from(around.types)))
    else:
        root = VariablePlace(source)
    return draw(places_below(root, around, depth, whole=whole))


@st.composite
def exprs(draw: st.DrawFn, wanted: ScalarType, around: Surroundings, depth: int = 3) -> Expr:
    """An expression of the same kind as a type."""
    choice = draw(st.integers(0, 5))
    if depth <= 0 or choice == 0:
        return draw(leaves(wanted, around))
    if choice == 1:
        place = draw(places(around, depth))
        if place is not None and same_kind(place.type, wanted):
            return Read(place)
    if choice == 2:
        condition = draw(exprs(BOOL, around, depth - 1))
        then, otherwise = (draw(exprs(wanted, around, depth - 1)) for _ in range(2))
        return Conditional(condition, then, otherwise)
    match wanted:
        case BoolType():
            return draw(formulas(around, depth))
        case TidType() if around.templates:
            position = draw(exprs(INT, around, depth - 1))
            return ThreadAt(draw(st.sampled_from(around.templates)), position)
        case PointerType():
            return draw(pointers(around, depth))
        case EnumType() | TidType():
            return draw(leaves(wanted, around))
        case _:
            return draw(sums(around, depth))


@st.composite
def leaves(draw: st.DrawFn, wanted: ScalarType, around: Surroundings) -> Expr:
    """An expression without operands."""
    own = [VariablePlace(v) for v in around.variables if same_kind(v.type, wanted)]
    choices: list[Expr] = [Read(place) for place in own]
    if isinstance(wanted, TidType):
        choices += around.bound
        choices += [] if around.invariant else [SelfId()]
    if is_integer(wanted):
        wanted = draw(scalar_types().filter(is_integer))
        choices += [SelfIndex()] if around.index else []
    if isinstance(wanted, BoolType) and around.bound:
        thread = draw(st.sampled_from(around.bound))
        choices += [AtLabel(thread, *label) for label in around.labels]
    for thread in around.bound:
        variables = [v for v in around.own.get(thread.template, ()) if same_kind(v.type, wanted)]
        choices += [ThreadRead(thread, VariablePlace(variable)) for variable in variables]
    if choices and draw(st.booleans()):
        return draw(st.sampled_from(choices))
    value = draw(values(wanted))
    if isinstance(wanted, TidType):
        value = draw(st.integers(NONE, 4))
    return Const(value, wanted)


@st.composite
def formulas(draw: st.DrawFn, around: Surroundings, depth: int) -> Expr:
    """A boolean expression with operands."""
    inner = depth - 1
    match draw(st.integers(0, 6)):
        case 0:
            return Unary(UnaryOp.NOT, draw(exprs(BOOL, around, inner)))
        case 1:
            op = draw(st.sampled_from(sorted(CONNECTIVES, key=lambda op: op.value)))
            left, right = (draw(exprs(BOOL, around, inner)) for _ in range(2))
            return Binary(op, left, right)
        case 2:
            left, right = (draw(exprs(INT, around, inner)) for _ in range(2))
            return Binary(draw(st.sampled_from(ORDERED)), left, right)
        case 3:
            held = draw(scalar_types(around.enums))
            left, right = (draw(exprs(held, around, inner)) for _ in range(2))
            return Binary(draw(st.sampled_from(EQUALITIES)), left, right)
        case 4 if around.templates:
            operand = draw(exprs(TID, around, inner))
            return IsInstance(operand, draw(st.sampled_from(around.templates)))
        case 5 if around.memory:
            return IsValid(draw(exprs(POINTER, around, inner)))
        case 6 if around.invariant and around.templates:
            return draw(quantified(around, inner))
        case _:
            return draw(leaves(BOOL, around))


@st.composite
def quantified(draw: st.DrawFn, around: Surroundings, depth: int) -> Expr:
    """A quantified formula; its variables differ from those around it."""
    known = {variable.name for variable in around.bound}
    fresh = [name for name in draw(names(2, at_least=1)) if name not in known]
    template = st.sampled_from(around.templates)
    variables = tuple(ThreadVariable(name, draw(template)) for name in fresh)
    if not variables:
        return draw(leaves(BOOL, around))
    quantifier = Quantifier.FORALL
    if around.exists:
        quantifier = draw(st.sampled_from(Quantifier))
    inside = replace(around, bound=(*around.bound, *variables))
    return Quantified(quantifier, variables, draw(exprs(BOOL, inside, depth)))


@st.composite
def sums(draw: st.DrawFn, around: Surroundings, depth: int) -> Expr:
    """An integer expression with operands."""
    inner = depth - 1
    operand = draw(exprs(INT, around, inner))
    match draw(st.integers(0, 3)):
        case 0:
            return Unary(draw(st.sampled_from((UnaryOp.NEG, UnaryOp.BIT_NOT))), operand)
        case 1:
            node = draw(st.sampled_from((Wrap, Clamp)))
            bounds = bounds_of(draw(scalar_types().filter(bounds_of)))
            assert bounds is not None
            return node(*bounds, operand)
        case _:
            right = draw(exprs(INT, around, inner))
            return Binary(draw(st.sampled_from(ARITHMETIC)), operand, right)


@st.composite
def pointers(draw: st.DrawFn, around: Surroundings, depth: int) -> Expr:
    """A pointer expression with operands."""
    if around.memory and draw(st.booleans()):
        shared = tuple(v for v in around.variables if v.scope.value == "global")
        place = draw(places(around.reading(shared), depth - 1, whole=True))
        if place is not None:
            return AddressOf(place)
    pointer = draw(exprs(POINTER, around, depth - 1))
    count = draw(exprs(INT, around, depth - 1))
    return PointerAdd(pointer, count, draw(st.sampled_from(around.types)))
