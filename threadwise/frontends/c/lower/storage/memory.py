"""Allocation, and copying, filling and comparing memory as the objects that are there.

What an allocation is for is found from the text: what `sizeof` measured, or the type that the
result will point to. Copies go cell by cell, so they must be of whole objects of the type that the
pointers say; anything else is a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.beyond import go_on
from threadwise.frontends.c.lower.storage.cell_by_cell import Places, for_cells
from threadwise.frontends.c.lower.storage.filling import fork, set_to_any
from threadwise.frontends.c.lower.storage.places import folded, moved
from threadwise.frontends.c.lower.values.arithmetic import (
    NULL_POINTER,
    ONE,
    ZERO,
    as_truth,
    both,
    compare,
    constant,
    fit,
    opposite,
)
from threadwise.frontends.c.lower.values.requirements import FREED
from threadwise.frontends.c.lower.values.types import (
    ACTIVE,
    Unrepresentable,
    cells,
    scalar_cells,
    zero,
)
from threadwise.frontends.c.types import (
    VOID,
    CArray,
    CBool,
    CFloat,
    CInteger,
    CPointer,
    CRecord,
    CType,
    CVoid,
    unqualified,
)
from threadwise.frontends.c.walking import nodes
from threadwise.ir.commands import Allocate, Assignment, Command, Free, OperationKind
from threadwise.ir.expr import (
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number
from threadwise.ir.layout import tail_of
from threadwise.ir.types import POINTER, ArrayType, MachineType, MutexType, RecordType, Type

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body, Frame

_NUMBERS = CInteger, CBool, CFloat
_BYTE = CInteger(8, signed=True)
_UNROLLED = 64
"""So many elements are copied without a loop."""
_INDEX = MachineType(64, signed=True)


class Memory:
    """The primitives that have to do with memory, as seen by one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    # -- allocation ----------------------------------------------------------------------------

    def allocate(self, size: tree.Expr, target: CType | None, *, cleared: bool) -> Expr:
        """A fresh object of as many bytes as an expression says."""
        body = self.body
        bytes_ = body.expressions.value(size)
        element = self._element(size, target)
        unit = body.unit.types.size(element)
        held = body.unit.types.of(element)
        place = VariablePlace(body.temporary(POINTER))
        known = constant(bytes_)
        whole = self._tail(element) is not None or _is_multiple(bytes_, unit)
        if self._wanted(target) not in (None, VOID, element) or not whole:
            body.unit.found.guessed = True
        count: Expr | None = None
        tail = self._tail(element)
        if tail is not None:
            count = self._behind(bytes_, tail)
        elif known is None:
            count = bytes_ if unit == 1 else Binary(BinaryOp.DIV, bytes_, number(unit))
        elif known < unit:
            raise Unrepresentable(f"an allocation of {known} bytes for an object of {unit}")
        elif known // unit > 1:
            count = number(known // unit)
        many = tail_of(held) if tail is not None else None if count is None else held
        if many is not None and any(born_with(VariablePlace(Variable("", many, Scope.LOCAL)))):
            cleared = True
        where = (
            "" if body.span is None else f"{body.span.path}:{body.span.line}:{body.span.column}"
        )
        site = f"{where} as {element}{'' if count is None or tail is not None else '[]'}"
        body.step(Allocate(TRUE, place, held, site, count, cleared=cleared), sync=True)
        if not cleared:
            self.give_birth(DerefPlace(Read(place), held))
        return Read(place)

    def _tail(self, element: CType) -> tree.Field | None:
        """The array without length at the end of a record."""
        held = unqualified(element)
        records = self.body.unit.types.records
        if not isinstance(held, CRecord) or held.key not in records:
            return None
        return self.body.unit.types.tail(records[held.key])

    def _behind(self, bytes_: Expr, tail: tree.Field) -> Expr:
        """How many elements of such an array there are in a record of so many bytes; -1 if the
        record does not fit."""
        assert isinstance(tail.type, CArray)
        start, unit = tail.offset_bits // 8, self.body.unit.types.size(tail.type.element)
        known = constant(bytes_)
        if known is not None:
            return number((known - start) // unit if known >= start else -1)
        rest = Binary(BinaryOp.SUB, bytes_, number(start))
        count = rest if unit == 1 else Binary(BinaryOp.DIV, rest, number(unit))
        return Conditional(compare(BinaryOp.GE, bytes_, number(start)), count, number(-1))

    def reallocate(self, old: tree.Expr, size: tree.Expr, target: CType | None) -> Expr:
        """A fresh object with what was written in the old one, which is freed."""
        body = self.body
        before = body.expressions.value(old)
        element = self._element(size, target)
        held, unit = body.unit.types.of(element), body.unit.types.size(element)
        fresh = self.allocate(size, target, cleared=False)
        if before == NULL_POINTER:
            return fresh
        bytes_ = body.expressions.value(size)
        tail = self._tail(element)
        if tail is None:
            count = bytes_ if unit == 1 else Binary(BinaryOp.DIV, bytes_, number(unit))
            self._keep(fresh, before, held, element, count)
        else:
            assert isinstance(tail.type, CArray)
            places = [DerefPlace(pointer, held) for pointer in (fresh, before)]
            self._keep_cells((places[0], places[1]), element)
            to, of = (AddressOf(FieldPlace(place, tail.name)) for place in places)
            behind = unqualified(tail.type.element)
            held = body.unit.types.of(behind)
            self._keep(to, of, held, behind, self._behind(bytes_, tail))
        self.free(before)
        return fresh

    def _keep(self, to: Expr, of: Expr, held: Type, element: CType, count: Expr) -> None:
        """Copy what was written in an array, as far as it is there."""
        body = self.body
        index = VariablePlace(body.temporary(_INDEX))
        body.step(Command(assignments=(Assignment(index, ZERO),)))
        test, inside, done = body.node(), body.node(), body.node()
        body.move_to(test)
        there = IsValid(moved(of, Read(index), held), held)
        body.branch(both(Binary(BinaryOp.LT, Read(index), count), there), inside, done)
        body.at = inside
        first, second = (folded(moved(p, Read(index), held), held) for p in (to, of))
        self._keep_cells((first, second), element)
        more = Binary(BinaryOp.ADD, Read(index), ONE)
        body.arc(test, Command(assignments=(Assignment(index, more),)))
        body.at = done

    def _keep_cells(self, pair: Places, element: CType) -> None:
        """Copy what was written in a value."""
        body = self.body

        def keep(both_: Places) -> None:
            new_cell, old_cell = both_
            written, after = body.node(), body.node()
            body.branch(IsWritten(old_cell), written, after)
            body.at = written
            value = body.places.load(old_cell, element, raw=True)
            body.step(Command(assignments=(Assignment(new_cell, value),)), raw=True)
            body.graph.jump(body.at, after)
            body.at = after

        for_cells(body, pair, keep)

    def give_birth(self, place: Place) -> None:
        """A lock in fresh memory is free, and a union has no active member."""
        stores = tuple(Assignment(cell, zero(cell.type)) for cell in born_with(place))
        if stores:
            self.body.step(Command(assignments=stores), sync=True)

    def _element(self, size: tree.Expr, target: CType | None) -> CType:
        measured, wanted = self._measured(size), self._wanted(target)
        if isinstance(measured, CArray) and unqualified(measured.element) == wanted:
            measured = wanted
        both = (wanted, measured) if _tells_less(measured, wanted) else (measured, wanted)
        for found in both:
            if found is not None and not isinstance(found, CVoid) and self._has_size(found):
                return found
        return _BYTE

    def _has_size(self, held: CType) -> bool:
        """Whether objects of a type are more than nothing: it is known, and not empty."""
        try:
            return self.body.unit.types.size(held) > 0
        except Unrepresentable:
            return False

    def _wanted(self, target: CType | None) -> CType | None:
        """What the result will point to."""
        frame: Frame | None = self.body.frame
        while frame is not None and target is None and frame.function.library:
            target = frame.target
            frame = frame.outer
        wanted = None if target is None else unqualified(target)
        if isinstance(wanted, CArray) and not wanted.size:
            wanted = unqualified(wanted.element)
        return wanted

    def _measured(self, size: tree.Expr) -> CType | None:
        """What `sizeof` measured in an expression; of several types, one that is no number."""
        number_: CType | None = None
        for node in nodes(size):
            found: CType | None = None
            if isinstance(node, tree.IntegerConstant) and node.sizeof is not None:
                found = unqualified(node.sizeof)
            elif isinstance(node, tree.VariableRef):
                known = self.body.calls.hints.get(node.variable)
                if known is not None and known is not size:
                    found = self._measured(known)
            if isinstance(found, _NUMBERS):
                number_ = number_ or found
            elif found is not None:
                return found
        return number_

    def free(self, pointer: Expr) -> None:
        """Freeing null does nothing; anything but the start of a heap object is a limit."""
        body = self.body
        if pointer == NULL_POINTER:
            return
        if isinstance(pointer, AddressOf):
            body.limit(FREED)
            return
        is_address = as_truth(pointer)
        after = body.node()
        body.arc(after, Command(opposite(is_address)))
        start = IsAllocated(pointer)
        body.arc(body.limit_node(FREED), Command(both(is_address, opposite(start))))
        body.unit.found.ends = True
        body.arc(after, Free(both(is_address, start), pointer))
        body.at = after

    # -- blocks --------------------------------------------------------------------------------

    def copy(self, to: tree.Expr, of: tree.Expr, size: tree.Expr) -> None:
        """`memcpy` of whole objects of one type."""
        body = self.body
        element = self._common(to, of)
        target, source = body.expressions.value(to), body.expressions.value(of)
        held = body.unit.types.of(element)
        count = self._count(size, element, (target,), (source,))

        def one(index: Expr) -> None:
            left = folded(moved(target, index, held), held)
            right = folded(moved(source, index, held), held)
            body.places.copy(left, right, element)

        self.for_each(count, one)

    def move(self, to: tree.Expr, of: tree.Expr, size: tree.Expr) -> None:
        """`memmove` of whole objects of one type: all is read before anything is written."""
        body = self.body
        element = self._common(to, of)
        target, source = body.expressions.value(to), body.expressions.value(of)
        held = body.unit.types.of(element)
        number_ = self._count(size, element, (target,), (source,))
        count = constant(number_)
        if count is None or count > _UNROLLED:
            self._move_in_order(target, source, number_, element)
            return
        kept: list[Place] = []
        for position in range(count):
            for cell in cells(folded(moved(source, number(position), held), held), held):
                place = VariablePlace(body.temporary(cell.type))
                value = body.places.load(cell, element, raw=True)
                body.step(Command(assignments=(Assignment(place, value),)), raw=True)
                kept.append(place)
        remaining = iter(kept)
        for position in range(count):
            for cell in cells(folded(moved(target, number(position), held), held), held):
                stored = Assignment(cell, Read(next(remaining)))
                body.step(Command(assignments=(stored,)), raw=True)

    def _move_in_order(self, target: Expr, source: Expr, count: Expr, element: CType) -> None:
        """`memmove` one by one: backwards if the target begins among what is moved."""
        body = self.body
        held = body.unit.types.of(element)
        back, ahead, done = body.node(), body.node(), body.node()

        def one(index: Expr) -> None:
            left, right = (folded(moved(p, index, held), held) for p in (target, source))
            body.places.copy(left, right, element)

        def meets(index: Expr) -> None:
            other = body.node()
            body.branch(compare(BinaryOp.EQ, moved(source, index, held), target), back, other)
            body.at = other

        self.for_each(count, meets)
        body.graph.jump(body.at, ahead)
        body.at = ahead
        self.for_each(count, one)
        body.graph.jump(body.at, done)
        body.at = back
        last = Binary(BinaryOp.SUB, count, ONE)
        self.for_each(count, lambda index: one(Binary(BinaryOp.SUB, last, index)))
        body.graph.jump(body.at, done)
        body.at = done

    def fill(self, to: tree.Expr, byte: tree.Expr, size: tree.Expr) -> None:
        """`memset` of whole objects."""
        body = self.body
        element = self._pointed(to)
        target, filler = body.expressions.value(to), body.expressions.value(byte)
        held = body.unit.types.of(element)
        count = self._count(size, element, (target,))
        for part in scalar_cells(held):
            if _filled(part, filler) is None:
                what = "memory of this type filled with bytes"
                raise Unrepresentable(what, (target,), fills=True)

        def one(index: Expr) -> None:
            place = folded(moved(target, index, held), held)
            for_cells(body, (place,), lambda cells_: self._fill_cell(cells_[0], filler))

        self.for_each(count, one)

    def _fill_cell(self, cell: Place, filler: Expr) -> None:
        value = _filled(cell.type, filler)
        assert value is not None
        self.body.step(Command(assignments=(Assignment(cell, value),)))

    def havoc(self, to: tree.Expr, size: tree.Expr, *, opaque: bool) -> Expr:
        """Any content for some bytes, the first of at most so many; how many they are.

        An object that is reached in part changes as a whole. How many is a choice, not a value: a
        run need not depend on it.
        """
        body = self.body
        element = self._pointed(to)
        target, bytes_ = body.expressions.value(to), body.expressions.value(size)
        held, unit = body.unit.types.of(element), body.unit.types.size(element)
        known = constant(bytes_)
        index = VariablePlace(body.temporary(_INDEX))
        body.step(Command(assignments=(Assignment(index, ZERO),)))
        if known is not None and 0 < known <= unit:
            self._havoc_one(folded(target, held), index, bytes_, opaque=opaque)
            return Read(index)
        test, more, inside, done = (body.node() for _ in range(4))
        if known is None and unit > 1:
            single = body.node()
            body.branch(_is_within(bytes_, unit), single, test)
            body.at = single
            self._havoc_one(folded(target, held), index, bytes_, opaque=opaque)
            body.graph.jump(body.at, done)
            body.at = test
        else:
            body.move_to(test)
        fork(body, more, done, opaque=opaque)
        body.at = more
        position = Read(index) if unit == 1 else Binary(BinaryOp.DIV, Read(index), number(unit))
        body.branch(Binary(BinaryOp.LT, Read(index), bytes_), inside, done)
        body.at = inside
        cell = folded(moved(target, position, held), held)
        set_to_any(body, cell, opaque=opaque)
        after = Binary(BinaryOp.ADD, Read(index), number(unit))
        body.arc(test, Command(assignments=(Assignment(index, after),)))
        body.at = done
        over = Binary(BinaryOp.GT, Read(index), bytes_)
        return Conditional(over, bytes_, Read(index)) if unit > 1 else Read(index)

    def _havoc_one(self, cell: Place, done: Place, size: Expr, *, opaque: bool) -> None:
        """Any content for one object, or none; how many bytes were `done`.

        Without a loop there is no index: whoever reads the program sees that no other is meant.
        """
        body = self.body
        some, after = body.node(), body.node()
        fork(body, some, after, opaque=opaque)
        body.at = some
        set_to_any(body, cell, opaque=opaque, many=False)
        body.arc(after, Command(assignments=(Assignment(done, size),)))
        body.at = after

    def any_object(self, to: tree.Expr, *, opaque: bool) -> None:
        """Any content for the object that a pointer points to, as the type of the pointer says."""
        body = self.body
        held = body.unit.types.of(self._pointed(to))
        pointer = body.expressions.value(to)
        place = folded(pointer, held)
        if not all(isinstance(cell, MachineType) for cell in scalar_cells(held)):
            what = "an object with pointers that comes from outside"
            raise Unrepresentable(what, (pointer,), fills=True)
        set_to_any(body, place, opaque=opaque)

    def element(self, base: tree.Expr, size: tree.Expr, index: tree.Expr) -> Expr:
        """The address of an element of an array, by the type that the array has for the caller."""
        body = self.body
        element = self._pointed(base)
        pointer = body.expressions.value(base)
        bytes_, position = body.expressions.value(size), body.expressions.value(index)
        if constant(bytes_) != body.unit.types.size(element):
            raise Unrepresentable("elements of another size than the type says", (pointer,))
        return moved(pointer, position, body.unit.types.of(element))

    def exchange(self, base: tree.Expr, size: tree.Expr, one: tree.Expr, other: tree.Expr) -> None:
        """Exchange two elements of an array, cell by cell."""
        body = self.body
        element = self._pointed(base)
        held = body.unit.types.of(element)
        first = folded(self.element(base, size, one), held)
        second = folded(self.element(base, size, other), held)
        kept = VariablePlace(body.temporary(held))
        body.places.copy(kept, first, element)
        body.places.copy(first, second, element)
        body.places.copy(second, kept, element)

    def compare(self, left: tree.Expr, right: tree.Expr, size: tree.Expr) -> Expr:
        """`memcmp` of bytes."""
        body = self.body
        element = self._common(left, right)
        if not isinstance(element, CInteger) or element.width != 8:
            read = body.expressions.value(left), body.expressions.value(right)
            raise Unrepresentable("memcmp of what are no bytes", (), read)
        one, other = body.expressions.value(left), body.expressions.value(right)
        held = body.unit.types.of(element)
        count = self._count(size, element, (), (one, other))
        result = VariablePlace(body.temporary(MachineType(32, signed=True)))
        done = body.node()

        def each(index: Expr) -> None:
            first = body.places.load(folded(moved(one, index, held), held), element)
            second = body.places.load(folded(moved(other, index, held), held), element)
            for op, outcome in ((BinaryOp.LT, -1), (BinaryOp.GT, 1)):
                decided, following = body.node(), body.node()
                unsigned = [Binary(BinaryOp.BIT_AND, v, number(255)) for v in (first, second)]
                body.branch(compare(op, unsigned[0], unsigned[1]), decided, following)
                body.at = decided
                body.arc(done, Command(assignments=(Assignment(result, number(outcome)),)))
                body.at = following

        self.for_each(count, each)
        body.arc(done, Command(assignments=(Assignment(result, ZERO),)))
        body.at = done
        return Read(result)

    def for_each(self, count: Expr, do: Callable[[Expr], None]) -> None:
        """Do something for every index below a number."""
        body = self.body
        known = constant(count)
        if known is not None and known <= _UNROLLED:
            for position in range(known):
                do(number(position))
            return
        index = VariablePlace(body.temporary(_INDEX))
        body.step(Command(assignments=(Assignment(index, ZERO),)))
        test, inside, done = body.node(), body.node(), body.node()
        body.move_to(test)
        body.branch(Binary(BinaryOp.LT, Read(index), count), inside, done)
        body.at = inside
        do(Read(index))
        more = Binary(BinaryOp.ADD, Read(index), ONE)
        body.arc(test, Command(assignments=(Assignment(index, more),)))
        body.at = done

    def _count(
        self,
        size: tree.Expr,
        element: CType,
        touched: tuple[Expr, ...],
        read: tuple[Expr, ...] = (),
    ) -> Expr:
        """How many elements so many bytes are, at the places that pointers lead to."""
        bytes_ = self.body.expressions.value(size)
        unit = self.body.unit.types.size(element)
        known = constant(bytes_)
        if unit == 1:
            return bytes_
        if known is None and _is_exact_multiple(bytes_, unit):
            return Binary(BinaryOp.DIV, bytes_, number(unit))
        if known is None:
            rest = Binary(BinaryOp.MOD, bytes_, number(unit))
            whole, after, partial = (
                compare(BinaryOp.EQ, rest, ZERO),
                self.body.node(),
                self.body.node(),
            )
            self.body.branch(whole, after, partial)
            self.body.at = partial
            fills = touched and not read
            kind = OperationKind.UNKNOWN_FILL if fills else OperationKind.UNKNOWN_WRITE
            go_on(self.body, _PART, kind, touched, (), read)
            self.body.graph.jump(self.body.at, after)
            self.body.at = after
            return Binary(BinaryOp.DIV, bytes_, number(unit))
        if known % unit:
            raise Unrepresentable(_PART, touched, read, fills=bool(touched and not read))
        return number(known // unit)

    def _pointed(self, *pointers: tree.Expr) -> CType:
        """What pointers point to, by their types before they were converted to `void *`."""
        for pointer in pointers:
            found = self._origin(pointer)
            held = unqualified(found.type)
            target = unqualified(held.target) if isinstance(held, CPointer) else VOID
            while isinstance(target, CArray) and target.size:
                target = unqualified(target.element)
            if not isinstance(target, CVoid | CArray):
                return target
        return _BYTE

    def _common(self, *pointers: tree.Expr) -> CType:
        """What objects are taken for that are used together: some may be of another type."""
        common = self._pointed(*pointers)
        for pointer in pointers:
            self.body.conversions.note_view(self._pointed(pointer), common)
        return common

    def given(self, pointer: tree.Expr) -> tuple[tree.Expr, CType]:
        """A pointer as the caller wrote it, and what it points to."""
        return self._origin(pointer), self._pointed(pointer)

    def _origin(self, pointer: tree.Expr) -> tree.Expr:
        current = pointer
        while True:
            if isinstance(current, tree.Convert):
                inner = unqualified(current.operand.type)
                if not isinstance(inner, CPointer):
                    return current
                current = current.operand
            elif isinstance(current, tree.Load) and isinstance(current.place, tree.VariableRef):
                known = self.body.calls.hints.get(current.place.variable)
                if known is None or known is current:
                    return current
                current = known
            else:
                return current


_PART = "memory that is copied or filled in parts of objects"


def _tells_less(measured: CType | None, wanted: CType | None) -> bool:
    """Whether the type that will be pointed to says more about memory than the `sizeof`.

    Numbers are measured that are the sizes of anything, and all pointers have one size.
    """
    if wanted is None or isinstance(wanted, CVoid | CInteger):
        return False
    pointers = isinstance(measured, CPointer) and isinstance(wanted, CPointer)
    return pointers or isinstance(measured, _NUMBERS)


def born_with(place: Place) -> Iterator[Place]:
    """The cells of fresh memory that have a value: owners of locks, and tags of unions."""
    held = place.type
    if not _has_birth(held):
        return
    match held:
        case ArrayType(_, int(extent)):
            for position in range(extent):
                yield from born_with(IndexPlace(place, number(position)))
        case RecordType(_, fields):
            for name, _ in fields:
                part = FieldPlace(place, name)
                yield from (part,) if name == ACTIVE else born_with(part)
        case _:
            yield from cells(place, held)


@lru_cache(maxsize=1 << 10)
def _has_birth(held: Type) -> bool:
    """Whether fresh memory of a type has locks or unions in it: most has not."""
    match held:
        case ArrayType(element):
            return _has_birth(element)
        case RecordType(_, fields):
            return any(name == ACTIVE or _has_birth(part) for name, part in fields)
        case _:
            return isinstance(held, MutexType)


def _is_within(size: Expr, unit: int) -> Expr:
    """Whether some bytes, at least one, are no more than an object has."""
    return both(
        compare(BinaryOp.LT, ZERO, size), opposite(compare(BinaryOp.GT, size, number(unit)))
    )


def _is_multiple(size: Expr, unit: int) -> bool:
    """Whether a number of bytes is surely one of whole objects."""
    known = constant(size)
    if known is not None:
        return known % unit == 0
    match size:
        case Wrap(operand=operand):
            return _is_multiple(operand, unit)
        case Binary(BinaryOp.MUL, left, right):
            return any(
                factor is not None and factor % unit == 0
                for factor in map(constant, (left, right))
            )
        case _:
            return unit == 1


def _is_exact_multiple(size: Expr, unit: int) -> bool:
    """Whether a number of bytes is one of whole objects, even if computing it wraps around.

    What is added or taken away by wrapping is a multiple of the number of values, 2 to the 64th.
    """
    if isinstance(size, Wrap):
        values = size.high - size.low + 1
        return values % unit == 0 and _is_exact_multiple(size.operand, unit)
    if isinstance(size, Binary) and size.op in (BinaryOp.ADD, BinaryOp.SUB):
        return all(_is_exact_multiple(each, unit) for each in (size.left, size.right))
    return _is_multiple(size, unit)


def _filled(held: Type, filler: Expr) -> Expr | None:
    """A cell that is filled with a byte; None if that is not what cells of its type hold."""
    known = constant(filler)
    if known == 0:
        return zero(held)
    if not isinstance(held, MachineType) or held.width % 8:
        return None
    if known is None:
        if held.width != 8:
            return None
        return filler if not held.signed else _signed(filler)
    value = sum((known & 255) << shift for shift in range(0, held.width, 8))
    return number(value if value <= held.high else value - (1 << held.width))


def _signed(byte: Expr) -> Expr:
    return fit(-128, 127, byte)


def _shown(element: CType) -> str:
    return str(element)
