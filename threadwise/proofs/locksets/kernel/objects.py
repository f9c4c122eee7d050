"""The objects of a program and their cells.

An object is a global variable, a variable of a procedure or of a template (its name ends in `@`),
or an allocation site. Without its outer arrays its type is an *element*, of `size` cells as
`threadwise.ir.layout` lays them out; the place of a cell in the object, modulo that size, is its
*offset*. Arrays inside of an element are *folded*: one cell stands for the offsets of all of them.

An address is valid for a type in the reference semantics only if the scalars of the type are found
there one by one; whether the object ends before that is not asked (`fits`): more is covered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import gcd
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of, tail_of
from threadwise.ir.program import Program
from threadwise.ir.types import (
    ArrayType,
    MutexType,
    PerThread,
    RecordType,
    ScalarType,
    Type,
    fields_of,
)
from threadwise.proofs.locksets.kernel.claims import Cell, Refused

LARGEST = 1 << 16
"""Elements with more cells are not followed."""


class Leaf(NamedTuple):
    """A scalar of an element: its folded cell, its type, whether it is (the owner of) a mutex."""

    cell: int
    type: ScalarType
    lock: bool
    owner: bool


@dataclass
class Shape:
    """The element that an object consists of."""

    type: Type
    sync: bool = False
    _moved: dict[tuple[int, Type, int | None], frozenset[int]] = field(default_factory=dict)
    _fits: dict[tuple[int, Type], bool] = field(default_factory=dict)

    @cached_property
    def element(self) -> Type:
        """The type without outer arrays."""
        return _element(self.type)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The scalars, by offset."""
        open_ = tail_of(self.element) is not None
        if open_ or not has_static_size(self.element) or not 0 < size(self.element) <= LARGEST:
            raise Refused("an object whose cells are not followed")
        return tuple(_leaves(self.element, 0))

    @cached_property
    def offsets(self) -> Mapping[int, tuple[int, ...]]:
        """The offsets that each cell stands for."""
        found: dict[int, list[int]] = {}
        for offset, leaf in enumerate(self.leaves):
            found.setdefault(leaf.cell, []).append(offset)
        return {cell: tuple(offsets) for cell, offsets in found.items()}

    def moved(self, cell: int, by: Type, times: int | None) -> frozenset[int]:
        """The cells that a pointer may lead to after a move by so many values of a type.

        A pointer to an element stays in its array: no index is out of bounds, that is assumed.
        """
        key = cell, by, times
        if key not in self._moved:
            whole = len(self.leaves)
            step, start = (gcd(size(by), whole), 0) if times is None else (whole, size(by) * times)
            self._moved[key] = frozenset(
                cell
                if _is_element(self.element, offset, by)
                else self.leaves[(offset + start + more) % whole].cell
                for offset in self.offsets[cell]
                for more in range(0, whole, step)
            )
        return self._moved[key]

    def fits(self, offset: int, held: Type) -> bool:
        """Whether the scalars of a type begin at an offset, of this element and the next ones."""
        key = offset, held
        if key not in self._fits:
            whole = len(self.leaves)
            self._fits[key] = has_static_size(held) and all(
                self.leaves[(offset + n) % whole].type == leaf.type
                for n, leaf in enumerate(_leaves(held, 0))
            )
        return self._fits[key]

    def always_fits(self, cell: int, held: Type) -> bool:
        """Whether a whole value of a type lies in one element wherever a cell is."""
        offsets, whole = self.offsets[cell], len(self.leaves)
        return all(self.fits(at, held) and at + size(held) <= whole for at in offsets)


def _element(held: Type) -> Type:
    return _element(held.element) if isinstance(held, ArrayType) else held


def size(held: Type) -> int:
    """How many cells a type has."""
    return size_of(held, NO_THREADS)


def folded_size(held: Type) -> int:
    """How many folded cells a type has."""
    match held:
        case ArrayType(element):
            return folded_size(element)
        case RecordType() | MutexType():
            return sum(folded_size(part) for _, part in fields_of(held))
        case _:
            return 1


def _is_element(held: Type, offset: int, element: Type) -> bool:
    """Whether a value of a type, in an array of these, begins at an offset."""
    match held:
        case ArrayType(inner):
            offset %= size(inner)
            return (offset == 0 and inner == element) or _is_element(inner, offset, element)
        case RecordType() | MutexType():
            for _, part in fields_of(held):
                if offset < size(part):
                    return _is_element(part, offset, element)
                offset -= size(part)
            return False
        case _:
            return False


def _leaves(held: Type, first: int, *, lock: bool = False, owner: bool = False) -> Iterator[Leaf]:
    match held:
        case ArrayType(element, extent):
            if isinstance(extent, PerThread):
                raise Refused("cells per thread inside of a record")
            for _ in range(extent):
                yield from _leaves(element, first)
        case RecordType() | MutexType():
            mutex = isinstance(held, MutexType)
            for name, part in fields_of(held):
                yield from _leaves(part, first, lock=mutex, owner=mutex and name == "owner")
                first += folded_size(part)
        case _:
            yield Leaf(first, held, lock, owner)


@dataclass(frozen=True)
class Objects:
    """The objects of a program."""

    program: Program

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """The shape of every object; raises Refused if one name has several types."""
        found: dict[str, Shape] = {}
        for name, held, sync in self._declared():
            if found.setdefault(name, Shape(held, sync)).type != held:
                raise Refused(f"objects of several types that are called {name}")
        return found

    def _declared(self) -> Iterator[tuple[str, Type, bool]]:
        for declaration, procedure in self.program.declarations:
            variable = declaration.variable
            yield self.of(variable, procedure), variable.type, variable.sync
        for edge in self.program.edges:
            if isinstance(edge.action, Allocate):
                yield self.site(edge.action), edge.action.object_type, False

    @staticmethod
    def of(variable: Variable, procedure: str) -> str:
        """The object of a variable, as a procedure sees it."""
        match variable.scope:
            case Scope.GLOBAL:
                return variable.name
            case Scope.THREAD:
                return f"{variable.name}@"
            case Scope.LOCAL:
                return f"{procedure}.{variable.name}@"

    @staticmethod
    def site(action: Allocate) -> str:
        """The object that stands for all that a site allocates."""
        return f"new {action.site}"

    def leaf(self, cell: Cell) -> Leaf:
        """The scalar that a cell is."""
        shape = self.shapes[cell.object]
        return shape.leaves[shape.offsets[cell.cell][0]]

    def is_sync(self, cell: Cell) -> bool:
        """Whether accesses to a cell never race: it is marked so, or part of a mutex."""
        return self.shapes[cell.object].sync or self.leaf(cell).lock


def is_site(name: str) -> bool:
    """Whether an object stands for what is allocated somewhere."""
    return name.startswith("new ")
