"""Random names, types and values of the IR."""

from __future__ import annotations

from dataclasses import dataclass

from tests.property.drawing import Draw
from threadwise.ir.program import AnyValue, DefaultValue, FillValue, Initial, ListedValues
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
)

NAMES = [
    *("x", "y", "i", "x.y", "worker", "worker.next", "next", "client", "owner", "edge", "self"),
    *("self.index", "int8", "uint32x", "true", "a b", "tick`", "größe", "0", "m", "back\\slash"),
]
"""Ordinary names, reserved ones, and some that need quotes."""


def draw_names(draw: Draw, most: int, least: int = 0) -> list[str]:
    """Some different names, often the same few: scopes shall hide each other."""
    return draw.some(NAMES if draw.flag() else NAMES[:7], most, least)


def draw_scalar_type(draw: Draw, enums: tuple[EnumType, ...] = ()) -> ScalarType:
    """Any scalar type."""
    simple: list[ScalarType] = [BOOL, INT, TID, POINTER, *enums]
    return draw_integer_type(draw) if draw.flag() else draw.pick(simple)


def draw_integer_type(draw: Draw) -> ScalarType:
    """Any integer type."""
    choice = draw.number(0, 2)
    if choice == 0:
        return INT
    if choice == 1:
        return MachineType(draw.pick((1, 8, 32, 64)), draw.flag())
    return draw_range_type(draw)


def draw_range_type(draw: Draw) -> RangeType:
    """Any small range."""
    low = draw.number(-4, 4)
    return RangeType(low, low + draw.number(0, 5), draw.pick(list(Overflow)))


@dataclass(frozen=True)
class TypeNames:
    """What types may be made from."""

    enums: tuple[EnumType, ...] = ()
    records: tuple[RecordType, ...] = ()
    templates: tuple[str, ...] = ()


def draw_type(draw: Draw, known: TypeNames) -> Type:
    """Any type."""
    held: Type = draw_scalar_type(draw, known.enums)
    choice = draw.number(0, 3)
    if choice == 0:
        held = MutexType(draw.pick(list(MutexKind)))
    elif choice == 1 and known.records:
        held = draw.pick(known.records)
    for _ in range(max(0, draw.number(-1, 2))):
        held = ArrayType(held, draw.number(1, 3))
        if known.templates and draw.flag():
            held = ArrayType(held.element, PerThread(draw.pick(known.templates)))
    return held


def draw_records(
    draw: Draw, enums: tuple[EnumType, ...], templates: tuple[str, ...]
) -> tuple[RecordType, ...]:
    """Some records, which may contain those before."""
    found: tuple[RecordType, ...] = ()
    for name in draw_names(draw, 2):
        known = TypeNames(enums, found, templates)
        fields = tuple((field, draw_type(draw, known)) for field in draw_names(draw, 3, 1))
        found += (RecordType(name, fields),)
    return found


def draw_value(draw: Draw, scalar: ScalarType, objects: int = 1) -> Value:
    """Any value of a scalar type; as thread id only `none`."""
    match scalar:
        case BoolType():
            return draw.flag()
        case PointerType():
            if not objects or draw.flag():
                return NULL
            return Address(draw.number(0, objects - 1), draw.number(0, 3))
        case TidType():
            return NONE
        case EnumType(_, members):
            return draw.number(0, len(members) - 1)
        case IntType():
            return draw.any_number()
        case RangeType() | MachineType():
            return draw.number(scalar.low, scalar.high)


def draw_initial(draw: Draw, held: Type, objects: int, *, local: bool = False) -> Initial:
    """Any initial value."""
    size = 1
    while isinstance(held, ArrayType) and isinstance(held.extent, int):
        size *= held.extent
        held = held.element
    choice = draw.number(0, 3)
    if choice >= 2 and not isinstance(held, ArrayType | RecordType | MutexType):
        if choice == 2:
            return FillValue(draw_value(draw, held, objects))
        return ListedValues(tuple(draw_value(draw, held, objects) for _ in range(size)))
    return AnyValue() if choice == 1 and not local else DefaultValue()
