"""Random well-typed terms of the IR, given what is declared around them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.property.drawing import Draw
from tests.property.ir_type_strategies import (
    draw_integer_type,
    draw_names,
    draw_range_type,
    draw_scalar_type,
    draw_value,
)
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
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsInstance,
    IsValid,
    Place,
    PointerAdd,
    Quantified,
    Quantifier,
    Read,
    SameObject,
    Scope,
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
    POINTER,
    TID,
    ArrayType,
    BoolType,
    EnumType,
    MutexType,
    PerThread,
    PointerType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    fields_of,
    is_integer,
)

ORDERED = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)
EQUALITIES = (BinaryOp.EQ, BinaryOp.NE)
ARITHMETIC = tuple(op for op in BinaryOp if op not in (*CONNECTIVES, *ORDERED, *EQUALITIES))


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


def draw_place_below(
    draw: Draw, base: Place, around: Surroundings, depth: int, *, whole: bool = False
) -> Place:
    """A scalar part of a place, or the place itself where it may be an aggregate."""
    held = base.type
    while isinstance(held, ArrayType | RecordType | MutexType):
        if whole and draw.flag():
            break
        if isinstance(held, ArrayType):
            wanted: ScalarType = TID if isinstance(held.extent, PerThread) else INT
            base = IndexPlace(base, draw_expr(draw, wanted, around, depth - 1))
        elif fields_of(held):
            base = FieldPlace(base, draw.pick(fields_of(held))[0])
        else:
            break
        held = base.type
    return base


def draw_place(
    draw: Draw, around: Surroundings, depth: int, *, whole: bool = False
) -> Place | None:
    """Any place, scalar unless `whole`; None if there is none."""
    sources: list[Variable | None] = list(around.variables)
    if around.memory and depth > 0:
        sources.append(None)
    if not sources:
        return None
    source = draw.pick(sources)
    if source is None:
        pointer = draw_expr(draw, POINTER, around, depth - 1)
        root: Place = DerefPlace(pointer, draw.pick(around.types))
    else:
        root = VariablePlace(source)
    return draw_place_below(draw, root, around, depth, whole=whole)


def draw_expr(draw: Draw, wanted: ScalarType, around: Surroundings, depth: int = 3) -> Expr:
    """An expression of the same kind as a type."""
    choice = draw.number(0, 5)
    if depth <= 0 or choice == 0:
        return draw_leaf(draw, wanted, around)
    if choice == 1:
        place = draw_place(draw, around, depth)
        if place is not None and same_kind(place.type, wanted):
            return Read(place)
    if choice == 1 and around.bound:
        thread = draw.pick(around.bound)
        owned = around.own.get(thread.template)
        if owned:
            root = VariablePlace(draw.pick(owned))
            place = draw_place_below(draw, root, around, depth)
            if same_kind(place.type, wanted):
                return ThreadRead(thread, place)
    if choice == 2:
        condition = draw_expr(draw, BOOL, around, depth - 1)
        then, otherwise = (draw_expr(draw, wanted, around, depth - 1) for _ in range(2))
        return Conditional(condition, then, otherwise)
    match wanted:
        case BoolType():
            return draw_formula(draw, around, depth)
        case TidType() if around.templates:
            position = draw_expr(draw, INT, around, depth - 1)
            return ThreadAt(draw.pick(around.templates), position)
        case PointerType():
            return draw_pointer(draw, around, depth)
        case EnumType() | TidType():
            return draw_leaf(draw, wanted, around)
        case _:
            return draw_arithmetic(draw, around, depth)


def draw_leaf(draw: Draw, wanted: ScalarType, around: Surroundings) -> Expr:
    """An expression without operands."""
    own = [VariablePlace(v) for v in around.variables if same_kind(v.type, wanted)]
    choices: list[Expr] = [Read(place) for place in own]
    if isinstance(wanted, TidType):
        choices += around.bound
        choices += [] if around.invariant else [SelfId()]
    if is_integer(wanted):
        wanted = draw_integer_type(draw)
        choices += [SelfIndex()] if around.index else []
    if isinstance(wanted, BoolType) and around.bound:
        thread = draw.pick(around.bound)
        choices += [AtLabel(thread, *label) for label in around.labels]
    for thread in around.bound:
        for variable in around.own.get(thread.template, ()):
            if same_kind(variable.type, wanted):
                choices.append(ThreadRead(thread, VariablePlace(variable)))
    if choices and draw.flag():
        return draw.pick(choices)
    value = draw_value(draw, wanted)
    if isinstance(wanted, TidType):
        value = draw.number(NONE, 4)
    return Const(value, wanted)


def draw_formula(draw: Draw, around: Surroundings, depth: int) -> Expr:
    """A boolean expression with operands."""
    inner = depth - 1
    match draw.number(0, 6):
        case 0:
            return Unary(UnaryOp.NOT, draw_expr(draw, BOOL, around, inner))
        case 1:
            op = draw.pick(sorted(CONNECTIVES, key=lambda op: op.value))
            left, right = (draw_expr(draw, BOOL, around, inner) for _ in range(2))
            return Binary(op, left, right)
        case 2:
            left, right = (draw_expr(draw, INT, around, inner) for _ in range(2))
            return Binary(draw.pick(ORDERED), left, right)
        case 3:
            held = draw_scalar_type(draw, around.enums)
            left, right = (draw_expr(draw, held, around, inner) for _ in range(2))
            return Binary(draw.pick(EQUALITIES), left, right)
        case 4 if around.templates:
            operand = draw_expr(draw, TID, around, inner)
            return IsInstance(operand, draw.pick(around.templates))
        case 5 if around.memory:
            return draw_pointer_test(draw, around, inner)
        case 6 if around.invariant and around.templates:
            return draw_quantified(draw, around, inner)
        case _:
            return draw_leaf(draw, BOOL, around)


def draw_pointer_test(draw: Draw, around: Surroundings, depth: int) -> Expr:
    """A formula about pointers."""
    pointer = draw_expr(draw, POINTER, around, depth)
    match draw.pick(range(5)):
        case 0:
            return IsValid(pointer)
        case 1:
            return IsValid(pointer, draw_scalar_type(draw, around.enums))
        case 2:
            return HoldsInteger(pointer)
        case 3:
            return IsAllocated(pointer)
        case _:
            return SameObject(pointer, draw_expr(draw, POINTER, around, depth))


def draw_quantified(draw: Draw, around: Surroundings, depth: int) -> Expr:
    """A quantified formula; its variables differ from those around it."""
    known = {variable.name for variable in around.bound}
    fresh = [name for name in draw_names(draw, 2, 1) if name not in known]
    variables = tuple(ThreadVariable(name, draw.pick(around.templates)) for name in fresh)
    if not variables:
        return draw_leaf(draw, BOOL, around)
    quantifier = Quantifier.FORALL
    if around.exists:
        quantifier = draw.pick(list(Quantifier))
    inside = replace(around, bound=(*around.bound, *variables))
    return Quantified(quantifier, variables, draw_expr(draw, BOOL, inside, depth))


def draw_arithmetic(draw: Draw, around: Surroundings, depth: int) -> Expr:
    """An integer expression with operands."""
    inner = depth - 1
    operand = draw_expr(draw, INT, around, inner)
    match draw.number(0, 3):
        case 0:
            return Unary(draw.pick((UnaryOp.NEG, UnaryOp.BIT_NOT)), operand)
        case 1:
            bounds = draw_range_type(draw)
            if draw.flag():
                return Wrap(bounds.low, bounds.high, operand)
            return Clamp(bounds.low, bounds.high, operand)
        case _:
            right = draw_expr(draw, INT, around, inner)
            return Binary(draw.pick(ARITHMETIC), operand, right)


def draw_pointer(draw: Draw, around: Surroundings, depth: int) -> Expr:
    """A pointer expression with operands."""
    if around.memory and draw.flag():
        shared = tuple(v for v in around.variables if v.scope is Scope.GLOBAL)
        place = draw_place(draw, around.reading(shared), depth - 1, whole=True)
        if place is not None:
            return AddressOf(place)
    count = draw_expr(draw, INT, around, depth - 1)
    if draw.flag():
        return IntToPointer(count)
    pointer = draw_expr(draw, POINTER, around, depth - 1)
    return PointerAdd(pointer, count, draw.pick(around.types))
