"""Linear invariants as side conditions of formulas about a few threads.

The number of threads at a location is at least the number of those that a formula is about and
that are there; the rest is a number that is not negative, and otherwise unknown. Locations that
occur alike in all equations share one rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Store
from threadwise.backends.smt.logic import Term
from threadwise.ir.quantities import (
    CellQuantity,
    LinearInvariant,
    LocationCount,
    Quantity,
    place_of,
)
from threadwise.ir.types import BoolType


def _about_cells(invariants: Sequence[LinearInvariant]) -> list[LinearInvariant]:
    """The equations about shared cells, and those that bound the numbers of threads in them."""
    found = [invariant for invariant in invariants if invariant.is_about_cells]
    counted = {quantity for invariant in found for quantity, _ in invariant.terms}
    for invariant in invariants:
        quantities = {quantity for quantity, _ in invariant.terms}
        if quantities & counted and all(isinstance(q, LocationCount) for q in quantities):
            found.append(invariant)
    return found


class SymbolicFacts:
    """The equations of a program about shared cells, as formulas."""

    def __init__(self, encoder: Encoder, invariants: Sequence[LinearInvariant]) -> None:
        self.encoder = encoder
        self.logic = encoder.logic
        self.all = tuple(invariants)
        self.invariants = _about_cells(invariants)
        self.columns: dict[tuple[int, ...], list[Quantity]] = {}
        """What is counted, by its factors in all equations."""
        counted = dict.fromkeys(
            quantity
            for invariant in self.invariants
            for quantity, _ in invariant.terms
            if not isinstance(quantity, CellQuantity)
        )
        for quantity in counted:
            column = tuple(dict(i.terms).get(quantity, 0) for i in self.invariants)
            self.columns.setdefault(column, []).append(quantity)

    def about(self, shared: Store, threads: Sequence[Environment]) -> list[Term]:
        """What the equations say about a store and some distinct threads."""
        if not self.invariants:
            return []
        logic = self.logic
        parts: list[Term] = []
        sums = [logic.integer(invariant.constant) for invariant in self.invariants]
        for k, invariant in enumerate(self.invariants):
            for quantity, factor in invariant.terms:
                if isinstance(quantity, CellQuantity):
                    sums[k] = sums[k] + factor * self._cell(quantity, shared)
        for column, quantities in self.columns.items():
            rest = logic.fresh("rest", logic.integer_sort)
            parts.append(rest >= 0)
            number = rest
            places = [q.location for q in quantities if isinstance(q, LocationCount)]
            for thread in threads:
                here = self._is_among(thread, places)
                if not logic.is_false(here):
                    number = number + logic.choice(here, logic.integer(1), logic.integer(0))
            for k, factor in enumerate(column):
                if factor:
                    sums[k] = sums[k] + factor * number
        parts.extend(total == 0 for total in sums)
        return parts

    def _is_among(self, thread: Environment, places: Sequence[int]) -> Term:
        if isinstance(thread.location, int):
            return self.logic.boolean(thread.location in places)
        return self.logic.disjunction([thread.location == place for place in places])

    def _cell(self, cell: CellQuantity, shared: Store) -> Term:
        place = place_of(self.encoder.program, cell)
        viewer = Environment(shared, {}, self.logic.integer(-1), "")
        value = self.encoder.read(place, viewer)
        if cell.equals is not None:
            value = value == cell.equals
        elif not isinstance(place.type, BoolType):
            return value
        return self.logic.choice(value, self.logic.integer(1), self.logic.integer(0))
