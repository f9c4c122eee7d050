"""Cells that there is one of: a lock that may only be such a cell is the same lock for everyone.

single variable   a global variable is one object
single site       what the first thread allocates at an edge that it takes at most once: no path
                  leads back to the edge, and no other edge allocates under the same name
single cell       a cell of a single object that is in no array
"""

from __future__ import annotations

from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import Const, Place, Scope, Variable, VariablePlace
from threadwise.ir.layout import tail_of
from threadwise.ir.program import Edge, Procedure
from threadwise.ir.types import ArrayType, MutexType, RecordType, Type, fields_of
from threadwise.proofs.locksets.memory.cells import Target, folded_size, is_site
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.threads.creation import Threads


@dataclass(frozen=True)
class Singles:
    """The single cells of a program."""

    memory: Memory
    threads: Threads

    def name(self, place: Place, procedure: str) -> Place | None:
        """The only cell that a place may be, under one name for everyone."""
        cells = set(self.memory.targets(place, procedure))
        if len(cells) != 1 or not self.memory.is_exact(place, procedure):
            return None
        (cell,) = cells
        if not self._is_single(cell):
            return None
        return VariablePlace(Variable(f"{cell.object}#{cell.cell}", place.type, Scope.GLOBAL))

    def _is_single(self, cell: Target) -> bool:
        name = cell.object
        if name.endswith("@") or cell.cell < 0:
            return False
        if is_site(name) and name not in self._sites:
            return False
        return not _in_array(self.memory.objects.types[name], cell.cell)

    @cached_property
    def _sites(self) -> frozenset[str]:
        program = self.threads.program
        found: dict[str, list[tuple[Procedure, Edge]]] = {}
        for procedure in program.procedures:
            for edge in procedure.edges:
                if isinstance(edge.action, Allocate):
                    site = self.memory.objects.site(edge.action)
                    found.setdefault(site, []).append((procedure, edge))
        return frozenset(
            site for site, edges in found.items() if len(edges) == 1 and self._is_once(*edges[0])
        )

    def _is_once(self, procedure: Procedure, edge: Edge) -> bool:
        """Whether one thread takes an allocating edge, once, for one object."""
        assert isinstance(edge.action, Allocate)
        count = edge.action.count
        if is_array(edge.action) and not (isinstance(count, Const) and count.value == 1):
            return False
        runs = self.threads.running[procedure.name]
        program = self.threads.program
        if len(runs) != 1 or not self.threads.is_first(program.template[runs[0]]):
            return False
        if program.template[runs[0]].body != procedure.name or procedure.name in self._called:
            return False
        return not self.threads.can_follow_itself(edge)

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(name for called in self.threads.calls.values() for name in called)


def _in_array(held: Type, cell: int) -> bool:
    """Whether a folded cell is in an array, so that it stands for several."""
    while True:
        match held:
            case ArrayType():
                return True
            case RecordType() | MutexType():
                for _, part in fields_of(held):
                    size = folded_size(part)
                    if cell < size:
                        held = part
                        break
                    cell -= size
                else:
                    return True
                if cell == 0 and not isinstance(held, ArrayType | RecordType | MutexType):
                    return False
            case _:
                return False


def is_array(action: Allocate) -> bool:
    """Whether what is allocated may be several objects of the type, one after the other."""
    return action.count is not None and tail_of(action.object_type) is None
