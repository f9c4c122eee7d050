"""Expressions and places of the IR, seen by one thread, as values over sets of states.

`Store` is the state of a symbolic execution: which cells no longer have the value they had in the
state before the step. Cells that were not written are read from their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import assert_never

from threadwise.backends.bdd.fields import Field, FieldSets
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.space import Space, ThreadFields
from threadwise.backends.bdd.values import Choice, Choices
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.expr import (
    COMPARISONS,
    CONNECTIVES,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    PointerExpr,
    Quantified,
    Quantifier,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    VariablePlace,
    Wrap,
)
from threadwise.ir.layout import extent_of, field_offset, size_of
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType

Store = Mapping[str, Choice]
"""By the name of the field: what it holds now, if it was written."""


@dataclass(frozen=True)
class Cells:
    """Some cells of one region: where a place may be, and in which states."""

    region: tuple[Field, ...]
    offsets: Mapping[int, Node]


@dataclass(frozen=True)
class Viewer:
    """Evaluates for one thread; `bound` gives the quantified threads of an invariant."""

    space: Space
    sets: FieldSets
    choices: Choices
    thread: int | None
    store: Store = field(default_factory=dict)
    bound: Mapping[str, int] = field(default_factory=dict)
    where: Node | None = None
    """States outside do not matter: an index need not be evaluated there."""

    @property
    def me(self) -> ThreadFields:
        """The fields of the thread at hand."""
        if self.thread is None:
            raise InternalError("nobody's own variables")
        return self.space.threads[self.thread]

    # -- places -----------------------------------------------------------------------------------

    def cells(self, place: Place) -> Cells:
        """Where a place may be."""
        numbers = self.space.numbers
        match place:
            case VariablePlace(variable):
                match variable.scope:
                    case Scope.GLOBAL:
                        region, slot = (
                            self.space.shared,
                            self.space.layout.globals.offset[variable.name],
                        )
                    case Scope.THREAD:
                        layout = self.space.layout.thread[self.me.template]
                        region, slot = self.me.own, layout.offset[variable.name]
                    case Scope.LOCAL:
                        body = self.space.program.template[self.me.template].body
                        offset = self.space.layout.local[body].offset[variable.name]
                        region, slot = self.me.own, self.me.scoped + offset
                return Cells(region, {slot: self.choices.true})
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                whole = self.cells(base)
                skipped = field_offset(held, name, numbers)
                return replace(whole, offsets={o + skipped: n for o, n in whole.offsets.items()})
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                return self._element(self.cells(base), held, self.evaluate(index))
            case DerefPlace():
                raise Unsupported("pointers, in BDDs")

    def _element(self, whole: Cells, held: ArrayType, index: Choice) -> Cells:
        numbers = self.space.numbers
        first = 0
        if isinstance(held.extent, PerThread):
            first = numbers.ranges[held.extent.template].start
        extent, width = extent_of(held, numbers), size_of(held.element, numbers)
        found: dict[int, Node] = {}
        for value, node in index.items():
            assert isinstance(value, int)
            if 0 <= value - first < extent and self._matters(node):
                for offset, where in whole.offsets.items():
                    found[offset + (value - first) * width] = node & where
        return Cells(whole.region, found)

    def _matters(self, node: Node) -> bool:
        return self.where is None or node & self.where != self.choices.false

    def held(self, cell: Field) -> Choice:
        """What a field holds now."""
        written = self.store.get(cell.name)
        return self.sets.literals(cell) if written is None else written

    def load(self, cells: Cells) -> Choice:
        """What a place holds."""
        parts = [
            self.choices.restricted(self.held(cells.region[offset]), where)
            for offset, where in cells.offsets.items()
        ]
        return parts[0] if len(parts) == 1 else self.choices.merged(*parts)

    # -- expressions ------------------------------------------------------------------------------

    def yes(self, formula: Expr) -> Node:
        """The states in which a formula has a value, and it is true."""
        return self.choices.yes(self.evaluate(formula))

    def evaluate(self, expr: Expr) -> Choice:  # noqa: C901, PLR0911, PLR0912 - a case per node
        """The value of an expression."""
        choices, numbers = self.choices, self.space.numbers
        match expr:
            case Const(value, _):
                return choices.constant(value)
            case Read(place):
                return self.load(self.cells(place))
            case Unary(op, operand):
                return choices.unary(op, self.evaluate(operand))
            case Binary(op, left, right) if op in CONNECTIVES:
                return choices.connective(op, self.evaluate(left), lambda: self.evaluate(right))
            case Binary(BinaryOp.EQ, left, right):
                return choices.equality(self.evaluate(left), self.evaluate(right))
            case Binary(BinaryOp.NE, left, right):
                same = choices.equality(self.evaluate(left), self.evaluate(right))
                return choices.truth(choices.no(same), choices.yes(same))
            case Binary(op, left, right) if op in COMPARISONS:
                return choices.comparison(op, self.evaluate(left), self.evaluate(right))
            case Binary(op, left, right):
                return choices.arithmetic(op, self.evaluate(left), self.evaluate(right))
            case Conditional():
                return self._conditional(expr)
            case Wrap(low, high, operand):
                period = high - low + 1
                return choices.mapped(lambda v: low + (v - low) % period, self.evaluate(operand))
            case Clamp(low, high, operand):
                return choices.mapped(lambda v: min(max(v, low), high), self.evaluate(operand))
            case SelfId():
                return choices.constant(self.thread)
            case SelfIndex():
                return choices.constant(self.me.thread - numbers.ranges[self.me.template].start)
            case ThreadAt(template, position):
                start = numbers.ranges[template].start
                return choices.mapped(lambda v: start + v, self.evaluate(position))
            case IsInstance(operand, template):
                members = numbers.ranges[template]
                inside = choices.mapped(lambda v: int(v in members), self.evaluate(operand))
                return {bool(value): node for value, node in inside.items()}
            case ThreadVariable(name, _):
                return choices.constant(self.bound[name])
            case AtLabel(ThreadVariable(name, _), procedure, label):
                return self._at(self.bound[name], procedure, label)
            case ThreadRead(ThreadVariable(name, _), place):
                return replace(self, thread=self.bound[name]).evaluate(Read(place))
            case Quantified():
                return self._quantified(expr)
            case _ if isinstance(expr, PointerExpr):
                raise Unsupported("pointers, in BDDs")
            case _:
                assert_never(expr)

    def _conditional(self, expr: Conditional) -> Choice:
        chosen = self.evaluate(expr.condition)
        yes, no = self.choices.yes(chosen), self.choices.no(chosen)
        parts: list[Choice] = []
        if yes != self.choices.false:
            parts.append(self.choices.restricted(self.evaluate(expr.then), yes))
        if no != self.choices.false:
            parts.append(self.choices.restricted(self.evaluate(expr.otherwise), no))
        return parts[0] if len(parts) == 1 else self.choices.merged(*parts)

    def _at(self, thread: int, procedure: str, label: str) -> Choice:
        fields = self.space.threads[thread]
        program = self.space.program
        literals = self.sets.literals(fields.location)
        inside = [
            node
            for place, node in literals.items()
            if isinstance(place, int)
            and program.procedure_of[place].name == procedure
            and label in program.locations[place].labels
        ]
        yes = self.choices.manager.union(inside)
        return self.choices.truth(yes, self.sets.valid(fields.location) & ~yes)

    def _quantified(self, expr: Quantified) -> Choice:
        """Instances are evaluated one after the other until one decides, as in `all` and `any`."""
        ranges = [self.space.numbers.ranges[v.template] for v in expr.variables]
        names = [variable.name for variable in expr.variables]
        deciding = expr.quantifier is Quantifier.EXISTS
        decided, undecided = self.choices.false, self.choices.true
        for chosen in product(*ranges):
            bound = {**self.bound, **dict(zip(names, chosen, strict=True))}
            body = replace(self, bound=bound).evaluate(expr.body)
            decided |= undecided & body.get(deciding, self.choices.false)
            undecided &= body.get(not deciding, self.choices.false)
        if deciding:
            return self.choices.truth(decided, undecided)
        return self.choices.truth(undecided, decided)
