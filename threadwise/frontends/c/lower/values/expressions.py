"""Values: each access to shared memory, and each effect, is a step; the rest is an expression.

`value` gives the value of an expression after all its steps; what it returns mentions constants
and variables of the thread at hand only, so it may be used in a later step. Operands are evaluated
from left to right, the value of an assignment before its place. An operand that may not be
evaluated (behind `&&`, `||`, `?:`) is lowered at a node of its own first: if that took no step, it
is part of an expression; otherwise it becomes control flow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.beyond import Mark, result_beyond, value_beyond
from threadwise.frontends.c.lower.storage.places import is_private
from threadwise.frontends.c.lower.survey import strip
from threadwise.frontends.c.lower.values.arithmetic import NO_THREAD, NULL_POINTER, ZERO, as_number
from threadwise.frontends.c.lower.values.conversions import strip_round_trip
from threadwise.frontends.c.lower.values.types import Unrepresentable, is_aggregate
from threadwise.frontends.c.types import (
    CAtomic,
    CFunction,
    CInteger,
    CPointer,
    CThreadId,
    CType,
    CVoid,
    unqualified,
)
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    AddressOf,
    Const,
    Expr,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.types import MachineType, PointerType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

_BYTE = MachineType(8, signed=True)


class Expressions:
    """The expressions of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    # -- values ----------------------------------------------------------------------------------

    def value(self, expr: tree.Expr) -> Expr:
        """The value of a scalar expression, after its effects."""
        mark = Mark.of(self.body)
        try:
            return self._value(expr)
        except Unrepresentable as refused:
            return value_beyond(self.body, expr, refused, mark)

    def _value(self, expr: tree.Expr) -> Expr:  # noqa: C901, PLR0911, PLR0912 - a case per node
        body = self.body
        body.note_order(expr)
        match expr:
            case tree.IntegerConstant(value, held):
                return body.conversions.number(value, held)
            case tree.FloatConstant(value, held):
                return body.conversions.real(value, held)
            case tree.FunctionName(function):
                return AddressOf(VariablePlace(body.unit.function(function)))
            case tree.Load(place, held):
                return self._load(place, held)
            case tree.Decay(place):
                return body.places.decay(place)
            case tree.AddressOf(place):
                return self._address(place)
            case tree.Convert(operand, held):
                return self._convert(operand, held)
            case tree.Unary():
                return body.operators.unary(expr)
            case tree.Binary():
                return body.operators.binary(expr)
            case tree.PointerArithmetic(pointer, count, negative, held):
                base, by = self.value(pointer), self.value(count)
                return body.operators.moved(base, by, held, negative=negative)
            case tree.PointerDifference():
                return body.operators.difference(expr)
            case tree.Logical():
                return as_number(body.choices.logical(expr))
            case tree.Conditional():
                return body.choices.conditional(expr)
            case tree.Assign():
                return body.updates.assign(expr)
            case tree.CompoundAssign():
                return body.updates.compound(expr)
            case tree.Step():
                return body.updates.step(expr, wanted=True)
            case tree.Comma(first, second):
                self.effect(first)
                return self.value(second)
            case tree.Call():
                return self._call(expr)
            case tree.StatementExpression(block, result, held):
                return body.statements.statement_expression(block, result, held)
            case tree.VariableSize(operand):
                size = body.statements.lengths.size(operand)
                if size is None:
                    raise Unrepresentable("sizeof an array of variable length", ())
                return size
            case tree.UnsupportedExpr(what):
                raise Unrepresentable(what)

    def effect(self, expr: tree.Expr) -> None:
        """Evaluate an expression for its effects only."""
        held = unqualified(expr.type)
        match expr:
            case tree.Step():
                try:
                    self.body.updates.step(expr, wanted=False)
                except Unrepresentable as refused:
                    self.body.limit(str(refused))
            case tree.Convert(operand, CVoid()):
                self.effect(operand)
            case tree.Comma(first, second):
                self.effect(first)
                self.effect(second)
            case tree.Logical() | tree.Conditional() if isinstance(held, CVoid):
                self.body.choices.without_value(expr)
            case tree.StatementExpression(block, result, _):
                self.body.statements.block_expression(block, result)
            case _ if is_aggregate(held):
                found = self.aggregate(expr)
                if isinstance(expr, tree.Load) and not is_private(found):
                    read = VariablePlace(self.body.temporary(found.type))
                    self.body.places.copy(read, found, held)
            case _:
                self.value(expr)

    def dummy(self, held: CType) -> Expr:
        """Some value of a type, where none is needed any more."""
        match unqualified(held):
            case CPointer() | CFunction():
                return NULL_POINTER
            case CThreadId():
                return NO_THREAD
            case _:
                return ZERO

    def any_value(self, held: CType) -> Expr:
        """Any value of a scalar type."""
        scalar = self.body.unit.types.scalar(held)
        if isinstance(scalar, PointerType):
            raise Unrepresentable("any pointer", ())
        place = VariablePlace(self.body.temporary(scalar))
        self.body.step(Command(havocs=(place,)))
        return Read(place)

    def opaque_value(self, held: CType) -> Expr:
        """Any value of a scalar type, though C knows which."""
        if self.body.span is not None:
            self.body.unit.approximated.add(self.body.span)
        return self.any_value(held)

    def _load(self, place: tree.LValue | tree.ValueMember, held: CType) -> Expr:
        if isinstance(place, tree.VariableRef) and not place.variable.external:
            found = self.body.places.variable(place.variable)
            if is_expression(found):
                return found  # type: ignore[return-value]
        return self.body.places.load(self.body.places.of(place), place.type)

    def _address(self, place: tree.LValue) -> Expr:
        if isinstance(place, tree.Deref):
            return self.value(place.pointer)
        moved = self.body.members.address(place)
        if moved is not None:
            return moved
        return AddressOf(self.body.places.of(place))

    # -- aggregates ------------------------------------------------------------------------------

    def aggregate(self, expr: tree.Expr) -> Place:
        """A place that holds the value of an aggregate expression, to be copied at once."""
        mark = Mark.of(self.body)
        try:
            return self._aggregate(expr)
        except Unrepresentable as refused:
            held = self.body.unit.types.of(expr.type)
            found = result_beyond(self.body, expr, refused, mark)
            return VariablePlace(self.body.temporary(held)) if found is None else found

    def _aggregate(self, expr: tree.Expr) -> Place:
        body = self.body
        body.note_order(expr)
        match expr:
            case tree.Load(place):
                read = body.places.of(place)
                if isinstance(place.type, CAtomic) and not is_private(read):
                    return body.places.kept(read, place.type)
                return read
            case tree.Assign(place, value):
                source = self.aggregate(value)
                target = body.places.of(place)
                body.places.copy(target, source, place.type)
                return target
            case tree.Call():
                found = body.calls.call(expr)
                if found is None or is_expression(found):
                    raise Unrepresentable("a value of this type")
                return found  # type: ignore[return-value]
            case tree.Comma(first, second):
                self.effect(first)
                return self.aggregate(second)
            case tree.Convert(operand, _):
                return self.aggregate(operand)
            case tree.StatementExpression(block, result, held):
                kept = VariablePlace(body.temporary(body.unit.types.of(held)))
                body.statements.block_expression(block, result, kept)
                return kept
            case tree.Conditional(condition, then, otherwise, held) if then is not None:
                kept = VariablePlace(body.temporary(body.unit.types.of(held)))
                one, two, after = body.node(), body.node(), body.node()
                body.choices.branch(condition, one, two)
                for start, part in ((one, then), (two, otherwise)):
                    body.at = start
                    body.places.copy(kept, self.aggregate(part), held)
                    body.graph.jump(body.at, after)
                body.at = after
                return kept
            case tree.UnsupportedExpr(what):
                raise Unrepresentable(what)
            case _:
                raise Unrepresentable("a value of this type")

    def _convert(self, operand: tree.Expr, held: CType) -> Expr:
        source, target = unqualified(operand.type), unqualified(held)
        if isinstance(target, CVoid):
            self.effect(operand)
            return ZERO
        if isinstance(target, CPointer):
            inner = strip_round_trip(operand, self.body.unit.types.pointer_width)
            if inner is not None:
                return self.value(inner)
            enclosing = self.body.members.enclosing(operand, target.target)
            if enclosing is not None:
                return enclosing
            call = strip(operand)
            if isinstance(call, tree.Call) and isinstance(source, CPointer):
                return self._call(call, target.target)
        if isinstance(target, CInteger) and isinstance(source, CPointer):
            offset = self.body.members.from_null(operand) if _has_address(operand) else None
            if offset is not None and offset < 1 << (target.width - 1):
                return self.body.conversions.number(offset, target)
        return self.body.conversions.converted(self.value(operand), source, target)

    def _call(self, expr: tree.Call, target: CType | None = None) -> Expr:
        found = self.body.calls.call(expr, target)
        if found is None:
            return ZERO
        if not is_expression(found):
            raise Unrepresentable("an aggregate as a value")
        return found  # type: ignore[return-value]

    def constant_initial(self, variable: tree.Variable) -> Expr | None:
        """The constant that a scalar variable is initialised with; None if it is none."""
        initial = variable.initial
        if not isinstance(initial, tree.ScalarInitial):
            return None
        before = self.body.at, len(self.body.graph.arcs), len(self.body.graph.jumps)
        value = self.value(initial.value)
        if before != (self.body.at, len(self.body.graph.arcs), len(self.body.graph.jumps)):
            return None
        return value if isinstance(value, Const | AddressOf) else None


def _has_address(expr: tree.Expr) -> bool:
    """Whether a pointer is not just a number, by its text."""
    while isinstance(expr, tree.Convert):
        expr = expr.operand
    return isinstance(expr, tree.AddressOf | tree.Decay | tree.PointerArithmetic)


def is_expression(found: object) -> bool:
    """Whether something is a value, not a place."""
    from threadwise.ir.expr import DerefPlace, FieldPlace, IndexPlace

    return not isinstance(found, VariablePlace | DerefPlace | FieldPlace | IndexPlace)
