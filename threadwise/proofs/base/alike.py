"""Symmetry in a single state: threads with equal local stores are interchangeable in formulas.

Threads of a template whose local stores are equal differ in their ids only. A formula that never
reads an id cannot distinguish them. If it has k variables, it is true of all choices of threads
iff it is true of those that take at most k threads with each local store. So the cost of
evaluating it depends on the number of different local stores in a state, not on that of threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from math import prod

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    Quantified,
    Quantifier,
    SelfId,
    SelfIndex,
    ThreadVariable,
)
from threadwise.ir.fold import subexpressions
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import NONE, Value
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import State


def some_of_each(
    threads: Iterable[int], most: int, looks: Callable[[int], Hashable]
) -> Sequence[int]:
    """At most `most` threads of each kind, the first ones; `looks` gives the kind of a thread."""
    seen: Counter[Hashable] = Counter()
    found = []
    for t in threads:
        kind = looks(t)
        if seen[kind] < most:
            seen[kind] += 1
            found.append(t)
    return found


def ignores_ids(formula: Expr) -> bool:
    """Whether ids of threads are only compared with each other, if at all."""
    parts = list(subexpressions(formula))
    ids = sum(isinstance(part, ThreadVariable) for part in parts)
    compared = sum(2 for part in parts if _compares_ids(part))
    return ids == compared and not any(isinstance(part, SelfId | SelfIndex) for part in parts)


def _compares_ids(part: Expr) -> bool:
    return (
        isinstance(part, Binary)
        and part.op in (BinaryOp.EQ, BinaryOp.NE)
        and isinstance(part.left, ThreadVariable)
        and isinstance(part.right, ThreadVariable)
    )


def variables(formula: Expr) -> int:
    """How many threads a formula quantifies over at once, at most."""
    quantified = (part for part in subexpressions(formula) if isinstance(part, Quantified))
    return sum(len(part.variables) for part in quantified)


def choices_of(program: Program, formula: Expr) -> int:
    """Roughly how many choices of threads the quantifiers of a formula have."""
    count = {template.name: template.count or 0 for template in program.templates}
    return _choices(count, formula)


def _choices(count: Mapping[str, int], formula: Expr) -> int:
    quantified = (part for part in subexpressions(formula) if isinstance(part, Quantified))
    return prod(count[v.template] for part in quantified for v in part.variables)


@dataclass
class _FewThreads(View):
    """A view whose quantifiers range over some threads of each template."""

    chosen: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def evaluate(self, expr: Expr) -> Value:
        """The value of an expression."""
        if not isinstance(expr, Quantified):
            return super().evaluate(expr)
        names = [variable.name for variable in expr.variables]
        results = (
            self._binding(dict(zip(names, threads, strict=True))).holds(expr.body)
            for threads in product(*(self.chosen[v.template] for v in expr.variables))
        )
        return all(results) if expr.quantifier is Quantifier.FORALL else any(results)

    def _binding(self, extra: Mapping[str, int]) -> View:
        bound = {**self.bound, **extra}
        return _FewThreads(
            self.program,
            self.layout,
            self.thread,
            self.g,
            self.l,
            self.on_read,
            self.others,
            bound,
            self.chosen,
        )


class FormulaOfState:
    """The formula of an invariant that ignores ids, evaluated with some threads of each kind."""

    def __init__(self, program: Program, invariant: InvariantProperty) -> None:
        self.program = program
        self.layout = ProgramLayout.of(program)
        self.formula = invariant.formula
        self.most = variables(invariant.formula)
        self.choices = 0
        """Roughly how many choices of threads its quantifiers had in the last state."""

    def holds(self, state: State) -> bool:
        """Whether it is true in a state; a formula without value is not."""
        chosen = {
            name: some_of_each(threads, self.most, lambda t: state.locals[t])
            for name, threads in self.layout.numbers.ranges.items()
        }
        self.choices = _choices({name: len(few) for name, few in chosen.items()}, self.formula)
        first = state.locals[0] if state.locals else None
        view = _FewThreads(
            self.program,
            self.layout,
            NONE,
            state.g,
            first,  # type: ignore[arg-type]  # invariants read no local store of their own
            others=state.locals,
            chosen=chosen,
        )
        try:
            return view.holds(self.formula)
        except Undefined:
            return False
