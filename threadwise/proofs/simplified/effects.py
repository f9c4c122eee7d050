"""What the edges of a path do together, in terms of the state where the path begins.

    s --[p] x := e--> m --[q] y := f--> t      is      [p && q'] x := e, y := f'

where q' and f' are q and f with e for x. An input is a symbol of its own. Only the last edge may
write parts of variables, or go through pointers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    TRUE,
    BinaryOp,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    conjuncts,
    is_shared,
    place_expressions,
    rebuild,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge
from threadwise.ir.types import is_scalar
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.normal import Normal, connected


class Evaluated(NamedTuple):
    """A term that is evaluated, what shared memory it reads, and whether that synchronises."""

    term: Expr
    places: tuple[Place, ...]
    sync: bool


@dataclass
class Effect:
    """What a path does; all terms are in normal form."""

    guard: Expr = TRUE
    whole: dict[Variable, Expr] = field(default_factory=dict)
    """What scalar variables hold afterwards."""
    chosen: set[Variable] = field(default_factory=set)
    """Scalar variables that hold an input."""
    stores: list[tuple[Place, Expr | None]] = field(default_factory=list)
    """What is stored in parts of variables or through pointers, in this order; None: an input."""
    evaluated: list[Expr] = field(default_factory=list)
    """Everything that is evaluated, besides the parts of the guard."""
    touched: list[tuple[Place, bool]] = field(default_factory=list)
    """What is written, with whether that synchronises."""
    reads: list[Evaluated] = field(default_factory=list)
    """What is evaluated, the guard included."""


class Symbolic:
    """Takes the edges of a path one by one."""

    def __init__(self, normal: Normal) -> None:
        self.normal = normal
        self.effect = Effect()
        self.inputs: set[Variable] = set()

    def take(self, edge: Edge, *, last: bool) -> None:
        """One edge more; raises Refuted if it cannot be followed."""
        command = edge.action
        if not isinstance(command, Command):
            raise Refuted("no command inside a path")
        effect = self.effect
        guard = self._expr(command.guard)
        effect.guard = connected(BinaryOp.AND, effect.guard, guard)
        for part in conjuncts(command.guard):
            self._evaluated(edge, part)
        assigned: list[tuple[Place, Expr | None]] = []
        for assignment in command.assignments:
            place, value = self._place(assignment.target), self._expr(assignment.value)
            assigned.append((place, value))
            effect.evaluated.append(value)
            self._evaluated(edge, assignment.value)
            self._looked_up(edge, assignment.target)
        for havoc in command.havocs:
            place = self._place(havoc)
            assigned.append((place, None))
            self._looked_up(edge, havoc)
        through = any(isinstance(root(place), DerefPlace) for place, _ in assigned)
        for place, new in assigned:
            effect.touched.append((place, edge.sync))
            self._store(place, new, last=last, ordered=through and is_shared(place))

    def _looked_up(self, edge: Edge, place: Place) -> None:
        """What is evaluated to find a place."""
        for expr in place_expressions(place):
            self.effect.evaluated.append(self._expr(expr))
            self._evaluated(edge, expr)

    def _evaluated(self, edge: Edge, expr: Expr) -> None:
        places = tuple(self._looks(expr))
        if places:
            self.effect.reads.append(Evaluated(self._expr(expr), places, edge.sync))

    def _looks(self, expr: Expr) -> Iterator[Place]:
        """The shared memory that an expression may read, besides what is constant."""
        for part in subexpressions(expr):
            if not isinstance(part, Read | IsWritten) or not is_shared(part.place):
                continue
            if self.normal.value(part.place) is None:
                yield self._place(part.place)

    def _store(self, place: Place, value: Expr | None, *, last: bool, ordered: bool) -> None:
        """Store a value; `ordered` if a pointer may lead to the same cell."""
        effect = self.effect
        if not ordered and isinstance(place, VariablePlace) and is_scalar(place.type):
            variable = place.variable
            effect.chosen.discard(variable)
            if value is None:
                effect.chosen.add(variable)
                value = Read(VariablePlace(self._input(variable)))
            effect.whole[variable] = value
            return
        if not last:
            raise Refuted("a part of a variable is stored inside a path")
        effect.stores.append((place, value))

    def _input(self, variable: Variable) -> Variable:
        symbol = Variable(f"?{len(self.inputs)}", variable.type, Scope.LOCAL)
        self.inputs.add(symbol)
        return symbol

    def _expr(self, expr: Expr) -> Expr:
        return self.normal.of(self._seen(expr) if self.effect.whole else expr)

    def _seen(self, expr: Expr) -> Expr:
        """An expression as it is seen from where the path begins."""
        if isinstance(expr, Read):
            place = expr.place
            if isinstance(place, VariablePlace) and place.variable in self.effect.whole:
                return self.effect.whole[place.variable]
            if isinstance(root(place), DerefPlace):
                raise Refuted("a pointer is followed inside a path")
        return rebuild(expr, self._seen)

    def _place(self, place: Place) -> Place:
        match place:
            case VariablePlace():
                return place
            case FieldPlace(base, name):
                return FieldPlace(self._place(base), name)
            case IndexPlace(base, index):
                return IndexPlace(self._place(base), self._expr(index))
            case DerefPlace(pointer, _):
                if self.effect.whole:
                    raise Refuted("a pointer is followed inside a path")
                return self.normal.place(DerefPlace(pointer, place.type))


def effect_of(edges: Sequence[Edge], normal: Normal) -> Effect:
    """The effect of a path of commands; raises Refuted if it is not known."""
    symbolic = Symbolic(normal)
    for position, edge in enumerate(edges, start=1):
        symbolic.take(edge, last=position == len(edges))
    return symbolic.effect
