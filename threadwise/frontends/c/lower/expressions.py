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
from threadwise.frontends.c.lower import arithmetic
from threadwise.frontends.c.lower.arithmetic import (
    NO_THREAD,
    NULL_POINTER,
    ONE,
    ZERO,
    as_number,
    as_truth,
    both,
    choice,
    compare,
    constant,
    either,
    opposite,
)
from threadwise.frontends.c.lower.places import is_private, moved
from threadwise.frontends.c.lower.requirements import ORDERED
from threadwise.frontends.c.lower.survey import strip
from threadwise.frontends.c.lower.types import Unrepresentable, is_aggregate
from threadwise.frontends.c.types import (
    CAtomic,
    CBool,
    CFloat,
    CFunction,
    CInteger,
    CPointer,
    CThreadId,
    CType,
    CVoid,
    unqualified,
)
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    BinaryOp,
    Const,
    Expr,
    IntToPointer,
    Place,
    PointerDifference,
    PointerToInt,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.types import MachineType, PointerType, TidType, Type, default_value

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
        try:
            return self._value(expr)
        except Unrepresentable as refused:
            self.body.limit(str(refused))
            return self.dummy(expr.type)

    def _value(self, expr: tree.Expr) -> Expr:  # noqa: C901, PLR0911, PLR0912 - a case per node
        body = self.body
        match expr:
            case tree.IntegerConstant(value, held):
                return self._number(value, held)
            case tree.FloatConstant(value, held):
                return self._float(value, held)
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
                return self._unary(expr)
            case tree.Binary():
                return self._binary(expr)
            case tree.PointerArithmetic(pointer, count, negative, held):
                base, by = self.value(pointer), self.value(count)
                return self.moved(base, by, held, negative=negative)
            case tree.PointerDifference():
                return self._difference(expr)
            case tree.Logical():
                return as_number(self._logical(expr))
            case tree.Conditional():
                return self._conditional(expr)
            case tree.Assign():
                return self._assign(expr)
            case tree.CompoundAssign():
                return self._compound(expr)
            case tree.Step():
                return self._step(expr, wanted=True)
            case tree.Comma(first, second):
                self.effect(first)
                return self.value(second)
            case tree.Call():
                return self._call(expr)
            case tree.StatementExpression(block, result, held):
                return body.statements.statement_expression(block, result, held)
            case tree.VariableSize():
                raise Unrepresentable("sizeof an array of variable length")
            case tree.UnsupportedExpr(what):
                raise Unrepresentable(what)

    def effect(self, expr: tree.Expr) -> None:
        """Evaluate an expression for its effects only."""
        held = unqualified(expr.type)
        match expr:
            case tree.Step():
                try:
                    self._step(expr, wanted=False)
                except Unrepresentable as refused:
                    self.body.limit(str(refused))
            case tree.Convert(operand, CVoid()):
                self.effect(operand)
            case tree.Comma(first, second):
                self.effect(first)
                self.effect(second)
            case tree.Logical() | tree.Conditional() if isinstance(held, CVoid):
                self._void_choice(expr)
            case tree.StatementExpression(block, result, _):
                self.body.statements.block_expression(block, result)
            case _ if is_aggregate(held):
                self.aggregate(expr)
            case _:
                self.value(expr)

    def _void_choice(self, expr: tree.Logical | tree.Conditional) -> None:
        if isinstance(expr, tree.Logical) or expr.then is None:
            self.value(expr)
            return
        body = self.body
        then, otherwise, after = body.node(), body.node(), body.node()
        self.branch(expr.condition, then, otherwise)
        for start, part in ((then, expr.then), (otherwise, expr.otherwise)):
            body.at = start
            self.effect(part)
            body.graph.jump(body.at, after)
        body.at = after

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
            raise Unrepresentable("any pointer")
        place = VariablePlace(self.body.temporary(scalar))
        self.body.step(Command(havocs=(place,)))
        return Read(place)

    def _number(self, value: int, held: CType) -> Expr:
        match unqualified(held):
            case CPointer():
                return pointer_of(number(value))
            case CThreadId():
                if value:
                    raise Unrepresentable("a number as a thread")
                return NO_THREAD
            case CFloat() as real:
                return self._float(float(value), real)
            case _:
                return number(value)

    def _float(self, value: float, held: CType) -> Expr:
        kind = unqualified(held)
        assert isinstance(kind, CFloat)
        bits = arithmetic.float_bits(value, kind)
        return self.any_value(kind) if bits is None else bits

    def _load(self, place: tree.LValue | tree.ValueMember, held: CType) -> Expr:
        if isinstance(place, tree.VariableRef) and not place.variable.external:
            found = self.body.places.variable(place.variable)
            if is_expression(found):
                return found  # type: ignore[return-value]
        return self.body.places.load(self.body.places.of(place), place.type)

    def _address(self, place: tree.LValue) -> Expr:
        if isinstance(place, tree.Deref):
            return self.value(place.pointer)
        return AddressOf(self.body.places.of(place))

    # -- aggregates ------------------------------------------------------------------------------

    def aggregate(self, expr: tree.Expr) -> Place:
        """A place that holds the value of an aggregate expression, to be copied at once."""
        try:
            return self._aggregate(expr)
        except Unrepresentable as refused:
            self.body.limit(str(refused))
            return VariablePlace(self.body.temporary(self.body.unit.types.of(expr.type)))

    def _aggregate(self, expr: tree.Expr) -> Place:
        body = self.body
        match expr:
            case tree.Load(place):
                return body.places.of(place)
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
                self.branch(condition, one, two)
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

    # -- conversions -----------------------------------------------------------------------------

    def _convert(self, operand: tree.Expr, held: CType) -> Expr:
        source, target = unqualified(operand.type), unqualified(held)
        if isinstance(target, CVoid):
            self.effect(operand)
            return ZERO
        if isinstance(target, CPointer):
            inner = strip_round_trip(operand, self.body.unit.types.pointer_width)
            if inner is not None:
                return self.value(inner)
            call = strip(operand)
            if isinstance(call, tree.Call) and isinstance(source, CPointer):
                return self._call(call, target.target)
        return self.converted(self.value(operand), source, target)

    def converted(self, value: Expr, source: CType, target: CType) -> Expr:
        """A scalar value converted from one type to another."""
        match source, target:
            case (CInteger() | CBool(), CInteger() | CBool()):
                return arithmetic.convert_number(value, target)
            case (CPointer() | CFunction(), CPointer() | CFunction()):
                return value
            case (CThreadId(), CThreadId()):
                return value
            case (CInteger() | CBool(), CPointer()):
                width = self.body.unit.types.pointer_width
                signed = arithmetic.convert_number(value, CInteger(width, signed=True))
                return pointer_of(signed)
            case (CPointer(), CBool()):
                return as_number(as_truth(value))
            case (CPointer(), CInteger()):
                return arithmetic.convert_number(integer_of(value), target)
            case (CInteger() | CBool(), CThreadId()) if constant(value) == 0:
                return NO_THREAD
            case (CThreadId(), CBool()):
                return as_number(as_truth(value))
            case (CFloat(), _) | (_, CFloat()):
                return self._convert_float(value, source, target)
            case (CThreadId(), _) | (_, CThreadId()):
                raise Unrepresentable("a conversion between a thread and a number")
            case _:
                raise Unrepresentable("a conversion between these types")

    def _convert_float(self, value: Expr, source: CType, target: CType) -> Expr:
        known = constant(value)
        if source == target:
            return value
        if isinstance(target, CBool) and isinstance(source, CFloat):
            equal = arithmetic.compare_floats(BinaryOp.NE, value, ZERO, source)
            return self.any_value(target) if equal is None else as_number(equal)
        if known is not None:
            real = (
                arithmetic.float_value(known, source)
                if isinstance(source, CFloat)
                else float(known)
                if abs(known) < 1 << 53
                else None
            )
            if real is not None and isinstance(target, CFloat):
                return self._float(real, target)
            if real is not None and isinstance(target, CInteger) and abs(real) < 1 << 62:
                return arithmetic.convert_number(number(int(real)), target)
        return self.any_value(target)

    # -- operators -------------------------------------------------------------------------------

    def _unary(self, expr: tree.Unary) -> Expr:
        held = unqualified(expr.operand.type)
        if expr.op is tree.UnaryOp.NOT:
            return as_number(opposite(self.truth(expr.operand)))
        value = self.value(expr.operand)
        if isinstance(held, CFloat):
            known = constant(value)
            real = None if known is None else arithmetic.float_value(known, held)
            return self.any_value(held) if real is None else self._float(-real, held)
        if expr.op is tree.UnaryOp.MINUS:
            if isinstance(held, CInteger):
                self._note_overflow(tree.BinaryOp.SUBTRACT, ZERO, value, held)
            return arithmetic.minus(value, held)
        return arithmetic.complement(value, held)

    def _binary(self, expr: tree.Binary) -> Expr:
        op = expr.op
        source = unqualified(expr.left.type)
        left, right = self.value(expr.left), self.value(expr.right)
        if op in arithmetic.COMPARISONS:
            other = unqualified(expr.right.type)
            return as_number(self.compared(op, left, right, source, other))
        return self.computed(op, left, right, source)

    def compared(
        self, op: tree.BinaryOp, left: Expr, right: Expr, held: CType, other: CType
    ) -> Expr:
        """A comparison of two values, as a formula."""
        chosen = arithmetic.COMPARISONS[op]
        if isinstance(held, CFloat):
            formula = arithmetic.compare_floats(chosen, left, right, held)
            return as_truth(self.any_value(CBool())) if formula is None else formula
        if isinstance(held, CThreadId) != isinstance(other, CThreadId):
            left, right = _as_thread(left), _as_thread(right)
        if isinstance(held, CPointer | CFunction) and chosen not in (BinaryOp.EQ, BinaryOp.NE):
            return compare(chosen, PointerDifference(left, right, ORDERED), ZERO)
        return compare(chosen, left, right)

    def computed(self, op: tree.BinaryOp, left: Expr, right: Expr, held: CType) -> Expr:
        """An arithmetic operator on two values of one type."""
        if isinstance(held, CFloat):
            return self._computed_float(op, left, right, held)
        if isinstance(held, CInteger):
            self._note_overflow(op, left, right, held)
        return arithmetic.binary(op, left, right, held)

    def _computed_float(self, op: tree.BinaryOp, left: Expr, right: Expr, held: CFloat) -> Expr:
        a, b = constant(left), constant(right)
        if a is not None and b is not None:
            x, y = arithmetic.float_value(a, held), arithmetic.float_value(b, held)
            if x is not None and y is not None:
                result = {
                    tree.BinaryOp.ADD: lambda: x + y,
                    tree.BinaryOp.SUBTRACT: lambda: x - y,
                    tree.BinaryOp.MULTIPLY: lambda: x * y,
                    tree.BinaryOp.DIVIDE: lambda: x / y if y else None,
                }[op]()
                if result is not None and held.width == 64:
                    return self._float(result, held)
        return self.any_value(held)

    def _note_overflow(self, op: tree.BinaryOp, left: Expr, right: Expr, held: CInteger) -> None:
        if arithmetic.may_overflow(op, left, right, held):
            self.body.unit.assume("signed integer overflow wraps around")

    def moved(self, pointer: Expr, count: Expr, held: CType, *, negative: bool) -> Expr:
        """A pointer moved by a number of its targets."""
        if negative:
            known = constant(count)
            count = number(-known) if known is not None else _negated(count)
        target = unqualified(held)
        assert isinstance(target, CPointer)
        return moved(pointer, count, self._element(target.target))

    def _element(self, target: CType) -> Type:
        if isinstance(unqualified(target), CVoid | CFunction):
            return _BYTE
        return self.body.unit.types.of(target)

    def _difference(self, expr: tree.PointerDifference) -> Expr:
        left, right = self.value(expr.left), self.value(expr.right)
        held = unqualified(expr.left.type)
        assert isinstance(held, CPointer)
        if left == right:
            return ZERO
        difference = PointerDifference(left, right, self._element(held.target))
        return arithmetic.convert_number(difference, unqualified(expr.type))

    # -- choices ---------------------------------------------------------------------------------

    def truth(self, expr: tree.Expr) -> Expr:
        """Whether a value differs from zero, as a formula."""
        match expr:
            case tree.Logical():
                return self._logical(expr)
            case tree.Unary(tree.UnaryOp.NOT, operand):
                return opposite(self.truth(operand))
            case _:
                held = unqualified(expr.type)
                value = self.value(expr)
                if isinstance(held, CFloat):
                    found = arithmetic.compare_floats(BinaryOp.NE, value, ZERO, held)
                    return as_truth(self.any_value(CBool())) if found is None else found
                return as_truth(value)

    def _logical(self, expr: tree.Logical) -> Expr:
        body = self.body
        conjunctive = expr.op is tree.LogicalOp.AND
        left = self.truth(expr.left)
        if left in (TRUE, FALSE):
            return self.truth(expr.right) if (left == TRUE) == conjunctive else left
        before = body.at
        start = body.at = body.node()
        size = len(body.graph.arcs), len(body.graph.jumps)
        right = self.truth(expr.right)
        if body.at == start and size == (len(body.graph.arcs), len(body.graph.jumps)):
            body.at = before
            return both(left, right) if conjunctive else either(left, right)
        result = VariablePlace(body.temporary(MachineType(1, signed=False)))
        after = body.node()
        body.arc(after, Command(assignments=(Assignment(result, as_number(right)),)))
        body.at = before
        skipped = body.node()
        body.branch(left, *((start, skipped) if conjunctive else (skipped, start)))
        body.at = skipped
        decided = ZERO if conjunctive else ONE
        body.arc(after, Command(assignments=(Assignment(result, decided),)))
        body.at = after
        return as_truth(Read(result))

    def branch(self, condition: tree.Expr, then: int, otherwise: int) -> None:
        """Go to one of two nodes as a condition says."""
        body = self.body
        match condition:
            case tree.Logical(op, left, right):
                middle = body.node()
                if op is tree.LogicalOp.AND:
                    self.branch(left, middle, otherwise)
                else:
                    self.branch(left, then, middle)
                body.at = middle
                self.branch(right, then, otherwise)
            case tree.Unary(tree.UnaryOp.NOT, operand):
                self.branch(operand, otherwise, then)
            case tree.Convert(tree.Logical() | tree.Unary(tree.UnaryOp.NOT) as inner, CBool()):
                self.branch(inner, then, otherwise)
            case _:
                body.branch(self.truth(condition), then, otherwise)

    def _conditional(self, expr: tree.Conditional) -> Expr:
        body = self.body
        if expr.then is None:
            return self._elvis(expr)
        condition = self.truth(expr.condition)
        if condition in (TRUE, FALSE):
            return self.value(expr.then if condition == TRUE else expr.otherwise)
        before = body.at
        starts: list[int] = []
        ends: list[tuple[int, Expr]] = []
        size = len(body.graph.arcs), len(body.graph.jumps)
        for part in (expr.then, expr.otherwise):
            start = body.at = body.node()
            starts.append(start)
            value = self.value(part)
            ends.append((body.at, value))
        body.at = before
        if size == (len(body.graph.arcs), len(body.graph.jumps)):
            return choice(condition, ends[0][1], ends[1][1])
        body.branch(condition, starts[0], starts[1])
        return self._joined(expr.type, ends)

    def _joined(self, held: CType, ends: list[tuple[int, Expr]]) -> Expr:
        body = self.body
        result = VariablePlace(body.temporary(body.unit.types.scalar(held)))
        after = body.node()
        for end, value in ends:
            body.at = end
            body.arc(after, Command(assignments=(Assignment(result, value),)))
        body.at = after
        return Read(result)

    def _elvis(self, expr: tree.Conditional) -> Expr:
        body = self.body
        value = self.value(expr.condition)
        source, target = unqualified(expr.condition.type), unqualified(expr.type)
        then, otherwise = body.node(), body.node()
        body.branch(as_truth(value), then, otherwise)
        body.at = then
        ends = [(then, self.converted(value, source, target))]
        body.at = otherwise
        other = self.value(expr.otherwise)
        return self._joined(expr.type, [*ends, (body.at, other)])

    # -- assignments -----------------------------------------------------------------------------

    def _assign(self, expr: tree.Assign) -> Expr:
        body = self.body
        if is_aggregate(unqualified(expr.type)):
            self.aggregate(expr)
            return ZERO
        value = self.value(expr.value)
        place = body.places.of(expr.place)
        stored = body.places.store(place, value, expr.place.type)
        return Read(place) if is_private(place) else stored

    def _compound(self, expr: tree.CompoundAssign) -> Expr:
        right = self.value(expr.value)
        place = self.body.places.of(expr.place)
        held = unqualified(expr.place.type)
        computation = unqualified(expr.computation)

        def change(old: Expr) -> Expr:
            if isinstance(computation, CPointer):
                negative = expr.op is tree.BinaryOp.SUBTRACT
                return self.moved(old, right, computation, negative=negative)
            wide = self.converted(old, held, computation)
            new = self.computed(expr.op, wide, right, computation)
            return self.converted(new, computation, held)

        old = self._old(place, expr.place.type)
        return self._update(place, expr.place.type, old, change(old))

    def _step(self, expr: tree.Step, *, wanted: bool) -> Expr:
        place = self.body.places.of(expr.place)
        held = unqualified(expr.place.type)
        old = self._old(place, expr.place.type)
        if wanted and expr.postfix and is_private(place):
            kept = VariablePlace(self.body.temporary(place.type))
            self.body.step(Command(assignments=(Assignment(kept, old),)))
            old = Read(kept)
        if isinstance(held, CPointer):
            new = self.moved(old, ONE, held, negative=expr.decrement)
        elif isinstance(held, CFloat):
            op = tree.BinaryOp.SUBTRACT if expr.decrement else tree.BinaryOp.ADD
            new = self.computed(op, old, self._float(1.0, held), held)
        else:
            wide = _promoted(held)
            op = tree.BinaryOp.SUBTRACT if expr.decrement else tree.BinaryOp.ADD
            new = self.converted(self.computed(op, old, ONE, wide), wide, held)
        stored = self._update(place, expr.place.type, old, new)
        return old if expr.postfix else stored

    def _old(self, place: Place, held: CType) -> Expr:
        """The value before an update; an update of an atomic object is one step."""
        if isinstance(held, CAtomic):
            return self._frozen(place)
        return self.body.places.load(place, held)

    def _frozen(self, place: Place) -> Expr:
        if not is_private(place):
            self.body.atomic += 1
            self.body.move_to(self.body.node())
        return self.body.places.load(place, CAtomic(CBool()))

    def _update(self, place: Place, held: CType, old: Expr, new: Expr) -> Expr:
        stored = self.body.places.store(place, new, held)
        if isinstance(held, CAtomic) and not is_private(place):
            self.body.atomic -= 1
            self.body.move_to(self.body.node())
        return Read(place) if is_private(place) else stored

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
        if initial is None:
            scalar = self.body.unit.types.scalar(variable.type)
            return Const(default_value(scalar), scalar)
        if not isinstance(initial, tree.ScalarInitial):
            return None
        before = self.body.at, len(self.body.graph.arcs), len(self.body.graph.jumps)
        value = self.value(initial.value)
        if before != (self.body.at, len(self.body.graph.arcs), len(self.body.graph.jumps)):
            return None
        return value if isinstance(value, Const | AddressOf) else None


def is_expression(found: object) -> bool:
    """Whether something is a value, not a place."""
    from threadwise.ir.expr import DerefPlace, FieldPlace, IndexPlace

    return not isinstance(found, VariablePlace | DerefPlace | FieldPlace | IndexPlace)


def pointer_of(value: Expr) -> Expr:
    """An integer in a pointer."""
    match value:
        case Const(0):
            return NULL_POINTER
        case PointerToInt(pointer):
            return pointer
        case _:
            return IntToPointer(value)


def integer_of(pointer: Expr) -> Expr:
    """The integer in a pointer."""
    match pointer:
        case Const(None):
            return ZERO
        case IntToPointer(operand):
            return operand
        case _:
            return PointerToInt(pointer)


def strip_round_trip(operand: tree.Expr, width: int) -> tree.Expr | None:
    """`p` for `(T *)(uintptr_t)p`: no number is ever needed."""
    inner = operand
    while isinstance(inner, tree.Convert):
        held = unqualified(inner.type)
        if not isinstance(held, CInteger) or held.width < width:
            return None
        inner = inner.operand
        if isinstance(unqualified(inner.type), CPointer):
            return inner
    return None


def _negated(count: Expr) -> Expr:
    from threadwise.ir.expr import Unary, UnaryOp

    return Unary(UnaryOp.NEG, count)


def _promoted(held: CType) -> CType:
    if isinstance(held, CInteger) and held.width >= 32:
        return held
    return CInteger(32, signed=True)


def _as_thread(value: Expr) -> Expr:
    if isinstance(value.type, TidType):
        return value
    if constant(value) == 0:
        return NO_THREAD
    raise Unrepresentable("a comparison of a thread with a number")
