"""Terms of the solver as expressions of the program.

Understands what solvers give back about programs: linear and polynomial arithmetic, comparisons,
connectives, case distinctions, remainders, elements of tables. Remainders of the solver are never
negative, which `Wrap` says exactly. Anything else is Unsupported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import z3

from threadwise.backends.smt import raw
from threadwise.backends.smt.environments import Environment, Store
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.values import Cells, OwnCells, Pointer, Record, Symbolic, Table
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import (
    COMPLEMENT,
    FALSE,
    MIRRORED,
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import conjunction, negation, number
from threadwise.ir.operations import NOBODY
from threadwise.ir.types import TID, ArrayType, EnumType, TidType

Reading = Callable[[Place], Expr]
Element = Callable[[Expr], Expr]

_COMPARISONS = {
    z3.Z3_OP_LE: BinaryOp.LE,
    z3.Z3_OP_GE: BinaryOp.GE,
    z3.Z3_OP_LT: BinaryOp.LT,
    z3.Z3_OP_GT: BinaryOp.GT,
}
_SUMS = {z3.Z3_OP_ADD: BinaryOp.ADD, z3.Z3_OP_SUB: BinaryOp.SUB, z3.Z3_OP_MUL: BinaryOp.MUL}


class Decoder:
    """Reads terms over known constants."""

    def __init__(self) -> None:
        self._scalars: dict[int, tuple[Term, Expr]] = {}
        self._tables: dict[int, tuple[Term, Element]] = {}

    # -- what constants mean ----------------------------------------------------------------------

    def name(self, term: Term, meaning: Expr) -> None:
        """Say what a constant means."""
        self._scalars.setdefault(term.get_id(), (term, meaning))

    def environment(self, env: Environment, thread: ThreadVariable | None = None) -> None:
        """Name the constants of an environment; a thread other than the speaker has a name."""
        self.store(env.shared, Read)
        if thread is None:
            self.store(env.own, Read)
            self.name(env.me, SelfId())
        else:
            self.store(env.own, lambda place: ThreadRead(thread, place))
            self.name(env.me, thread)

    def store(self, store: Store, reading: Reading) -> None:
        """Name the constants of some variables."""
        for variable, value in store.items():
            self._value(value, VariablePlace(variable), reading)

    def _value(self, value: Symbolic, place: Place, reading: Reading) -> None:
        match value:
            case Record(fields):
                for field, part in fields:
                    self._value(part, FieldPlace(place, field), reading)
            case Cells(elements, first):
                start = raw.numeral(first) if z3.is_int_value(first) else 0
                for position, element in enumerate(elements, start=start):
                    index = Const(position, TID) if _per_thread(place) else number(position)
                    self._value(element, IndexPlace(place, index), reading)
            case OwnCells(ids, elements):
                for thread, element in zip(ids, elements, strict=True):
                    known = self._scalars.get(thread.get_id())
                    if known is not None:
                        self._value(element, IndexPlace(place, known[1]), reading)
            case Table(parts):
                self._table(parts, place, reading)
            case Pointer():
                pass
            case _:
                self.name(value, reading(place))

    def _table(self, parts: Symbolic, place: Place, reading: Reading) -> None:
        def walk(part: Symbolic, finish: Callable[[Place], Place]) -> None:
            match part:
                case Record(fields):
                    for field, inner in fields:
                        walk(inner, lambda p, f=field: FieldPlace(finish(p), f))  # type: ignore[misc]  # a default captures the field
                case Pointer() | Cells() | OwnCells() | Table():
                    pass
                case _:
                    self._tables[part.get_id()] = (
                        part,
                        lambda index: reading(finish(IndexPlace(place, index))),
                    )

        walk(parts, lambda p: p)

    # -- terms ------------------------------------------------------------------------------------

    def expression(self, term: Term) -> Expr:  # noqa: C901, PLR0911 - a case per operator
        """The expression that a term is."""
        known = self._scalars.get(term.get_id())
        if known is not None:
            return known[1]
        if z3.is_int_value(term):
            return number(raw.numeral(term))
        if z3.is_true(term) or z3.is_false(term):
            return TRUE if z3.is_true(term) else FALSE
        if not z3.is_app(term):
            raise Unsupported("a quantifier in a formula of the solver")
        kind = term.decl().kind()
        if kind == z3.Z3_OP_SELECT:
            return self._element(term.arg(0), self.expression(term.arg(1)), term.arg(1))
        if kind == z3.Z3_OP_TO_REAL:
            return self.expression(term.arg(0))
        if z3.is_rational_value(term) and term.denominator_as_long() == 1:
            return number(raw.numeral(term.numerator()))
        parts = [self.expression(child) for child in term.children()]
        match kind:
            case z3.Z3_OP_AND:
                return conjunction(parts)
            case z3.Z3_OP_OR:
                return _joined(BinaryOp.OR, parts)
            case z3.Z3_OP_NOT:
                return _negated(parts[0])
            case z3.Z3_OP_IMPLIES:
                return Binary(BinaryOp.IMPLIES, *parts)
            case z3.Z3_OP_ITE:
                return Conditional(*parts)
            case z3.Z3_OP_EQ | z3.Z3_OP_IFF:
                return _equal(*parts)
            case z3.Z3_OP_XOR:
                return _negated(_equal(*parts))
            case z3.Z3_OP_DISTINCT:
                pairs = [(a, b) for i, a in enumerate(parts) for b in parts[i + 1 :]]
                return conjunction([_negated(_equal(a, b)) for a, b in pairs])
            case z3.Z3_OP_UMINUS:
                return Unary(UnaryOp.NEG, parts[0])
            case z3.Z3_OP_MOD | z3.Z3_OP_REM | z3.Z3_OP_IDIV:
                return _division(kind, parts[0], parts[1], term.arg(1))
            case _ if kind in _COMPARISONS:
                return _compared(_COMPARISONS[kind], *parts)
            case _ if kind in _SUMS:
                return _sum(_SUMS[kind], parts)
            case _:
                raise Unsupported(f"`{term.decl()}` in a formula of the solver")

    def _element(self, table: Term, index: Expr, position: Term) -> Expr:
        known = self._tables.get(table.get_id())
        if known is not None:
            return known[1](index)
        kind = table.decl().kind()
        if kind == z3.Z3_OP_STORE:
            changed = self.expression(table.arg(2))
            where = self.expression(table.arg(1))
            unchanged = self._element(table.arg(0), index, position)
            return Conditional(_equal(where, index), changed, unchanged)
        if kind == z3.Z3_OP_CONST_ARRAY:
            return self.expression(table.arg(0))
        raise Unsupported("a table that is no variable in a formula of the solver")


def _per_thread(place: Place) -> bool:
    held = place.type
    return isinstance(held, ArrayType) and not isinstance(held.extent, int)


def _joined(op: BinaryOp, parts: Sequence[Expr]) -> Expr:
    return reduce(lambda left, right: Binary(op, left, right), parts)


def _negated(operand: Expr) -> Expr:
    if isinstance(operand, Binary) and operand.op in COMPLEMENT:
        return Binary(COMPLEMENT[operand.op], operand.left, operand.right)
    return negation(operand)


def _equal(left: Expr, right: Expr) -> Expr:
    """An equation; a number beside a thread id or a member is one."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side.type, EnumType) and isinstance(other, Const):
            known = other.value in range(len(side.type.members))
            return Binary(BinaryOp.EQ, side, Const(other.value, side.type)) if known else FALSE
        if isinstance(side.type, TidType) and isinstance(other, Const):
            return Binary(BinaryOp.EQ, side, Const(other.value, TID))
        if side in (TRUE, FALSE):
            return other if side == TRUE else _negated(other)
    return Binary(BinaryOp.EQ, left, right)


def _compared(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    """A comparison; of ids there is only one with `none`: `t <= -1` or `0 <= t`, in some form.

    Members of enumerations have no order in the program: those that satisfy it are listed.
    """
    for flip, side, other in ((False, left, right), (True, right, left)):
        if isinstance(side.type, EnumType):
            return _listed(MIRRORED[op] if flip else op, side, side.type, other)
        if isinstance(side.type, TidType) and other in (number(-1), number(0)):
            bound = -1 if other == number(-1) else 0
            exact = MIRRORED[op] if flip else op
            small = {BinaryOp.LE: -1, BinaryOp.LT: 0, BinaryOp.GE: 0, BinaryOp.GT: -1}[exact]
            if small == bound:
                same = exact in (BinaryOp.LE, BinaryOp.LT)
                return Binary(BinaryOp.EQ if same else BinaryOp.NE, side, NOBODY)
            if (exact, bound) in ((BinaryOp.GE, -1), (BinaryOp.LT, -1)):
                return TRUE if exact is BinaryOp.GE else FALSE
    if isinstance(left.type, TidType) or isinstance(right.type, TidType):
        raise Unsupported("thread ids compared by size in a formula of the solver")
    return Binary(op, left, right)


_HOLDS: Mapping[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.LT: lambda left, right: left < right,
    BinaryOp.GT: lambda left, right: left > right,
    BinaryOp.LE: lambda left, right: left <= right,
    BinaryOp.GE: lambda left, right: left >= right,
}


def _listed(op: BinaryOp, side: Expr, held: EnumType, bound: Expr) -> Expr:
    if not isinstance(bound, Const) or not isinstance(bound.value, int):
        raise Unsupported("members of an enumeration compared by size in a formula of the solver")
    limit = bound.value
    found = [m for m in range(len(held.members)) if _HOLDS[op](m, limit)]
    if not found:
        return FALSE
    return _joined(BinaryOp.OR, [Binary(BinaryOp.EQ, side, Const(m, held)) for m in found])


def _sum(op: BinaryOp, parts: Sequence[Expr]) -> Expr:
    if any(isinstance(part.type, TidType | EnumType) for part in parts):
        raise Unsupported("arithmetic on thread ids or members in a formula of the solver")
    result = parts[0]
    for part in parts[1:]:
        if op is BinaryOp.ADD and isinstance(part, Unary) and part.op is UnaryOp.NEG:
            result = Binary(BinaryOp.SUB, result, part.operand)
        else:
            result = Binary(op, result, part)
    return result


def _division(kind: int, left: Expr, right: Expr, divisor: Term) -> Expr:
    if not z3.is_int_value(divisor) or raw.numeral(divisor) == 0:
        raise Unsupported("division by a variable in a formula of the solver")
    period = abs(raw.numeral(divisor))
    rest = Wrap(0, period - 1, left)
    if kind != z3.Z3_OP_IDIV:
        return rest
    return Binary(BinaryOp.DIV, Binary(BinaryOp.SUB, left, rest), right)
