"""What the chain T⁰ … Tᵏ claims in a run.

After i steps, for i up to k, every thread's pair of stores is in its set of Tⁱ; later there is an
element of the chain that has the pairs of all threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.semantics.state import Cells, LocalStore, Move, State

AFTER_LAST = "the chain contains what comes after it"


def audit_frontier(program: Program, certificate: FrontierCertificate) -> FrontierMonitor:
    """What watches runs."""
    return FrontierMonitor(certificate)


class FrontierMonitor:
    """Counts the steps and looks up pairs."""

    def __init__(self, certificate: FrontierCertificate) -> None:
        stores = [tuple(cells) for cells in certificate.globals]
        self._chain: list[list[set[tuple[Cells, LocalStore]]]] = [
            [{(stores[g], l) for g, l in rows} for rows in sets] for sets in certificate.chain
        ]
        self._steps = 0
        self.evaluated: Counter[str] = Counter(
            {_element(number): 0 for number in range(len(self._chain))}
        )

    def start(self, state: State) -> None:
        """T⁰ has the initial states."""
        self._steps = 0
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """The next element of the chain has the next state."""
        self._steps += 1
        self._look(after)

    def _look(self, state: State) -> None:
        if self._steps < len(self._chain):
            name = _element(self._steps)
            holds = _contains(self._chain[self._steps], state)
        else:
            name = AFTER_LAST
            holds = any(_contains(sets, state) for sets in self._chain)
        self.evaluated[name] += 1
        if not holds:
            raise Broken(f"{name}, but not {state}, reached after {self._steps} steps")


def _element(number: int) -> str:
    return f"T{number} contains what {number} steps lead to"


def _contains(sets: Sequence[set[tuple[Cells, LocalStore]]], state: State) -> bool:
    return all((state.g.cells, l) in pairs for pairs, l in zip(sets, state.locals, strict=True))
