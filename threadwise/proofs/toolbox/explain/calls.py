"""Procedure summaries of proofs with calls: what a call can do, interference included.

For each procedure the relation between entry and exit, as a formula over the shared variables and
parameters at entry (`x`), the shared variables at exit (`x'`) and the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Return
from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import INT, Value
from threadwise.proofs.base.explanation import ProcedureSummary
from threadwise.proofs.toolbox.explain.cubes import (
    Shown,
    ShownVariable,
    Valuation,
    formula,
    merge,
    universe,
)
from threadwise.semantics.evaluate import View
from threadwise.semantics.state import Cells, Frame, GlobalStore, LocalStore

Show = Callable[[int, Cell, Value], Shown]
"""How a thread sees the value of a cell."""


@dataclass(frozen=True)
class CallTables:
    """The tables of a proof that say what calls do: per thread, by positions of pairs."""

    globals: Sequence[Cells]
    pairs: Sequence[Sequence[tuple[int, LocalStore]]]
    path_edges: Sequence[Sequence[tuple[int, int]]]
    callers: Sequence[Sequence[tuple[int, int, Frame]]]


def summaries(
    program: Program, tables: CallTables, thread: int, show: Show
) -> list[ProcedureSummary]:
    """The summaries of the procedures a thread calls, in program order."""
    return _Summariser(program, tables, thread, show).all()


class _Summariser:
    def __init__(self, program: Program, tables: CallTables, thread: int, show: Show) -> None:
        self.program = program
        self.tables = tables
        self.thread = thread
        self.show = show
        self.layout = ProgramLayout.of(program)
        stores = dict.fromkeys(g for g, _ in tables.pairs[thread])
        count = len(self.layout.globals.cells)
        self.everywhere = universe([self._shared(g) for g in stores], count)
        """All values the shared variables ever have."""

    def all(self) -> list[ProcedureSummary]:
        """One summary for each procedure that returns."""
        pairs = self.tables.pairs[self.thread]
        called = {entry for entry, _, _ in self.tables.callers[self.thread]}
        found: defaultdict[str, list[Valuation]] = defaultdict(list)
        for entry, current in self.tables.path_edges[self.thread]:
            if entry in called:
                before, after = pairs[entry], pairs[current]
                for result in self._results(after[1]):
                    name = self.program.procedure_of[before[1].pc].name
                    found[name].append(self._valuation(before, after, result))
        return [
            self._summary(procedure.name, found[procedure.name])
            for procedure in self.program.procedures
            if procedure.name in found
        ]

    def _results(self, l: LocalStore) -> list[Shown | None]:
        """The values that a return from here hands over; empty if there is no return."""
        results: list[Shown | None] = []
        view = View(self.program, self.layout, self.thread, GlobalStore(()), l)
        for edge in self.program.outgoing[l.pc]:
            if isinstance(edge.action, Return) and view.holds(edge.action.guard):
                if edge.action.value is None:
                    results.append(None)
                else:
                    value = view.evaluate(edge.action.value)
                    results.append(value if isinstance(value, int) else str(value))
        return results

    def _valuation(
        self,
        before: tuple[int, LocalStore],
        after: tuple[int, LocalStore],
        result: Shown | None,
    ) -> Valuation:
        count = self._parameter_cells(before[1])
        own = self.layout.local[self.program.procedure_of[before[1].pc].name].cells[:count]
        parameters = tuple(
            self.show(self.thread, cell, value)
            for cell, value in zip(own, before[1].locals[:count], strict=True)
        )
        shared = (*self._shared(before[0]), *parameters, *self._shared(after[0]))
        return shared if result is None else (*shared, result)

    def _parameter_cells(self, l: LocalStore) -> int:
        procedure = self.program.procedure_of[l.pc]
        names = {parameter.name for parameter in procedure.parameters}
        cells = self.layout.local[procedure.name].cells
        return sum(cell.variable.name in names for cell in cells)

    def _shared(self, g: int) -> Valuation:
        cells = self.layout.globals.cells
        values = self.tables.globals[g]
        return tuple(
            self.show(self.thread, cell, value) for cell, value in zip(cells, values, strict=True)
        )

    def _summary(self, name: str, valuations: Sequence[Valuation]) -> ProcedureSummary:
        procedure = self.program.procedure[name]
        names = {parameter.name for parameter in procedure.parameters}
        shared = self.layout.globals.cells
        own = [c for c in self.layout.local[name].cells if c.variable.name in names]
        described = [
            *((cell.name, cell.type) for cell in (*shared, *own)),
            *((f"{cell.name}'", cell.type) for cell in shared),
        ]
        own_values = [frozenset[Shown]() for _ in own]
        values = [*self.everywhere, *own_values, *self.everywhere]
        variables = [
            ShownVariable(label, held, taken)
            for (label, held), taken in zip(described, values, strict=True)
        ]
        if len(valuations[0]) > len(variables):
            variables.append(ShownVariable("result", INT, frozenset()))
        return ProcedureSummary(name, formula(merge(valuations), variables), len(set(valuations)))
