"""Types of variables and expressions.

Scalar types describe one memory cell: `BoolType`, `RangeType`, `EnumType`, `TidType`, `IntType`,
`MachineType`, `PointerType`. Aggregates (`ArrayType`, `RecordType`, `MutexType`) are laid out as a
sequence of scalar cells by `threadwise.ir.layout`.

The value of a cell is a plain Python object:

    bool            False, True
    ranges, int     int
    enumerations    int, the position of the member
    tid             int, the number of the thread; `NONE` (-1) for `none`
    pointer         `Address`, or `NULL` (None)

A cell of shared memory that nothing was written to yet holds `UNSET`, whatever its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.hashing import Hashed, Listed, hashed_once

NONE = -1
"""The `tid` value that is no thread."""


class Address(NamedTuple):
    """A pointer value: a cell of an object.

    `number` counts the addressable objects: first the global variables in declaration order, then
    the heap objects. An integer kept in a pointer is an address in no object: `INTEGER_OBJECT`,
    with the integer as offset.
    """

    number: int
    offset: int


INTEGER_OBJECT = -1
"""The `number` of a pointer that holds an integer other than 0."""

UNSET = Address(-2, 0)
"""The content of memory that was never written; it may be overwritten, not read."""


NULL = None
Value: TypeAlias = bool | int | Address | None


class Overflow(Listed):
    """What assigning a value outside a range does."""

    ERROR = "error"
    WRAP = "wrap"
    SATURATE = "saturate"


class MutexKind(Listed):
    """How a mutex answers its owner's second acquire."""

    NORMAL = "normal"
    RECURSIVE = "recursive"


@hashed_once
@dataclass(frozen=True, slots=True)
class BoolType(Hashed):
    """Truth values."""


@hashed_once
@dataclass(frozen=True, slots=True)
class IntType(Hashed):
    """Mathematical integers, without bound."""


@hashed_once
@dataclass(frozen=True, slots=True)
class RangeType(Hashed):
    """Integers from `low` to `high`, both included."""

    low: int
    high: int
    overflow: Overflow = Overflow.ERROR


@hashed_once
@dataclass(frozen=True, slots=True)
class EnumType(Hashed):
    """A named list of constants; the value is the position in `members`."""

    name: str
    members: tuple[str, ...]


@hashed_once
@dataclass(frozen=True, slots=True)
class TidType(Hashed):
    """Thread ids: a scalarset plus `none`; only copied and compared for equality."""


@hashed_once
@dataclass(frozen=True, slots=True)
class MachineType(Hashed):
    """Two's-complement machine integers of `width` bits."""

    width: int
    signed: bool

    @property
    def low(self) -> int:
        """The least value."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The greatest value."""
        return (1 << (self.width - 1)) - 1 if self.signed else (1 << self.width) - 1


@hashed_once
@dataclass(frozen=True, slots=True)
class PointerType(Hashed):
    """Addresses of cells, and null; a dereference says what it expects to find."""


@hashed_once
@dataclass(frozen=True, slots=True)
class PerThread(Hashed):
    """The extent of an array with one element for each thread of a template."""

    template: str


@hashed_once
@dataclass(frozen=True, slots=True)
class ArrayType(Hashed):
    """A fixed number of elements, indexed by 0..extent-1 or, if per thread, by a `tid`."""

    element: Type
    extent: int | PerThread


@hashed_once
@dataclass(frozen=True, slots=True)
class RecordType(Hashed):
    """Named fields, in order."""

    name: str
    fields: tuple[tuple[str, Type], ...]


@hashed_once
@dataclass(frozen=True, slots=True)
class MutexType(Hashed):
    """A lock: its `owner` (a tid or `none`) and, if recursive, its `depth`."""

    kind: MutexKind = MutexKind.NORMAL


ScalarType: TypeAlias = (
    BoolType | IntType | RangeType | EnumType | TidType | MachineType | PointerType
)
Type: TypeAlias = ScalarType | ArrayType | RecordType | MutexType

BOOL = BoolType()
INT = IntType()
TID = TidType()
POINTER = PointerType()
MUTEX = MutexType()

_MUTEX_FIELDS: dict[MutexKind, tuple[tuple[str, ScalarType], ...]] = {
    MutexKind.NORMAL: (("owner", TID),),
    MutexKind.RECURSIVE: (("owner", TID), ("depth", INT)),
}


def fields_of(aggregate: RecordType | MutexType) -> tuple[tuple[str, Type], ...]:
    """The named parts of a record or a mutex, in memory order."""
    if isinstance(aggregate, MutexType):
        return _MUTEX_FIELDS[aggregate.kind]
    return aggregate.fields


def parts_of(held: Type) -> Iterator[Type]:
    """The types of what an array or a record consists of; of anything else, itself."""
    match held:
        case ArrayType(element, _):
            yield from parts_of(element)
        case RecordType():
            for _, part in held.fields:
                yield from parts_of(part)
        case _:
            yield held


def has_cells_inside(held: Type, template: str) -> bool:
    """Whether parts of a type have a cell per thread of a template: `int[2][t]`, not `int[t]`."""
    match held:
        case ArrayType(element, _):
            inner = isinstance(element, ArrayType) and element.extent == PerThread(template)
            return inner or has_cells_inside(element, template)
        case RecordType():
            return any(
                (isinstance(part, ArrayType) and part.extent == PerThread(template))
                or has_cells_inside(part, template)
                for _, part in held.fields
            )
        case _:
            return False


def is_scalar(candidate: Type) -> bool:
    """Whether values of this type fit one cell."""
    return not isinstance(candidate, ArrayType | RecordType | MutexType)


def is_integer(candidate: Type) -> bool:
    """Whether values of this type take part in arithmetic."""
    return isinstance(candidate, IntType | RangeType | MachineType)


def bounds_of(candidate: Type) -> tuple[int, int] | None:
    """The least and greatest value of a bounded integer type; None for any other type."""
    if isinstance(candidate, RangeType | MachineType):
        return candidate.low, candidate.high
    return None


def default_value(scalar: ScalarType) -> Value:
    """The value of a cell without initialiser: false, none, null, 0 or else the lowest."""
    match scalar:
        case BoolType():
            return False
        case TidType():
            return NONE
        case PointerType():
            return NULL
        case RangeType(low, high):
            return 0 if low <= 0 <= high else low
        case IntType() | EnumType() | MachineType():
            return 0


def contains(scalar: ScalarType, value: Value) -> bool:
    """Whether `value` is a value of the type (of any thread count, for a `tid`)."""
    match scalar:
        case BoolType():
            return isinstance(value, bool)
        case PointerType():
            return value is NULL or (isinstance(value, Address) and value != UNSET)
        case _ if isinstance(value, bool) or not isinstance(value, int):
            return False
        case IntType():
            return True
        case TidType():
            return value >= NONE
        case EnumType(_, members):
            return 0 <= value < len(members)
        case RangeType() | MachineType():
            return scalar.low <= value <= scalar.high
