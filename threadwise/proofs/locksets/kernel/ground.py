"""What is the same for all steps: claims about everything, stability, and what steps change."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import threadwise.ir.expr as ir
import threadwise.proofs.locksets.kernel.claims as said
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.fold import place_expressions, root
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.ir.types import PointerType
from threadwise.proofs.locksets.kernel.claims import Cell
from threadwise.proofs.locksets.kernel.names import is_lasting, is_own, reads
from threadwise.proofs.locksets.kernel.objects import Objects
from threadwise.proofs.locksets.kernel.points_to import Memory, written
from threadwise.proofs.locksets.kernel.threads import Threads
from threadwise.proofs.locksets.kernel.view import View


class Effects(NamedTuple):
    """The cells that an edge may write; the owners of mutexes among them that may get another
    value than `self`; the objects that what is stored where others may find it leads to."""

    cells: frozenset[Cell] = frozenset()
    released: frozenset[Cell] = frozenset()
    escaping: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ground:
    """The claims about everything."""

    program: Program
    claims: said.Claims
    possible: dict[tuple[EdgeId, said.Case], bool] = field(default_factory=dict)
    _views: dict[said.Case, View] = field(default_factory=dict)
    _stable: dict[tuple[said.Claim, str], bool] = field(default_factory=dict)

    @cached_property
    def objects(self) -> Objects:
        """What there is in memory."""
        return Objects(self.program)

    @cached_property
    def memory(self) -> Memory:
        """Where pointers lead to."""
        return Memory(self.objects, self.claims.memory, self.claims.constants)

    @cached_property
    def threads(self) -> Threads:
        """Who runs."""
        return Threads(self.program)

    def view(self, case: said.Case) -> View:
        """A case, as rules see it."""
        if case not in self._views:
            self._views[case] = View(case)
        return self._views[case]

    def is_owned(self, place: ir.Place, view: View) -> bool:
        """Whether a place is in an object that the thread owns."""
        base = root(place)
        return isinstance(base, ir.DerefPlace) and view.owns(base.pointer)

    # -- stability -------------------------------------------------------------------------------

    def is_stable(self, claim: said.Claim, procedure: str) -> bool:
        """Whether steps of other threads leave a claim true."""
        key = claim, procedure
        if key not in self._stable:
            self._stable[key] = self._is_stable(claim, procedure)
        return self._stable[key]

    def _is_stable(self, claim: said.Claim, procedure: str) -> bool:
        for place in reads(parts(claim)):
            if not is_own(place) and not self.memory.cells(place, procedure) <= self.claims.frozen:
                return False
        if not isinstance(claim, said.Holds):
            return True
        cells = self.owners(claim.mutex, procedure)
        are_owners = all(self.objects.leaf(cell).owner for cell in cells)
        return are_owners and cells.isdisjoint(self.claims.spoilt)

    def owners(self, mutex: ir.Place, procedure: str) -> frozenset[Cell]:
        """The cells that the owner of a mutex may be."""
        return self.memory.cells(ir.FieldPlace(mutex, "owner"), procedure)

    # -- effects ---------------------------------------------------------------------------------

    def effects(self, edge: Edge, view: View) -> Effects:
        """What an edge changes, if the thread knows so much."""
        procedure = self.program.procedure_of[edge.source].name
        found = Effects()
        for place, value in written(edge.action):
            if is_own(place):
                continue
            there = self.memory.cells(place, procedure)
            owners = {cell for cell in there if self.objects.leaf(cell).owner}
            escaping: frozenset[str] = frozenset()
            if isinstance(place.type, PointerType) and not self.is_owned(place, view):
                escaping = self.memory.reachable(self.memory.stored(edge, value, procedure))
            found = Effects(
                found.cells | there,
                found.released if value == ir.SelfId() else found.released | owners,
                found.escaping | escaping,
            )
        return found


def parts(claim: said.Claim) -> list[ir.Expr]:
    """The expressions that a claim is about."""
    match claim:
        case said.Fact(condition):
            return [condition]
        case said.Holds(mutex) | said.Entered(mutex):
            return list(place_expressions(mutex))
        case said.Owns(pointer):
            return [pointer]
        case said.Handle(variable, _, _):
            return [ir.Read(variable)]
        case said.Count() | said.Over():
            return []


def is_sayable(claim: said.Claim) -> bool:
    """Whether a claim is of a form that the rules are about."""
    match claim:
        case said.Handle(variable, _, _) | said.Owns(ir.Read(variable)):
            return is_own(variable)
        case said.Owns():
            return False
        case _:
            return all(map(is_lasting, parts(claim)))
