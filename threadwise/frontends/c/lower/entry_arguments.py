"""The arguments that callers outside of the program pass to entry functions (`--entry`).

A number is any value of its type. A pointer is null, or leads to memory of the callers: an array
of any length whose cells hold any values. Length and contents have nothing to do with the other
arguments, so `memory` is asked about callers that break an agreement, too. Of records there is
one, unless the program moves pointers over such records. A parameter that is only followed is not
null, unless `memory` is asked for: with null the call does the same, or what C leaves undefined.

    numbers     behind a pointer (buffers, results) are the caller's own: no other call gets them
    records     (a device, a connection) may be passed to several calls: a caller may keep what it
                passes in one of two cells that all callers see, or pass what is kept in one. Over
                time any number of records is shared, of one type at most two at once

It is listed that the parameters of one call get different memory, that none of it overlaps the
program's own, and what of it no other call gets. A pointer that a call only stores through, as in
`*out = p`, leads to one cell, in which a null pointer stands for whatever was there. Locks in a
record are initialised and free. A record itself is passed cell by cell. Pointers in a record are
null or lead to memory of its own. Pointers to functions and to what is void, unions, records that
lead to others of their type, and other objects of the thread library are a limit: nothing is known
of what lies behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.filling import set_to_any
from threadwise.frontends.c.lower.storage.places import folded, moved
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER, ONE, ZERO, as_truth
from threadwise.frontends.c.lower.values.types import (
    ACTIVE,
    BIT,
    field_name,
    is_aggregate,
    is_flexible,
)
from threadwise.frontends.c.types import (
    CBool,
    CFunction,
    CInteger,
    CPointer,
    CRecord,
    CType,
    CVoid,
    unqualified,
)
from threadwise.frontends.c.walking import nodes
from threadwise.ir.commands import Allocate, Assignment, Command
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.types import (
    POINTER,
    ArrayType,
    MachineType,
    RecordType,
    Type,
    fields_of,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

_BYTE = CInteger(8, signed=False)
_INDEX = MachineType(64, signed=True)
_LIBRARY = "struct __tw_"
"""What types of the thread library are called."""
_ZEROED_LOCKS = ("struct __tw_mutex", "struct __tw_rwlock", "struct __tw_cond")
"""Those that are initialised and free if all of their cells are zero."""
_SPIN_LOCK = "struct __tw_spin"
_KEPT = 2
"""So many records of a type are kept for all callers at a time."""


class EntryArguments:
    """Any arguments for the parameters of one call."""

    def __init__(self, body: Body, function: tree.Function) -> None:
        self.body = body
        self.function = function
        self.passed: list[tuple[Type, Place]] = []
        """Pointers to records among the arguments so far, and the types of these."""

    def of(self, parameter: tree.Variable) -> Expr | Place:
        """Any argument for a parameter; a limit if there is no such thing."""
        body, held = self.body, unqualified(parameter.type)
        name = f"{parameter.shown} of {self.function.shown}"
        target = unqualified(held.target) if isinstance(held, CPointer) else held
        if isinstance(target, CVoid):
            target = _BYTE
        result = isinstance(target, CPointer) and _is_result(self.function, parameter)
        known = (
            result or self._is_filled(target)
            if isinstance(held, CPointer)
            else not isinstance(held, CFunction) and _holds_numbers(body.unit.types.of(held))
        )
        if not known:
            body.limit(f"any argument for the parameter {name}")
            return body.expressions.dummy(held)
        own = f"{self.function.shown}.{parameter.shown}"
        if isinstance(held, CPointer):
            pointer = VariablePlace(body.local(own, POINTER))
            followed = not body.unit.options.lifetimes and _is_followed(self.function, parameter)
            self._memory(pointer, name, target, is_null=not followed, result=result)
            return Read(pointer)
        if is_aggregate(held):
            place = VariablePlace(body.local(own, body.unit.types.of(held)))
            set_to_any(body, place, opaque=False)
            return place
        value = VariablePlace(body.local(own, body.unit.types.scalar(held)))
        body.step(Command(havocs=(value,)))
        return Read(value)

    # -- memory ----------------------------------------------------------------------------------

    def _memory(
        self, pointer: Place, name: str, target: CType, *, is_null: bool, result: bool
    ) -> None:
        """A null pointer, if there may be one, or the address of an array of the callers."""
        body, held = self.body, self.body.unit.types.of(target)
        kept = self._kept(held) if isinstance(held, RecordType) else ()
        several = target in body.unit.whole.moved_over
        whose = (
            f"{'records' if several else 'one record'} of the callers,"
            f" who share at most {_KEPT} of a type at a time"
            if kept
            else "the caller's own: no other call gets it"
        )
        body.unit.assume(
            f"memory that is passed as {name} is {whose}, no other parameter of the call gets"
            " the same, and no variable of the program is in it"
        )
        given, done = body.node(), body.node()
        body.step(Command(assignments=(Assignment(pointer, NULL_POINTER),)))
        body.branch(self._either_way() if is_null else TRUE, given, done)
        body.at = given
        for cell in kept:
            shared, other = body.node(), body.node()
            body.branch(self._either_way(), shared, other)
            body.at = shared
            body.step(Command(assignments=(Assignment(pointer, Read(cell)),)), sync=True)
            self._unlike_others(pointer, held)
            if is_null:
                body.graph.jump(body.at, done)
            else:
                body.branch(Binary(BinaryOp.NE, Read(pointer), NULL_POINTER), done, other)
            body.at = other
        if result:
            body.step(Allocate(TRUE, pointer, held, name, cleared=True), sync=True)
        else:
            self._allocate(pointer, name, target)
        for cell in kept:
            keep, other = body.node(), body.node()
            body.branch(self._either_way(), keep, other)
            body.at = keep
            body.step(Command(assignments=(Assignment(cell, Read(pointer)),)), sync=True)
            body.graph.jump(body.at, done)
            body.at = other
        body.move_to(done)
        if kept:
            self.passed.append((held, pointer))

    def _kept(self, held: RecordType) -> tuple[Place, ...]:
        """The cells in which callers keep records of a type for each other."""
        return tuple(
            VariablePlace(self.body.unit.kept_by_callers(f"{held.name}.{number}"))
            for number in range(1, _KEPT + 1)
        )

    def _unlike_others(self, pointer: Place, held: Type) -> None:
        """Null instead of what another parameter of the call has got."""
        body = self.body
        for other in (place for kind, place in self.passed if kind == held):
            same, differs = body.node(), body.node()
            body.branch(Binary(BinaryOp.EQ, Read(pointer), Read(other)), same, differs)
            body.at = same
            body.arc(differs, Command(assignments=(Assignment(pointer, NULL_POINTER),)))
            body.at = differs

    def _allocate(self, pointer: Place, name: str, target: CType) -> None:
        """Memory with any contents: one record, or an array of any length."""
        body, held = self.body, self.body.unit.types.of(target)
        if isinstance(target, CRecord) and target not in body.unit.whole.moved_over:
            body.step(Allocate(TRUE, pointer, held, name, cleared=True), sync=True)
            self._fill(folded(Read(pointer), held), target, name)
            return
        length = self._any_length()
        cleared = not _holds_numbers(held)
        body.step(Allocate(TRUE, pointer, held, name, Read(length), cleared=cleared), sync=True)
        index = VariablePlace(body.temporary(_INDEX))
        body.step(Command(assignments=(Assignment(index, ZERO),)))
        test, inside, done = body.node(), body.node(), body.node()
        body.move_to(test)
        body.branch(Binary(BinaryOp.LT, Read(index), Read(length)), inside, done)
        body.at = inside
        self._fill(folded(moved(Read(pointer), Read(index), held), held), target, name)
        body.arc(test, _increment(index))
        body.at = done

    def _any_length(self) -> Place:
        """A number from one on."""
        body = self.body
        length = VariablePlace(body.temporary(_INDEX))
        body.step(Command(assignments=(Assignment(length, ONE),)))
        longer, grow, enough = body.node(), body.node(), body.node()
        body.move_to(longer)
        body.branch(self._either_way(), grow, enough)
        body.at = grow
        body.arc(longer, _increment(length))
        body.at = enough
        return length

    def _either_way(self) -> Expr:
        return as_truth(self.body.expressions.any_value(CBool()))

    # -- contents --------------------------------------------------------------------------------

    def _is_filled(self, held: CType, inside: tuple[CType, ...] = ()) -> bool:
        """Whether `_fill` knows what is in memory of a type, which may be behind others."""
        match held:
            case CFunction() | CVoid():
                return False
            case CPointer(target):
                return self._is_filled(unqualified(target), inside)
            case CRecord():
                record = self._record(held)
                if record is None or record.union or held in inside:
                    return False
                if record.shown.startswith(_LIBRARY):
                    return record.shown in (*_ZEROED_LOCKS, _SPIN_LOCK)
                return all(
                    not is_flexible(field.type)
                    and self._is_filled(unqualified(field.type), (*inside, held))
                    for field in record.fields
                )
            case _:
                return _holds_numbers(self.body.unit.types.of(held))

    def _fill(self, place: Place, held: CType, name: str) -> None:
        """Any values, locks that are free, and pointers that are null or lead to more of it."""
        record = self._record(held) if isinstance(held, CRecord) else None
        if record is not None and record.shown in _ZEROED_LOCKS:
            return
        if record is not None and record.shown == _SPIN_LOCK:
            live = FieldPlace(place, "live")
            self.body.step(Command(assignments=(Assignment(live, Const(1, BIT)),)))
        elif _holds_numbers(place.type):
            set_to_any(self.body, place, opaque=False)
        elif isinstance(held, CPointer):
            self._lead_on(place, name, unqualified(held.target))
        else:
            assert record is not None, "other types hold numbers"
            for position, field in enumerate(record.fields):
                member = FieldPlace(place, field_name(position, field))
                self._fill(member, unqualified(field.type), f"{field.name} in {name}")

    def _lead_on(self, place: Place, name: str, target: CType) -> None:
        """A pointer inside of a record: null, as it is, or to memory of its own."""
        body = self.body
        body.unit.assume(f"memory that {name} points to is reached by that pointer only")
        more, done = body.node(), body.node()
        body.branch(self._either_way(), more, done)
        body.at = more
        pointer = VariablePlace(body.temporary(POINTER))
        self._allocate(pointer, name, target)
        body.arc(done, Command(assignments=(Assignment(place, Read(pointer)),)))
        body.at = done

    def _record(self, held: CRecord) -> tree.Record | None:
        """A record; none if it is declared only."""
        return self.body.unit.program.records.get(held.key)


def _uses(function: tree.Function, parameter: tree.Variable) -> int:
    every = [n for n in nodes(function.body) if isinstance(n, tree.VariableRef)]
    return sum(node.variable is parameter for node in every)


def _is_result(function: tree.Function, parameter: tree.Variable) -> bool:
    """Whether a function uses a pointer only to store something where it leads to."""
    stored = 0
    for node in nodes(function.body):
        match node:
            case tree.Assign(tree.Deref(tree.Load(tree.VariableRef(variable)))):
                stored += variable is parameter
            case _:
                pass
    return _uses(function, parameter) == stored


def _is_followed(function: tree.Function, parameter: tree.Variable) -> bool:
    """Whether a function uses a pointer for nothing but what it leads to."""
    followed = 0
    for node in nodes(function.body):
        match node:
            case tree.Deref(
                tree.Load(tree.VariableRef(variable))
                | tree.PointerArithmetic(tree.Load(tree.VariableRef(variable)))
            ):
                followed += variable is parameter
            case _:
                pass
    return _uses(function, parameter) == followed


def _holds_numbers(held: Type) -> bool:
    """Whether there are only numbers in a type: no pointers, locks, thread ids or unions."""
    match held:
        case MachineType():
            return True
        case ArrayType():
            return _holds_numbers(held.element)
        case RecordType():
            return not held.name.startswith(_LIBRARY) and all(
                name != ACTIVE and _holds_numbers(inner) for name, inner in fields_of(held)
            )
        case _:
            return False


def _increment(place: Place) -> Command:
    return Command(assignments=(Assignment(place, Binary(BinaryOp.ADD, Read(place), ONE)),))
