"""Linear invariants: equations between numbers of threads and values of shared cells.

A *quantity* is an integer that every state of a program has:

    LocationCount   how many threads have their innermost frame at a location
    FrameCount      how many frames, of all threads, wait for a call to return
    ThreadTotal     how many threads a template has, where that is any number
    CellQuantity    the value of a shared cell (a truth value counts 0 or 1), or 1 if the cell has
                    a given value and 0 if not

A linear invariant says that a sum of quantities with integer factors and a constant is 0 in every
reachable state in which no thread has failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import FieldPlace, IndexPlace, Place, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.layout import NO_THREADS, field_offset, size_of
from threadwise.ir.program import (
    AnyValue,
    DefaultValue,
    EdgeId,
    FillValue,
    ListedValues,
    LocId,
    Program,
)
from threadwise.ir.types import (
    NONE,
    ArrayType,
    BoolType,
    EnumType,
    MutexType,
    PerThread,
    RecordType,
    TidType,
    Type,
    Value,
    default_value,
    fields_of,
    is_integer,
)


@dataclass(frozen=True, slots=True)
class LocationCount:
    """How many threads are at a location."""

    location: LocId


@dataclass(frozen=True, slots=True)
class FrameCount:
    """How many frames wait for a call to return."""

    call: EdgeId


@dataclass(frozen=True, slots=True)
class ThreadTotal:
    """How many threads a template with any number of them has."""

    template: str


@dataclass(frozen=True, slots=True)
class CellQuantity:
    """The value of a shared cell; with `equals`, whether the cell has this value.

    `path` leads from the variable to the cell: positions in arrays and names of fields.
    """

    variable: str
    path: tuple[int | str, ...] = ()
    equals: int | None = None


Quantity: TypeAlias = LocationCount | FrameCount | ThreadTotal | CellQuantity


@dataclass(frozen=True, slots=True)
class LinearInvariant:
    """The sum of the terms, each a quantity times a factor, and the constant is 0."""

    terms: tuple[tuple[Quantity, int], ...]
    constant: int

    @property
    def is_about_cells(self) -> bool:
        """Whether it says something about shared cells."""
        return any(isinstance(quantity, CellQuantity) for quantity, _ in self.terms)


def place_of(program: Program, cell: CellQuantity) -> Place:
    """The place of a cell; raises KeyError if the program has no such cell."""
    declared = {d.variable.name: d.variable for d in program.globals}
    place: Place = VariablePlace(declared[cell.variable])
    for part in cell.path:
        held = place.type
        match held:
            case ArrayType(_, int(extent)) if isinstance(part, int) and 0 <= part < extent:
                place = IndexPlace(place, number(part))
            case RecordType() | MutexType() if part in dict(fields_of(held)):
                place = FieldPlace(place, str(part))
            case _:
                raise KeyError(f"{cell.variable} has no part {part!r}")
    if not _is_quantity(place.type, cell.equals):
        raise KeyError(f"{cell.variable} does not count")
    return place


def _is_quantity(held: Type, equals: int | None) -> bool:
    match held:
        case TidType():
            return equals == NONE
        case EnumType(_, members):
            return equals is not None and 0 <= equals < len(members)
        case _:
            return equals is None and (isinstance(held, BoolType) or is_integer(held))


def cell_quantities(program: Program) -> Iterator[CellQuantity]:
    """The quantities of all shared cells; arrays with a cell per thread have none."""
    for declaration in program.globals:
        variable = declaration.variable
        yield from _quantities(variable.name, (), variable.type)


def _quantities(name: str, path: tuple[int | str, ...], held: Type) -> Iterator[CellQuantity]:
    match held:
        case ArrayType(element, extent):
            if not isinstance(extent, PerThread):
                for position in range(extent):
                    yield from _quantities(name, (*path, position), element)
        case RecordType() | MutexType():
            for field, part in fields_of(held):
                yield from _quantities(name, (*path, field), part)
        case TidType():
            yield CellQuantity(name, path, NONE)
        case EnumType(_, members):
            for member in range(len(members)):
                yield CellQuantity(name, path, member)
        case _ if _is_quantity(held, None):
            yield CellQuantity(name, path)
        case _:
            return


def initial_value(program: Program, cell: CellQuantity) -> int | None:
    """The value of a cell quantity in every initial state; None if there are several, or none."""
    declaration = next(d for d in program.globals if d.variable.name == cell.variable)
    held = place_of(program, cell).type
    value: Value
    match declaration.initial:
        case AnyValue():
            return None
        case DefaultValue():
            value = default_value(held)  # type: ignore[arg-type]  # a quantity is scalar
        case FillValue(filled):
            value = filled
        case ListedValues(values):
            value = values[offset_in(declaration.variable.type, cell.path)]
    if not isinstance(value, int):  # nothing was written there yet
        return None
    return int(value) if cell.equals is None else int(value == cell.equals)


def offset_in(held: Type, path: tuple[int | str, ...]) -> int:
    """How many cells of a type precede the one at the end of a path."""
    offset = 0
    for part in path:
        if isinstance(held, ArrayType):
            held = held.element
            offset += int(part) * size_of(held, NO_THREADS)
        else:
            assert isinstance(held, RecordType | MutexType)
            offset += field_offset(held, str(part), NO_THREADS)
            held = dict(fields_of(held))[str(part)]
    return offset
