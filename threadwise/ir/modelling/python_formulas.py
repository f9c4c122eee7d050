"""Formulas with Python's operators.

    + - * / %         integers; `/` and `%` truncate towards zero as in C
    == != < <= > >=   comparisons
    & | ~             and, or, not of truth values
    a.implies(b)      if a then b

`and`, `or`, `not` and chained comparisons would ask Python for a truth value, which a formula does
not have: they raise TypeError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from threadwise.ir import operations
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Const,
    Expr,
    IndexPlace,
    Place,
    Quantified,
    Quantifier,
    Read,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number, root, within
from threadwise.ir.text.terms import Terms
from threadwise.ir.types import EnumType, Overflow, RangeType

Literal: TypeAlias = "bool | int | str"
"""A number, a truth value, or the name of a member of an enumeration."""
Operand: TypeAlias = "Formula | Literal"


class Formula:
    """An expression of the IR under Python's operators."""

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    def __repr__(self) -> str:
        return f"<{Terms().expr(self.expr)}>"

    def __bool__(self) -> bool:
        raise TypeError("a formula has no truth value: use & | ~ instead of `and`, `or`, `not`")

    __hash__ = None  # type: ignore[assignment]  # == builds a formula

    def __add__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.ADD, other)

    def __radd__(self, other: Literal) -> Formula:
        return Formula(Binary(BinaryOp.ADD, expression(other), self.expr))

    def __sub__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.SUB, other)

    def __rsub__(self, other: Literal) -> Formula:
        return Formula(Binary(BinaryOp.SUB, expression(other), self.expr))

    def __mul__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.MUL, other)

    def __rmul__(self, other: Literal) -> Formula:
        return Formula(Binary(BinaryOp.MUL, expression(other), self.expr))

    def __truediv__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.DIV, other)

    def __mod__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.MOD, other)

    def __neg__(self) -> Formula:
        return Formula(Unary(UnaryOp.NEG, self.expr))

    def __eq__(self, other: Operand) -> Formula:  # type: ignore[override]  # builds a formula
        return self._with(BinaryOp.EQ, other)

    def __ne__(self, other: Operand) -> Formula:  # type: ignore[override]  # builds a formula
        return self._with(BinaryOp.NE, other)

    def __lt__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.LT, other)

    def __le__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.LE, other)

    def __gt__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.GT, other)

    def __ge__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.GE, other)

    def __and__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.AND, other)

    def __or__(self, other: Operand) -> Formula:
        return self._with(BinaryOp.OR, other)

    def __invert__(self) -> Formula:
        return Formula(Unary(UnaryOp.NOT, self.expr))

    def implies(self, other: Operand) -> Formula:
        """If this holds, then so does the other."""
        return self._with(BinaryOp.IMPLIES, other)

    def _with(self, op: BinaryOp, other: Operand) -> Formula:
        return Formula(Binary(op, self.expr, expression(other, self.expr)))


def expression(operand: Operand, beside: Expr | None = None) -> Expr:
    """An operand as an expression; names are looked up in the enumeration it stands beside."""
    match operand:
        case Formula():
            return operand.expr
        case bool():
            return TRUE if operand else FALSE
        case int():
            return number(operand)
        case str() if beside is not None and isinstance(beside.type, EnumType):
            if operand not in beside.type.members:
                raise ValueError(f"`{operand}` is none of {', '.join(beside.type.members)}")
            return Const(beside.type.members.index(operand), beside.type)
        case _:
            raise TypeError(f"{operand!r} is no formula, number or truth value")


class Cell(Formula):
    """A variable, or an element of an array; used as a formula it is its value."""

    def __init__(self, place: Place) -> None:
        self.place = place
        super().__init__(Read(place))

    def __getitem__(self, index: Operand) -> Cell:
        return Cell(IndexPlace(self.place, expression(index)))

    @property
    def variable(self) -> Variable:
        """The variable this is, or is a part of."""
        base = root(self.place)
        assert isinstance(base, VariablePlace)
        return base.variable

    def stored(self, value: Operand) -> tuple[Expr, Expr]:
        """A value as this cell stores it, and when it fits."""
        expr = expression(value, self.expr)
        held = self.place.type
        if not isinstance(held, RangeType):
            return expr, TRUE
        inside = within(expr, held.low, held.high)
        match held.overflow:
            case Overflow.ERROR:
                return expr, inside
            case Overflow.WRAP:
                return (expr if inside == TRUE else Wrap(held.low, held.high, expr)), TRUE
            case Overflow.SATURATE:
                return (expr if inside == TRUE else Clamp(held.low, held.high, expr)), TRUE


class Lock:
    """A mutex, or an array of them."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def __getitem__(self, index: Operand) -> Lock:
        return Lock(IndexPlace(self.place, expression(index)))

    @property
    def text(self) -> str:
        """The mutex as reports call it."""
        return Terms().place(self.place)

    @property
    def owner(self) -> Formula:
        """The thread that holds it; compare it with `SELF`, `NOBODY` or a `ThreadChoice`."""
        return Formula(operations.owner(self.place))

    @property
    def is_mine(self) -> Formula:
        """Whether the thread at hand holds it."""
        return Formula(operations.holds(self.place))


SELF = Formula(SelfId())
"""The thread that evaluates the formula."""
NOBODY = Formula(operations.NOBODY)
"""The owner of a mutex that is free."""


class ThreadChoice(Formula):
    """A quantified thread of a template, for invariants."""

    def __init__(self, name: str, template: str) -> None:
        self.thread = ThreadVariable(name, template)
        super().__init__(self.thread)

    def at(self, label: str) -> Formula:
        """Whether the thread is at a label."""
        return Formula(AtLabel(self.thread, self.thread.template, label))

    def value(self, own: Cell) -> Formula:
        """The value that one of the template's own variables has in this thread."""
        return Formula(ThreadRead(self.thread, own.place))


def forall(threads: Sequence[ThreadChoice], formula: Formula) -> Formula:
    """The formula holds for all choices of these threads; two of them may be the same."""
    chosen = tuple(choice.thread for choice in threads)
    return Formula(Quantified(Quantifier.FORALL, chosen, formula.expr))
