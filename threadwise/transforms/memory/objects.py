"""Which objects a program has: variables with an address, and a few for each allocation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from threadwise.core.errors import Unsupported
from threadwise.ir.beyond import is_beyond
from threadwise.ir.commands import Allocate, Assignment, Command, Free
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.layout import NO_THREADS, cells_of, has_static_size, size_of, tail_of
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import Program, stated_values
from threadwise.ir.types import (
    INTEGER_OBJECT,
    UNSET,
    Address,
    ArrayType,
    EnumType,
    MutexType,
    PointerType,
    RangeType,
    RecordType,
    ScalarType,
    Type,
    fields_of,
    parts_of,
)

MOST_CELLS = 1_024
"""Larger objects are not treated."""
MOST_OBJECTS = 24
MOST_COPIES = 4
"""Where more threads allocate, it may be that only the first one does: there is one object."""
NOWHERE = "none"
"""The object of pointers that are null or hold an integer."""


@dataclass(frozen=True)
class MemoryObject:
    """A variable of the result that a pointer may lead into."""

    name: str
    type: Type
    """As the program before has it: offsets count its cells."""
    number: int | None
    """Of a variable, by which addresses name it."""
    site: str | None = None
    cleared: bool = True

    @property
    def variable(self) -> Variable:
        """The variable."""
        return Variable(self.name, self.type, Scope.GLOBAL)

    @property
    def state(self) -> Variable:
        """For an object that is allocated: not yet, alive, ended."""
        return Variable(f"{self.name}$state", RangeType(0, 2), Scope.GLOBAL, sync=True)

    @cached_property
    def cells(self) -> tuple[ScalarType, ...]:
        """The types of its cells."""
        return cell_types(self.type)


def cell_types(held: Type) -> tuple[ScalarType, ...]:
    """The types of the cells of a type."""
    return tuple(cell.type for cell in cells_of(Variable("", held, Scope.GLOBAL), NO_THREADS))


def holder(variable: Variable, procedure: str) -> tuple[str, str]:
    """What tells a variable from all others: its procedure, if it is local, and its name."""
    return procedure if variable.scope is Scope.LOCAL else "", variable.name


@dataclass(frozen=True)
class Objects:
    """The objects of a program, in an order."""

    listed: tuple[MemoryObject, ...]
    flagged: tuple[Variable, ...]
    """Variables with cells that may hold nothing yet: each cell has a flag."""
    has_integers: bool
    """Whether a pointer may hold an integer that is not 0."""
    ends: bool
    """Whether an object may end."""
    whole: frozenset[tuple[str, str]]
    """Variables, with their procedures, that hold pointers to the beginnings of objects only."""

    @property
    def told(self) -> tuple[object, ...]:
        """What is claimed: for each object its name, and which variable or site it is of; and the
        variables whose pointers have no offsets."""
        listed = tuple((each.name, each.number, each.site) for each in self.listed)
        return listed, tuple(sorted(self.whole))

    def is_whole(self, variable: Variable, procedure: str) -> bool:
        """Whether a variable holds pointers to the beginnings of objects only."""
        return holder(variable, procedure) in self.whole

    @cached_property
    def kind(self) -> EnumType:
        """The type of what pointers lead to."""
        return EnumType("memory$object", (NOWHERE, *(each.name for each in self.listed)))

    @cached_property
    def fresh(self) -> tuple[MemoryObject, ...]:
        """Those that are allocated."""
        return tuple(each for each in self.listed if each.number is None)

    @cached_property
    def has_flags(self) -> frozenset[str]:
        """The names of variables whose cells have flags."""
        return frozenset(variable.name for variable in self.flagged)

    def position(self, item: MemoryObject) -> int:
        """The value that stands for an object."""
        return self.listed.index(item) + 1

    def copies(self, site: str) -> Sequence[MemoryObject]:
        """The objects of a site, in the order in which they are allocated."""
        return [each for each in self.fresh if each.site == site]


def objects_of(program: Program) -> Objects:
    """The objects of a program; raises Unsupported if there are too many, or too large ones."""
    numbers = sorted(_addressed(program))
    found = [_of_variable(program, number) for number in numbers]
    names = {declaration.variable.name for declaration, _ in program.declarations}
    for site, action, count in _sites(program):
        held = action.object_type
        if tail_of(held) is not None:
            raise Unsupported("objects that end in an array without length, as variables")
        if action.count is not None:
            times = _number(action.count)
            if times is None or times < 1:
                raise Unsupported("objects whose size is not known, as variables")
            held = ArrayType(held, times)
        for copy in range(count):
            name = _name(site, copy)
            while name in names:
                name += "$"
            names.add(name)
            found.append(MemoryObject(name, held, None, site, action.cleared))
    if len(found) > MOST_OBJECTS:
        raise Unsupported(f"more than {MOST_OBJECTS} objects as variables")
    for each in found:
        if not has_static_size(each.type):
            raise Unsupported("the address of an array with an element per thread, as a variable")
        if size_of(each.type, NO_THREADS) > MOST_CELLS:
            raise Unsupported(f"an object with more than {MOST_CELLS:,} cells as a variable")
    return Objects(
        tuple(found),
        tuple(_flagged(program, found)),
        _has_integers(program),
        any(isinstance(edge.action, Free) for edge in program.edges),
        whole_pointers(program, found),
    )


def _number(expr: Expr) -> int | None:
    """The value of a number that is computed from constants: `3 * 4 / 4`."""
    match expr:
        case Const(int(value), _) if not isinstance(value, bool):
            return value
        case Binary(op, left, right) if op in (BinaryOp.MUL, BinaryOp.DIV, BinaryOp.ADD):
            one, other = _number(left), _number(right)
            if one is None or other is None:
                return None
            if op is BinaryOp.DIV:
                return one // other if one >= 0 and other > 0 else None
            return one * other if op is BinaryOp.MUL else one + other
        case Wrap(low, high, operand):
            value_ = _number(operand)
            return value_ if value_ is not None and low <= value_ <= high else None
        case _:
            return None


def _name(site: str, copy: int) -> str:
    """A short name: by the line of the statement, if the site tells it."""
    line = re.search(r":(\d+):\d+", site)
    return f"object${line[1] if line else ''}${copy}"


def _of_variable(program: Program, number: int) -> MemoryObject:
    variable = program.globals[number].variable
    return MemoryObject(variable.name, variable.type, number)


def _addressed(program: Program) -> set[int]:
    """The variables that an address names."""
    numbers = {d.variable.name: n for n, d in enumerate(program.globals)}
    found: set[int] = set()
    for declaration, _ in program.declarations:
        for value in stated_values(declaration.initial):
            if isinstance(value, Address) and value.number >= 0:
                found.add(value.number)
    for edge in program.edges:
        for expr in edge_expressions(edge):
            for part in subexpressions(expr):
                match part:
                    case Const(Address(number, _)) if number >= 0:
                        found.add(number)
                    case AddressOf(place):
                        base = root(place)
                        if isinstance(base, VariablePlace):
                            found.add(numbers[base.variable.name])
                    case _:
                        pass
    return found


def _sites(program: Program) -> Iterator[tuple[str, Allocate, int]]:
    """The statements that allocate, and how many objects each has.

    One in a loop has those that it allocates before there is a second thread.
    """
    found: dict[str, tuple[Allocate, int]] = {}
    many: set[str] = set()
    at_first: Counter[str] | None = None
    for procedure in program.procedures:
        for edge in procedure.edges:
            action = edge.action
            if not isinstance(action, Allocate):
                continue
            counts = [t.count for t in program.templates if t.body == procedure.name]
            if not counts:
                raise Unsupported("a procedure that allocates, with objects as variables")
            times = 1 if None in counts else sum(c or 0 for c in counts)
            if _repeats(program, procedure.name, edge.source):
                at_first = _allocated_at_first(program) if at_first is None else at_first
                times = at_first[action.site]
                if not times:
                    raise Unsupported(
                        "a statement that allocates any number of objects, as variables"
                    )
                found[action.site] = action, times
                many.add(action.site)
                continue
            before = found.get(action.site)
            if before is not None and before[0].object_type != action.object_type:
                raise Unsupported("a site with objects of several types")
            found[action.site] = action, times + (before[1] if before else 0)
    for site, (action, times) in found.items():
        yield site, action, times if times <= MOST_COPIES or site in many else 1


def _allocated_at_first(program: Program) -> Counter[str]:
    """How many objects of each site are allocated as long as only the first thread runs."""
    from threadwise.semantics.step import Interpreter  # rarely needed, and large
    from threadwise.transforms.simplify.first_steps import alone, first_thread, starting

    found: Counter[str] = Counter()
    first = first_thread(program)
    if first is not None:
        interpreter = Interpreter(program)
        number = interpreter.layout.numbers.templates.index(first.name)
        for move, _ in alone(interpreter, starting(interpreter), number):
            for choice in move.choices:
                action = program.edges[choice.edge].action
                if isinstance(action, Allocate):
                    found[action.site] += 1
    return found


def _repeats(program: Program, name: str, start: int) -> bool:
    """Whether a location can be reached again from itself."""
    targets: dict[int, list[int]] = {}
    for edge in program.procedure[name].edges:
        targets.setdefault(edge.source, []).append(edge.target)
    pending, seen = list(targets.get(start, ())), set[int]()
    while pending:
        here = pending.pop()
        if here == start:
            return True
        if here not in seen:
            seen.add(here)
            pending += targets.get(here, ())
    return False


def _flagged(program: Program, objects: Sequence[MemoryObject]) -> Iterator[Variable]:
    """Variables with cells that may never have been written."""
    unset = {
        declaration.variable.name
        for declaration in program.globals
        if UNSET in stated_values(declaration.initial)
    }
    through = False
    for assignment in _stores(program):
        if assignment.value == Const(UNSET, assignment.value.type):
            base = root(assignment.target)
            if isinstance(base, DerefPlace):
                through = True
            else:
                unset.add(base.variable.name)
    pointed = {each.name for each in objects}
    for declaration in program.globals:
        name = declaration.variable.name
        if name in unset or (through and name in pointed):
            yield declaration.variable
    for each in objects:
        if each.number is None and (through or not each.cleared):
            yield each.variable


def _stores(program: Program) -> Iterator[Assignment]:
    for edge in program.edges:
        if isinstance(edge.action, Command):
            yield from edge.action.assignments


def _has_integers(program: Program) -> bool:
    for declaration, _ in program.declarations:
        for value in stated_values(declaration.initial):
            if isinstance(value, Address) and value.number == INTEGER_OBJECT:
                return True
    for edge in program.edges:
        if is_beyond(edge):
            continue
        for expr in edge_expressions(edge):
            for part in subexpressions(expr):
                if isinstance(part, IntToPointer):
                    return True
                if (
                    isinstance(part, Const)
                    and isinstance(part.value, Address)
                    and part.value.number == INTEGER_OBJECT
                ):
                    return True
    return False


# -- pointers to the beginnings of objects -------------------------------------------------------


def whole_pointers(
    program: Program, objects: Sequence[MemoryObject]
) -> frozenset[tuple[str, str]]:
    """The variables that hold pointers with offset 0 only, and null: the greatest such set."""
    pointed = {("", each.name) for each in objects if PointerType() in each.cells}
    found = set(pointed)
    for declaration, procedure in program.declarations:
        if any(isinstance(part, PointerType) for part in parts_of(declaration.variable.type)):
            values = stated_values(declaration.initial)
            moved = any(isinstance(v, Address) and v != UNSET and v.offset for v in values)
            if not moved:
                found.add(holder(declaration.variable, procedure))
            else:
                found.discard(holder(declaration.variable, procedure))
    changed = True
    while changed:
        changed = False
        for procedure_ in program.procedures:
            for edge in procedure_.edges:
                if not isinstance(edge.action, Command) or is_beyond(edge):
                    continue
                for assignment in edge.action.assignments:
                    if not isinstance(assignment.target.type, PointerType):
                        continue
                    if _begins(assignment.value, procedure_.name, found, pointed):
                        continue
                    base = root(assignment.target)
                    lost = (
                        pointed
                        if isinstance(base, DerefPlace)
                        else {holder(base.variable, procedure_.name)}
                    )
                    changed |= not found.isdisjoint(lost)
                    found -= lost
    return frozenset(found)


def _begins(
    expr: Expr, procedure: str, whole: set[tuple[str, str]], pointed: set[tuple[str, str]]
) -> bool:
    """Whether a pointer has offset 0."""
    match expr:
        case Const(value, _):
            return not isinstance(value, Address) or value.offset == 0
        case Read(place):
            base = root(place)
            if isinstance(base, DerefPlace):
                return pointed <= whole
            return holder(base.variable, procedure) in whole
        case Conditional(_, then, otherwise):
            return all(_begins(one, procedure, whole, pointed) for one in (then, otherwise))
        case AddressOf(place):
            return _is_first(place, procedure, whole, pointed)
        case PointerAdd(pointer, Const(0, _), _):
            return _begins(pointer, procedure, whole, pointed)
        case _:
            return False


def _is_first(
    place: Place, procedure: str, whole: set[tuple[str, str]], pointed: set[tuple[str, str]]
) -> bool:
    match place:
        case VariablePlace():
            return True
        case DerefPlace(pointer, _):
            return _begins(pointer, procedure, whole, pointed)
        case IndexPlace(base, Const(0, _)):
            return _is_first(base, procedure, whole, pointed)
        case FieldPlace(base, field):
            held = base.type
            assert isinstance(held, RecordType | MutexType)
            first = fields_of(held)[0][0]
            return field == first and _is_first(base, procedure, whole, pointed)
        case _:
            return False
