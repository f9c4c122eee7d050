"""Lvalues as places of the IR, and reading and writing them.

A dereference of an address that is known when translating (`*&x`, `a[i]`, `p->f` where p is a
parameter that stands for `&s`) is the place itself; any other one is a `DerefPlace`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from threadwise.core.doubts import DoubtKind
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.cell_by_cell import for_cells, is_large
from threadwise.frontends.c.lower.unit import STRONG_READ
from threadwise.frontends.c.lower.values.arithmetic import both, constant, either, fit, opposite
from threadwise.frontends.c.lower.values.requirements import MEMBER, tags
from threadwise.frontends.c.lower.values.types import (
    ACTIVE,
    ODD,
    Unrepresentable,
    cells,
    field_name,
    is_aggregate,
    zero,
)
from threadwise.frontends.c.types import CArray, CAtomic, CRecord, CType, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    PointerAdd,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import number, root
from threadwise.ir.layout import tail_of
from threadwise.ir.program import ListedValues
from threadwise.ir.types import (
    NONE,
    UNSET,
    ArrayType,
    MachineType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    Value,
)

_OF_THE_LIBRARY = "struct __tw_"
KEPT, UNSTABLE = DoubtKind.INDETERMINATE.value, DoubtKind.UNSTABLE.value

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body, Frame


class Places:
    """The places of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    # -- variables -------------------------------------------------------------------------------

    def variable(self, source: tree.Variable) -> Place | Expr:
        """Where a variable lives; a parameter that stands for its argument is an expression."""
        match source.storage:
            case tree.Storage.GLOBAL:
                return VariablePlace(self.body.unit.variable(source))
            case tree.Storage.THREAD:
                return self._thread(source)
            case tree.Storage.LOCAL:
                return self._local(source)

    def _thread(self, source: tree.Variable) -> Place:
        unit = self.body.unit
        if source not in unit.facts.memory:
            variable = unit.thread_variable(source)
            self.body.owners[variable] = source
            return VariablePlace(variable)
        if unit.options.lifetimes and self.body.name != "main":
            unit.assume("variables of threads are not used after their threads ended")
        return self.body.thread_memory(source)

    def _local(self, source: tree.Variable) -> Place | Expr:
        frame: Frame | None = self.body.here
        while frame is not None:
            if source in frame.bindings:
                return frame.bindings[source]
            frame = frame.outer if frame.function is self.body.here.function else None
        return self.bind(source)

    def bound(self, source: tree.Variable) -> Place:
        """The place of a variable of the innermost activation, which it may have already."""
        known = self.body.here.bindings.get(source)
        return known if isinstance(known, Place) else self.bind(source)

    def bind(self, source: tree.Variable) -> Place:
        """Give a local variable of the innermost activation its place."""
        body, frame = self.body, self.body.here
        held = body.unit.types.of(source.type)
        name = source.name
        if frame.outer is not None or body.pool is None:
            own = frame.outer is None
            name = name if own else f"{frame.function.shown}.{name}"
        place: Place
        if source not in body.unit.facts.memory:
            variable = body.local(name, held)
            body.owners[variable] = source
            place = VariablePlace(variable)
        elif self._lives_on(source, frame):
            shared = f"{frame.function.shown}.{source.name}"
            fresh = ListedValues(tuple(fresh_cells(held)))
            place = VariablePlace(body.unit.shared(shared, held, fresh))
            body.unit.unset.add(place.variable)
            if frame.function.name == "main":
                body.unit.main_locals[place.variable.name] = None
            elif not frame.function.library:
                body.unit.assume("local variables are not used after their functions returned")
        else:
            heap = body.heap_local(name, held)
            frame.heap[source] = heap
            place = DerefPlace(Read(VariablePlace(heap.pointer)), held)
            if frame.function.name == "main":
                body.unit.main_locals[heap.pointer.name] = None
        followed = body.unit.options.lifetimes and not frame.survey.has_goto
        in_memory = source in body.unit.facts.memory
        if in_memory and source in frame.survey.in_block and not followed:
            body.unit.assume("local variables are not used after their blocks ended")
        frame.bindings[source] = place
        return place

    def _lives_on(self, source: tree.Variable, frame: Frame) -> bool:
        """Whether there is one object for a variable, which is never gone."""
        survey = frame.survey
        if not frame.single or source in survey.in_loop or survey.has_goto:
            return False
        if frame.function.library:
            return True
        if not self.body.unit.options.lifetimes:
            return frame.function.name == "main" or source not in survey.given
        return frame.function.name == "main" and source not in survey.in_block

    # -- lvalues ---------------------------------------------------------------------------------

    def of(self, place: tree.LValue | tree.ValueMember) -> Place:
        """The place of an lvalue; effects inside it happen."""
        match place:
            case tree.VariableRef(variable):
                if variable.external:
                    raise Unrepresentable(f"the variable {variable.shown} is defined nowhere", ())
                found = self.variable(variable)
                if isinstance(found, VariablePlace | DerefPlace | FieldPlace | IndexPlace):
                    return found
                return self._hold(found, variable.type)
            case tree.Deref(pointer, held):
                return self.deref(self.body.expressions.value(pointer), held)
            case tree.Member(base, path, _):
                return self.member(self.of(base), base.type, path)
            case tree.ValueMember(base, path, _):
                return self.member(self.body.expressions.aggregate(base), base.type, path)
            case tree.StringLiteral():
                return VariablePlace(self.body.unit.string(place))
            case tree.CompoundLiteral(variable, initial, _):
                return self.body.statements.compound_literal(variable, initial)

    def _hold(self, value: Expr, held: CType) -> Place:
        """A value in a place of its own."""
        temporary = self.body.temporary(self.body.unit.types.of(held))
        place = VariablePlace(temporary)
        self.body.step(Command(assignments=(Assignment(place, value),)))
        return place

    def member(self, base: Place, held: CType, path: tuple[str, ...]) -> Place:
        """A field, through anonymous records."""
        for name in path:
            record = unqualified(held)
            if not isinstance(record, CRecord) or record.key not in self.body.unit.types.records:
                raise Unrepresentable("a member of an incomplete type")
            fields = self.body.unit.types.records[record.key].fields
            for position, each in enumerate(fields):
                if field_name(position, each) == name:
                    held = each.type
                    break
            else:
                raise Unrepresentable(f"the member {name}")
            base_type = base.type
            if not isinstance(base_type, RecordType) or name not in dict(base_type.fields):
                raise Unrepresentable(f"the flexible array member {name}", (AddressOf(base),))
            base = FieldPlace(base, name)
        return base

    def deref(self, pointer: Expr, held: CType) -> Place:
        """What a pointer points to."""
        if isinstance(unqualified(held), CArray):
            array = unqualified(held)
            assert isinstance(array, CArray)
            if not array.size:
                raise Unrepresentable("a pointer to an array without size")
        return folded(pointer, self.body.unit.types.of(held))

    def decay(self, place: tree.LValue | tree.ValueMember) -> Expr:
        """An array as a pointer to its first element."""
        if isinstance(place, tree.VariableRef) and place.variable.storage is tree.Storage.LOCAL:
            pointer = self.body.statements.lengths.address(place.variable)
            if pointer is not None:
                return pointer
        if self.body.unit.options.lifetimes and isinstance(place, tree.ValueMember):
            self.body.limit("the address of a temporary value")
        array = self.of(place)
        return AddressOf(array if is_tail(array) else IndexPlace(array, number(0)))

    # -- reading and writing ---------------------------------------------------------------------

    def load(self, place: Place, held: CType, *, raw: bool = False) -> Expr:
        """The value of a scalar place; reading shared memory is a step."""
        if isinstance(held, CAtomic):
            self.body.unit.orders[STRONG_READ] = None
        unions = [] if raw or not isinstance(place.type, MachineType) else list(tags(place))
        if unions:
            return self._member(place, unions, sync=isinstance(held, CAtomic))
        if is_private(place):
            return Read(place)
        known = self._constant(place)
        if known is not None:
            return known
        if self._may_be_indeterminate(place):
            return self._any_unless_written(place, sync=isinstance(held, CAtomic), raw=raw)
        temporary = VariablePlace(self.body.temporary(place.type))
        loads = [Assignment(temporary, Read(place))]
        unit = self.unit_of(place)
        if unit is not None:
            loads.append(Assignment(VariablePlace(self.body.temporary(unit.type)), Read(unit)))
        self.body.step(Command(assignments=tuple(loads)), sync=isinstance(held, CAtomic), raw=raw)
        if isinstance(held, CAtomic) and self.body.access is None:
            self.body.keep_order()
        return Read(temporary)

    def _member(self, place: Place, unions: list[tuple[Place, int]], *, sync: bool) -> Expr:
        """A number in a union: what is there, or what C makes of another member.

        Either way the cell that names the active member is read, and whoever writes a member
        writes it: so accesses to different members meet there.
        """
        body = self.body
        result = VariablePlace(body.temporary(place.type))
        active = _are_active(unions)
        done = body.node()
        load = Command(active, (Assignment(result, Read(place)),))
        body.arc(done, load, sync=sync, raw=True)
        body.arc(done, Command(opposite(active), havocs=(result,)), sync=sync, raw=True)
        if body.span is not None:
            body.unit.approximated.add(body.span)
        body.at = done
        return Read(result)

    def _may_be_indeterminate(self, place: Place) -> bool:
        """Whether a number may be read that was never written, and that is part of the meaning."""
        unit = self.body.unit
        return (
            not {KEPT, UNSTABLE}.isdisjoint(unit.options.doubts)
            and isinstance(place.type, MachineType)
            and unit.requirements.may_be_unset(place)
            and not _is_of_the_library(place)
        )

    def _any_unless_written(self, place: Place, *, sync: bool, raw: bool) -> Expr:
        """A number in memory; any, where nothing was written (C11 6.7.9, 7.22.3.4).

        It is kept, by a step that is no access of the program: nobody can read the cell before it,
        so that nobody races with it who does not race with the read. Or it is another one each
        time, and nothing is written.

            again: --[written] result := place--> done
            again: --[!written]--> chosen; havoc result; --[!written] place := result--> again
                                                         --[written]--> again
        """
        body = self.body
        result = VariablePlace(body.temporary(place.type))
        again, done = body.node(), body.node()
        body.move_to(again)
        written = IsWritten(place)
        load = Command(written, (Assignment(result, Read(place)),))
        body.arc(done, load, sync=sync, raw=raw, written=True)
        if KEPT in body.unit.options.doubts:
            body.step(Command(opposite(written)), sync=True, raw=raw)
            body.step(Command(havocs=(result,)))
            keep = Command(opposite(written), (Assignment(place, Read(result)),))
            body.arc(again, keep, sync=True, raw=raw)
            body.arc(again, Command(written), sync=True, raw=raw)
        else:
            body.arc(done, Command(opposite(written), havocs=(result,)), sync=sync, raw=raw)
            if body.span is not None:
                body.unit.approximated.add(body.span)
        body.at = done
        return Read(result)

    def unit_of(self, place: Place) -> Place | None:
        """The first of the adjacent bit-fields that one is among, unless it is the first itself.

        Bit-fields one after the other are one memory location for threads: who accesses one of
        them accesses all. So an access to another one also touches the first.
        """
        if not isinstance(place, FieldPlace) or not isinstance(place.base.type, RecordType):
            return None
        record = self.body.unit.types.records.get(place.base.type.name.removesuffix(ODD))
        if record is None or record.union:
            return None
        first = ""
        for position, field in enumerate(record.fields):
            name = field_name(position, field)
            if not field.width_bits:
                first = ""
            elif not field.adjacent or not first:
                first = name
            if name == place.field:
                return None if first in ("", name) else FieldPlace(place.base, first)
        return None

    def _constant(self, place: Place) -> Expr | None:
        """The value of a `const` scalar with a constant initialiser."""
        if not isinstance(place, VariablePlace):
            return None
        known = self.body.unit.objects[place.variable.name].source
        if known is None or not known.constant or known.external or is_aggregate(known.type):
            return None
        return self.body.expressions.constant_initial(known)

    def store(self, place: Place, value: Expr, held: CType) -> Expr:
        """Write a scalar place; the value that is there afterwards."""
        value = self.fitted(place, value)
        stores = [Assignment(place, value)]
        unit = None if is_private(place) else self.unit_of(place)
        if unit is not None:
            stores.append(Assignment(unit, Read(unit)))
        self.body.step(
            Command(assignments=tuple(stores)),
            sync=isinstance(held, CAtomic),
        )
        return value

    def fitted(self, place: Place, value: Expr) -> Expr:
        """A value brought into the range of a bit-field."""
        if isinstance(place.type, MachineType):
            return fit(place.type.low, place.type.high, value)
        return value

    def clear(self, place: Place) -> None:
        """Zero all cells of a place in one step if it is private, else cell by cell."""
        zeros = [Assignment(cell, zero(cell.type)) for cell in cells(place, place.type)]
        if is_private(place):
            self.body.step(Command(assignments=tuple(zeros)))
            return
        for each in zeros:
            self.body.step(Command(assignments=(each,)))

    def kept(self, source: Place, held: CType) -> Place:
        """An aggregate that was read in one step: a copy of what is there."""
        copied = VariablePlace(self.body.temporary(source.type))
        self._copy_at_once(copied, source, held)
        return copied

    def copy(self, target: Place, source: Place, held: CType) -> None:
        """Copy an aggregate, cell by cell; to an atomic object in one step.

        Unions inside of it are copied with the cells that name their active members. Unions around
        it are written and read as by accesses to single cells.
        """
        if target == source and is_private(target):
            return
        if isinstance(held, CAtomic) and not is_private(target):
            if not is_private(source):
                kept = VariablePlace(self.body.temporary(source.type))
                self.copy(kept, source, held.inner)
                source = kept
            self._copy_at_once(target, source, held)
            return
        around = list(tags(source))
        marks = tuple(Assignment(tag, number(position)) for tag, position in tags(target))

        def one(to: Place, of: Place) -> None:
            value = self._part(of, around, held)
            self.body.step(Command(assignments=(Assignment(to, value), *marks)), raw=True)

        private = is_private(target) and is_private(source) and not around
        if is_large(target) and target.type == source.type and not private:
            for_cells(self.body, (target, source), lambda pair: one(*pair))
            return
        pairs = list(zip(cells(target, target.type), cells(source, source.type), strict=True))
        if private:
            copied = tuple(Assignment(to, Read(of)) for to, of in pairs)
            self.body.step(Command(assignments=(*copied, *marks)), raw=True)
            return
        for to, of in pairs:
            one(to, of)

    def _part(self, cell: Place, around: list[tuple[Place, int]], held: CType) -> Expr:
        """The value of a cell of an aggregate that is copied; `around` that are these unions."""
        if around and isinstance(cell.type, MachineType):
            return self._member(cell, around, sync=isinstance(held, CAtomic))
        if around:
            active, after = _are_active(around), self.body.node()
            self.body.arc(self.body.limit_node(MEMBER), Command(opposite(active)), raw=True)
            self.body.arc(after, Command(active), raw=True)
            self.body.at = after
        return self.load(cell, held, raw=True)

    def _copy_at_once(self, target: Place, source: Place, held: CType) -> None:
        """Copy an aggregate of which one side is atomic, the other private."""
        self.body.atomic += 1
        self.body.move_to(self.body.node())
        self.copy(target, source, unqualified(held))
        self.body.atomic -= 1
        self.body.move_to(self.body.node())


def _are_active(unions: list[tuple[Place, int]]) -> Expr:
    """Whether members of unions were written last, or nothing was."""
    active: Expr = TRUE
    for tag, position in unions:
        fresh = Binary(BinaryOp.EQ, Read(tag), number(0))
        active = both(active, either(fresh, Binary(BinaryOp.EQ, Read(tag), number(position))))
    return active


def fresh_cells(held: Type) -> Iterator[Value]:
    """The content of fresh memory: unset, but locks are free."""
    match held:
        case ArrayType(element, int(extent)):
            inner = tuple(fresh_cells(element))
            for _ in range(extent):
                yield from inner
        case RecordType(_, fields):
            for name, part in fields:
                yield from (0,) if name == ACTIVE else fresh_cells(part)
        case MutexType():
            yield NONE
        case _:
            yield UNSET


def is_private(place: Place) -> bool:
    """Whether no other thread can see a place."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is not Scope.GLOBAL


def _is_of_the_library(place: Place) -> bool:
    """Whether a place is inside of a lock or the like: to use one that nobody initialised is an
    error, whatever is there."""
    while isinstance(place, FieldPlace | IndexPlace):
        place = place.base
        if isinstance(place.type, RecordType) and place.type.name.startswith(_OF_THE_LIBRARY):
            return True
    return False


def folded(pointer: Expr, held: Type) -> Place:
    """`*pointer` as a `held`, found now if it can be."""
    match pointer:
        case AddressOf(place):
            current: Place | None = place
            while current is not None:
                if current.type == held:
                    return current
                current = _first(current)
        case PointerAdd(AddressOf(array), count, element) if is_tail(array) and element == held:
            return IndexPlace(array, count)
        case PointerAdd(AddressOf(IndexPlace(base, index)), count, element) if (
            element == held and base.type.element == held  # type: ignore[union-attr]
        ):
            return IndexPlace(base, sum_of(index, count))
        case _:
            pass
    return DerefPlace(pointer, held)


def is_tail(place: Place) -> bool:
    """Whether a place is an array without length at the end of a record."""
    return isinstance(place.type, ArrayType) and place.type.extent == 0


def _first(place: Place) -> Place | None:
    """The first part of an aggregate."""
    match place.type:
        case RecordType(_, fields):
            return FieldPlace(place, fields[0][0])
        case ArrayType(_, extent) if not isinstance(extent, PerThread):
            return IndexPlace(place, number(0))
        case _:
            return None


def sum_of(left: Expr, right: Expr) -> Expr:
    """The sum of two indices."""
    a, b = constant(left), constant(right)
    if a is not None and b is not None:
        return number(a + b)
    if a == 0:
        return right
    if b == 0:
        return left
    return Binary(BinaryOp.ADD, left, right)


def moved(pointer: Expr, count: Expr, element: Type) -> Expr:
    """A pointer moved by a number of elements."""
    if constant(count) == 0:
        return pointer
    if tail_of(element) is not None:
        what = "a pointer moves over records that end in an array without length"
        raise Unrepresentable(what, (pointer,))
    if isinstance(pointer, PointerAdd) and pointer.element == element:
        return moved(pointer.pointer, sum_of(pointer.count, count), element)
    match pointer:
        case AddressOf(IndexPlace(base, index)):
            array = base.type
            assert isinstance(array, ArrayType)
            a, b = constant(index), constant(count)
            if (
                array.element == element
                and isinstance(array.extent, int)
                and a is not None
                and b is not None
            ):
                if 0 <= a + b < array.extent:
                    return AddressOf(IndexPlace(base, number(a + b)))
                if a:
                    start = AddressOf(base if is_tail(base) else IndexPlace(base, number(0)))
                    return PointerAdd(start, number(a + b), element)
        case _:
            pass
    return PointerAdd(pointer, count, element)
