"""The checker of the kernel: whether claims are inductive, and which accesses they keep apart.

Obligations, for points-to claims M and cases K:

    (1) M includes what pointers lead to initially, and what every edge stores that K lets
        threads take (INIT, STORE); no pointer leads to the cells that say which threads run
    (2) a thread begins in a case of its first location (BEGIN)
    (3) after every step from a case, some case of the target has only claims that rules admit
    (4) where a thread is spawned of a template that is claimed to be alone, none of it runs
    (5) frozen cells are written only by a thread that is alone or owns the object; the owner of
        a mutex that is not spoilt is written only if it is free or the thread's own, by a thread
        that is alone, or one that owns the object
    (6) no limit of the model is reached but full pools, and undefined behaviour of C, which is
        assumed not to happen; in no case it is all that can happen: that would be known to fail
    (7) all accesses to every cell, pair by pair: by which rule they are apart, if there is one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import combinations_with_replacement

import threadwise.ir.expr as ir
from threadwise.core.quick_dataclass import replace
from threadwise.ir.fold import conjuncts
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Edge, EdgeId, FailureKind, LocId, Program
from threadwise.proofs.locksets.kernel.apart import Access, Accesses
from threadwise.proofs.locksets.kernel.claims import Cell, Claims, Refused
from threadwise.proofs.locksets.kernel.ground import Ground
from threadwise.proofs.locksets.kernel.guards import is_possible
from threadwise.proofs.locksets.kernel.names import is_own
from threadwise.proofs.locksets.kernel.objects import is_site
from threadwise.proofs.locksets.kernel.points_to import written
from threadwise.proofs.locksets.kernel.rules import Step, beginning
from threadwise.proofs.locksets.kernel.view import View

LIMITS = FailureKind.LIMIT, FailureKind.OPEN, FailureKind.CELLS
Pair = tuple[Cell, Access, Access, str | None]
"""Two accesses to a cell, and the rule by which they are apart; None: there is none."""


class Kernel:
    """The obligations of one proof; raises Refused."""

    def __init__(self, program: Program, claims: Claims, tick: Callable[[], object]) -> None:
        self.program = program
        self.claims = claims
        self.tick = tick
        self.ground = Ground(program, claims)
        self.accesses = Accesses(self.ground)
        self.taken: set[EdgeId] = set()

    def check(self) -> None:
        """All obligations but (7)."""
        self._names()
        self._stored(None)
        for template in self.program.templates:
            self._expect(beginning(self.ground, template))
        for location, cases in self.claims.cases.items():
            failure = self.program.locations[location].failure
            if failure is not None and failure.kind in LIMITS:
                raise Refused(f"a limit of the model: {failure.message}")
            for case in cases:
                self._steps(location, self.ground.view(case))

    # -- (1) -------------------------------------------------------------------------------------

    def _names(self) -> None:
        for declaration in self.program.globals:
            name = declaration.variable.name
            if is_site(name) or name.endswith("@"):
                raise Refused(f"a variable that is called {name}")
        shapes = self.ground.objects.shapes
        for name, cell in (each for led in self.claims.memory.values() for each in led):
            if name not in shapes or cell not in shapes[name].offsets:
                raise Refused(f"{name} has no cell {cell}")
            if name in self.ground.threads.cells:
                raise Refused("a pointer to what says which threads run")

    def _stored(self, edge: Edge | None) -> None:
        for cell, _ in self.ground.memory.broken(edge):
            raise Refused(f"{cell.object} may hold something else")

    # -- (2), (3) and (4) ------------------------------------------------------------------------

    def _steps(self, location: LocId, view: View) -> None:
        ends: list[bool] = []
        for edge in self.program.outgoing[location]:
            self.tick()
            if is_possible(self.ground, edge, view):
                effects = self.ground.effects(edge, view)
                self._expect(Step(self.ground, view, edge.target, edge, effects))
                self._taken(edge, view)
                failure = self.program.locations[edge.target].failure
                ends.append(failure is not None and failure.kind.has_no_meaning)
        if ends and all(ends):  # (6)
            raise Refused(f"nothing but undefined behaviour at location {location}")

    def _expect(self, step: Step) -> None:
        cases = self.claims.cases.get(step.target, ())
        if not any(all(map(step.admits, case)) for case in cases):
            raise Refused(f"location {step.target} is reached knowing less")

    def _taken(self, edge: Edge, view: View) -> None:
        self.taken.add(edge.id)
        self._stored(edge)
        threads, procedure = self.ground.threads, self.program.procedure_of[edge.source].name
        template = threads.spawns.get(edge.id, "")
        if template in self.claims.alone and not threads.absent(template, view, procedure):
            raise Refused(f"two threads of {template} may run")
        for place, _ in written(edge.action):
            if not is_own(place) and not self.is_kept(edge, place, view):
                raise Refused(f"edge {edge.id} writes what others rely on")

    # -- (5) -------------------------------------------------------------------------------------

    def is_kept(self, edge: Edge, place: ir.Place, view: View) -> bool:
        """Whether a write leaves true what others rely on: frozen cells, and mutexes they own."""
        procedure = self.program.procedure_of[edge.source].name
        cells = self.ground.memory.cells(place, procedure)
        owners = {cell for cell in cells if self.ground.objects.leaf(cell).owner}
        spoils = not owners <= self.claims.spoilt and not self._is_lock_use(edge, place, view)
        if not spoils and cells.isdisjoint(self.claims.frozen):
            return True
        alone = self.ground.threads.is_alone(view, procedure)
        return alone or self.ground.is_owned(place, view)

    def _is_lock_use(self, edge: Edge, owner: ir.Place, view: View) -> bool:
        """Whether a write takes a mutex that is free, or changes one that the thread owns."""
        if isinstance(owner, ir.FieldPlace) and view.place(owner.base) in view.held:
            return True
        parts = set(conjuncts(edge.action.guard))
        mine = ir.Binary(ir.BinaryOp.EQ, ir.Read(owner), ir.SelfId())
        free = ir.Binary(ir.BinaryOp.EQ, ir.Read(owner), NOBODY)
        return mine in parts or free in parts or ir.Binary(ir.BinaryOp.OR, free, mine) in parts

    # -- (7) -------------------------------------------------------------------------------------

    def pairs(self) -> Iterator[Pair]:
        """All pairs of accesses of two threads to a cell; of accesses alike, one pair each."""
        for cell, accesses in self._all.items():
            for first, second in combinations_with_replacement(accesses, 2):
                self.tick()
                yield cell, first, second, self.accesses.apart(cell, first, second)

    @cached_property
    def _all(self) -> Mapping[Cell, list[Access]]:
        found: dict[Cell, dict[Access, Access]] = {}
        for location, cases in self.claims.cases.items():
            for edge in self.program.outgoing[location]:
                for case in cases:
                    self.tick()
                    for cell, access in self.accesses.of(edge, self.ground.view(case)):
                        alike = replace(access, edge=EdgeId(-1), names=frozenset())
                        found.setdefault(cell, {}).setdefault(alike, access)
        return {cell: list(accesses.values()) for cell, accesses in found.items()}
