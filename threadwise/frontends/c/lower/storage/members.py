"""From a member to the record it is in, and back: `container_of`.

`(T *)((char *)p - offsetof(T, m))` moves a pointer by the members of T before m. In the IR that is
a pointer moved by one object of a type made of just these members. Where p leads must be known to
have the type of m (characters could be anything); that a T is around it is required only where
the result is followed: the head of a list is in no element, and code compares `&e->node` with it
all the same. So `&e->node` is a moved pointer, too, for every member that code comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.survey import strip
from threadwise.frontends.c.lower.values.arithmetic import constant
from threadwise.frontends.c.lower.values.requirements import BEFORE, POINTER, TYPE, Requirement
from threadwise.frontends.c.lower.values.types import Types, Unrepresentable, field_name
from threadwise.frontends.c.types import (
    CArray,
    CBool,
    CInteger,
    CPointer,
    CRecord,
    CType,
    CVoid,
    unqualified,
)
from threadwise.ir.commands import Command
from threadwise.ir.expr import AddressOf, DerefPlace, Expr, FieldPlace, IsValid, PointerAdd
from threadwise.ir.fold import number
from threadwise.ir.types import RecordType, Type

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


class Members:
    """The ways between members and records in one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def enclosing(self, operand: tree.Expr, target: CType) -> Expr | None:
        """The value of `(target *)operand`, if that goes from a member to its record."""
        record = unqualified(target)
        if not isinstance(record, CRecord) or record.key not in self.body.unit.types.records:
            return None
        moved = self._moved_back(operand)
        if moved is None:
            return None
        pointer, offset = moved
        layout = _Layout(self.body.unit.types)
        found = layout.before(record.key, offset)
        if found is None:
            return None
        before, member = found
        pointed = unqualified(pointer.type)
        assert isinstance(pointed, CPointer)
        held = unqualified(pointed.target)
        if isinstance(held, CVoid) or _is_character(held):
            held = member
        if _is_character(held):
            raise Unrepresentable("the record around a character")
        value = self.body.expressions.value(pointer)
        self.body.unit.found.entered[record.key, offset] = None
        return self._back(value, before, self.body.unit.types.of(held))

    def _back(self, pointer: Expr, before: RecordType | None, held: Type) -> Expr:
        """A pointer moved back by the members before."""
        if before is None:
            return pointer
        match pointer:
            case PointerAdd(inner, count, element) if element == before and constant(count) == 1:
                return inner
            case AddressOf(FieldPlace(base, name)) if _is_before(base.type, name, before):
                return base.pointer if isinstance(base, DerefPlace) else AddressOf(base)
            case _:
                pass
        needed: list[Requirement] = [
            (IsValid(pointer), POINTER),
            (IsValid(pointer, held), TYPE),
        ]
        passed = self.body.require(needed)
        after = self.body.node()
        self.body.add(after, Command(passed))
        self.body.at = after
        return PointerAdd(pointer, number(-1), before)

    def address(self, place: tree.LValue) -> Expr | None:
        """`&p->m`, if code comes back from there."""
        if not isinstance(place, tree.Member) or not isinstance(place.base, tree.Deref):
            return None
        record = unqualified(place.base.type)
        entered = self.body.unit.facts.entered
        if not isinstance(record, CRecord) or not any(key == record.key for key, _ in entered):
            return None
        layout = _Layout(self.body.unit.types)
        offset = layout.offset(record.key, place.path)
        found = None if offset is None else layout.before(record.key, offset)
        if found is None or (record.key, offset) not in entered:
            return None
        pointer = self.body.expressions.value(place.base.pointer)
        before, _ = found
        if before is None:
            return pointer
        if isinstance(pointer, AddressOf):
            return AddressOf(
                self.body.places.member(
                    self.body.places.deref(pointer, place.base.type), place.base.type, place.path
                )
            )
        match pointer:
            case PointerAdd(inner, count, element) if element == before and constant(count) == -1:
                return inner
            case _:
                return PointerAdd(pointer, number(1), before)

    # -- the text --------------------------------------------------------------------------------

    def from_null(self, expr: tree.Expr) -> int | None:
        """How many bytes behind null a pointer is, by its text: `&((T *)0)->m[1]`."""
        match expr:
            case tree.IntegerConstant(0, _):
                return 0
            case tree.Convert(operand, held) if isinstance(unqualified(held), CPointer):
                return self.from_null(operand)
            case tree.AddressOf(place) | tree.Decay(place):
                return self._place_from_null(place)
            case tree.PointerArithmetic(pointer, count, False, held):
                start, by, moved = self.from_null(pointer), strip(count), unqualified(held)
                assert isinstance(moved, CPointer)
                element = unqualified(moved.target)
                sized = isinstance(element, CInteger | CPointer | CRecord | CArray)
                if start is None or not isinstance(by, tree.IntegerConstant) or not sized:
                    return None
                return start + by.value * self.body.unit.types.size(element)
            case _:
                return None

    def _place_from_null(self, place: object) -> int | None:
        match place:
            case tree.Deref(pointer, _):
                return self.from_null(pointer)
            case tree.Member(base, path, _):
                start, record = self._place_from_null(base), unqualified(base.type)
                if start is None or not isinstance(record, CRecord):
                    return None
                offset = _Layout(self.body.unit.types).offset(record.key, path)
                return None if offset is None else start + offset
            case _:
                return None

    def _moved_back(self, operand: tree.Expr) -> tuple[tree.Expr, int] | None:
        """The pointer that is moved back, and by how many bytes."""
        inner = _without_pointers(operand)
        while isinstance(inner, tree.Convert) and isinstance(unqualified(inner.type), CPointer):
            inner = inner.operand
        match inner:
            case tree.PointerArithmetic(pointer, count, True, held):
                width = unqualified(held)
                assert isinstance(width, CPointer)
                offset = self._bytes(count)
                if not _is_byte(unqualified(width.target)) or offset is None:
                    return None
                return _without_pointers(pointer), offset
            case tree.Binary(tree.BinaryOp.SUBTRACT, left, right):
                origin = _from_number(left, self.body.unit.types.pointer_width)
                offset = self._bytes(right)
                return None if origin is None or offset is None else (origin, offset)
            case _:
                return None

    def _bytes(self, expr: tree.Expr) -> int | None:
        """A constant number of bytes, `&((T *)0)->m` included."""
        while isinstance(expr, tree.Convert):
            expr = expr.operand
        match expr:
            case tree.IntegerConstant(value, _):
                return value
            case tree.AddressOf(tree.Member(tree.Deref(pointer, held), path, _)):
                while isinstance(pointer, tree.Convert):
                    pointer = pointer.operand
                record = unqualified(held)
                null = isinstance(pointer, tree.IntegerConstant) and pointer.value == 0
                if not null or not isinstance(record, CRecord):
                    return None
                return _Layout(self.body.unit.types).offset(record.key, path)
            case _:
                return None


class _Layout:
    """Where members of records are, in bytes."""

    def __init__(self, types: Types) -> None:
        self.types = types

    def offset(self, key: str, path: tuple[str, ...]) -> int | None:
        """Where a member is, found through anonymous records."""
        offset = 0
        for name in path:
            record = self.types.records.get(key)
            if record is None:
                return None
            for position, field in enumerate(record.fields):
                if field_name(position, field) == name:
                    offset += field.offset_bits // 8
                    held = unqualified(field.type)
                    key = held.key if isinstance(held, CRecord) else ""
                    break
            else:
                return None
        return offset

    def before(self, key: str, offset: int) -> tuple[RecordType | None, CType] | None:
        """The members before the one at an offset, as a type, and that member's type."""
        fields: list[tuple[str, Type]] = []
        member = self._before(key, offset, "", fields)
        if member is None:
            return None
        name = f"{key}{BEFORE}{offset}"
        return (RecordType(name, tuple(fields)) if fields else None), member

    def _before(
        self, key: str, offset: int, outer: str, fields: list[tuple[str, Type]]
    ) -> CType | None:
        record = self.types.records.get(key)
        if record is None or record.union:
            return None
        parts = dict(self.types.record(key).fields)
        for position, field in enumerate(record.fields):
            name = field_name(position, field)
            start = field.offset_bits // 8
            if start == offset and field.width_bits is None:
                return unqualified(field.type)
            held = unqualified(field.type)
            if isinstance(held, CRecord) and start < offset < start + self.types.size(held):
                return self._before(held.key, offset - start, f"{outer}{name}.", fields)
            if start > offset or name not in parts:
                return None
            fields.append((outer + name, parts[name]))
        return None


def _is_before(held: Type, field: str, before: RecordType) -> bool:
    """Whether these are just the members before a field."""
    if not isinstance(held, RecordType):
        return False
    names = [name for name, _ in held.fields]
    return held.fields[: names.index(field)] == before.fields


def _without_pointers(expr: tree.Expr) -> tree.Expr:
    """Without conversions between pointers around it."""
    while (
        isinstance(expr, tree.Convert)
        and isinstance(unqualified(expr.type), CPointer)
        and isinstance(unqualified(expr.operand.type), CPointer)
    ):
        expr = expr.operand
    return expr


def _from_number(expr: tree.Expr, width: int) -> tree.Expr | None:
    """The pointer of which an expression is the number."""
    while isinstance(expr, tree.Convert):
        held = unqualified(expr.type)
        if not isinstance(held, CInteger) or held.width < width:
            return None
        expr = expr.operand
        if isinstance(unqualified(expr.type), CPointer):
            return _without_pointers(expr)
    return None


def _is_byte(held: CType) -> bool:
    return isinstance(held, CVoid) or (isinstance(held, CInteger) and held.width == 8)


def _is_character(held: CType) -> bool:
    while isinstance(held, CArray):
        held = unqualified(held.element)
    return isinstance(held, CBool) or (isinstance(held, CInteger) and held.width == 8)
