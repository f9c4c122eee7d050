"""Going on behind a limit, where what happens there is bounded (`threadwise.ir.beyond`).

What is refused says what it may touch (`Unrepresentable.touches`): nothing, so that only a value
is not known; objects; or anything, and then nothing is known behind it. Operands of what is
refused are evaluated first, since they may have effects of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.unit import GlobalObject
from threadwise.frontends.c.lower.values.arithmetic import either, opposite
from threadwise.frontends.c.lower.values.requirements import (
    ARITHMETIC,
    COARSE,
    MEMBER,
    TYPE,
    Requirement,
)
from threadwise.frontends.c.lower.values.types import Unrepresentable, cells
from threadwise.frontends.c.types import CVoid, unqualified
from threadwise.ir.beyond import BEYOND, beyond, coarse
from threadwise.ir.commands import Command, OperationKind
from threadwise.ir.expr import FALSE, TRUE, Expr, IsValid, Place, Read, VariablePlace
from threadwise.ir.fold import conjunction, subexpressions
from threadwise.ir.program import FailureKind
from threadwise.ir.types import PointerType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

_PLAIN = (
    tree.Convert,
    tree.Unary,
    tree.Binary,
    tree.PointerArithmetic,
    tree.PointerDifference,
    tree.Load,
    tree.Decay,
    tree.AddressOf,
    tree.VariableSize,
)
"""Expressions that write nothing, and evaluate all of their operands, once."""


@dataclass(frozen=True)
class Mark:
    """How far a body has come."""

    at: int
    arcs: int
    jumps: int
    atomic: int

    @classmethod
    def of(cls, body: Body) -> Mark:
        """Where a body is now."""
        return cls(body.at, len(body.graph.arcs), len(body.graph.jumps), body.atomic)

    def return_to(self, body: Body) -> None:
        """Forget what was lowered since."""
        body.at, body.atomic = self.at, self.atomic
        del body.graph.arcs[self.arcs :], body.graph.jumps[self.jumps :]


def go_on(
    body: Body,
    what: str,
    kind: OperationKind,
    pointers: Sequence[Expr | None],
    results: Sequence[Place] = (),
    reads: Sequence[Expr] = (),
) -> None:
    """A limit, and behind it: so many pointers lead to what may be touched, or only read."""
    unit = body.unit
    unit.objects.setdefault(BEYOND.name, GlobalObject(BEYOND))
    body.add(body.limit_node(what, FailureKind.OPEN), Command())
    touching = [
        *((OperationKind.UNKNOWN_READ, pointer) for pointer in reads),
        *((kind, pointer) for pointer in pointers),
    ]
    for position, (what_for, pointer) in enumerate(touching, 1):
        if pointer is not None:
            body.note_addresses(pointer)
        last = position == len(touching)
        command, operation = beyond(what_for, pointer, results if last else (), TRUE)
        target = body.node()
        body.add(target, command, operation)
        body.at = target


def value_beyond(body: Body, expr: tree.Expr, refused: Unrepresentable, mark: Mark) -> Expr:
    """The value of an expression that is refused: any, or none if nothing is known behind it."""
    if isinstance(unqualified(expr.type), CVoid):
        _pass_by(body, expr, refused, mark, ())
        return body.expressions.dummy(expr.type)
    place = result_beyond(body, expr, refused, mark)
    return body.expressions.dummy(expr.type) if place is None else Read(place)


def result_beyond(
    body: Body, expr: tree.Expr, refused: Unrepresentable, mark: Mark
) -> VariablePlace | None:
    """Where the result is of what is refused; None if nothing is known behind it."""
    try:
        held = body.unit.types.of(expr.type)
    except Unrepresentable:
        body.limit(str(refused))
        return None
    place = VariablePlace(body.temporary(held))
    return place if _pass_by(body, expr, refused, mark, tuple(cells(place, held))) else None


def _pass_by(
    body: Body, expr: tree.Expr, refused: Unrepresentable, mark: Mark, results: tuple[Place, ...]
) -> bool:
    """Go on behind what is refused; whether that is possible."""
    what, touched = str(refused), refused.touches
    if touched or refused.reads:
        kind = OperationKind.UNKNOWN_FILL if refused.fills else OperationKind.UNKNOWN_WRITE
        go_on(body, what, kind, touched or (), results, refused.reads)
        return True
    if touched is None or not isinstance(expr, _PLAIN):
        body.limit(what)
        return False
    mark.return_to(body)
    for operand in _operands(expr):
        body.expressions.effect(operand)
    led = any(isinstance(place.type, PointerType) for place in results)
    kind = OperationKind.UNKNOWN_CALL if led else OperationKind.UNKNOWN_VALUE
    go_on(body, what, kind, (None,), results)
    return True


def _operands(expr: object) -> Iterator[tree.Expr]:
    """The values that an expression evaluates, those of the places in it included."""
    match expr:
        case tree.Convert(operand) | tree.Unary(_, operand) | tree.ValueMember(operand):
            yield operand
        case tree.Binary(_, left, right) | tree.PointerDifference(left, right):
            yield from (left, right)
        case tree.PointerArithmetic(pointer, count):
            yield from (pointer, count)
        case tree.Load(place) | tree.Decay(place) | tree.AddressOf(place) | tree.Member(place):
            yield from _operands(place)
        case tree.Deref(pointer):
            yield pointer
        case _:
            pass


def go_on_coarsely(
    body: Body,
    needed: Sequence[Requirement],
    ways: Sequence[tuple[int, Command]],
    *,
    sync: bool = False,
) -> None:
    """Edges beside limits of kind `cells`, for memory that may be seen as of another type.

    Only where the program converts pointers so that this may happen, to keep programs small.
    """
    failing = [opposite(c) for c, what in needed if what in COARSE and _may_fail(body, c, what)]
    if not failing:
        return
    when = failing[0]
    for condition in failing[1:]:
        when = either(when, condition)
    when = conjunction((*(condition for condition, what in needed if what not in COARSE), when))
    for target, command in ways:
        changed, operation = coarse(command, when)
        if changed.guard != FALSE:  # something else is surely wrong
            body.unit.objects.setdefault(BEYOND.name, GlobalObject(BEYOND))
            body.add(target, changed, operation, sync=sync)


def _may_fail(body: Body, condition: Expr, what: str) -> bool:
    """Whether conversions of pointers may lead to memory of another type."""
    if what == MEMBER or condition == TRUE:
        return False
    if what not in (TYPE, ARITHMETIC):
        return True
    held = body.unit.coarse_types
    return any(
        isinstance(part, IsValid) and part.held in held for part in subexpressions(condition)
    )
