"""Branches that the bounds of local integers exclude are removed.

The usual forward analysis with intervals: at each location, per local integer, bounds on its value
on every path; guards narrow them, assignments compute with them, and where they keep growing round
a loop they are widened to a number that guards compare with, then to the bounds of the type.
Rounds of narrowing follow. An edge whose guard no values within the bounds satisfy is removed:
most checks of array indices go this way. A `wrap` around a value within its range goes, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import is_

from threadwise.analyses.graphs import (
    incoming_edges,
    numbered_again,
    outgoing_edges,
    visiting_order,
)
from threadwise.analyses.liveness import live_masks
from threadwise.analyses.uses import Uses
from threadwise.analyses.worklist import OrderedWorklist
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_places, rebuild, root, subexpressions
from threadwise.ir.program import DEFAULT, Edge, LocId, Procedure, Program
from threadwise.ir.types import IntType, MachineType, RangeType, Type

Bounds = tuple[int | None, int | None]
Known = dict[str, Bounds]
"""Bounds of locals; one that is missing has those of its type."""

FREE: Bounds = (None, None)
NARROWINGS = 4
PATIENCE = 3
"""So often the bounds at a location may grow before they are widened."""


MOST_REMEMBERED = 1 << 16
"""Of so many different guards it is remembered what they say of numbers."""
MOST_STEPS = 8
"""With more numbers than this in guards, bounds that grow are given up at once."""


def remove_excluded_branches(program: Program, uses: Uses | None = None) -> Program:
    """The program without edges that bounds exclude; locations stay."""
    uses = uses or Uses()
    procedures: list[Procedure] = []
    known: dict[LocId, Known] = {}
    for procedure in program.procedures:
        analysis = _Intervals(procedure, uses)
        known |= analysis.known
        kept = filter(None, map(analysis.narrowed, procedure.edges))
        procedures.append(replace(procedure, edges=tuple(kept)))
    program.found["bounds"] = known
    return replace(program, procedures=numbered_again(procedures))


def bounds_of_locals(procedure: Procedure) -> Mapping[int, Known]:
    """Bounds of local integers at the locations of a procedure."""
    return {int(here): known for here, known in _Intervals(procedure, Uses()).known.items()}


def bounds_where(guard: Expr, known: Known) -> Known | None:
    """Bounds where a condition holds, too; None if it cannot."""
    return _assume(guard, known)


class _Intervals:
    def __init__(self, procedure: Procedure, uses: Uses) -> None:
        self.procedure = procedure
        self.outgoing, self.incoming = outgoing_edges(procedure), incoming_edges(procedure)
        self.live = live_masks(procedure, uses)
        self.steps = _compared(procedure)
        self.known: dict[LocId, Known] = {procedure.entry: self._initial()}
        self.order = visiting_order(procedure.entry, self.outgoing)
        self.changed: dict[LocId, int] = {}
        """When bounds changed last, by location: at 1 what leads to bounds that were widened."""
        self.computed: dict[LocId, int] = {}
        self.now = 1
        self._solve()
        for _ in range(NARROWINGS):
            if not self.changed or not self._narrow():
                break

    def _initial(self) -> Known:
        return {
            d.variable.name: (0, 0)
            for d in self.procedure.locals
            if d.initial == DEFAULT and _is_number(d.variable.type)
        }

    def narrowed(self, edge: Edge) -> Edge | None:
        """The edge without `Wrap` around values that are within its range.

        None if no values within the bounds satisfy the guard.
        """
        known = self.known.get(edge.source)
        assumed = None if known is None else _assume(edge.action.guard, known)
        if assumed is None:
            return None
        action = edge.action
        if not isinstance(action, Command) or not action.assignments:
            return edge
        values = [_unwrapped(a.value, assumed) for a in action.assignments]
        if all(map(is_, values, [a.value for a in action.assignments])):
            return edge
        assignments = tuple(
            replace(a, value=value) for a, value in zip(action.assignments, values, strict=True)
        )
        return replace(edge, action=replace(action, assignments=assignments))

    def _solve(self) -> None:
        visits: dict[LocId, int] = {}
        pending = OrderedWorklist(self.order, [self.procedure.entry])
        for here in pending:
            for edge in self.outgoing[here]:
                before = self.known.get(edge.target)
                if before is not None and not before:
                    continue  # nothing is left that another path could take away
                after = _after(edge.action, self.known[here])
                if after is None:
                    continue
                if before is None:
                    self.known[edge.target] = self._of_use(edge.target, after)
                    pending.add(edge.target)
                    continue
                joined = _join(before, after)
                if joined != before:
                    visits[edge.target] = visits.get(edge.target, 0) + 1
                    if visits[edge.target] > PATIENCE:
                        joined = _widen(before, joined, self.steps)
                        self.changed |= {each.source: 1 for each in self.incoming[edge.target]}
                    self.known[edge.target] = joined
                    pending.add(edge.target)

    def _of_use(self, location: LocId, known: Known) -> Known:
        """The bounds of what somebody will read."""
        return self.live.among(known, location)

    def _narrow(self) -> bool:
        """Compute bounds again from those before, in place; whether some got tighter.

        From bounds that hold, each step leads to bounds that hold. Where nothing before has
        changed since the last time, there is nothing to compute. What was not widened is what the
        bounds before lead to: bounds only grew, so the last ones count.
        """
        changed = False
        for here in self.order:
            last = self.computed.get(here, 0)
            if here == self.procedure.entry or all(
                self.changed.get(edge.source, 0) <= last for edge in self.incoming[here]
            ):
                continue
            self.now += 1
            self.computed[here] = self.now
            found: Known | None = None
            for edge in self.incoming[here]:
                known = self.known.get(edge.source)
                after = None if known is None else _after(edge.action, known)
                if after is not None:
                    found = self._of_use(here, after) if found is None else _join(found, after)
            if found is None:
                if self.known.pop(here, None) is None:
                    continue
            elif found != self.known.get(here):
                self.known[here] = found
            else:
                continue
            self.now += 1  # later than the computing: a location may come before itself
            self.changed[here] = self.now
            changed = True
        return changed


def _unwrapped(expr: Expr, known: Known) -> Expr:
    expr = rebuild(expr, lambda part: _unwrapped(part, known))
    if isinstance(expr, Wrap):
        low, high = bounds(expr.operand, known)
        if low is not None and high is not None and expr.low <= low and high <= expr.high:
            return expr.operand
    return expr


def _is_number(held: Type) -> bool:
    return isinstance(held, IntType | RangeType | MachineType)


def _of_type(held: Type) -> Bounds:
    return (held.low, held.high) if isinstance(held, RangeType | MachineType) else FREE


# -- states --------------------------------------------------------------------------------------


def _join(a: Known, b: Known) -> Known:
    if a is b:
        return a
    found: Known = {}
    for name, own in a.items():
        other = b.get(name)
        if other is not None:
            same = own is other or own == other
            found[name] = own if same else (_least(own[0], other[0]), _most(own[1], other[1]))
    return found


def _widen(before: Known, after: Known, steps: Sequence[int]) -> Known:
    """What still grows goes on to the next step, or is given up."""
    return {
        name: (
            _next_below(before[name][0], after[name][0], steps),
            _next_above(before[name][1], after[name][1], steps),
        )
        for name in after
        if name in before
    }


def _next_below(before: int | None, after: int | None, steps: Sequence[int]) -> int | None:
    if after == before or after is None:
        return after
    return max((step for step in steps if step <= after), default=None)


def _next_above(before: int | None, after: int | None, steps: Sequence[int]) -> int | None:
    if after == before or after is None:
        return after
    return min((step for step in steps if step >= after), default=None)


def _compared(procedure: Procedure) -> list[int]:
    """The numbers that guards compare with, if they are few: where growing bounds may rest."""
    found: set[int] = set()
    for edge in procedure.edges:
        for part in subexpressions(edge.action.guard):
            if isinstance(part, Const) and type(part.value) is int:
                found.add(part.value)
    return sorted(found) if len(found) <= MOST_STEPS else []


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an action does to what is known of numbers."""

    lost: tuple[str, ...]
    stored: tuple[tuple[str, Expr, Bounds], ...]
    """Names of locals, what they are assigned, and the bounds of their types."""


@lru_cache(maxsize=MOST_REMEMBERED)
def _effect_of(action: Action) -> _Effect:
    bases = [root(place) for place in action_places(action)]
    lost = {
        base.variable.name: None
        for base in bases
        if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
    }
    stored: list[tuple[str, Expr, Bounds]] = []
    if isinstance(action, Command):
        havocked = {p.variable.name for p in action.havocs if isinstance(p, VariablePlace)}
        for assignment in action.assignments:
            target = assignment.target
            if isinstance(target, VariablePlace) and target.variable.scope is Scope.LOCAL:
                name, held = target.variable.name, target.variable.type
                if _is_number(held) and name not in havocked:
                    stored.append((name, assignment.value, _of_type(held)))
    return _Effect(tuple(lost), tuple(stored))


def _after(action: Action, known: Known) -> Known | None:
    """Bounds after an action; None if it cannot be taken."""
    assumed = _assume(action.guard, known)
    if assumed is None:
        return None
    effect = _effect_of(action)
    if not effect.lost:
        return assumed
    after = dict(assumed)
    for name in effect.lost:
        after.pop(name, None)
    for name, value, held in effect.stored:
        after[name] = _meet(bounds(value, assumed), held)
    return after


def _meet(a: Bounds, b: Bounds) -> Bounds:
    low = b[0] if a[0] is None else a[0] if b[0] is None else max(a[0], b[0])
    high = b[1] if a[1] is None else a[1] if b[1] is None else min(a[1], b[1])
    return low, high


# -- guards --------------------------------------------------------------------------------------

_NEGATED = {
    BinaryOp.LT: BinaryOp.GE,
    BinaryOp.LE: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LE,
    BinaryOp.GE: BinaryOp.LT,
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
}
_MIRRORED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.GE: BinaryOp.LE,
    BinaryOp.EQ: BinaryOp.EQ,
    BinaryOp.NE: BinaryOp.NE,
}


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Numbers that are compared."""

    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class _Both:
    parts: tuple[_Condition, ...]


@dataclass(frozen=True, slots=True)
class _Either:
    left: _Condition
    right: _Condition


_Condition = _Comparison | _Both | _Either
_NEVER = _Both(())
"""What no values satisfy: it is recognised as this object."""


@lru_cache(maxsize=MOST_REMEMBERED)
def _condition(guard: Expr, *, sign: bool) -> _Condition | None:
    """What a formula says of numbers if it is true (or false, without sign); None: nothing.

    Most guards are about pointers. A choice of which one side says nothing says nothing.
    """
    match guard:
        case Const(value, _):
            return None if bool(value) == sign else _NEVER
        case Unary(UnaryOp.NOT, operand):
            return _condition(operand, sign=not sign)
        case Binary(BinaryOp.AND | BinaryOp.OR as op, left, right):
            first, second = _condition(left, sign=sign), _condition(right, sign=sign)
            if (op is BinaryOp.AND) == sign:
                return _both(first, second)
            if first is _NEVER or second is _NEVER:
                return second if first is _NEVER else first
            return None if first is None or second is None else _Either(first, second)
        case Binary(op, left, right) if op in _NEGATED and _is_number(left.type):
            return _Comparison(op if sign else _NEGATED[op], left, right)
        case _:
            return None


def _both(first: _Condition | None, second: _Condition | None) -> _Condition | None:
    if first is None or second is None:
        return second if first is None else first
    if first is _NEVER or second is _NEVER:
        return _NEVER
    return _Both((first, second))


def _assume(guard: Expr, known: Known) -> Known | None:
    """Bounds where a formula is true; None if it cannot be."""
    condition = _condition(guard, sign=True)
    return known if condition is None else _narrowed(condition, known)


def _narrowed(condition: _Condition, known: Known) -> Known | None:
    match condition:
        case _Comparison(op, left, right):
            return _compare(op, left, right, known)
        case _Both(parts):
            found: Known | None = None if condition is _NEVER else known
            for part in parts:
                if found is None:
                    break
                found = _narrowed(part, found)
            return found
        case _Either(left, right):
            return _either(_narrowed(left, known), _narrowed(right, known))


def _either(a: Known | None, b: Known | None) -> Known | None:
    if a is None or b is None:
        return b if a is None else a
    return _join(a, b)


def _compare(op: BinaryOp, left: Expr, right: Expr, known: Known) -> Known | None:
    a, b = bounds(left, known), bounds(right, known)
    narrowed = _refine(op, left, a, b, known)
    return None if narrowed is None else _refine(_MIRRORED[op], right, b, a, narrowed)


def _refine(op: BinaryOp, expr: Expr, own: Bounds, other: Bounds, known: Known) -> Known | None:
    """Use `expr op e` with e in `other` for the bounds of expr."""
    low, high = own
    match op:
        case BinaryOp.LT if other[1] is not None:
            high = other[1] - 1 if high is None else min(high, other[1] - 1)
        case BinaryOp.LE if other[1] is not None:
            high = other[1] if high is None else min(high, other[1])
        case BinaryOp.GT if other[0] is not None:
            low = other[0] + 1 if low is None else max(low, other[0] + 1)
        case BinaryOp.GE if other[0] is not None:
            low = other[0] if low is None else max(low, other[0])
        case BinaryOp.EQ:
            low, high = _meet(own, other)
        case BinaryOp.NE if other[0] is not None and other[0] == other[1]:
            if low == other[0]:
                low += 1
            if high == other[0]:
                high -= 1
        case _:
            pass
    if low is not None and high is not None and low > high:
        return None
    if isinstance(expr, Read) and isinstance(expr.place, VariablePlace):
        variable = expr.place.variable
        if variable.scope is Scope.LOCAL and _is_number(variable.type):
            return {**known, variable.name: (low, high)}
    return known


# -- values --------------------------------------------------------------------------------------


def bounds(expr: Expr, known: Known) -> Bounds:
    """Bounds on the value of an expression."""
    match expr:
        case Const(value, _) if isinstance(value, int):
            return value, value
        case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
            held = _of_type(variable.type)
            return _meet(known.get(variable.name, FREE), held)
        case Wrap(low, high, operand):
            inner = bounds(operand, known)
            fits = None not in inner and low <= (inner[0] or 0) and (inner[1] or 0) <= high
            return inner if fits else (low, high)
        case Unary(UnaryOp.NEG, operand):
            low_, high_ = bounds(operand, known)
            return (None if high_ is None else -high_, None if low_ is None else -low_)
        case Binary(BinaryOp.ADD, left, right):
            (a, b), (c, d) = bounds(left, known), bounds(right, known)
            return _sum(a, c), _sum(b, d)
        case Binary(BinaryOp.SUB, left, right):
            (a, b), (c, d) = bounds(left, known), bounds(right, known)
            return _sum(a, None if d is None else -d), _sum(b, None if c is None else -c)
        case Binary(BinaryOp.MOD, left, Const(value, _)) if isinstance(value, int) and value > 0:
            low_, high_ = bounds(left, known)
            natural = low_ is not None and low_ >= 0
            most = value - 1 if high_ is None else min(value - 1, max(high_, 0))
            return (0 if natural else 1 - value), most
        case Conditional(_, then, otherwise):
            (a, b), (c, d) = bounds(then, known), bounds(otherwise, known)
            return _least(a, c), _most(b, d)
        case _:
            return _of_type(expr.type)


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b
