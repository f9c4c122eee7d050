"""What equations between numbers of threads and shared cells mean in a state: both sides counted.

An equation holds in every state without a failure. Nothing is claimed about the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import LocId, Program
from threadwise.ir.quantities import (
    CellQuantity,
    FrameCount,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
    place_of,
)
from threadwise.ir.types import NONE
from threadwise.proofs.base.audit import Broken, StateMonitor
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.semantics.evaluate import View
from threadwise.semantics.state import GlobalStore, LocalStore, State


class Equations:
    """Equations, to be evaluated in states of one program."""

    def __init__(self, program: Program, invariants: Sequence[LinearInvariant]) -> None:
        self.program = program
        self.layout = ProgramLayout.of(program)
        self.invariants = invariants
        self._slots = {
            quantity: self._slot(quantity)
            for invariant in invariants
            for quantity, _ in invariant.terms
            if isinstance(quantity, CellQuantity)
        }

    def _slot(self, cell: CellQuantity) -> int:
        """Which of the global cells a quantity is about."""
        nobody = LocalStore(LocId(0), (), ())
        view = View(self.program, self.layout, NONE, GlobalStore(()), nobody)
        return view.resolve(place_of(self.program, cell)).slot

    def broken(self, state: State) -> int | None:
        """The number of an equation that does not hold in a state; None if all do."""
        for number, invariant in enumerate(self.invariants):
            total = invariant.constant
            for quantity, factor in invariant.terms:
                value = self._value(quantity, state)
                if value is None:
                    return number
                total += factor * value
            if total != 0:
                return number
        return None

    def _value(self, quantity: Quantity, state: State) -> int | None:
        """The value of a quantity in a state; a cell that was never written has none."""
        match quantity:
            case LocationCount(location):
                return sum(l.pc == location for l in state.locals)
            case FrameCount(call):
                return sum(frame.call == call for stack in state.stacks for frame in stack)
            case ThreadTotal(template):
                return len(self.layout.numbers.ranges[template])
            case CellQuantity(equals=None):
                value = state.g.cells[self._slots[quantity]]
                return int(value) if isinstance(value, int) else None
            case CellQuantity(equals=wanted):
                return int(state.g.cells[self._slots[quantity]] == wanted)


class CountingMonitor(StateMonitor):
    """Evaluates all equations in every state without a failure."""

    def __init__(self, program: Program, invariants: Sequence[LinearInvariant]) -> None:
        super().__init__()
        self.program = program
        self.equations = Equations(program, invariants)
        self.evaluated: Counter[str] = Counter(
            {_name(number): 0 for number in range(len(invariants))}
        )

    def evaluate(self, state: State) -> None:
        """Evaluate the claims in a state; raises Broken."""
        if any(self.program.locations[l.pc].failure is not None for l in state.locals):
            return
        self.evaluated.update(self.evaluated.keys())
        broken = self.equations.broken(state)
        if broken is not None:
            raise Broken(f"{_name(broken)} does not hold")


def _name(number: int) -> str:
    return f"equation {number + 1}"


def audit_counting(program: Program, certificate: CountingCertificate) -> CountingMonitor:
    """The monitor of a proof by counting."""
    return CountingMonitor(program, certificate.invariants)
