"""Expressions and places of a program without pointers.

A pointer expression becomes two: the object it leads to, and the offset there in cells. Where a
pointer is followed, the case at hand says which part of which object it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Read,
    SameObject,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, number, rebuild, root
from threadwise.ir.folding import folded
from threadwise.ir.layout import NO_THREADS, field_offset, has_static_size, size_of
from threadwise.ir.program import (
    DEFAULT,
    AnyValue,
    Declaration,
    FillValue,
    Initial,
    ListedValues,
    Procedure,
    Program,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    MutexType,
    PointerType,
    RecordType,
    Type,
    Value,
    default_value,
    fields_of,
    parts_of,
)
from threadwise.transforms.memory.objects import MemoryObject, Objects, cell_types

MOST_SINGLE = 48
"""A set of offsets that is no row has at most so many."""
MOST_APART = 8
"""Elements of an array of records are told apart up to so many."""
OBJECT, OFFSET = "object", "offset"

Pair = tuple[Expr, Expr]


@dataclass(frozen=True)
class Part:
    """Parts of an object that a pointer may lead to: one, or elements in a row."""

    item: MemoryObject
    offsets: Sequence[int]
    steps: tuple[str | int | None, ...]
    """The way there: fields, positions, and None for the element that the offset says."""
    is_part: bool = True
    """Otherwise cells of the right types that are no part: two halves of neighbours, say."""

    @property
    def stride(self) -> int:
        """How far elements are apart."""
        return self.offsets[1] - self.offsets[0] if len(self.offsets) > 1 else 1


def parts(item: MemoryObject, held: Type) -> list[Part]:
    """The parts of an object that have a type, and where its cells fit without being a part."""
    found = list(_parts(item, item.type, held, 0, ()))
    covered = {offset for part in found for offset in part.offsets}
    others = [offset for offset in fitting(item, held) if offset not in covered]
    return [*found, Part(item, others, (), is_part=False)] if others else found


def _parts(
    item: MemoryObject, here: Type, held: Type, start: int, steps: tuple[str | int | None, ...]
) -> Iterator[Part]:
    if here == held:
        yield Part(item, [start], steps)
        return
    match here:
        case ArrayType(element, int(extent)):
            size = size_of(element, NO_THREADS)
            if size == 0:
                return
            inner = list(_parts(item, element, held, start, ()))
            apart = extent <= MOST_APART and size > 1
            if apart or any(None in part.steps or len(part.offsets) > 1 for part in inner):
                for position in range(extent):
                    for part in inner:
                        moved = [offset + position * size for offset in part.offsets]
                        yield Part(item, moved, (*steps, position, *part.steps))
                return
            for part in inner:
                row = [part.offsets[0] + position * size for position in range(extent)]
                middle: int | None = None if extent > 1 else 0
                yield Part(item, row, (*steps, middle, *part.steps))
        case RecordType() | MutexType():
            for name, part_type in fields_of(here):
                yield from _parts(item, part_type, held, start, (*steps, name))
                start += size_of(part_type, NO_THREADS)
        case _:
            return


def fitting(item: MemoryObject, held: Type | None) -> list[int]:
    """The offsets at which the cells of a type fit."""
    if held is None:
        return list(range(len(item.cells)))
    if not has_static_size(held):
        raise Unsupported("a part with an element per thread, behind a pointer")
    wanted = cell_types(held)
    return [
        start
        for start in range(len(item.cells) - len(wanted) + 1)
        if item.cells[start : start + len(wanted)] == wanted
    ]


def among(offset: Expr, wanted: Sequence[int]) -> Expr:
    """Whether an offset is one of some."""
    if not wanted:
        return FALSE
    if len(wanted) == 1:
        return folded(Binary(BinaryOp.EQ, offset, number(wanted[0])))
    first, last, step = wanted[0], wanted[-1], wanted[1] - wanted[0]
    if list(wanted) == list(range(first, last + 1, step)):
        tests = [
            folded(Binary(BinaryOp.GE, offset, number(first))),
            folded(Binary(BinaryOp.LE, offset, number(last))),
        ]
        if step > 1:
            rest = folded(
                Binary(
                    BinaryOp.MOD,
                    folded(Binary(BinaryOp.SUB, offset, number(first))),
                    number(step),
                )
            )
            tests.append(folded(Binary(BinaryOp.EQ, rest, number(0))))
        return _all(tests)
    if len(wanted) > MOST_SINGLE:
        raise Unsupported("parts of an object at many places that are no row")
    return _any([folded(Binary(BinaryOp.EQ, offset, number(one))) for one in wanted])


def _all(tests: Sequence[Expr]) -> Expr:
    return FALSE if FALSE in tests else conjunction(tests)


def _any(tests: Sequence[Expr]) -> Expr:
    if TRUE in tests:
        return TRUE
    kept = [test for test in tests if test != FALSE]
    return reduce(lambda a, b: Binary(BinaryOp.OR, a, b), kept) if kept else FALSE


@dataclass
class Words:
    """Places and expressions in a case: what the pointers that are followed lead to."""

    objects: Objects
    case: Mapping[tuple[Expr, Type], Part]
    procedure: str = ""

    # -- types and declarations ------------------------------------------------------------------

    def refuse_parameters(self, procedure: Procedure) -> None:
        """Raises Unsupported if pointers are handed over by calls."""
        handed = [parameter.type for parameter in procedure.parameters]
        if procedure.result is not None:
            handed.append(procedure.result)
        if any(isinstance(part, PointerType) for held in handed for part in parts_of(held)):
            raise Unsupported("pointers as arguments or results of calls, as numbers")

    def is_whole(self, variable: Variable) -> bool:
        """Whether the pointers in a variable have no offsets."""
        return self.objects.is_whole(variable, self.procedure)

    def moved(self, variable: Variable) -> Variable:
        """The variable with other types; it is no pointer."""
        return replace(variable, type=self.type(variable.type, self.is_whole(variable)))

    def type(self, held: Type, whole: bool) -> Type:
        """A type with two numbers for each pointer, or one if it has no offset."""
        match held:
            case PointerType():
                if whole:
                    return self.objects.kind
                return RecordType("memory$pointer", ((OBJECT, self.objects.kind), (OFFSET, INT)))
            case ArrayType(element, extent):
                return ArrayType(self.type(element, whole), extent)
            case RecordType(name, fields):
                changed = tuple((field, self.type(part, whole)) for field, part in fields)
                if changed == fields:
                    return held
                return RecordType(f"memory${'whole$' if whole else ''}{name}", changed)
            case _:
                return held

    def declaration(self, declaration: Declaration) -> list[Declaration]:
        """A variable: a pointer becomes two."""
        variable = declaration.variable
        if not any(isinstance(part, PointerType) for part in parts_of(variable.type)):
            initial = declaration.initial
            if isinstance(initial, FillValue) and initial.value == UNSET:
                initial = DEFAULT
            if isinstance(initial, ListedValues) and UNSET in initial.values:
                initial = ListedValues(
                    tuple(
                        default_value(cell) if value == UNSET else value
                        for cell, value in zip(
                            cell_types(variable.type), initial.values, strict=True
                        )
                    )
                )
            return [replace(declaration, initial=initial)]
        values = self._initial(declaration)
        if isinstance(variable.type, PointerType):
            parts_ = [self.variable(variable, OBJECT), self.variable(variable, OFFSET)]
            if self.is_whole(variable):
                parts_ = parts_[:1]
            if values is None:
                return [Declaration(part) for part in parts_]
            return [
                Declaration(part, ListedValues((value,)))
                for part, value in zip(parts_, values, strict=True)
            ]
        changed = self.moved(variable)
        return [Declaration(changed, DEFAULT if values is None else ListedValues(values))]

    def _initial(self, declaration: Declaration) -> tuple[Value, ...] | None:
        """The initial values of a variable with pointers; None if they are the usual ones."""
        held = declaration.variable.type
        initial: Initial = declaration.initial
        match initial:
            case AnyValue():
                raise Unsupported("pointers that are inputs")
            case ListedValues(values):
                listed: Sequence[Value] = values
            case FillValue(value) if has_static_size(held):
                listed = [value] * size_of(held, NO_THREADS)
            case FillValue(value) if value is not NULL:
                raise Unsupported("an array of pointers with an element per thread")
            case _:
                return None
        found: list[Value] = []
        for cell, value in zip(cell_types(held), listed, strict=True):
            known = default_value(cell) if value == UNSET else value
            if isinstance(cell, PointerType):
                pair = self._constant(known)
                kept = pair[:1] if self.is_whole(declaration.variable) else pair
                found += [part.value for part in kept]
            else:
                found.append(known)
        return tuple(found)

    def flags(self, program: Program, variable: Variable) -> Declaration:
        """Which cells of a variable hold something."""
        initial = {d.variable.name: d.initial for d in program.globals}.get(variable.name)
        count = size_of(variable.type, NO_THREADS)
        values: tuple[Value, ...] = (False,) * count
        match initial:
            case ListedValues(listed):
                values = tuple(value != UNSET for value in listed)
            case FillValue(value):
                values = (value != UNSET,) * count
            case None:
                cleared = [o.cleared for o in self.objects.listed if o.name == variable.name]
                values = (cleared[0],) * count
            case _:
                values = (True,) * count
        return Declaration(flag_of(variable), ListedValues(values))

    def variable(self, variable: Variable, half: str) -> Variable:
        """One half of a variable that is a pointer."""
        held = self.objects.kind if half == OBJECT else INT
        return replace(variable, name=f"{variable.name}${half}", type=held)

    # -- places ----------------------------------------------------------------------------------

    def place(self, place: Place) -> Place:
        """A place that is no pointer."""
        match place:
            case VariablePlace(variable):
                return VariablePlace(self.moved(variable))
            case FieldPlace(base, field):
                return FieldPlace(self.place(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self.place(base), self.expr(index))
            case DerefPlace(pointer, held):
                part = self.case[pointer, held]
                return self._at(part, self.pair(pointer)[1])

    def _at(self, part: Part, offset: Expr) -> Place:
        found: Place = VariablePlace(self.moved(part.item.variable))
        for step in part.steps:
            if isinstance(step, str):
                found = FieldPlace(found, step)
            elif step is not None:
                found = IndexPlace(found, number(step))
            else:
                index = folded(Binary(BinaryOp.SUB, offset, number(part.offsets[0])))
                if part.offsets[0] == 0:
                    index = offset
                if part.stride > 1:
                    index = folded(Binary(BinaryOp.DIV, index, number(part.stride)))
                found = IndexPlace(found, index)
        return found

    def halves(self, place: Place) -> tuple[Place, Place | None]:
        """The two numbers of a place that is a pointer; None for an offset that is always 0."""
        match place:
            case VariablePlace(variable):
                own = variable
            case DerefPlace(pointer, held) if not self.case[pointer, held].steps:
                own = self.case[pointer, held].item.variable
            case _:
                inside = self.place(place)
                if self.is_whole(self._home(place)):
                    return inside, None
                return FieldPlace(inside, OBJECT), FieldPlace(inside, OFFSET)
        item = VariablePlace(self.variable(own, OBJECT))
        if self.is_whole(own):
            return item, None
        return item, VariablePlace(self.variable(own, OFFSET))

    def _home(self, place: Place) -> Variable:
        """The variable that a place is part of."""
        base = root(place)
        if isinstance(base, VariablePlace):
            return base.variable
        return self.case[base.pointer, base.type].item.variable

    def flag(self, place: Place) -> Place | None:
        """The flag of a cell, if it has one."""
        match place:
            case VariablePlace(variable):
                if variable.scope is not Scope.GLOBAL:
                    return None
                if variable.name not in self.objects.has_flags:
                    return None
                return VariablePlace(flag_of(variable))
            case FieldPlace(base, field):
                inner = self.flag(base)
                return None if inner is None else FieldPlace(inner, field)
            case IndexPlace(base, index):
                inner = self.flag(base)
                return None if inner is None else IndexPlace(inner, self.expr(index))
            case DerefPlace(pointer, held):
                part = self.case[pointer, held]
                if part.item.name not in self.objects.has_flags:
                    return None
                found = self._at(part, self.pair(pointer)[1])
                return _rooted(found, VariablePlace(flag_of(part.item.variable)))

    # -- expressions -----------------------------------------------------------------------------

    def pair(self, expr: Expr) -> Pair:
        """A pointer: its object and its offset."""
        match expr:
            case Const(value, _):
                return self._constant(value)
            case Read(place):
                one, other = self.halves(place)
                return Read(one), number(0) if other is None else Read(other)
            case AddressOf(place):
                return self._address(place)
            case Conditional(condition, then, otherwise):
                test = self.expr(condition)
                (a, b), (c, d) = self.pair(then), self.pair(otherwise)
                return _chosen(test, a, c), _chosen(test, b, d)
            case PointerAdd(pointer, count, element):
                item, offset = self.pair(pointer)
                return item, _sum(offset, _times(self.expr(count), _size(element)))
            case IntToPointer(operand):
                return self._object(None), self.expr(operand)
            case _:
                raise Unsupported(f"{type(expr).__name__} as a pair of numbers")

    def _constant(self, value: Value) -> tuple[Const, Const]:
        if value is NULL:
            return self._object(None), number(0)
        if not isinstance(value, Address) or value == UNSET:
            raise Unsupported("a pointer that was never written, as numbers")
        if value.number < 0:
            return self._object(None), number(value.offset)
        found = [each for each in self.objects.listed if each.number == value.number]
        if not found:
            raise Unsupported("the address of an object that is not listed")
        return self._object(found[0]), number(value.offset)

    def _object(self, item: MemoryObject | None) -> Const:
        position = 0 if item is None else self.objects.position(item)
        return Const(position, self.objects.kind)

    def _address(self, place: Place) -> Pair:
        match place:
            case VariablePlace(variable):
                found = [
                    o
                    for o in self.objects.listed
                    if o.number is not None and o.name == variable.name
                ]
                if variable.scope is not Scope.GLOBAL or not found:
                    raise Unsupported("the address of an object that is not listed")
                return self._object(found[0]), number(0)
            case DerefPlace(pointer, _):
                return self.pair(pointer)
            case FieldPlace(base, field):
                assert isinstance(base.type, RecordType | MutexType)
                if not has_static_size(base.type):
                    raise Unsupported("the address of a part of a variable per thread")
                item, offset = self._address(base)
                return item, _sum(offset, number(field_offset(base.type, field, NO_THREADS)))
            case IndexPlace(base, index):
                item, offset = self._address(base)
                return item, _sum(offset, _times(self.expr(index), _size(place.type)))

    def expr(self, expr: Expr) -> Expr:
        """An expression that is no pointer."""
        match expr:
            case Read(place):
                return Read(self.place(place))
            case IsWritten(place):
                flag = self.flag(place)
                return TRUE if flag is None else Read(flag)
            case IsValid(pointer, held):
                return self.valid(pointer, held)
            case IsAllocated(pointer):
                item, offset = self.pair(pointer)
                tests = [
                    _all([self.leads(item, o), self.alive(o), among(offset, [0])])
                    for o in self.objects.fresh
                ]
                return _any(tests)
            case HoldsInteger(pointer):
                return _equal(self.pair(pointer)[0], self._object(None))
            case PointerToInt(pointer):
                return self.pair(pointer)[1]
            case SameObject(left, right):
                return _equal(self.pair(left)[0], self.pair(right)[0])
            case PointerDifference(left, right, element):
                gap = folded(Binary(BinaryOp.SUB, self.pair(left)[1], self.pair(right)[1]))
                size = _size(element)
                return gap if size == 1 else folded(Binary(BinaryOp.DIV, gap, number(size)))
            case Binary(op, left, right) if isinstance(left.type, PointerType):
                return self._compared(op, left, right)
            case Const(value, _) if value == UNSET:
                raise Unsupported("what was never written, as a value")
            case _:
                return folded(rebuild(expr, self.expr))

    def _compared(self, op: BinaryOp, left: Expr, right: Expr) -> Expr:
        if op not in (BinaryOp.EQ, BinaryOp.NE):
            raise Unsupported("pointers that are ordered")
        (a, b), (c, d) = self.pair(left), self.pair(right)
        tests = [_equal(a, c), _equal(b, d)]
        if not self.objects.has_integers and self._object(None) in (a, c):
            tests = tests[:1]
        same = _all(tests)
        if op is BinaryOp.EQ:
            return same
        return _any([_negated(test) for test in tests])

    def valid(self, pointer: Expr, held: Type | None) -> Expr:
        """Whether a pointer may be followed."""
        item, offset = self.pair(pointer)
        if held is not None and (pointer, held) in self.case:
            return self.alive(self.case[pointer, held].item)
        return _any(
            [
                _all([self.leads(item, o), self.alive(o), among(offset, fitting(o, held))])
                for o in self.objects.listed
                if fitting(o, held)
            ]
        )

    def leads(self, item: Expr, to: MemoryObject) -> Expr:
        """Whether a pointer leads to an object."""
        return _equal(item, self._object(to))

    def alive(self, item: MemoryObject) -> Expr:
        """Whether an object is alive."""
        if item.number is not None or not self.objects.ends:
            return TRUE  # a pointer to it is there only after it was allocated
        return Binary(BinaryOp.EQ, Read(VariablePlace(item.state)), number(1))


def flag_of(variable: Variable) -> Variable:
    """A variable with a flag for each cell."""
    return Variable(f"{variable.name}$written", _flags(variable.type), Scope.GLOBAL, sync=True)


def _flags(held: Type) -> Type:
    match held:
        case ArrayType(element, extent):
            return ArrayType(_flags(element), extent)
        case RecordType() | MutexType():
            name = held.name if isinstance(held, RecordType) else f"mutex${held.kind.value}"
            fields = tuple((field, _flags(part)) for field, part in fields_of(held))
            return RecordType(f"written${name}", fields)
        case _:
            return BOOL


def _rooted(place: Place, base: Place) -> Place:
    """The same part of another variable."""
    match place:
        case FieldPlace(inner, field):
            return FieldPlace(_rooted(inner, base), field)
        case IndexPlace(inner, index):
            return IndexPlace(_rooted(inner, base), index)
        case _:
            assert isinstance(root(place), VariablePlace)
            return base


def _size(element: Type) -> int:
    if not has_static_size(element):
        raise Unsupported("pointers to variables per thread")
    return size_of(element, NO_THREADS)


def _chosen(test: Expr, then: Expr, otherwise: Expr) -> Expr:
    return then if then == otherwise else folded(Conditional(test, then, otherwise))


def _sum(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and left.value == 0:
        return right
    if isinstance(right, Const) and right.value == 0:
        return left
    return folded(Binary(BinaryOp.ADD, left, right))


def _times(count: Expr, size: int) -> Expr:
    return count if size == 1 else folded(Binary(BinaryOp.MUL, count, number(size)))


def _equal(left: Expr, right: Expr) -> Expr:
    return folded(Binary(BinaryOp.EQ, left, right))


def _negated(test: Expr) -> Expr:
    match test:
        case Binary(BinaryOp.EQ, left, right):
            return Binary(BinaryOp.NE, left, right)
        case _:
            return FALSE if test == TRUE else TRUE


def cell_places(words: Words, item: MemoryObject) -> Iterator[tuple[Place, Const]]:
    """The cells of an object, with the values that cells start with."""
    if isinstance(item.type, PointerType):
        for declaration in words.declaration(Declaration(item.variable)):
            yield VariablePlace(declaration.variable), Const(0, declaration.variable.type)
        return
    base: Place = VariablePlace(words.moved(item.variable))
    for place in _leaves(base):
        held = place.type
        yield place, Const(default_value(held), held)  # type: ignore[arg-type]  # a leaf is scalar


def _leaves(place: Place) -> Iterator[Place]:
    match place.type:
        case ArrayType(_, int(extent)):
            for position in range(extent):
                yield from _leaves(IndexPlace(place, number(position)))
        case RecordType() | MutexType() as whole:
            for field, _ in fields_of(whole):
                yield from _leaves(FieldPlace(place, field))
        case _:
            yield place
