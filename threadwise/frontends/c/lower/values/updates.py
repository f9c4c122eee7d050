"""Assignments, `op=`, `++` and `--`.

An update of shared memory reads in one step and writes in another; of an `_Atomic` object it is
one step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.places import is_private
from threadwise.frontends.c.lower.values.arithmetic import ONE, ZERO
from threadwise.frontends.c.lower.values.types import is_aggregate
from threadwise.frontends.c.types import (
    CAtomic,
    CBool,
    CFloat,
    CInteger,
    CPointer,
    CType,
    unqualified,
)
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Expr, Place, Read, VariablePlace

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


class Updates:
    """The assignments of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def assign(self, expr: tree.Assign) -> Expr:
        """`place = value`; what is stored."""
        body = self.body
        if is_aggregate(unqualified(expr.type)):
            self.body.expressions.aggregate(expr)
            return ZERO
        value = self.body.expressions.value(expr.value)
        place = body.places.of(expr.place)
        stored = body.places.store(place, value, expr.place.type)
        return Read(place) if is_private(place) else stored

    def compound(self, expr: tree.CompoundAssign) -> Expr:
        """`place op= value`; what is stored."""
        right = self.body.expressions.value(expr.value)
        place = self.body.places.of(expr.place)
        held = unqualified(expr.place.type)
        computation = unqualified(expr.computation)

        def change(old: Expr) -> Expr:
            if isinstance(computation, CPointer):
                negative = expr.op is tree.BinaryOp.SUBTRACT
                return self.body.operators.moved(old, right, computation, negative=negative)
            wide = self.body.conversions.converted(old, held, computation)
            new = self.body.operators.computed(expr.op, wide, right, computation)
            return self.body.conversions.converted(new, computation, held)

        old = self._old(place, expr.place.type)
        return self._update(place, expr.place.type, old, change(old))

    def step(self, expr: tree.Step, *, wanted: bool) -> Expr:
        """`++` and `--`; its value, if that is wanted."""
        place = self.body.places.of(expr.place)
        held = unqualified(expr.place.type)
        old = self._old(place, expr.place.type)
        if wanted and expr.postfix and is_private(place):
            kept = VariablePlace(self.body.temporary(place.type))
            self.body.step(Command(assignments=(Assignment(kept, old),)))
            old = Read(kept)
        if isinstance(held, CPointer):
            new = self.body.operators.moved(old, ONE, held, negative=expr.decrement)
        elif isinstance(held, CFloat):
            op = tree.BinaryOp.SUBTRACT if expr.decrement else tree.BinaryOp.ADD
            new = self.body.operators.computed(
                op, old, self.body.conversions.real(1.0, held), held
            )
        else:
            wide = _promoted(held)
            op = tree.BinaryOp.SUBTRACT if expr.decrement else tree.BinaryOp.ADD
            new = self.body.conversions.converted(
                self.body.operators.computed(op, old, ONE, wide), wide, held
            )
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


def _promoted(held: CType) -> CType:
    if isinstance(held, CInteger) and held.width >= 32:
        return held
    return CInteger(32, signed=True)
