"""Well-formedness of types, and of the initial values declared for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, assert_never

from threadwise.ir.expr import Scope
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    ListedValues,
    Program,
)
from threadwise.ir.text.terms import Terms, literal
from threadwise.ir.types import (
    INTEGER_OBJECT,
    UNSET,
    Address,
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    MutexType,
    PerThread,
    PointerType,
    RangeType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    Value,
    contains,
    fields_of,
)

Kind: TypeAlias = str | EnumType
"""What may be assigned to, or compared with, each other."""
BOOL_KIND, INT_KIND, TID_KIND, POINTER_KIND = "bool", "int", "tid", "pointer"


def kind_of(held: Type) -> Kind | None:
    """The kind of a scalar type; None for an aggregate."""
    match held:
        case BoolType():
            return BOOL_KIND
        case IntType() | RangeType() | MachineType():
            return INT_KIND
        case TidType():
            return TID_KIND
        case PointerType():
            return POINTER_KIND
        case EnumType():
            return held
        case ArrayType() | RecordType() | MutexType():
            return None
        case _:
            assert_never(held)


def duplicates(names: Iterable[str]) -> list[str]:
    """The names that occur more than once, in order."""
    seen: set[str] = set()
    again: dict[str, None] = {}
    for name in names:
        if name in seen:
            again[name] = None
        seen.add(name)
    return list(again)


class TypeChecker:
    """Checks the types of one program; each type is looked at once."""

    def __init__(self, program: Program, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._enums = {enum.name: enum for enum in program.enums}
        self._counts = {template.name: template.count for template in program.templates}
        self._objects = len(program.globals)
        self._records: dict[str, RecordType] = {}
        self._seen: set[Type] = set()

    def check(self, held: Type) -> None:
        """Check a type and the types in it."""
        if held in self._seen:
            return
        self._seen.add(held)
        match held:
            case BoolType() | IntType() | TidType() | PointerType() | MutexType():
                pass
            case RangeType(low, high, _):
                if low > high:
                    self._complain(f"empty range {low}..{high}")
            case MachineType(width, _):
                if width < 1:
                    self._complain(f"machine integer of {width} bits")
            case EnumType():
                if self._enums.get(held.name) != held:
                    self._complain(f"enumeration {held.name} is not declared like this")
            case ArrayType():
                self._check_array(held)
            case RecordType():
                self._check_record(held)
            case _:
                assert_never(held)

    def _check_array(self, array: ArrayType) -> None:
        extent = array.extent
        if isinstance(extent, PerThread):
            if extent.template not in self._counts:
                self._complain(f"no thread template {extent.template}")
        elif extent < 0:
            self._complain(f"array of {extent} elements")
        self.check(array.element)

    def _check_record(self, record: RecordType) -> None:
        if self._records.setdefault(record.name, record) != record:
            self._complain(f"two different records are named {record.name}")
        for name in duplicates(name for name, _ in record.fields):
            self._complain(f"record {record.name} has two fields named {name}")
        for _, held in record.fields:
            self.check(held)

    def check_initial(self, declaration: Declaration) -> None:
        """Check that the initial values fit the cells of the variable."""
        held = declaration.variable.type
        match declaration.initial:
            case DefaultValue() | AnyValue():
                pass
            case FillValue(value):
                if not _may_be_unset(declaration, value):
                    for scalar in dict.fromkeys(_scalars(held)):
                        self._value(value, scalar)
            case ListedValues(values):
                size = self._size(held)
                if size is None:
                    self._complain("a list of initial values for any number of threads")
                elif size != len(values):
                    self._complain(f"{len(values)} initial values for {size} cells")
                else:
                    for value, scalar in zip(values, self._cells(held), strict=True):
                        if not _may_be_unset(declaration, value):
                            self._value(value, scalar)

    def _value(self, value: Value, scalar: ScalarType) -> None:
        threads = list(self._counts.values())
        if not contains(scalar, value):
            self._complain(f"{literal(value)} is no value of {Terms().type(scalar)}")
        elif isinstance(value, Address) and not INTEGER_OBJECT <= value.number < self._objects:
            self._complain(f"{literal(value)} is in no global variable")
        elif isinstance(scalar, TidType) and None not in threads:
            assert isinstance(value, int)
            if value >= sum(count or 0 for count in threads):
                self._complain(f"there is no thread {value}")

    def _size(self, held: Type) -> int | None:
        """How many cells a value takes; None if that depends on the number of threads."""
        match held:
            case ArrayType(element, PerThread(template)):
                count, size = self._counts.get(template), self._size(element)
                return None if count is None or size is None else count * size
            case ArrayType(element, int(extent)):
                size = self._size(element)
                return None if size is None else extent * size
            case RecordType() | MutexType():
                sizes = [self._size(part) for _, part in fields_of(held)]
                return None if None in sizes else sum(size or 0 for size in sizes)
            case _:
                return 1

    def _cells(self, held: Type) -> Iterator[ScalarType]:
        """The cells of a value, in memory order."""
        match held:
            case ArrayType(element, extent):
                number = extent if isinstance(extent, int) else self._counts[extent.template] or 0
                for _ in range(number):
                    yield from self._cells(element)
            case RecordType() | MutexType():
                for _, part in fields_of(held):
                    yield from self._cells(part)
            case _:
                yield held


def _may_be_unset(declaration: Declaration, value: Value) -> bool:
    """Memory that all threads share may begin its life without content."""
    return value == UNSET and declaration.variable.scope is Scope.GLOBAL


def _scalars(held: Type) -> Iterator[ScalarType]:
    """The types of the cells of a value, each element type once."""
    match held:
        case ArrayType(element, _):
            yield from _scalars(element)
        case RecordType() | MutexType():
            for _, part in fields_of(held):
                yield from _scalars(part)
        case _:
            yield held
