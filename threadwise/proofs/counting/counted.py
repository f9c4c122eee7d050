"""What equations between numbers of threads say about a few of them: as a formula, or decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from threadwise.backends.smt.handle import Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import LocId, Program
from threadwise.ir.quantities import (
    CellQuantity,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
    offset_in,
)
from threadwise.proofs.counting.counts import cell_term
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.terms import Terms
from threadwise.semantics.state import Cells


class CountedThreads:
    """Equations that hold of all threads together, seen by some distinct ones of them."""

    def __init__(self, encoder: Encoder, invariants: Sequence[LinearInvariant]) -> None:
        self.encoder = encoder
        self.logic = encoder.logic
        self.invariants = tuple(invariants)

    def among(self, threads: Sequence[Environment]) -> Term:
        """The equations hold for some numbers of threads, at least those of the given ones."""
        logic = self.logic
        shared = threads[0].shared
        numbers: dict[Quantity, Term] = {}
        parts: list[Term] = []
        for invariant in self.invariants:
            total = logic.integer(invariant.constant)
            for quantity, factor in invariant.terms:
                if isinstance(quantity, CellQuantity):
                    total = total + factor * cell_term(self.encoder, quantity, shared)
                    continue
                if quantity not in numbers:
                    numbers[quantity] = logic.fresh("number", logic.integer_sort)
                    parts.append(numbers[quantity] >= _present(quantity, threads))
                    most = _most(quantity, self.encoder.program)
                    if most is not None:
                        parts.append(numbers[quantity] <= most)
                total = total + factor * numbers[quantity]
            parts.append(total == 0)
        return logic.conjunction(parts)


class CountedStores:
    """The same for global stores whose cells have values, decided by a solver."""

    def __init__(
        self,
        layout: ProgramLayout,
        invariants: Sequence[LinearInvariant],
        tick: Callable[[], object],
    ) -> None:
        self.layout = layout
        self.invariants = tuple(invariants)
        self.logic = Terms()
        self.solver = Solver(self.logic, Effort(tick=tick))
        self._held = {cell.variable.name: cell.variable.type for cell in layout.globals.cells}
        self._known: dict[tuple[object, ...], bool] = {}

    def possible(self, cells: Cells, locations: Sequence[LocId]) -> bool:
        """Whether distinct threads may be at these locations; also if the solver gives up."""
        sums = tuple(self._sum(invariant, cells) for invariant in self.invariants)
        key = (sums, tuple(sorted(locations)))
        if key not in self._known:
            self._known[key] = self._decide(sums, locations)
        return self._known[key]

    def _sum(self, invariant: LinearInvariant, cells: Cells) -> int:
        """The constant and the cells of an equation."""
        total = invariant.constant
        for quantity, factor in invariant.terms:
            if isinstance(quantity, CellQuantity):
                start = self.layout.globals.offset[quantity.variable]
                value = cells[start + offset_in(self._held[quantity.variable], quantity.path)]
                if quantity.equals is not None:
                    value = value == quantity.equals
                assert isinstance(value, int)
                total += factor * int(value)
        return total

    def _decide(self, sums: Sequence[int], locations: Sequence[LocId]) -> bool:
        numbers: dict[Quantity, Term] = {}
        parts: list[Term] = []
        for invariant, known in zip(self.invariants, sums, strict=True):
            total = self.logic.integer(known)
            for quantity, factor in invariant.terms:
                if isinstance(quantity, CellQuantity):
                    continue
                if quantity not in numbers:
                    name = f"number {len(numbers)}"
                    numbers[quantity] = self.logic.constant(name, self.logic.integer_sort)
                    least = 0
                    if isinstance(quantity, LocationCount):
                        least = locations.count(quantity.location)
                    parts.append(numbers[quantity] >= least)
                total = total + factor * numbers[quantity]
            parts.append(total == 0)
        formula = self.logic.conjunction(parts)
        return self.solver.satisfiable(formula) is not Answer.UNSATISFIABLE


def _most(quantity: Quantity, program: Program) -> int | None:
    """How many threads a template may have, if that is what a quantity counts."""
    if isinstance(quantity, ThreadTotal) and quantity.template in program.template:
        return program.template[quantity.template].most
    return None


def _present(quantity: Quantity, threads: Sequence[Environment]) -> int:
    """How many of the threads a quantity counts."""
    if not isinstance(quantity, LocationCount):
        return 0
    return sum(thread.location == quantity.location for thread in threads)
