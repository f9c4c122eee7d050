"""Expressions as LLVM values.

What has no value (an index out of bounds, a division by zero) or none that fits 64 bits leads to
the block `refuse`. As in the reference semantics, the right operand of a connective and the
branches of a conditional are evaluated only where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from llvmlite import ir

from threadwise.backends.native.arithmetic import Arithmetic
from threadwise.backends.native.jit import BIT, BYTE, LONG
from threadwise.backends.native.packing import WORD, Packing
from threadwise.backends.native.pointers import POINTER_VALUES, PointerCode
from threadwise.backends.native.values import Number, Seen, Spot, constant
from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import GREATEST, LEAST, UNWRITTEN, encoded
from threadwise.ir.expr import (
    COMPARISONS,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IsAllocated,
    IsInstance,
    IsValid,
    IsWritten,
    Place,
    Quantified,
    Quantifier,
    Read,
    SameObject,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.layout import extent_of
from threadwise.ir.types import (
    NONE,
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    MutexType,
    PerThread,
    PointerType,
    RangeType,
    RecordType,
    TidType,
    Type,
    fields_of,
)

MOST_CASES = 4_096
"""Quantifiers that range over more combinations of threads are not written out."""


class ExpressionCode:
    """Writes expressions with a builder."""

    def __init__(self, packing: Packing, builder: ir.IRBuilder, refuse: ir.Block) -> None:
        self.packing = packing
        self.layout = packing.layout
        self.builder = builder
        self.arithmetic = Arithmetic(builder, refuse)
        self.pointers = PointerCode(self)

    # -- places -----------------------------------------------------------------------------------

    def spot(self, place: Place, seen: Seen) -> Spot:
        """Where a place is."""
        match place:
            case VariablePlace(variable):
                if variable.scope is Scope.GLOBAL:
                    start = self.packing.shared.start[variable.scope, variable.name]
                    return Spot(self.moved(seen.state, start), variable.type)
                assert seen.own is not None
                block = self.packing.own[seen.template]
                start = block.start[variable.scope, variable.name]
                return Spot(self.moved(seen.own, start), variable.type)
            case FieldPlace(base, name):
                pointer, held = self.spot(base, seen)
                assert isinstance(held, RecordType | MutexType)
                before = 0
                for other, part in fields_of(held):
                    if other == name:
                        return Spot(self.moved(pointer, before), part)
                    before += self.packing.size_of(part)
                raise KeyError(name)
            case IndexPlace(base, index):
                pointer, held = self.spot(base, seen)
                assert isinstance(held, ArrayType)
                size = self.packing.size_of(held.element)
                position = self.position(held, self.number(index, seen))
                distance = self.builder.mul(position, LONG(size))
                moved = self.builder.gep(pointer, [distance], source_etype=BYTE)
                return Spot(moved, held.element)
            case DerefPlace(pointer, held):
                cell = self.pointers.cell(pointer, seen)
                distance = self.builder.mul(cell, LONG(WORD))
                where = self.builder.gep(seen.state, [distance], source_etype=BYTE)
                return Spot(where, held)

    def moved(self, pointer: ir.Value, distance: int) -> ir.Value:
        """A pointer so many bytes further."""
        if not distance:
            return pointer
        return self.builder.gep(pointer, [LONG(distance)], source_etype=BYTE)

    def position(self, held: ArrayType, index: Number) -> ir.Value:
        """An index, checked."""
        numbers = self.layout.numbers
        first = 0
        if isinstance(held.extent, PerThread):
            first = numbers.ranges[held.extent.template].start
        extent = extent_of(held, numbers)
        if not first <= index.low <= index.high < first + extent:
            self.arithmetic.require(self.builder.icmp_signed(">=", index.term, LONG(first)))
            self.arithmetic.require(
                self.builder.icmp_signed("<", index.term, LONG(first + extent))
            )
        return self.builder.sub(index.term, LONG(first)) if first else index.term

    def load(self, spot: Spot) -> Number:
        """The number in a place."""
        width = self.packing.width(spot.type)  # type: ignore[arg-type]  # a scalar
        narrow = self.builder.load(spot.pointer, typ=ir.IntType(8 * width.size), align=1)
        low, high = self.bounds(spot.type)
        if width.size == LONG.width // 8:
            return Number(narrow, low, high)
        extend = self.builder.sext if width.signed else self.builder.zext
        return Number(extend(narrow, LONG), low, high)

    def store(self, spot: Spot, value: ir.Value) -> None:
        """Store a number; one that the place cannot hold is refused."""
        width = self.packing.width(spot.type)  # type: ignore[arg-type]  # a scalar
        kept = value
        if width.size != LONG.width // 8:
            kept = self.builder.trunc(value, ir.IntType(8 * width.size))
            extend = self.builder.sext if width.signed else self.builder.zext
            self.arithmetic.require(self.builder.icmp_signed("==", extend(kept, LONG), value))
        self.builder.store(kept, spot.pointer, align=1)

    def bounds(self, held: Type) -> tuple[int, int]:
        """Between which numbers the values of a type lie."""
        match held:
            case BoolType():
                return 0, 1
            case EnumType(_, members):
                return 0, len(members) - 1
            case TidType():
                return NONE, self.packing.threads - 1
            case RangeType() | MachineType():
                return max(held.low, LEAST), min(held.high, GREATEST)
            case IntType() | PointerType():
                return LEAST, GREATEST
            case _:
                raise TypeError(held)

    # -- truth values -----------------------------------------------------------------------------

    def truth(self, expr: Expr, seen: Seen) -> ir.Value:
        """A truth value, as one bit."""
        builder = self.builder
        match expr:
            case Const(value, _):
                return BIT(int(bool(value)))
            case IsValid() | IsAllocated() | HoldsInteger() | SameObject():
                return self.pointers.truth(expr, seen)
            case IsWritten(place):
                content = self.load(self.spot(place, seen)).term
                return builder.icmp_signed("!=", content, LONG(UNWRITTEN))
            case Read() | ThreadRead():
                return builder.icmp_signed("!=", self.number(expr, seen).term, LONG(0))
            case Unary(UnaryOp.NOT, operand):
                return builder.not_(self.truth(operand, seen))
            case Binary(BinaryOp.AND, left, right):
                return self.choose(
                    self.truth(left, seen), lambda: self.truth(right, seen), lambda: BIT(0), BIT
                )
            case Binary(BinaryOp.OR, left, right):
                return self.choose(
                    self.truth(left, seen), lambda: BIT(1), lambda: self.truth(right, seen), BIT
                )
            case Binary(BinaryOp.IMPLIES, left, right):
                return self.choose(
                    self.truth(left, seen), lambda: self.truth(right, seen), lambda: BIT(1), BIT
                )
            case Binary(op, left, right) if op in COMPARISONS:
                a, b = self.number(left, seen), self.number(right, seen)
                return builder.icmp_signed(op.value, a.term, b.term)
            case Conditional(condition, then, otherwise):
                return self.choose(
                    self.truth(condition, seen),
                    lambda: self.truth(then, seen),
                    lambda: self.truth(otherwise, seen),
                    BIT,
                )
            case IsInstance(operand, template):
                members = self.layout.numbers.ranges[template]
                who = self.number(operand, seen).term
                return builder.and_(
                    builder.icmp_signed(">=", who, LONG(members.start)),
                    builder.icmp_signed("<", who, LONG(members.stop)),
                )
            case AtLabel(ThreadVariable(name, _), procedure, label):
                return self._at(seen.others[name], procedure, label, seen)
            case Quantified(quantifier, variables, body):
                return self._quantified(quantifier, variables, body, seen)
            case _:
                raise Unsupported(f"{type(expr).__name__} in machine code")

    def choose(
        self,
        condition: ir.Value,
        then: Callable[[], ir.Value],
        otherwise: Callable[[], ir.Value],
        held: ir.Type,
    ) -> ir.Value:
        """One of two values, of which only that one is computed."""
        builder = self.builder
        yes, no, end = (builder.append_basic_block() for _ in range(3))
        builder.cbranch(condition, yes, no)
        ways: list[tuple[ir.Value, ir.Block]] = []
        for block, value in ((yes, then), (no, otherwise)):
            builder.position_at_end(block)
            ways.append((value(), builder.block))
            builder.branch(end)
        builder.position_at_end(end)
        joined = builder.phi(held)
        for value_found, block in ways:
            joined.add_incoming(value_found, block)
        return joined

    def _at(self, thread: int, procedure: str, label: str, seen: Seen) -> ir.Value:
        where = self.location(self.moved(seen.state, self.packing.base[thread]))
        found: ir.Value = BIT(0)
        for location in self.packing.program.procedure[procedure].locations:
            if label in location.labels:
                here = self.builder.icmp_signed("==", where, LONG(location.id))
                found = self.builder.or_(found, here)
        return found

    def location(self, own: ir.Value) -> ir.Value:
        """Where the thread of a block is."""
        width = self.packing.location
        narrow = self.builder.load(own, typ=ir.IntType(8 * width.size), align=1)
        extend = self.builder.sext if width.signed else self.builder.zext
        return extend(narrow, LONG) if width.size != LONG.width // 8 else narrow

    def _quantified(
        self,
        quantifier: Quantifier,
        variables: tuple[ThreadVariable, ...],
        body: Expr,
        seen: Seen,
    ) -> ir.Value:
        ranges = [self.layout.numbers.ranges[variable.template] for variable in variables]
        cases = list(product(*ranges))
        if len(cases) > MOST_CASES:
            raise Unsupported("a formula about so many threads in machine code")
        builder = self.builder
        everywhere = quantifier is Quantifier.FORALL
        end = builder.append_basic_block()
        decided: list[ir.Block] = []
        for case in cases:
            names = [variable.name for variable in variables]
            bound = replace(seen, others={**seen.others, **dict(zip(names, case, strict=True))})
            holds = self.truth(body, bound)
            decided.append(builder.block)
            following = builder.append_basic_block()
            builder.cbranch(holds, *((following, end) if everywhere else (end, following)))
            builder.position_at_end(following)
        last = builder.block
        builder.branch(end)
        builder.position_at_end(end)
        joined = builder.phi(BIT)
        for block in decided:
            joined.add_incoming(BIT(int(not everywhere)), block)
        joined.add_incoming(BIT(int(everywhere)), last)
        return joined

    # -- numbers ----------------------------------------------------------------------------------

    def number(self, expr: Expr, seen: Seen) -> Number:  # noqa: C901 - a case per node
        """The value of an expression; truth values are 0 and 1."""
        numbers = self.layout.numbers
        if isinstance(expr, POINTER_VALUES):
            return self.pointers.number(expr, seen)
        match expr:
            case Const(value, _):
                return constant(encoded(value))
            case Read(place):
                return self.load(self.spot(place, seen))
            case ThreadRead(ThreadVariable(name, template), place):
                thread = seen.others[name]
                own = self.moved(seen.state, self.packing.base[thread])
                return self.load(self.spot(place, replace(seen, template=template, own=own)))
            case SelfId():
                assert seen.thread is not None
                members = numbers.ranges[seen.template]
                return Number(seen.thread, members.start, members.stop - 1)
            case SelfIndex():
                assert seen.thread is not None
                members = numbers.ranges[seen.template]
                index = self.builder.sub(seen.thread, LONG(members.start))
                return Number(index, 0, len(members) - 1)
            case ThreadVariable(name, _):
                return constant(seen.others[name])
            case ThreadAt(template, position):
                start = constant(numbers.ranges[template].start)
                return self.arithmetic.sum(start, self.number(position, seen))
            case _ if isinstance(expr.type, BoolType):
                return Number(self.builder.zext(self.truth(expr, seen), LONG), 0, 1)
            case Unary(UnaryOp.NEG, operand):
                return self.arithmetic.difference(constant(0), self.number(operand, seen))
            case Unary(UnaryOp.BIT_NOT, operand):
                value_there = self.number(operand, seen)
                turned = self.builder.not_(value_there.term)
                return Number(turned, -value_there.high - 1, -value_there.low - 1)
            case Binary(op, left, right):
                return self.arithmetic.of(op, self.number(left, seen), self.number(right, seen))
            case Conditional(condition, then, otherwise):
                return self._conditional(condition, then, otherwise, seen)
            case Wrap(low, high, operand):
                return self.arithmetic.wrapped(low, high, self.number(operand, seen))
            case Clamp(low, high, operand):
                return self.arithmetic.clamped(low, high, self.number(operand, seen))
            case _:
                raise Unsupported(f"{type(expr).__name__} in machine code")

    def _conditional(self, condition: Expr, then: Expr, otherwise: Expr, seen: Seen) -> Number:
        found: list[Number] = []

        def branch(expr: Expr) -> Callable[[], ir.Value]:
            def write() -> ir.Value:
                found.append(self.number(expr, seen))
                return found[-1].term

            return write

        chosen = self.truth(condition, seen)
        joined = self.choose(chosen, branch(then), branch(otherwise), LONG)
        return Number(joined, min(n.low for n in found), max(n.high for n in found))
