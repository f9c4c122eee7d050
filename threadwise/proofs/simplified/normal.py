"""Terms in a normal form: two terms with the same one have the same value, wherever both have one.

Nothing that would be evaluated is left out: whatever makes a part disappear says that it is not
evaluated (`false && e`), or that it is no access (`value`, `case`). So terms with the same normal
form make the same accesses, and the one has a value where the other has.

    constants        evaluated by the reference semantics; integers have no types
    negations        pushed inside, to the atoms
    conjunctions     and disjunctions flat, without neutral and repeated parts, nested to the right
    comparisons      of `c ? a : b` with a constant: over c, if one side is decided
    pointers         that are constants: followed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, cast

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import (
    COMPARISONS,
    FALSE,
    TRUE,
    AddressOf,
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
    PointerAdd,
    PointerToInt,
    Read,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import rebuild, root
from threadwise.ir.layout import has_static_size
from threadwise.ir.types import (
    INT,
    INTEGER_OBJECT,
    NONE,
    POINTER,
    Address,
    Value,
    is_integer,
)
from threadwise.proofs.simplified.memory import Memory
from threadwise.proofs.toolbox.intervals import Bounds
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import GlobalStore, LocalStore


def _nothing(_: Place) -> Const | None:
    return None


def _never(_: Place) -> bool:
    return False


@dataclass
class Normal:
    """Normal forms with some knowledge."""

    value: Callable[[Place], Const | None] = _nothing
    """Places that hold a constant, and whose reads are no accesses that could race."""
    written: Callable[[Place], bool] = _never
    """Places that surely hold something."""
    within: Callable[[Expr], Bounds] | None = None
    """Bounds of integers."""
    case: Mapping[Expr, Const] = field(default_factory=dict)
    """Values of terms in the current case."""
    memory: Memory | None = None
    """Where addresses lead."""
    assumed: frozenset[Expr] = frozenset()
    """Formulas in normal form that hold."""

    def of(self, expr: Expr) -> Expr:
        """The normal form of an expression."""
        if self.case and expr in self.case:
            return self.case[expr]
        match expr:
            case Const():
                return canonical(expr)
            case Read(place):
                known = self.value(place)
                if known is not None:
                    return canonical(known)
                found: Expr = Read(self.place(place))
                return self._known(self.case.get(found, found))
            case IsWritten(place):
                return TRUE if self.written(place) else IsWritten(self.place(place))
            case AddressOf(place):
                return self._address(self.place(place))
            case Binary(BinaryOp.AND | BinaryOp.OR as op, left, right):
                return self._lazy(op, left, right)
            case Binary(BinaryOp.IMPLIES, left, right):
                return self._lazy(BinaryOp.OR, Unary(UnaryOp.NOT, left), right)
            case Conditional(condition, then, otherwise):
                decided = self.of(condition)
                if isinstance(decided, Const):
                    return self.of(then if decided.value else otherwise)
                return Conditional(decided, self.of(then), self.of(otherwise))
            case _:
                return self._known(self._top(rebuild(expr, self.of)))

    def has_no_value(self, expr: Expr) -> bool:
        """Whether a term in normal form reads what a constant that is no address points to."""
        base = root(expr.place) if isinstance(expr, Read) else None
        if self.memory is None or not isinstance(base, DerefPlace):
            return False
        pointer = base.pointer
        return isinstance(pointer, Const) and (
            self.memory.is_valid(pointer.value, base.type) is False
        )

    def _known(self, expr: Expr) -> Expr:
        if self.assumed and expr.type == TRUE.type and not isinstance(expr, Const):
            if expr in self.assumed:
                return TRUE
            if negated(expr) in self.assumed:
                return FALSE
        return expr

    def _lazy(self, op: BinaryOp, left: Expr, right: Expr) -> Expr:
        """A connective; its right operand may have no value where it is not evaluated."""
        first = self.of(left)
        if isinstance(first, Const):
            stops = bool(first.value) == (op is BinaryOp.OR)
            return first if stops else self.of(right)
        return self._known(connected(op, first, self.of(right)))

    def place(self, place: Place) -> Place:
        """The normal form of a place: indices in normal form, known pointers followed."""
        match place:
            case VariablePlace():
                return place
            case FieldPlace(base, name):
                return FieldPlace(self.place(base), name)
            case IndexPlace(base, index):
                return IndexPlace(self.place(base), self.of(index))
            case DerefPlace(pointer, held):
                target = self.of(pointer)
                if isinstance(target, Const) and self.memory is not None:
                    found = self.memory.part_at(target.value, held)
                    if found is not None:
                        return found
                return DerefPlace(target, held)

    def _address(self, place: Place) -> Expr:
        found = None if self.memory is None else self.memory.address_of(place)
        return AddressOf(place) if found is None else Const(found, POINTER)

    def _top(self, expr: Expr) -> Expr:
        """A term whose parts are in normal form."""
        match expr:
            case Unary(UnaryOp.NOT, operand):
                return negated(operand)
            case Unary(_, Const()) | Wrap(_, _, Const()) | Clamp(_, _, Const()):
                return evaluated(expr)
            case Wrap(low, high, operand) if self.within is not None:
                least, most = self.within(operand)
                fits = least is not None and most is not None and low <= least and most <= high
                return operand if fits else expr
            case Binary(op, Conditional(c, a, b), Const() as right) if op in COMPARISONS:
                return self._chosen(expr, c, *(self._top(Binary(op, x, right)) for x in (a, b)))
            case Binary(_, Const(), Const()):
                return evaluated(expr)
            case IsInstance(Const(value, _), _) if value == NONE:
                return FALSE
            case IsValid(Const(value, _), held) if self.memory is not None:
                return _truth(self.memory.is_valid(value, held), expr)
            case IsAllocated(Const(value, _)) if self.memory is not None:
                return FALSE if self.memory.is_declared(value) else expr
            case HoldsInteger(Const(value, _)):
                return TRUE if _holds_integer(value) else FALSE
            case PointerToInt(Const(value, _)) if _holds_integer(value):
                return Const(value.offset if isinstance(value, Address) else 0, INT)
            case PointerAdd(Const(), Const(), element) if has_static_size(element):
                return evaluated(expr)
            case _:
                return expr

    def _chosen(self, expr: Expr, condition: Expr, then: Expr, otherwise: Expr) -> Expr:
        """`(c ? a : b) == k`, given what becomes of `a == k` and `b == k`."""
        if then == TRUE:
            return connected(BinaryOp.OR, condition, otherwise)
        if then == FALSE:
            return connected(BinaryOp.AND, negated(condition), otherwise)
        if otherwise == FALSE:
            return connected(BinaryOp.AND, condition, then)
        if otherwise == TRUE:
            return connected(BinaryOp.OR, negated(condition), then)
        return expr


def _truth(found: bool | None, otherwise: Expr) -> Expr:
    return otherwise if found is None else TRUE if found else FALSE


def _holds_integer(value: Value) -> bool:
    return not isinstance(value, Address) or value.number == INTEGER_OBJECT


def canonical(constant: Const) -> Const:
    """The constant without the bounds of its type."""
    integer = type(constant.value) is int and is_integer(constant.type)
    return Const(constant.value, INT) if integer else constant


_NOWHERE = View(
    cast("Any", None),
    cast("Any", SimpleNamespace(numbers=None)),
    NONE,
    GlobalStore(()),
    cast("LocalStore", None),
)
"""A view of nothing: constants have a value anywhere."""


def evaluated(expr: Expr) -> Expr:
    """An operator applied to constants: its value, if it has one."""
    try:
        value = _NOWHERE.evaluate(expr)
    except Undefined:
        return expr
    return canonical(Const(value, expr.type))


_OPPOSITES = {
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
    BinaryOp.LT: BinaryOp.GE,
    BinaryOp.GE: BinaryOp.LT,
    BinaryOp.LE: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LE,
}
_DUALS = {BinaryOp.AND: BinaryOp.OR, BinaryOp.OR: BinaryOp.AND}


def negated(formula: Expr) -> Expr:
    """The negation of a formula in normal form; it evaluates the same."""
    match formula:
        case Const(value, _):
            return FALSE if value else TRUE
        case Unary(UnaryOp.NOT, operand):
            return operand
        case Binary(op, left, right) if op in _OPPOSITES:
            return Binary(_OPPOSITES[op], left, right)
        case Binary(op, left, right) if op in _DUALS:
            return connected(_DUALS[op], negated(left), negated(right))
        case _:
            return Unary(UnaryOp.NOT, formula)


def parts(op: BinaryOp, formula: Expr) -> Iterator[Expr]:
    """The parts of a conjunction or disjunction, from left to right."""
    pending = [formula]
    while pending:
        part = pending.pop()
        if isinstance(part, Binary) and part.op is op:
            pending += [part.right, part.left]
        else:
            yield part


def is_never(formula: Expr) -> bool:
    """Whether a formula in normal form is false wherever it has a value."""
    return any(part == FALSE for part in parts(BinaryOp.AND, formula))


def connected(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    """`left && right` or `left || right` of formulas in normal form."""
    neutral, end = (TRUE, FALSE) if op is BinaryOp.AND else (FALSE, TRUE)
    found: dict[Expr, None] = {}
    for part in (*parts(op, left), *parts(op, right)):
        if part == end and not found:
            return end
        if part != neutral:
            found[part] = None
        if part == end:
            break
    result: Expr | None = None
    for part in reversed(found):
        result = part if result is None else Binary(op, part, result)
    return neutral if result is None else result
