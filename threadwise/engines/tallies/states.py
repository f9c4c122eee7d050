"""What is known of cells: equations between integers, bounds, and constants of everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from threadwise.engines.horn.resting_states import widened
from threadwise.engines.tallies.cells import Bounds, Cell, Known, linear
from threadwise.engines.tallies.equations import Form, Space, variable
from threadwise.ir.expr import (
    COMPARISONS,
    COMPLEMENT,
    FALSE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    ThreadAt,
    Unary,
    UnaryOp,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts
from threadwise.ir.types import is_integer
from threadwise.transforms.simplify.intervals import bounds_where

FREE: Bounds = (None, None)

_HOLDS: Mapping[BinaryOp, Callable[[object], bool]] = {
    BinaryOp.NE: lambda value: value != 0,
    BinaryOp.LT: lambda value: value < 0,  # type: ignore[operator]
    BinaryOp.LE: lambda value: value <= 0,  # type: ignore[operator]
    BinaryOp.GT: lambda value: value > 0,  # type: ignore[operator]
    BinaryOp.GE: lambda value: value >= 0,  # type: ignore[operator]
}


@dataclass(frozen=True)
class State:
    """A conjunction; where nothing is known of a cell, it is of its type."""

    space: Space = field(default_factory=Space)
    known: Mapping[str, Bounds] = field(default_factory=dict)
    values: Mapping[str, Expr] = field(default_factory=dict)

    def without(self, names: Iterable[str]) -> State:
        """Without what is known of some cells."""
        gone = set(names)
        return State(
            self.space.freed(sorted(gone)),
            {name: told for name, told in self.known.items() if name not in gone},
            {name: told for name, told in self.values.items() if name not in gone},
        )

    def joined(self, other: State, steps: Sequence[int] | None = None) -> State:
        """What both say; with steps, bounds that grow go on to one of these."""
        known: dict[str, Bounds] = {}
        for name, was in self.known.items():
            now = other.known.get(name, FREE)
            together = _least(was, now) if steps is None else widened(was, now, steps)
            if together != FREE:
                known[name] = together
        values = {n: v for n, v in self.values.items() if other.values.get(n) == v}
        return State(self.space.joined(other.space), known, values)

    def met(self, other: State) -> State | None:
        """What either says; None if they contradict each other."""
        space: Space | None = self.space
        for name, row in other.space.rows.items():
            space = None if space is None else space.where(row.plus(variable(name), -1))
        known = dict(self.known)
        for name, told in other.known.items():
            known[name] = meet(known.get(name, FREE), told)
        values = dict(self.values)
        for name, value in other.values.items():
            if values.setdefault(name, value) != value:
                return None
        return None if space is None else State(space, known, values).reduced()

    def reduced(self) -> State | None:
        """With the bounds that equations give, and equations from bounds that meet."""
        known = dict(self.known)
        space = self.space
        again = True
        for _ in range(2):
            if not again:
                break
            again = False
            for name, row in space.rows.items():
                for cell, told in _implied(name, row, known):
                    if _is_empty(told):
                        return None
                    known[cell] = told
                    again = True
        for cell, (low, high) in known.items():
            if low is not None and low == high:
                known_row = space.rows.get(cell)
                if known_row == Form({}, low):
                    continue
                found = space.where(Form({cell: 1}, -low))
                if found is None:
                    return None
                space = found
        return State(space, known, self.values)

    def where(self, guard: Expr) -> State | None:
        """What is known where a resolved condition holds."""
        if guard == FALSE:
            return None
        known = bounds_where(guard, dict(self.known))
        if known is None:
            return None
        state: State | None = replace(self, known=known)
        for part in (
            *conjuncts(guard),
            *conjuncts(guard),
        ):  # equations first, then what they refute
            state = None if state is None else state._part(part)
        return None if state is None else state.reduced()

    def _part(self, part: Expr) -> State | None:
        match part:
            case Read(VariablePlace(cell)):
                return self._valued(cell.name, Const(value=True, type=part.type))
            case Unary(UnaryOp.NOT, Read(VariablePlace(cell)) as inner):
                return self._valued(cell.name, Const(value=False, type=inner.type))
            case Binary(BinaryOp.EQ, Read(VariablePlace(cell)), Const() | ThreadAt() as value):
                if type(getattr(value, "value", None)) is not int or not is_integer(
                    part.left.type
                ):
                    return self._valued(cell.name, value)
            case _:
                pass
        match part:
            case Unary(UnaryOp.NOT, Binary(op, left, right)) if op in COMPLEMENT:
                part = Binary(COMPLEMENT[op], left, right)
            case _:
                pass
        if not isinstance(part, Binary) or part.op not in COMPARISONS:
            return self
        a, b = linear(part.left), linear(part.right)
        if a is None or b is None or not is_integer(part.left.type):
            return self
        return self.compared(part.op, a.plus(b, -1))

    def compared(self, op: BinaryOp, form: Form) -> State | None:
        """Where a linear expression is so compared with 0."""
        if op is BinaryOp.EQ:
            space = self.space.where(form)
            return None if space is None else replace(self, space=space)
        value = self.space.value(form)
        if value is not None and not _HOLDS[op](value):
            return None
        return self

    def _valued(self, name: str, value: Expr) -> State | None:
        if self.values.get(name, value) != value:
            return None
        return replace(self, values={**self.values, name: value})


def of_types(cells: Iterable[Cell]) -> Known:
    """Bounds that types give."""
    return {cell.name: cell.limits for cell in cells if cell.is_number and cell.limits != FREE}


def form_bounds(form: Form, known: Mapping[str, Bounds]) -> Bounds:
    """Bounds of a linear expression."""
    values = (*form.factors.values(), form.constant)
    if any(type(value) is not int for value in values):
        return FREE
    low: int | None = int(form.constant)
    high: int | None = int(form.constant)
    for name, factor in form.factors.items():
        least, most = known.get(name, FREE) if factor > 0 else known.get(name, FREE)[::-1]
        low = None if low is None or least is None else low + int(factor * least)
        high = None if high is None or most is None else high + int(factor * most)
    return low, high


def meet(a: Bounds, b: Bounds) -> Bounds:
    """Both bounds."""
    low = b[0] if a[0] is None else a[0] if b[0] is None else max(a[0], b[0])
    high = b[1] if a[1] is None else a[1] if b[1] is None else min(a[1], b[1])
    return low, high


def _implied(name: str, row: Form, known: Mapping[str, Bounds]) -> list[tuple[str, Bounds]]:
    """Tighter bounds of cells by an equation `name = row`."""
    if type(row.constant) is not int:
        return []
    terms: list[tuple[str, int, int | None, int | None]] = []
    least = most = row.constant
    without_least: list[str] = []
    without_most: list[str] = []
    for cell, factor in ((name, -1), *row.factors.items()):
        if type(factor) is not int:
            return []
        low, high = known.get(cell, FREE)
        if factor < 0:
            low, high = high, low
        a = None if low is None else factor * low
        b = None if high is None else factor * high
        terms.append((cell, factor, a, b))
        if a is None:
            without_least.append(cell)
        else:
            least += a
        if b is None:
            without_most.append(cell)
        else:
            most += b
    found: list[tuple[str, Bounds]] = []
    if len(without_least) > 1 and len(without_most) > 1:
        return found
    for cell, factor, a, b in terms:
        # the term is minus the sum of the others
        low = high = None
        if not without_most or without_most == [cell]:
            low = -(most - (b or 0))
        if not without_least or without_least == [cell]:
            high = -(least - (a or 0))
        if factor < 0:
            low, high = (None if high is None else -high), (None if low is None else -low)
        size = abs(factor)
        now = known.get(cell, FREE)
        told = meet(
            now,
            (None if low is None else -(-low // size), None if high is None else high // size),
        )
        if told != now:
            found.append((cell, told))
    return found


def _is_empty(told: Bounds) -> bool:
    return told[0] is not None and told[1] is not None and told[0] > told[1]


def _least(a: Bounds, b: Bounds) -> Bounds:
    return (
        None if a[0] is None or b[0] is None else min(a[0], b[0]),
        None if a[1] is None or b[1] is None else max(a[1], b[1]),
    )
