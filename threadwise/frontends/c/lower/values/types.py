"""C types as types of the IR: one cell for each scalar.

_Bool                0 or 1: a machine integer of one bit
integers, enums      machine integers; a bit-field has its own width
floating point       the bits of the value, as an unsigned machine integer
pointers             a pointer, whatever they point to; functions are objects without content
pthread_t, locks     a tid, a mutex
struct               a record
union                a record of all members, and a cell that says which of them was written
                     last (0: none yet, all are zero); members are numbered from 1
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from threadwise.frontends.c import tree
from threadwise.frontends.c.types import (
    CArray,
    CAtomic,
    CBool,
    CFloat,
    CFunction,
    CInteger,
    CLock,
    CPointer,
    CRecord,
    CThreadId,
    CType,
    CVoid,
)
from threadwise.ir.expr import Const, Expr, FieldPlace, IndexPlace, Place
from threadwise.ir.fold import number
from threadwise.ir.types import (
    MUTEX,
    POINTER,
    TID,
    ArrayType,
    MachineType,
    MutexType,
    PerThread,
    RangeType,
    RecordType,
    ScalarType,
    Type,
    default_value,
)

ACTIVE = "active$"
"""The field of a union that says which member was written last."""
EMPTY = "empty$"
"""The field of a record without members: it has one value."""
ODD = " laid out otherwise"
"""What the name of a record ends with whose layout is not the usual one: `packed`, `_Alignas`."""
BIT = MachineType(1, signed=False)
FUNCTION = RangeType(0, 0)
"""What stands for the object that a function is."""


class Unrepresentable(Exception):  # noqa: N818 - a condition of the translated program
    """Something without counterpart; the text names it.

    `touches`: pointers into the objects that it may read and write; none if only a value is not
    known; None if it may do anything. `reads`: into those that it may read only. `fills`: what it
    writes is not read from memory.
    """

    def __init__(
        self,
        what: str,
        touches: tuple[Expr, ...] | None = None,
        reads: tuple[Expr, ...] = (),
        *,
        fills: bool = False,
    ) -> None:
        self.touches = touches
        self.fills = fills
        self.reads = reads
        super().__init__(what)


class Types:
    """The types of one program."""

    def __init__(
        self,
        records: Mapping[str, tree.Record],
        pointer_width: int,
        longer: Collection[str] = (),
    ) -> None:
        self.records = records
        self.pointer_width = pointer_width
        self.longer = longer
        """The records of which variables have elements in the array without length at their end:
        that array is left out of them."""
        self._known: dict[str, RecordType] = {}

    def of(self, held: CType) -> Type:
        """The type of an object."""
        match held:
            case CArray(element, size):
                if not size:
                    raise Unrepresentable("an array without size")
                return ArrayType(self.of(element), size)
            case CRecord(key):
                return self.record(key)
            case CLock():
                return MUTEX
            case CAtomic(inner):
                return self.of(inner)
            case _:
                return self.scalar(held)

    def scalar(self, held: CType) -> ScalarType:
        """The type of a scalar object, and of its value."""
        match held:
            case CBool():
                return BIT
            case CInteger(width, signed):
                return MachineType(width, signed)
            case CFloat(width):
                return MachineType(width, signed=False)
            case CPointer():
                return POINTER
            case CThreadId():
                return TID
            case CAtomic(inner):
                return self.scalar(inner)
            case CFunction():
                return FUNCTION
            case CVoid():
                raise Unrepresentable("an object of type void")
            case _:
                raise Unrepresentable("an aggregate where a scalar belongs")

    def record(self, key: str) -> RecordType:
        """The type of a struct or union."""
        if key not in self._known:
            record = self.records.get(key)
            if record is None:
                raise Unrepresentable(f"the incomplete type {key}")
            fields = [
                (field_name(position, field), self._field(field))
                for position, field in enumerate(record.fields)
                if not is_flexible(field.type) or field is self.tail(record)
            ]
            if record.union:
                fields.append((ACTIVE, RangeType(0, len(record.fields))))
            if not fields:
                fields = [(EMPTY, FUNCTION)]
            found = RecordType(key, tuple(fields))
            usual = record.union or _is_usual(found, record)
            self._known[key] = found if usual else RecordType(key + ODD, tuple(fields))
        return self._known[key]

    def tail(self, record: tree.Record) -> tree.Field | None:
        """The member of a record that is an array without length, as its last one."""
        last = record.fields[-1] if record.fields else None
        if last is None or record.union or record.key in self.longer:
            return None
        return last if is_flexible(last.type) else None

    def _field(self, field: tree.Field) -> Type:
        if is_flexible(field.type):
            array = field.type
            assert isinstance(array, CArray)
            return ArrayType(self.of(array.element), 0)
        if field.width_bits is None:
            return self.of(field.type)
        signed = isinstance(field.type, CInteger) and field.type.signed
        return MachineType(field.width_bits, signed)

    def size(self, held: CType) -> int:
        """`sizeof`, in bytes."""
        match held:
            case CArray(element, size):
                return self.size(element) * (size or 0)
            case CRecord(key):
                return self.records[key].size if key in self.records else 0
            case CInteger(width) | CFloat(width):
                return width // 8
            case CPointer() | CThreadId() | CLock():
                return self.pointer_width // 8
            case CAtomic(inner):
                return self.size(inner)
            case _:
                return 1


def field_name(position: int, field: tree.Field) -> str:
    """How a field is called in the IR: an anonymous one by its position."""
    return field.name or str(position)


def is_flexible(held: CType) -> bool:
    """Whether a type is that of an array without size, at the end of a record."""
    return isinstance(held, CArray) and not held.size


def bounds(held: CType) -> tuple[int, int]:
    """The least and greatest value of an integer-like type."""
    match held:
        case CBool():
            return 0, 1
        case CInteger(width, signed):
            machine = MachineType(width, signed)
            return machine.low, machine.high
        case CFloat(width):
            return 0, (1 << width) - 1
        case CAtomic(inner):
            return bounds(inner)
        case _:
            raise Unrepresentable("a number")


def is_aggregate(held: CType) -> bool:
    """Whether values of the type take several cells."""
    match held:
        case CAtomic(inner):
            return is_aggregate(inner)
        case CRecord() | CArray() | CLock():
            return True
        case _:
            return False


def is_union(held: Type) -> bool:
    """Whether a record of the IR stands for a union."""
    return isinstance(held, RecordType) and held.fields[-1][0] == ACTIVE


def usual_offsets(held: RecordType) -> list[int | None]:
    """Where the members of a struct begin, in bytes, and where it ends; None: not known here.

    Each begins at the next multiple of its alignment, which for a number is its size.
    """
    return _offsets([usual_extent(part) for _, part in held.fields])


def _offsets(extents: Sequence[tuple[int, int] | None]) -> list[int | None]:
    found: list[int | None] = []
    end: int | None = 0
    widest = 1
    for extent in extents:
        if extent is None:
            end = 0 if not found else None  # the first one begins where the struct does
            found.append(end)
            end = None
            continue
        size, alignment = extent
        widest = max(widest, alignment)
        begin = None if end is None else -(-end // alignment) * alignment
        found.append(begin)
        end = None if begin is None else begin + size
    return [*found, None if end is None else -(-end // widest) * widest]


def usual_extent(held: Type) -> tuple[int, int] | None:
    """Size and alignment of a type in bytes, if they are those of numbers."""
    match held:
        case MachineType(width) if width in (1, 8, 16, 32, 64):
            return max(width // 8, 1), max(width // 8, 1)
        case ArrayType(element, int(extent)):
            inner = usual_extent(element)
            return None if inner is None else (inner[0] * extent, inner[1])
        case RecordType() if is_union(held) or ODD in held.name:
            return None
        case RecordType(_, fields):
            parts = [usual_extent(part) for _, part in fields]
            *_, size = _offsets(parts)
            if size is None or None in parts:
                return None
            return size, max(part[1] for part in parts if part)
        case _:
            return None


def _is_usual(held: RecordType, record: tree.Record) -> bool:
    """Whether a struct is laid out as `usual_offsets` says, where that says something."""
    *begins, size = usual_offsets(held)
    here = (field.offset_bits for field in record.fields if not is_flexible(field.type))
    same = all(b is None or 8 * b == bits for b, bits in zip(begins, here, strict=False))
    return same and size in (None, record.size)


def cells(place: Place, held: Type) -> Iterator[Place]:
    """The scalar cells of a place, in memory order."""
    match held:
        case ArrayType(element, extent):
            if isinstance(extent, PerThread):
                raise Unrepresentable("an array per thread as a whole")
            for position in range(extent):
                yield from cells(IndexPlace(place, number(position)), element)
        case RecordType(_, fields):
            for name, part in fields:
                yield from cells(FieldPlace(place, name), part)
        case MutexType():
            yield FieldPlace(place, "owner")
        case _:
            yield place


def scalar_cells(held: Type) -> Iterator[ScalarType]:
    """The types of the cells of a type, in memory order."""
    match held:
        case ArrayType(element, extent):
            if isinstance(extent, PerThread):
                raise Unrepresentable("an array per thread as a whole")
            inner = tuple(scalar_cells(element))
            for _ in range(extent):
                yield from inner
        case RecordType(_, fields):
            for _, part in fields:
                yield from scalar_cells(part)
        case MutexType():
            yield TID
        case _:
            yield held


def zero(held: Type) -> Const:
    """The value of a scalar cell that was cleared."""
    assert not isinstance(held, ArrayType | RecordType | MutexType)
    return Const(default_value(held), held)
