"""The states found so far: an array of states in the order of discovery, and a hash table.

    copy(from, to)                      copy a state
    find(row, state) -> place           where the state is in the hash table, or could be
    emit(row, state, thread)            a successor of the current state: remember it if it is new
    add(row, state)                     an initial state likewise
    insert_all(row)                     fill an empty hash table

The hash table holds numbers of states plus one, 0 where there is none; it is at most half full.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from threadwise.backends.native.control import ControlCode, Slot, Status
from threadwise.backends.native.jit import BYTE, LONG, POINTER, VOID
from threadwise.backends.native.packing import WORD, Packing

NUMBER = ir.IntType(32)
"""The type of the numbers of states."""
MOVER = ir.IntType(16)
"""The type of the numbers of threads."""
_FACTOR = 0x9E37_79B9_7F4A_7C15 - (1 << 64)
_SHIFT = 29
_SEED = 0x1234_5678


def element(builder: ir.IRBuilder, array: ir.Value, position: ir.Value, held: ir.Type) -> ir.Value:
    """A pointer to an element of an array."""
    return builder.gep(array, [position], source_etype=held)


@contextmanager
def counting(builder: ir.IRBuilder, first: ir.Value, end: ir.Value) -> Iterator[ir.Value]:
    """What is written inside is done for first, first + 1, …, end - 1."""
    before = builder.block
    head, body, done = (builder.append_basic_block() for _ in range(3))
    builder.branch(head)
    builder.position_at_end(head)
    position = builder.phi(LONG)
    position.add_incoming(first, before)
    builder.cbranch(builder.icmp_signed("<", position, end), body, done)
    builder.position_at_end(body)
    yield position
    following = builder.add(position, LONG(1))
    position.add_incoming(following, builder.block)
    builder.branch(head)
    builder.position_at_end(done)


class TableCode:
    """Writes the functions of the table into a module."""

    def __init__(self, module: ir.Module, packing: Packing) -> None:
        self.module = module
        self.size = packing.size
        self.words = packing.size // WORD
        self.copy = self._copy()
        self.find = self._find()
        self.emit = self._emit()
        self._add()
        self._insert_all()

    def _function(self, name: str, result: ir.Type, arguments: list[ir.Type]) -> ir.Function:
        return ir.Function(self.module, ir.FunctionType(result, arguments), name)

    def state(self, builder: ir.IRBuilder, control: ControlCode, number: ir.Value) -> ir.Value:
        """A pointer to a state."""
        distance = builder.mul(number, LONG(self.size))
        return element(builder, control.array(Slot.STATES), distance, BYTE)

    def _word(self, builder: ir.IRBuilder, state: ir.Value, number: ir.Value) -> ir.Value:
        return builder.load(element(builder, state, number, LONG), typ=LONG, align=1)

    def _hash(self, builder: ir.IRBuilder, state: ir.Value) -> ir.Value:
        kept = builder.alloca(LONG)
        builder.store(LONG(_SEED), kept)
        with counting(builder, LONG(0), LONG(self.words)) as number:
            before = builder.load(kept, typ=LONG)
            mixed = builder.xor(before, self._word(builder, state, number))
            found = builder.mul(mixed, LONG(_FACTOR))
            builder.store(builder.xor(found, builder.lshr(found, LONG(_SHIFT))), kept)
        return builder.load(kept, typ=LONG)

    def _copy(self) -> ir.Function:
        function = self._function("copy", VOID, [POINTER, POINTER])
        function.linkage = "internal"
        source, target = function.args
        builder = ir.IRBuilder(function.append_basic_block())
        with counting(builder, LONG(0), LONG(self.words)) as number:
            place = element(builder, target, number, LONG)
            builder.store(self._word(builder, source, number), place, align=1)
        builder.ret_void()
        return function

    def _find(self) -> ir.Function:
        function = self._function("find", LONG, [POINTER, POINTER])
        function.linkage = "internal"
        row, state = function.args
        builder = ir.IRBuilder(function.append_basic_block())
        control = ControlCode(builder, row)
        mask = control.get(Slot.MASK)
        table = control.array(Slot.TABLE)
        first = builder.and_(self._hash(builder, state), mask)
        before = builder.block
        probe, compare, onward, found = (builder.append_basic_block() for _ in range(4))
        builder.branch(probe)
        builder.position_at_end(probe)
        place = builder.phi(LONG)
        place.add_incoming(first, before)
        entry = builder.load(element(builder, table, place, NUMBER), typ=NUMBER)
        builder.cbranch(builder.icmp_unsigned("==", entry, NUMBER(0)), found, compare)
        builder.position_at_end(compare)
        number = builder.sub(builder.zext(entry, LONG), LONG(1))
        other = self.state(builder, control, number)
        with counting(builder, LONG(0), LONG(self.words)) as position:
            same = builder.icmp_unsigned(
                "==", self._word(builder, state, position), self._word(builder, other, position)
            )
            following = builder.append_basic_block()
            builder.cbranch(same, following, onward)
            builder.position_at_end(following)
        builder.branch(found)
        builder.position_at_end(onward)
        after = builder.and_(builder.add(place, LONG(1)), mask)
        place.add_incoming(after, builder.block)
        builder.branch(probe)
        builder.position_at_end(found)
        builder.ret(place)
        return function

    def _emit(self) -> ir.Function:
        function = self._function("emit", VOID, [POINTER, POINTER, LONG])
        function.linkage = "internal"
        row, state, thread = function.args
        builder = ir.IRBuilder(function.append_basic_block())
        control = ControlCode(builder, row)
        control.add(Slot.FOUND)
        self._remember(builder, control, state, control.get(Slot.CURRENT), thread)
        return function

    def _add(self) -> None:
        function = self._function("add", VOID, [POINTER, POINTER])
        row, state = function.args
        builder = ir.IRBuilder(function.append_basic_block())
        self._remember(builder, ControlCode(builder, row), state, LONG(-1), LONG(-1))

    def _remember(
        self,
        builder: ir.IRBuilder,
        control: ControlCode,
        state: ir.Value,
        parent: ir.Value,
        mover: ir.Value,
    ) -> None:
        """Append a state that is new, if there is room; and return."""
        place = builder.call(self.find, [control.row, state])
        entry = element(builder, control.array(Slot.TABLE), place, NUMBER)
        is_new = builder.icmp_unsigned("==", builder.load(entry, typ=NUMBER), NUMBER(0))
        with builder.if_then(is_new):
            count = control.get(Slot.COUNT)
            room = builder.icmp_signed("<", count, control.get(Slot.CAPACITY))
            with builder.if_else(room) as (then, otherwise):
                with then:
                    fresh = self.state(builder, control, count)
                    builder.call(self.copy, [state, fresh])
                    parents = control.array(Slot.PARENTS)
                    movers = control.array(Slot.MOVERS)
                    kept = builder.trunc(parent, NUMBER)
                    builder.store(kept, element(builder, parents, count, NUMBER))
                    who = builder.trunc(mover, MOVER)
                    builder.store(who, element(builder, movers, count, MOVER))
                    control.add(Slot.COUNT)
                    number = builder.trunc(builder.add(count, LONG(1)), NUMBER)
                    builder.store(number, entry)
                with otherwise:
                    control.put(Slot.STATUS, LONG(Status.FULL))
        builder.ret_void()

    def _insert_all(self) -> None:
        function = self._function("insert_all", VOID, [POINTER])
        (row,) = function.args
        builder = ir.IRBuilder(function.append_basic_block())
        control = ControlCode(builder, row)
        table = control.array(Slot.TABLE)
        with counting(builder, LONG(0), control.get(Slot.COUNT)) as position:
            place = builder.call(self.find, [row, self.state(builder, control, position)])
            number = builder.trunc(builder.add(position, LONG(1)), NUMBER)
            builder.store(number, element(builder, table, place, NUMBER))
        builder.ret_void()
