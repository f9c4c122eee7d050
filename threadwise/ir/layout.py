"""From variables to flat sequences of scalar cells.

A store is a flat tuple with one value per cell: `available: bool[2]` takes two cells, a normal
mutex one. Stores, certificates and reports all number cells as the layout here does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    ListedValues,
    Program,
)
from threadwise.ir.types import (
    ArrayType,
    MutexType,
    PerThread,
    RecordType,
    ScalarType,
    Type,
    Value,
    default_value,
    fields_of,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One scalar of a variable; `name` is how a user would write it, e.g. `fork[2]`."""

    variable: Variable
    name: str
    type: ScalarType
    sync: bool


@dataclass(frozen=True)
class Layout:
    """The cells of a list of variables, and where each variable starts."""

    cells: tuple[Cell, ...]
    offset: Mapping[str, int]


@dataclass(frozen=True)
class ThreadNumbers:
    """The ids of the threads of each template: consecutive, in template order."""

    ranges: Mapping[str, range]
    templates: tuple[str, ...]
    """The template of each thread, by id."""

    @staticmethod
    def of(program: Program) -> ThreadNumbers:
        """Number the threads of a program whose counts are all fixed."""
        ranges: dict[str, range] = {}
        templates: list[str] = []
        for template in program.templates:
            if template.count is None:
                raise ValueError(f"template {template.name} has any number of threads")
            ranges[template.name] = range(len(templates), len(templates) + template.count)
            templates.extend([template.name] * template.count)
        return ThreadNumbers(ranges, tuple(templates))

    def name(self, thread: int) -> str:
        """How a report calls a thread: `client[2]`, or `main` if it is the only one."""
        template = self.templates[thread]
        members = self.ranges[template]
        return template if len(members) == 1 else f"{template}[{thread - members.start}]"


NO_THREADS = ThreadNumbers({}, ())
"""For types whose size does not depend on the number of threads."""


def has_static_size(held: Type) -> bool:
    """Whether the cells of a type do not depend on the number of threads."""
    match held:
        case ArrayType(element, extent):
            return not isinstance(extent, PerThread) and has_static_size(element)
        case RecordType(_, fields):
            return all(has_static_size(part) for _, part in fields)
        case _:
            return True


def tail_of(held: Type) -> Type | None:
    """The elements of the array without length (of 0 elements) at the end of a type, if any."""
    match held:
        case RecordType(_, fields) if fields:
            last = fields[-1][1]
            if isinstance(last, ArrayType):
                return last.element if last.extent == 0 else None
            return tail_of(last)
        case _:
            return None


def extent_of(array: ArrayType, numbers: ThreadNumbers) -> int:
    """How many elements an array has."""
    if isinstance(array.extent, PerThread):
        return len(numbers.ranges[array.extent.template])
    return array.extent


def size_of(held: Type, numbers: ThreadNumbers) -> int:
    """How many cells a value of the type takes."""
    return _static_size(held) if numbers is NO_THREADS else _size_of(held, numbers)


@lru_cache(maxsize=4096)
def _static_size(held: Type) -> int:
    return _size_of(held, NO_THREADS)


def _size_of(held: Type, numbers: ThreadNumbers) -> int:
    match held:
        case ArrayType():
            return extent_of(held, numbers) * size_of(held.element, numbers)
        case RecordType() | MutexType():
            return sum(size_of(part, numbers) for _, part in fields_of(held))
        case _:
            return 1


def field_offset(held: RecordType | MutexType, field: str, numbers: ThreadNumbers) -> int:
    """How many cells precede a field."""
    offset = 0
    for name, part in fields_of(held):
        if name == field:
            return offset
        offset += size_of(part, numbers)
    raise KeyError(field)


def cells_of(variable: Variable, numbers: ThreadNumbers) -> Iterator[Cell]:
    """The cells of a variable, in memory order."""

    def flatten(name: str, held: Type, sync: bool) -> Iterator[Cell]:
        match held:
            case ArrayType():
                for position in range(extent_of(held, numbers)):
                    yield from flatten(f"{name}[{position}]", held.element, sync)
            case MutexType():
                for field, part in fields_of(held):
                    yield from flatten(name if field == "owner" else f"{name}.{field}", part, True)
            case RecordType():
                for field, part in fields_of(held):
                    yield from flatten(f"{name}.{field}", part, sync)
            case _:
                yield Cell(variable, name, held, sync)

    return flatten(variable.name, variable.type, variable.sync)


def owner_slots(held: Type, start: int, numbers: ThreadNumbers) -> Iterator[int]:
    """Where the owners of the locks in a value are, if its cells begin at `start`."""
    match held:
        case ArrayType():
            size = size_of(held.element, numbers)
            for position in range(extent_of(held, numbers)):
                yield from owner_slots(held.element, start + position * size, numbers)
        case MutexType():
            yield start + field_offset(held, "owner", numbers)
        case RecordType():
            for _, part in fields_of(held):
                yield from owner_slots(part, start, numbers)
                start += size_of(part, numbers)
        case _:
            return


def lay_out(variables: Sequence[Variable], numbers: ThreadNumbers) -> Layout:
    """Place variables one after the other."""
    cells: list[Cell] = []
    offset: dict[str, int] = {}
    for variable in variables:
        offset[variable.name] = len(cells)
        cells.extend(cells_of(variable, numbers))
    return Layout(tuple(cells), offset)


def initial_choices(
    declaration: Declaration, numbers: ThreadNumbers
) -> tuple[tuple[Value, ...] | None, ...]:
    """Per cell of a declared variable its possible initial values; None: any of its type."""
    variable = declaration.variable
    match declaration.initial:
        case DefaultValue():
            cells = cells_of(variable, numbers)
            return tuple((default_value(cell.type),) for cell in cells)
        case FillValue(value):
            return ((value,),) * size_of(variable.type, numbers)
        case ListedValues(values):
            return tuple((value,) for value in values)
        case AnyValue():
            return (None,) * size_of(variable.type, numbers)


_LAYOUT = "layout"


@dataclass(frozen=True)
class ProgramLayout:
    """Everything about where values live in the stores of a program with fixed thread counts."""

    numbers: ThreadNumbers
    globals: Layout
    thread: Mapping[str, Layout]
    """Thread-scoped variables, by template."""
    local: Mapping[str, Layout]
    """Parameters, then locals, by procedure."""
    sites: Mapping[str, tuple[Cell, ...]]
    """The cells of what each site allocates; of one element, if it is an array."""
    tails: Mapping[str, tuple[Cell, ...]]
    """The cells of an element of the array without length at the end of that, if there is one."""
    _cells: dict[Type, tuple[Cell, ...]] = field(default_factory=dict, compare=False, repr=False)
    _fitting: dict[tuple[str | Type, int, Type], bool] = field(
        default_factory=dict, compare=False, repr=False
    )

    def size(self, site: str, count: int | None) -> int:
        """How many cells an object of a site has; negative if the count is."""
        own, tail = len(self.sites[site]), self.tails.get(site)
        if count is None or count < 0:
            return own if count is None else count
        return own * count if tail is None else own + len(tail) * count

    def position(self, site: str, slot: int) -> int:
        """Where a cell is in the first element, or behind that in the first one of the tail."""
        own, tail = len(self.sites[site]), self.tails.get(site)
        if tail is None:
            return slot % own
        return slot if slot < own else own + (slot - own) % len(tail)

    def cell(self, site: str, slot: int) -> Cell:
        """A cell of an object, as one of a first element."""
        own, position = self.sites[site], self.position(site, slot)
        return own[position] if position < len(own) else self.tails[site][position - len(own)]

    def fits(self, owner: str | Type, offset: int, held: Type) -> bool:
        """Whether the cells of an object have the types of another, from a position on.

        The object is a variable of a type, or what a site allocates, one element after the other.
        """
        key = owner, self.position(owner, offset) if isinstance(owner, str) else offset, held
        if key not in self._fitting:
            wanted = self.cells_of_type(held)
            if isinstance(owner, str):
                found = [self.cell(owner, offset + n) for n in range(len(wanted))]
            else:
                found = [*self.cells_of_type(owner)[offset : offset + len(wanted)]]
            self._fitting[key] = [c.type for c in found] == [c.type for c in wanted]
        return self._fitting[key]

    def cells_of_type(self, held: Type) -> tuple[Cell, ...]:
        """The cells of any variable of a type."""
        if held not in self._cells:
            whole = Variable("", held, Scope.GLOBAL)
            self._cells[held] = tuple(cells_of(whole, self.numbers))
        return self._cells[held]

    @staticmethod
    def of(program: Program) -> ProgramLayout:
        """Lay out a program; that is kept with the program, which does not change."""
        known = program.__dict__.get(_LAYOUT)
        if known is None:
            known = program.__dict__[_LAYOUT] = ProgramLayout._of(program)
        assert isinstance(known, ProgramLayout)
        return known

    @staticmethod
    def _of(program: Program) -> ProgramLayout:
        numbers = ThreadNumbers.of(program)
        actions = (edge.action for edge in program.edges)
        allocated = {a.site: a.object_type for a in actions if isinstance(a, Allocate)}
        return ProgramLayout(
            numbers,
            lay_out([d.variable for d in program.globals], numbers),
            {
                template.name: lay_out([d.variable for d in template.variables], numbers)
                for template in program.templates
            },
            {
                proc.name: lay_out([*proc.parameters, *(d.variable for d in proc.locals)], numbers)
                for proc in program.procedures
            },
            {
                site: tuple(cells_of(Variable(site, held, Scope.GLOBAL), numbers))
                for site, held in allocated.items()
            },
            {
                site: tuple(cells_of(Variable(site, tail, Scope.GLOBAL), numbers))
                for site, held in allocated.items()
                if (tail := tail_of(held)) is not None
            },
        )
