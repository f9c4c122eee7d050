"""Pointers to global variables: addresses as pairs of numbers, dereferences as case splits.

An address is the number of a global variable, in the order of declaration, and the offset of a
cell in it, exactly as in the reference semantics. What a pointer points to is one of the cells of
its type in variables whose address is taken somewhere; which one is a case distinction. The heap
is not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from threadwise.backends.smt.environments import Environments
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.shapes import SMALL
from threadwise.backends.smt.values import Pointer, Step
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import AddressOf, DerefPlace, Variable
from threadwise.ir.fold import action_expressions, root, subexpressions
from threadwise.ir.layout import ThreadNumbers, extent_of, field_offset, size_of
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType, Type, fields_of


@dataclass(frozen=True)
class Located:
    """A part of a variable that a place may mean: if the condition holds."""

    condition: Term
    variable: Variable
    path: tuple[Step, ...]


@dataclass(frozen=True)
class _Cell:
    """A scalar of a variable."""

    offset: int
    path: tuple[Step, ...]
    type: Type


class Memory:
    """The addresses of one program."""

    def __init__(self, environments: Environments) -> None:
        self.environments = environments
        self.logic = environments.logic
        self.program = environments.program
        self._cells: dict[str, list[_Cell]] = {}

    @property
    def numbers(self) -> ThreadNumbers:
        """The ids of threads, which sizes depend on."""
        numbers = self.environments.threads.numbers
        if numbers is None:
            raise Unsupported("pointers beside any number of threads, in SMT")
        return numbers

    @cached_property
    def objects(self) -> dict[int, Variable]:
        """The variables that pointers may point to, by the numbers of their addresses."""
        taken: set[Variable] = set()
        for edge in self.program.edges:
            for whole in action_expressions(edge.action):
                for part in subexpressions(whole):
                    if isinstance(part, AddressOf):
                        base = root(part.place)
                        if not isinstance(base, DerefPlace):
                            taken.add(base.variable)
        return {
            number: declared.variable
            for number, declared in enumerate(self.program.globals)
            if declared.variable in taken
        }

    # -- addresses --------------------------------------------------------------------------------

    def address(self, variable: Variable, held: Type, steps: tuple[Step, ...]) -> Pointer:
        """The address of a part of a global variable."""
        number = [declared.variable for declared in self.program.globals].index(variable)
        return Pointer(self.logic.integer(number), self.offset(held, steps))

    def offset(self, held: Type, steps: tuple[Step, ...]) -> Term:
        """How many cells lie before a part of a value."""
        total = self.logic.integer(0)
        for step in steps:
            if isinstance(held, ArrayType):
                first: Term = self.logic.integer(0)
                if isinstance(held.extent, PerThread):
                    first = self.environments.threads.ranges[held.extent.template][0]
                total = total + (step - first) * size_of(held.element, self.numbers)
                held = held.element
            else:
                assert isinstance(held, RecordType | MutexType)
                total = total + field_offset(held, step, self.numbers)
                held = dict(fields_of(held))[step]
        return self.logic.simplify(total)

    def is_valid(self, pointer: Pointer, held: Type | None) -> Term:
        """Whether an address is that of a cell and, if a type is given, of the first of such."""
        if held is not None:
            first = next(self._flatten(held, 0, ())).type
            return self.logic.disjunction([p.condition for p in self.located(pointer, first)])
        ways = []
        for number, declared in enumerate(self.program.globals):
            size = size_of(declared.variable.type, self.numbers)
            here = self.logic.equal(pointer.number, self.logic.integer(number))
            within = [pointer.offset >= 0, pointer.offset < size]
            ways.append(self.logic.conjunction([here, *within]))
        return self.logic.disjunction(ways)

    # -- what a pointer points to -----------------------------------------------------------------

    def located(self, pointer: Pointer, held: Type) -> Iterator[Located]:
        """The cells of a type that an address may be that of."""
        logic = self.logic
        for number, variable in self.objects.items():
            here = logic.equal(pointer.number, logic.integer(number))
            if logic.is_false(logic.simplify(here)):
                continue
            for cell in self._cells_of(variable):
                if cell.type == held:
                    there = logic.equal(pointer.offset, logic.integer(cell.offset))
                    condition = logic.simplify(logic.conjunction([here, there]))
                    if not logic.is_false(condition):
                        yield Located(condition, variable, cell.path)

    def _cells_of(self, variable: Variable) -> list[_Cell]:
        if variable.name not in self._cells:
            self._cells[variable.name] = list(self._flatten(variable.type, 0, ()))
        return self._cells[variable.name]

    def _flatten(self, held: Type, offset: int, path: tuple[Step, ...]) -> Iterator[_Cell]:
        match held:
            case ArrayType():
                extent = extent_of(held, self.numbers)
                if extent > SMALL:
                    raise Unsupported("a pointer into a large array, in SMT")
                start = 0
                if isinstance(held.extent, PerThread):
                    start = self.numbers.ranges[held.extent.template].start
                size = size_of(held.element, self.numbers)
                for i in range(extent):
                    index = self.logic.integer(start + i)
                    yield from self._flatten(held.element, offset + i * size, (*path, index))
            case RecordType() | MutexType():
                for name, part in fields_of(held):
                    before = field_offset(held, name, self.numbers)
                    yield from self._flatten(part, offset + before, (*path, name))
            case _:
                yield _Cell(offset, path, held)
