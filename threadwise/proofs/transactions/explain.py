"""Procedure summaries of a pushdown proof: what a call can do, interference included.

For each procedure the relation between entry and exit, as a formula over the shared variables and
parameters at entry (`x`), the shared variables at exit (`x'`) and the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from threadwise.ir.commands import Return
from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import INT, Value
from threadwise.proofs.base.union import Certificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.toolbox.explain.cubes import (
    Formula,
    Shown,
    ShownVariable,
    Valuation,
    formula,
    merge,
    universe,
)
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.semantics.evaluate import View
from threadwise.semantics.state import GlobalStore, LocalStore

Show = Callable[[int, Cell, Value], Shown]
"""How a thread sees the value of a cell."""


@dataclass(frozen=True)
class ProcedureSummary:
    """What calling a procedure can do."""

    procedure: str
    formula: Formula
    pairs: int
    """How many pairs of entry and exit there are."""


def tables_of_calls(certificate: Certificate) -> PushdownCertificate | None:
    """The tables of a proof that say what calls do, if it has any."""
    match certificate:
        case PushdownCertificate():
            return certificate
        case SummaryCertificate(pairs=None):  # one thread: every call is inside a transaction
            return PushdownCertificate(
                certificate.program_hash,
                certificate.properties,
                certificate.globals,
                [[(g, l) for g, l, _ in tables.nodes] for tables in certificate.summaries],
                [tables.path_edges for tables in certificate.summaries],
                [
                    [(a, a, tables.frames[f]) for a, f, _ in tables.returns]
                    for tables in certificate.summaries
                ],
                [() for _ in certificate.summaries],
            )
        case SymmetricCertificate() if certificate.path_edges:
            return _of_representatives(certificate)
        case ReductionCertificate() | SummaryCertificate():
            return tables_of_calls(certificate.pairs) if certificate.pairs else None
        case _:
            return None


def _of_representatives(certificate: SymmetricCertificate) -> PushdownCertificate:
    """The tables of each representative, at the place of its id."""
    place = {thread: k for k, thread in enumerate(certificate.threads)}
    known = [place.get(t) for t in range(max(place) + 1)]
    return PushdownCertificate(
        certificate.program_hash,
        certificate.properties,
        certificate.globals,
        [() if k is None else certificate.reached[k] for k in known],
        [() if k is None else certificate.path_edges[k] for k in known],
        [() if k is None else certificate.callers[k] for k in known],
        [() if k is None else certificate.guarantees[k] for k in known],
    )


def summaries(
    program: Program, certificate: PushdownCertificate, thread: int, show: Show
) -> list[ProcedureSummary]:
    """The summaries of the procedures a thread calls, in program order."""
    return _Summariser(program, certificate, thread, show).all()


class _Summariser:
    def __init__(
        self, program: Program, certificate: PushdownCertificate, thread: int, show: Show
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.thread = thread
        self.show = show
        self.layout = ProgramLayout.of(program)
        stores = dict.fromkeys(g for g, _ in certificate.pairs[thread])
        count = len(self.layout.globals.cells)
        self.everywhere = universe([self._shared(g) for g in stores], count)
        """All values the shared variables ever have."""

    def all(self) -> list[ProcedureSummary]:
        """One summary for each procedure that returns."""
        pairs = self.certificate.pairs[self.thread]
        called = {entry for entry, _, _ in self.certificate.callers[self.thread]}
        found: defaultdict[str, list[Valuation]] = defaultdict(list)
        for entry, current in self.certificate.path_edges[self.thread]:
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
        values = self.certificate.globals[g]
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
