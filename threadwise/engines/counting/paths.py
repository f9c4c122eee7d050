"""Steps as symbolic paths: what one step of a thread does to the shared cells.

A path starts at a location and follows edges, through an atomic region to its end; `values` has
what was assigned on the way, as expressions over the stores before the step, `facts` what the
guards say about those stores. Where an array is indexed by something unknown, the path is split
into one for each position: `Split` is raised, and the path is executed again with another fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from threadwise.engines.counting.simplify import folded, is_some_thread
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number, rebuild, root
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import NONE, ArrayType, PerThread

MOST_POSITIONS = 16
"""Arrays longer than this are not split into their positions."""
MOST_PATHS = 128
"""A step with more paths than this is not analysed."""
LONGEST_PATH = 256

Facts: TypeAlias = dict[Expr, Expr]


class Split(Exception):  # noqa: N818 - asks for a case distinction
    """The value of an expression over the stores before the step matters."""

    def __init__(self, expr: Expr, values: tuple[Const, ...]) -> None:
        super().__init__()
        self.expr = expr
        self.values = values


class Opaque(Exception):  # noqa: N818 - the answer to a question
    """A path that cannot be followed symbolically."""


@dataclass
class Path:
    """Some edges from a location, and what is known about taking them."""

    target: LocId
    facts: Facts
    values: dict[Place, Expr] = field(default_factory=dict)
    length: int = 0
    fresh: int = 0

    def copy(self) -> Path:
        """The same path, to be continued differently."""
        return Path(self.target, dict(self.facts), dict(self.values), self.length, self.fresh)

    def unknown(self, place: Place) -> Expr:
        """A value about which nothing is known."""
        self.fresh += 1
        return Read(VariablePlace(Variable(f"?{self.fresh}", place.type, Scope.LOCAL)))

    # -- expressions -----------------------------------------------------------------------------

    def value(self, expr: Expr) -> Expr:
        """An expression of the current stores in terms of those before the step."""
        if isinstance(expr, Read):
            place = self.place(expr.place)
            known = self.values.get(place)
            return self.known(Read(place) if known is None else known)
        return self.known(rebuild(expr, self.value))

    def known(self, expr: Expr) -> Expr:
        """The expression in the light of the facts."""
        result = folded(expr)
        return self.facts.get(result, result)

    def again(self, expr: Expr) -> Expr:
        """An expression over the stores before the step in the light of later facts."""
        if expr in self.facts:
            return self.facts[expr]
        return expr if isinstance(expr, Read) else self.known(rebuild(expr, self.again))

    def place(self, place: Place) -> Place:
        """The place with its indices in terms of the stores before the step."""
        match place:
            case VariablePlace():
                return place
            case FieldPlace(base, name):
                return FieldPlace(self.place(base), name)
            case DerefPlace():
                raise Opaque
            case IndexPlace(base, index):
                return IndexPlace(self.place(base), self._index(place, self.value(index)))

    def _index(self, place: IndexPlace, index: Expr) -> Expr:
        held = place.base.type
        assert isinstance(held, ArrayType)
        if isinstance(held.extent, PerThread):
            return self._own_index(place, index)
        if isinstance(index, Const):
            return number(int(index.value)) if isinstance(index.value, int) else index
        if held.extent > MOST_POSITIONS:
            raise Opaque
        raise Split(index, tuple(number(k) for k in range(held.extent)))

    def _own_index(self, place: IndexPlace, index: Expr) -> Expr:
        """Cells per thread are distinguished by the text of the index alone."""
        variable = root(place)
        for written in self.values:
            same = isinstance(written, IndexPlace) and written.index == index
            if root(written) == variable and not same:
                raise Opaque
        return index

    # -- actions ---------------------------------------------------------------------------------

    def assume(self, condition: Expr) -> bool:
        """Take note that a condition over the stores before the step holds; False: it cannot."""
        condition = self.again(condition)
        if condition == TRUE:
            return True
        if condition == FALSE:
            return False
        match condition:
            case Binary(BinaryOp.AND, left, right):
                return self.assume(left) and self.assume(right)
            case Unary(UnaryOp.NOT, Binary(BinaryOp.OR, left, right)):
                return self.assume(folded(Unary(UnaryOp.NOT, left))) and self.assume(
                    folded(Unary(UnaryOp.NOT, right))
                )
            case Unary(UnaryOp.NOT, operand):
                self.facts[operand] = FALSE
            case Binary(BinaryOp.EQ, left, right):
                self.facts[condition] = TRUE
                self._equal(left, right)
            case _:
                self.facts[condition] = TRUE
        return True

    def _equal(self, left: Expr, right: Expr) -> None:
        for one, other in ((left, right), (right, left)):
            if isinstance(other, Const) or is_some_thread(other):
                self.facts[one] = other
                return

    def is_some_thread(self, expr: Expr) -> bool:
        """Whether an id is known not to be `none`."""
        if is_some_thread(expr):
            return True
        return any(
            self.facts.get(Binary(BinaryOp.EQ, *pair)) == FALSE
            for pair in ((expr, Const(NONE, expr.type)), (Const(NONE, expr.type), expr))
        )

    def take(self, edge: Edge) -> bool:
        """Follow an edge; False if it cannot be taken."""
        action = edge.action
        if not isinstance(action, Command):
            raise Opaque
        if not self.assume(self.value(action.guard)):
            return False
        written = [(self.place(a.target), self.value(a.value)) for a in action.assignments]
        havoced = [self.place(place) for place in action.havocs]
        self.values.update(written)
        for place in havoced:
            self.values[place] = self.unknown(place)
        self.target = edge.target
        self.length += 1
        if self.length > LONGEST_PATH:
            raise Opaque
        return True


def paths_from(program: Program, source: LocId, first: Edge) -> list[Path]:
    """All ways to make one step beginning with an edge; raises Opaque if they cannot be listed."""
    found: list[Path] = []
    for path in _paths(program, Path(source, {}), first):
        found.append(path)
        if len(found) > MOST_PATHS:
            raise Opaque
    return found


def _paths(program: Program, begun: Path, edge: Edge) -> Iterator[Path]:
    path = begun.copy()
    try:
        possible = path.take(edge)
    except Split as split:
        yield from _cases(program, begun, edge, split)
        return
    if not possible:
        return
    if not program.locations[path.target].atomic:
        yield path
        return
    for following in program.outgoing[path.target]:
        yield from _paths(program, path, following)


def _cases(program: Program, begun: Path, edge: Edge, split: Split) -> Iterator[Path]:
    for value in split.values:
        case = begun.copy()
        case.facts[split.expr] = value
        yield from _paths(program, case, edge)
