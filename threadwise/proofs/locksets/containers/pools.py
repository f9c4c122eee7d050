"""Elements of arrays that are handed over: pools of connections, buffers, sessions.

    for (i = 0; i < 64; i++) { conns[i].next = spare; spare = &conns[i]; }

A global array of records may be claimed to be handed, as a site (`handover`): its elements are the
objects then. What `malloc` is for others, a fact that the first thread begins with is for these:

    unused    nobody has taken the element, and no cell that counts leads to it. If it is not torn,
              what its links lead to is nobody else's: null to begin with

    begin     all elements are unused, but those that initial values of slots and links lead to;
              these lead to one element each
    issue     `&a[k]`, where a[k] is known to be unused and not torn: a variable has taken it, or
              it was put into a slot or link. It is not unused any more. One edge issues one
    tear      a[k].next := c, for an unused a[k], where c is a slot or link of a container
    mend      c := &a[k] for a torn a[k], where its link still holds what c holds: `link`

Only the first thread knows what is unused: it begins with that, and no rule tells another. Writes
of links by name, `a[k].next = …`, are allowed where a[k] is unused, or no other thread runs; what
is stored is null or a taken object, or it is a tear. All else that `&a[k]` is used for gives a
pointer of which nothing is known: it may be read and compared, but not stored in slots or links.

Elements have neighbours. A pointer to one that is moved, or followed as one to an array, may lead
to another: nothing is known of what is found there (`is_within`, `may_move`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import AnyValue, Edge, Initial, ListedValues, Program, stated_values
from threadwise.ir.types import Address, ArrayType, PerThread, RecordType, Value
from threadwise.ir.writes import written
from threadwise.proofs.locksets.containers.unused import has_unused, one, without_element
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, Unused, named
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.order import sum_of, written_out


class Element(NamedTuple):
    """An element of an array, by its name."""

    variable: Variable
    number: Expr


def element_type(variable: Variable) -> RecordType | None:
    """The type of the elements of a variable that may be a pool."""
    held = variable.type
    if variable.scope is not Scope.GLOBAL or variable.sync or not isinstance(held, ArrayType):
        return None
    if isinstance(held.extent, PerThread) or not has_static_size(held.element):
        return None
    return held.element if isinstance(held.element, RecordType) else None


def pools_of(program: Program) -> frozenset[str]:
    """The variables that may be pools."""
    declared = (declaration.variable for declaration in program.globals)
    return frozenset(variable.name for variable in declared if element_type(variable) is not None)


@dataclass(frozen=True)
class Pools:
    """The rules."""

    ground: Ground

    @cached_property
    def types(self) -> dict[str, RecordType]:
        """The pools, with the types of their elements."""
        program = self.ground.threads.program
        found: dict[str, RecordType] = {}
        for declaration in program.globals if self.ground.handed else ():
            element = element_type(declaration.variable)
            if element is not None and declaration.variable.name in self.ground.handed:
                found[declaration.variable.name] = element
        return found

    # -- where elements end ----------------------------------------------------------------------

    def is_within(self, base: DerefPlace) -> bool:
        """Whether a place that is found by a pointer is in one element, if that leads to one."""
        return not self.types or not isinstance(base.type, ArrayType)

    def may_move(self, pointer: Expr, procedure: str) -> bool:
        """Whether a pointer stays in its object when it is moved: it leads to no element."""
        if not self.types:
            return True
        values = self.ground.values_of(pointer, procedure)
        return values is not None and not any(
            isinstance(value, Target) and value.object in self.types for value in values
        )

    # -- names of elements -----------------------------------------------------------------------

    def around(self, place: Place) -> Element | None:
        """The element of a pool that a place is in, by its name."""
        while isinstance(place, FieldPlace | IndexPlace):
            base = place.base
            if isinstance(place, IndexPlace) and isinstance(base, VariablePlace):
                known = base.variable.name in self.types
                return Element(base.variable, place.index) if known else None
            place = base
        return None

    def addressed(self, pointer: Expr) -> Element | None:
        """The element that a pointer is the address of."""
        match pointer:
            case AddressOf(IndexPlace(VariablePlace(variable), index)):
                return Element(variable, index) if variable.name in self.types else None
            case PointerAdd(inner, count, element):
                found = self.addressed(inner)
                if found is None or self.types[found.variable.name] != element:
                    return None
                core, by = sum_of(found.number, {})
                other, more = sum_of(count, {})
                if core is not None and other is not None:
                    return None
                return found._replace(number=written_out(core or other, by + more))
            case Const(Address() as address):
                return self._at(address)
            case _:
                return None

    def _at(self, address: Address) -> Element | None:
        declared = self.ground.threads.program.globals
        if not 0 <= address.number < len(declared):
            return None
        variable = declared[address.number].variable
        held = self.types.get(variable.name)
        if held is None:
            return None
        index, rest = divmod(address.offset, size_of(held, NO_THREADS))
        return Element(variable, number(index)) if rest == 0 else None

    # -- unused elements -------------------------------------------------------------------------

    def is_unused(self, element: Element, knowledge: Knowledge, *, torn: bool = False) -> bool:
        """Whether nobody refers to an element."""
        asked = one(element.variable.name, element.number, torn=torn)
        return bool(knowledge.unused) and has_unused(knowledge, asked)

    def issued(self, element: Element, knowledge: Knowledge) -> Knowledge:
        """What is known when somebody refers to an element."""
        left = without_element(knowledge, element.variable.name, element.number)
        return replace(knowledge, unused=left)

    def torn(self, element: Element, knowledge: Knowledge) -> Knowledge:
        """What is known when the link of an unused element got a copy."""
        left = without_element(knowledge, element.variable.name, element.number)
        mine = one(element.variable.name, element.number, torn=True)
        return replace(knowledge, unused=left | {mine})

    def issues(self, edge: Edge, before: Knowledge) -> Iterator[Element]:
        """The elements whose addresses an edge stores, in variables or elsewhere."""
        for _, value in written(edge) if self.types else ():
            found = None if value is None else self.addressed(named(value, before.known))
            if found is not None:
                yield found

    def begun(self) -> frozenset[Unused]:
        """What the first thread knows when it begins."""
        highest = dict.fromkeys(self.types, -1)
        for name, index in self._initial:
            highest[name] = max(highest[name], index)
        return frozenset(Unused(name, number(last + 1)) for name, last in highest.items())

    def misbegun(self) -> frozenset[str]:
        """The pools that cannot begin so: two cells lead to one element, or one elsewhere."""
        counted = Counter(self._initial)
        return frozenset(name for (name, index), n in counted.items() if n > 1 or index < 0)

    @cached_property
    def _initial(self) -> list[tuple[str, int]]:
        """The elements that cells lead to before the first step, each as often as that.

        -1 stands for any elements, and for what is not the beginning of one.
        """
        objects = self.ground.memory.objects
        found: list[tuple[str, int]] = []
        for declaration in objects.program.globals if self.types else ():
            initial = declaration.initial
            if isinstance(initial, AnyValue):
                found += [(name, -1) for name in self.types]
            for value in stated_values(initial):
                target = objects.target_of(value) if isinstance(value, Address) else None
                if target is not None and target.object in self.types:
                    found.append((target.object, self._number(value, initial)))
        return found

    def _number(self, value: Value, initial: Initial) -> int:
        element = self._at(value) if isinstance(value, Address) else None
        if element is None or not isinstance(initial, ListedValues):
            return -1
        return _constant(element.number)


def _constant(index: Expr) -> int:
    assert isinstance(index, Const)
    assert isinstance(index.value, int)
    return index.value
