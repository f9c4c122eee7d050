"""What equations between numbers of threads say about a few of them."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.evidence.symbolic.counts import cell_term
from threadwise.ir.linear import CellQuantity, LinearInvariant, LocationCount, Quantity


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
                total = total + factor * numbers[quantity]
            parts.append(total == 0)
        return logic.conjunction(parts)


def _present(quantity: Quantity, threads: Sequence[Environment]) -> int:
    """How many of the threads a quantity counts."""
    if not isinstance(quantity, LocationCount):
        return 0
    return sum(thread.location == quantity.location for thread in threads)
