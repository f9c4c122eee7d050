"""Invariants in many states at once.

`ThreadVariable`, `AtLabel`, `ThreadRead` and `Quantified` depend on whole states; all else is
evaluated as in edges (`threadwise.proofs.toolbox.vectors`), on the rows that need it only, and
under a quantifier in one row of all that look the same to the formula (`row_kinds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import AtLabel, Expr, Quantified, Quantifier, ThreadRead, ThreadVariable
from threadwise.proofs.state_set.kind_sets import KindSets
from threadwise.proofs.state_set.row_kinds import RowKinds
from threadwise.proofs.state_set.table import StateTable
from threadwise.proofs.toolbox.vectors import Batch, Column, VectorEvaluator


@dataclass(frozen=True)
class StateBatch(Batch):
    """Rows of a table of states; `others` binds thread variables to threads."""

    states: StateTable | None = None
    others: Mapping[str, int] | None = None

    def own_of(self, thread: int) -> tuple[Column, npt.NDArray[np.int64]]:
        """Where a thread is, and its own cells, row by row."""
        assert self.states is not None
        table = self.states.select(self.origin)
        columns = self.states.columns
        return table.column(columns.location[thread]), table.table(columns.own(thread))

    def column(self, number: int) -> Column:
        """One cell of every state."""
        assert self.states is not None
        return self.states.column(number)[self.origin]

    def about(self, others: Mapping[str, int], rows: npt.NDArray[np.intp]) -> StateBatch:
        """Some rows, and which threads the variables of a formula are."""
        chosen = self.select(rows)
        assert isinstance(chosen, StateBatch)
        return replace(chosen, others=others)


class FormulaEvaluator(VectorEvaluator):
    """Formulas over whole states."""

    def holds_always(
        self, formula: Expr, states: StateTable, tick: Callable[[], object]
    ) -> bool | None:
        """Whether a formula is true in every state; None if states must be looked at in parts."""
        variables: tuple[ThreadVariable, ...] = ()
        if isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
            variables, formula = formula.variables, formula.body
        kinds = KindSets(formula, self.layout, states)
        for others in self._choices(variables):
            tick()
            rows = kinds.examples(others)
            if rows is None:
                return None
            if not self.holds(formula, states.select(rows), others).all():
                return False
        return True

    def holds(
        self, formula: Expr, states: StateTable, others: Mapping[str, int] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Where a formula is true; raises Undefined if it has no value."""
        nobody = np.full(len(states), -1, dtype=np.int64)
        shared = states.table(range(len(states.columns.shared)))
        none = np.zeros((len(states), 0), dtype=np.int64)
        batch = StateBatch(
            "", 0, nobody, shared, none, np.arange(len(states)), states=states, others=others or {}
        )
        return self.evaluate(formula, batch).astype(bool)

    def evaluate(self, expr: Expr, batch: Batch) -> Column:
        """The values of an expression; booleans are 0 and 1."""
        if not isinstance(expr, ThreadVariable | AtLabel | ThreadRead | Quantified):
            return super().evaluate(expr, batch)
        assert isinstance(batch, StateBatch)
        assert batch.others is not None
        match expr:
            case ThreadVariable(name, _):
                return np.full(len(batch), batch.others[name], dtype=np.int64)
            case AtLabel(ThreadVariable(name, _), procedure, label):
                where, _ = batch.own_of(batch.others[name])
                places = [
                    location.id
                    for location in self.program.procedure[procedure].locations
                    if label in location.labels
                ]
                return np.isin(where, places).astype(np.int64)
            case ThreadRead(ThreadVariable(name, template), place):
                _, own = batch.own_of(batch.others[name])
                entry = self.program.procedure[self.program.template[template].body].entry
                return self.load(place, replace(batch, template=template, pc=entry, own=own))
            case Quantified():
                return self._quantified(expr, batch)

    def _quantified(self, expr: Quantified, batch: StateBatch) -> Column:
        everywhere = expr.quantifier is Quantifier.FORALL
        result = np.full(len(batch), everywhere, dtype=np.int64)
        assert batch.states is not None
        kinds = RowKinds(expr.body, self.layout, batch.states.columns, batch.column)
        for chosen in self._choices(expr.variables):
            others = {**(batch.others or {}), **chosen}
            found = kinds.with_threads(others)
            if found is not None:
                values = self.evaluate(expr.body, batch.about(others, found.rows))
                if (values != everywhere).any():
                    result[found.everywhere(values) != everywhere] = not everywhere
                continue
            undecided = np.flatnonzero(result == everywhere)
            if not len(undecided):
                break
            result[undecided] = self.evaluate(expr.body, batch.about(others, undecided))
        return result

    def _choices(self, variables: Sequence[ThreadVariable]) -> Iterator[dict[str, int]]:
        """Every choice of threads for some variables."""
        names = [variable.name for variable in variables]
        ranges = [self.layout.numbers.ranges[variable.template] for variable in variables]
        for threads in product(*ranges):
            yield dict(zip(names, threads, strict=True))
