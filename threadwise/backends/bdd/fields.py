"""Fields: the finite values of one cell, written in bits.

A value is written as its position in the list of values, most significant bit first. Codes beyond
the last value do not occur: `valid` excludes them.

A cell of a thread whose value follows from the thread's location needs no bits: its field is
*derived*, and a set of its values is a set of locations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from threadwise.backends.bdd.manager import Manager, Node
from threadwise.core.errors import Unsupported
from threadwise.ir.types import (
    NONE,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    PointerType,
    RangeType,
    ScalarType,
    TidType,
    Value,
)

MOST_VALUES = 1024
"""Cells with more values than this are not worth writing in bits."""


@dataclass(frozen=True)
class Field:
    """A finite variable; `thread` is whose own it is, None if shared."""

    name: str
    values: tuple[Value, ...]
    thread: int | None = None
    derived: tuple[tuple[Value, Value], ...] | None = None
    """If it follows from the location: its value at each one."""

    @cached_property
    def bits(self) -> tuple[str, ...]:
        """The names of its BDD variables, most significant first."""
        if self.derived is not None:
            return ()
        width = (len(self.values) - 1).bit_length()
        return tuple(f"{self.name}:{bit}" for bit in reversed(range(width)))

    @cached_property
    def positions(self) -> dict[Value, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.values)}

    def assignment(self, value: Value) -> dict[str, bool]:
        """The bits of a value."""
        if self.derived is not None:
            return {}
        code = self.positions[value]
        width = len(self.bits)
        return {name: bool(code >> (width - 1 - i) & 1) for i, name in enumerate(self.bits)}

    def decode(self, bits: dict[str, bool]) -> Value:
        """The value of an assignment of bits."""
        code = 0
        for name in self.bits:
            code = 2 * code + bits[name]
        return self.values[code]


def values_of(scalar: ScalarType, threads: int) -> tuple[Value, ...]:
    """All values of a type, smallest first; Unsupported if they are too many for bits."""
    match scalar:
        case BoolType():
            return (False, True)
        case EnumType(_, members):
            return tuple(range(len(members)))
        case TidType():
            return tuple(range(NONE, threads))
        case RangeType() | MachineType():
            if scalar.high - scalar.low >= MOST_VALUES:
                raise Unsupported(f"more than {MOST_VALUES} values of a variable, in BDDs")
            return tuple(range(scalar.low, scalar.high + 1))
        case IntType():
            raise Unsupported("unbounded integers, in BDDs")
        case PointerType():
            raise Unsupported("pointers, in BDDs")


class FieldSets:
    """Sets of values of fields, as BDDs of one manager."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self._literals: dict[str, dict[Value, Node]] = {}
        self._valid: dict[str, Node] = {}

    def derive(self, field: Field, location: Field) -> None:
        """Say where a derived field has which value."""
        assert field.derived is not None
        places: dict[Value, list[Node]] = {}
        for place, value in field.derived:
            places.setdefault(value, []).append(self.literal(location, place))
        known = {value: self.manager.union(nodes) for value, nodes in places.items()}
        self._literals[field.name] = known
        self._valid[field.name] = self.manager.true

    def literals(self, field: Field) -> dict[Value, Node]:
        """For each value, the states in which the field has it."""
        known = self._literals.get(field.name)
        if known is None:
            cube = self.manager.cube
            known = {value: cube(field.assignment(value)) for value in field.values}
            self._literals[field.name] = known
        return known

    def literal(self, field: Field, value: Value) -> Node:
        """The states in which the field has the value."""
        return self.literals(field).get(value, self.manager.false)

    def valid(self, field: Field) -> Node:
        """The codes that are values."""
        known = self._valid.get(field.name)
        if known is None:
            full = len(field.values) == 1 << len(field.bits)
            known = (
                self.manager.true if full else self.manager.union(self.literals(field).values())
            )
            self._valid[field.name] = known
        return known
