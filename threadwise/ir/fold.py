"""Generic traversals of expressions and places, and the smart constructors of formulas.

`children`/`rebuild` are the only functions that know the shape of every node; everything else is
written with them. The smart constructors (`conjunction`, `negation`, …) fold constants so that
front ends can compose guards without leaving `true && …` behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any

from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
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
    IntToPointer,
    IsAllocated,
    IsInstance,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerExpr,
    PointerToInt,
    Quantified,
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
from threadwise.ir.program import Program
from threadwise.ir.types import INT, ArrayType, PerThread, bounds_of


def place_expressions(place: Place) -> tuple[Expr, ...]:
    """The expressions evaluated to find a place: its indices and pointers, outermost last."""
    match place:
        case VariablePlace():
            return ()
        case IndexPlace(base, index):
            return (*place_expressions(base), index)
        case FieldPlace(base, _):
            return place_expressions(base)
        case DerefPlace(pointer, _):
            return (pointer,)


def rebuild_place(place: Place, change: Callable[[Expr], Expr]) -> Place:
    """The place with each expression in it replaced by its change.

    It is the same object if nothing changed.
    """
    match place:
        case VariablePlace():
            return place
        case IndexPlace(base, index):
            inner, position = rebuild_place(base, change), change(index)
            same = inner is base and position is index
            return place if same else IndexPlace(inner, position)
        case FieldPlace(base, field):
            inner = rebuild_place(base, change)
            return place if inner is base else FieldPlace(inner, field)
        case DerefPlace(pointer, held):
            target = change(pointer)
            return place if target is pointer else DerefPlace(target, held)


def root(place: Place) -> VariablePlace | DerefPlace:
    """The variable or dereference that a place is a part of."""
    while isinstance(place, IndexPlace | FieldPlace):
        place = place.base
    return place


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct subexpressions, in evaluation order."""
    return _CHILDREN[type(expr)](expr)


def _none(_: object) -> tuple[Expr, ...]:
    return ()


def _of_place(expr: Read | AddressOf | ThreadRead | IsWritten) -> tuple[Expr, ...]:
    place = expr.place
    return () if isinstance(place, VariablePlace) else place_expressions(place)


_CHILDREN: Mapping[type[object], Callable[[Any], tuple[Expr, ...]]] = {
    **dict.fromkeys((Const, SelfId, SelfIndex, ThreadVariable, AtLabel), _none),
    **dict.fromkeys((Read, AddressOf, ThreadRead, IsWritten), _of_place),
    **dict.fromkeys((Binary, PointerDifference, SameObject), lambda e: (e.left, e.right)),
    **dict.fromkeys((Unary, Wrap, Clamp, IsInstance, IntToPointer), lambda e: (e.operand,)),
    **dict.fromkeys((IsValid, PointerToInt, HoldsInteger, IsAllocated), lambda e: (e.pointer,)),
    Conditional: lambda e: (e.condition, e.then, e.otherwise),
    ThreadAt: lambda e: (e.position,),
    PointerAdd: lambda e: (e.pointer, e.count),
    Quantified: lambda e: (e.body,),
}
"""How to get at the direct subexpressions, by kind: patterns would be tried one by one."""


def rebuild(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with each direct subexpression replaced by its change.

    It is the same object if nothing changed.
    """
    before = children(expr)
    after = tuple(map(change, before))
    if all(map(is_, before, after)):
        return expr
    parts = iter(after)
    return _with_parts(expr, lambda _: next(parts))


def _with_parts(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:  # noqa: C901, PLR0911, PLR0912 - a case per node
    """The expression with other direct subexpressions, asked for in evaluation order."""
    match expr:
        case Const() | SelfId() | SelfIndex() | ThreadVariable() | AtLabel():
            return expr
        case Read(place):
            return Read(rebuild_place(place, change))
        case AddressOf(place):
            return AddressOf(rebuild_place(place, change))
        case ThreadRead(thread, place):
            return ThreadRead(thread, rebuild_place(place, change))
        case Unary(op, operand):
            return Unary(op, change(operand))
        case Wrap(low, high, operand):
            return Wrap(low, high, change(operand))
        case Clamp(low, high, operand):
            return Clamp(low, high, change(operand))
        case IsInstance(operand, template):
            return IsInstance(change(operand), template)
        case IsValid(operand, held):
            return IsValid(change(operand), held)
        case IsAllocated(operand):
            return IsAllocated(change(operand))
        case IsWritten(place):
            return IsWritten(rebuild_place(place, change))
        case IntToPointer(operand):
            return IntToPointer(change(operand))
        case PointerToInt(operand):
            return PointerToInt(change(operand))
        case HoldsInteger(operand):
            return HoldsInteger(change(operand))
        case PointerDifference(left, right, element):
            return PointerDifference(change(left), change(right), element)
        case SameObject(left, right):
            return SameObject(change(left), change(right))
        case ThreadAt(template, position):
            return ThreadAt(template, change(position))
        case Binary(op, left, right):
            return Binary(op, change(left), change(right))
        case PointerAdd(pointer, count, element):
            return PointerAdd(change(pointer), change(count), element)
        case Conditional(condition, then, otherwise):
            return Conditional(change(condition), change(then), change(otherwise))
        case Quantified(quantifier, variables, body):
            return Quantified(quantifier, variables, change(body))


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, parents first."""
    pending = [expr]
    while pending:
        current = pending.pop()
        yield current
        below = children(current)
        if below:
            pending.extend(reversed(below))


def read_places(expr: Expr) -> Iterator[Place]:
    """Every place the expression may read of the evaluating thread's view."""
    for part in subexpressions(expr):
        if isinstance(part, Read):
            yield part.place


def mentions_shared(expr: Expr) -> bool:
    """Whether evaluating the expression may read shared memory."""
    return any(is_shared(place) for place in read_places(expr)) or any(
        isinstance(part, IsValid | IsAllocated)
        or (isinstance(part, IsWritten) and is_shared(part.place))
        for part in subexpressions(expr)
    )


def is_shared(place: Place) -> bool:
    """Whether a place lies in shared memory."""
    base = root(place)
    return isinstance(base, DerefPlace) or base.variable.scope is Scope.GLOBAL


def action_places(action: Action) -> tuple[Place, ...]:
    """The places an action writes (for a call: that its return writes)."""
    match action:
        case Command(assignments=assignments, havocs=havocs):
            if not assignments:
                return havocs
            return (*[assignment.target for assignment in assignments], *havocs)
        case Allocate(_, target):
            return (target,)
        case Call(_, _, result, _):
            return () if result is None else (result,)
        case Free() | Return():
            return ()


def action_expressions(action: Action) -> tuple[Expr, ...]:
    """The expressions an action evaluates, those inside the places it writes included."""
    inside = [
        expr
        for place in action_places(action)
        if not isinstance(place, VariablePlace)
        for expr in place_expressions(place)
    ]
    match action:
        case Command(guard, assignments, _):
            return (guard, *[assignment.value for assignment in assignments], *inside)
        case Allocate(guard, count=count):
            return (guard, *inside) if count is None else (guard, count, *inside)
        case Free(guard, pointer):
            return (guard, pointer)
        case Call(_, arguments, _, guard):
            return (guard, *arguments, *inside)
        case Return(value, guard):
            return (guard,) if value is None else (guard, value)


_MEMORY = "memory"
"""Among facts about the code of a program: whether it has a heap or pointers."""


def allocates(program: Program) -> bool:
    """Whether a program has a heap: its shared store is then more than its variables."""
    return any(isinstance(action, Allocate) for action in program.actions)


def uses_memory(program: Program) -> bool:
    """Whether a program has a heap or pointers."""
    known = program.code.get(_MEMORY)
    if known is None:
        known = program.code[_MEMORY] = _uses_memory(program)
    return known is True


def _uses_memory(program: Program) -> bool:
    def through_pointer(place: Place) -> bool:
        return isinstance(root(place), DerefPlace)

    for action in program.actions:
        if isinstance(action, Allocate | Free):
            return True
        if any(map(through_pointer, action_places(action))):
            return True
        for whole in action_expressions(action):
            for part in subexpressions(whole):
                if isinstance(part, PointerExpr):
                    return True
                if isinstance(part, Read) and through_pointer(part.place):
                    return True
    return False


def number(value: int) -> Const:
    """An integer literal."""
    return Const(value, INT)


def negation(operand: Expr) -> Expr:
    """`!operand`, simplified."""
    if isinstance(operand, Const):
        return FALSE if operand.value else TRUE
    if isinstance(operand, Unary) and operand.op is UnaryOp.NOT:
        return operand.operand
    return Unary(UnaryOp.NOT, operand)


def conjunction(operands: Sequence[Expr]) -> Expr:
    """`a && b && …`, simplified; the operands are evaluated from left to right."""
    result: Expr = TRUE
    for operand in operands:
        if operand == TRUE:
            continue
        if operand == FALSE:
            return FALSE if result == TRUE else Binary(BinaryOp.AND, result, FALSE)
        result = operand if result == TRUE else Binary(BinaryOp.AND, result, operand)
    return result


def conjuncts(formula: Expr) -> Iterator[Expr]:
    """The parts of a conjunction, from left to right; none of what is always true."""
    pending = [formula]
    while pending:
        part = pending.pop()
        if isinstance(part, Binary) and part.op is BinaryOp.AND:
            pending += [part.right, part.left]
        elif part != TRUE:
            yield part


def definedness(expr: Expr) -> Expr:
    """When the expression has a value: no division by zero, no bad index, no bad pointer.

    The result itself is defined wherever it is evaluated, and evaluates each check only if those
    to its left hold.
    """
    match expr:
        case Read(place) | AddressOf(place) | ThreadRead(_, place) | IsWritten(place):
            return place_definedness(place)
        case PointerAdd(pointer, count, _):
            needed = conjunction((definedness(pointer), definedness(count)))
            return conjunction((needed, negation(HoldsInteger(pointer))))
        case PointerToInt(pointer):
            return conjunction((definedness(pointer), HoldsInteger(pointer)))
        case PointerDifference(left, right, _):
            needed = conjunction((definedness(left), definedness(right)))
            return conjunction((needed, SameObject(left, right)))
        case Binary(BinaryOp.AND, left, right) | Binary(BinaryOp.IMPLIES, left, right):
            needed = definedness(right)
            guarded = TRUE if needed == TRUE else _implies(left, needed)
            return conjunction((definedness(left), guarded))
        case Binary(BinaryOp.OR, left, right):
            needed = definedness(right)
            guarded = TRUE if needed == TRUE else _or(left, needed)
            return conjunction((definedness(left), guarded))
        case Binary(BinaryOp.DIV | BinaryOp.MOD, left, right):
            nonzero = _fold_comparison(BinaryOp.NE, right, 0)
            return conjunction((definedness(left), definedness(right), nonzero))
        case Binary(BinaryOp.SHL | BinaryOp.SHR, left, right):
            natural = _fold_comparison(BinaryOp.GE, right, 0)
            return conjunction((definedness(left), definedness(right), natural))
        case Conditional(condition, then, otherwise):
            needed_then, needed_else = definedness(then), definedness(otherwise)
            chosen: Expr = TRUE
            if needed_then != TRUE or needed_else != TRUE:
                chosen = Conditional(condition, needed_then, needed_else)
            return conjunction((definedness(condition), chosen))
        case _:
            return conjunction([definedness(child) for child in children(expr)])


def place_definedness(place: Place) -> Expr:
    """When the place exists: its indices are within bounds, its pointers valid."""
    match place:
        case VariablePlace():
            return TRUE
        case FieldPlace(base, _):
            return place_definedness(base)
        case DerefPlace(pointer, held):
            return conjunction((definedness(pointer), IsValid(pointer, held)))
        case IndexPlace(base, index):
            array = base.type
            assert isinstance(array, ArrayType)
            checks = [place_definedness(base), definedness(index)]
            if isinstance(array.extent, PerThread):
                checks.append(IsInstance(index, array.extent.template))
            elif array.extent == 0 and isinstance(root(base), DerefPlace):  # as long as the object
                moved = PointerAdd(AddressOf(base), index, array.element)
                checks += (_fold_comparison(BinaryOp.GE, index, 0), IsValid(moved, array.element))
            else:
                checks.append(within(index, 0, array.extent - 1))
            return conjunction(checks)


def within(expr: Expr, low: int, high: int) -> Expr:
    """`low <= expr && expr <= high`, without what the type or value of expr already implies."""
    known = interval(expr)
    checks: list[Expr] = []
    if known[0] is None or known[0] < low:
        checks.append(_fold_comparison(BinaryOp.GE, expr, low))
    if known[1] is None or known[1] > high:
        checks.append(_fold_comparison(BinaryOp.LE, expr, high))
    return conjunction(checks)


Interval = tuple[int | None, int | None]


def interval(expr: Expr) -> Interval:
    """Bounds on the value of an integer expression that follow from types alone."""
    match expr:
        case Const(value, _) if isinstance(value, int):
            return value, value
        case Wrap(low, high, _) | Clamp(low, high, _):
            return low, high
        case SelfIndex():
            return 0, None
        case Unary(UnaryOp.NEG, operand):
            low_, high_ = interval(operand)
            return (None if high_ is None else -high_, None if low_ is None else -low_)
        case Binary(BinaryOp.ADD, left, right):
            (a, b), (c, d) = interval(left), interval(right)
            return _add(a, c), _add(b, d)
        case Binary(BinaryOp.SUB, left, right):
            (a, b), (c, d) = interval(left), interval(right)
            return (
                _add(a, None if d is None else -d),
                _add(b, None if c is None else -c),
            )
        case Binary(BinaryOp.MUL, left, right):
            return _corners(interval(left), interval(right))
        case Binary(BinaryOp.MOD, left, Const(value, _)) if isinstance(value, int) and value:
            most = abs(value) - 1
            known = interval(left)
            low_ = 0 if known[0] is not None and known[0] >= 0 else -most
            high_ = 0 if known[1] is not None and known[1] <= 0 else most
            return low_, high_
        case Conditional(_, then, otherwise):
            (a, b), (c, d) = interval(then), interval(otherwise)
            return (
                None if a is None or c is None else min(a, c),
                None if b is None or d is None else max(b, d),
            )
        case _:
            from_type = bounds_of(expr.type)
            return from_type if from_type is not None else (None, None)


def _add(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _corners(left: Interval, right: Interval) -> Interval:
    if None in left or None in right:
        return None, None
    products = [a * b for a in left for b in right if a is not None and b is not None]
    return min(products), max(products)


def _fold_comparison(op: BinaryOp, expr: Expr, bound: int) -> Expr:
    if isinstance(expr, Const) and isinstance(expr.value, int):
        holds = {
            BinaryOp.NE: expr.value != bound,
            BinaryOp.GE: expr.value >= bound,
            BinaryOp.LE: expr.value <= bound,
        }[op]
        return TRUE if holds else FALSE
    return Binary(op, expr, number(bound))


def _implies(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.IMPLIES, left, right)


def _or(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.OR, left, right)
