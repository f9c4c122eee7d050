"""Numbers of threads as constants of a solver, and linear invariants as formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from threadwise.backends.smt.handle import Term
from threadwise.ir.commands import Call
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.quantities import (
    CellQuantity,
    FrameCount,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
    place_of,
)
from threadwise.ir.types import BoolType
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment, Store
from threadwise.proofs.toolbox.smt.steps import SymbolicSteps

Moves = Mapping[Quantity, int]


class SymbolicCounts:
    """The numbers of threads at each location and of waiting frames, and what they satisfy."""

    def __init__(self, steps: SymbolicSteps) -> None:
        self.steps = steps
        self.program = steps.program
        self.logic = steps.logic
        sort = self.logic.integer_sort
        reached = dict.fromkeys(p for places in steps.locations.values() for p in places)
        self.at: dict[LocId, Term] = {
            p: self.logic.constant(f"#at {p}", sort) for p in sorted(reached)
        }
        self.frames: dict[EdgeId, Term] = {
            edge.id: self.logic.constant(f"#waiting {edge.id}", sort)
            for edge in self.program.edges
            if isinstance(edge.action, Call)
        }

    def term(self, quantity: Quantity, shared: Store, moves: Moves) -> Term:
        """A quantity after some moves of threads; KeyError if the program has none such."""
        match quantity:
            case LocationCount(location):
                return self.at[location] + moves.get(quantity, 0)
            case FrameCount(call):
                return self.frames[call] + moves.get(quantity, 0)
            case ThreadTotal(template):
                start, stop = self.steps.environments.ranges[template]
                return stop - start
            case CellQuantity():
                return cell_term(self.steps.encoder, quantity, shared)

    def holds(self, invariant: LinearInvariant, shared: Store, moves: Moves) -> Term:
        """Whether an invariant holds after some moves."""
        total: Term = self.logic.integer(invariant.constant)
        for quantity, factor in invariant.terms:
            total = total + factor * self.term(quantity, shared, moves)
        return total == 0

    def all_hold(self, invariants: Iterable[LinearInvariant], shared: Store, moves: Moves) -> Term:
        """Whether all invariants hold after some moves."""
        return self.logic.conjunction([self.holds(i, shared, moves) for i in invariants])

    @property
    def natural(self) -> Term:
        """No number of threads or frames is negative."""
        return self.logic.conjunction(
            [count >= 0 for count in (*self.at.values(), *self.frames.values())]
        )

    def counted(self, threads: Sequence[Environment]) -> Term:
        """Distinct threads are among those counted at their locations."""
        parts: list[Term] = []
        for location, count in self.at.items():
            here = [
                self.logic.choice(
                    self.logic.boolean(thread.location == location)
                    if isinstance(thread.location, int)
                    else thread.location == location,
                    self.logic.integer(1),
                    self.logic.integer(0),
                )
                for thread in threads
            ]
            known = [self.logic.numeral(one) for one in here]
            if all(one == 0 for one in known):
                continue
            parts.append(count >= sum(here[1:], start=here[0]))
        return self.logic.conjunction(parts)


def cell_term(encoder: Encoder, cell: CellQuantity, shared: Store) -> Term:
    """The quantity of a cell in a shared store; KeyError if the program has no such cell."""
    logic = encoder.logic
    place = place_of(encoder.program, cell)
    value = encoder.read(place, Environment(shared, {}, logic.integer(-1), ""))
    if cell.equals is not None:
        value = value == cell.equals
    elif not isinstance(place.type, BoolType):
        return value
    return logic.choice(value, logic.integer(1), logic.integer(0))
