"""Whether edges are the movers a certificate claims, from R alone (QRR §4).

    (i)   acquiring a lock moves right, releasing it left, being refused to release it both ways; a
          mutex is a lock if no edge uses it in another way
    (ii)  an access at l of t moves both ways if no u ≠ t has a conflicting access, its guard true
          or not, at an l_u such that (g, l) is in R_t and (g, l_u) in R_u for some g
    (iii) an edge that can change what an observed formula says is no mover
    (iv)  an edge that the user annotates moves as annotated if it commutes (`commutation`)

An edge into an atomic region stands for all edges inside. For each cell and thread the table keeps
the global stores at which the thread may read or write the cell; (ii) intersects them with the
global stores at which t is in l. R may be about less than the program (`digest`): accesses are
then those of the other program, which has more; (iii) is always about the program, and (iv) needs
R of the program itself. Where R follows threads alone, (ii) considers global stores in which the
two threads hold different locks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import (
    AtLabel,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    ThreadRead,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, subexpressions
from threadwise.ir.layout import extent_of, field_offset, size_of
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType
from threadwise.proofs.transactions.commutation import CommutationChecker
from threadwise.proofs.transactions.digest import Digest
from threadwise.proofs.transactions.lock_uses import base_of, is_mutex, lock_use, places_in
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import Cells, GlobalStore, LocalStore

Pairs = Sequence[tuple[int, LocalStore]]
"""R of a thread: global stores by position, local stores."""


class Directions(NamedTuple):
    """Where an edge may move."""

    right: bool
    left: bool


_ANYWHERE, _NOWHERE = Directions(True, True), Directions(False, False)


class _Touched(NamedTuple):
    slot: int
    write: bool


class MoverTable:
    """What the edges of a program commute with, according to R."""

    def __init__(
        self,
        digest: Digest,
        stores: Sequence[Cells],
        reached: Sequence[Pairs],
        formulas: Sequence[Expr],
    ) -> None:
        self.digest = digest
        self.program = digest.program
        self.layout = digest.interpreter.layout
        self.whole = digest.whole.program
        self.observed = _Observed(formulas)
        self.uses = {edge.id: lock_use(edge) for edge in self.whole.edges}
        self.locks = self._locks(self.whole) & self._locks(self.program)
        if digest.alone:
            digest.check_alone(self.locks)
        owners = digest.owner_slots()
        self.held = [
            [frozenset(slot for slot in owners if cells[slot] == t) for cells in stores]
            for t in digest.interpreter.threads
        ]
        """Per thread and global store, the locks that are the thread's."""
        self._regions: dict[EdgeId, list[Edge]] = {}
        self.stores: list[defaultdict[LocalStore, set[int]]] = []
        """Per thread and local store, the global stores it occurs with."""
        self.readers: list[defaultdict[int, set[int]]] = []
        """Per thread and cell, the global stores at which the thread may touch the cell."""
        self.writers: list[defaultdict[int, set[int]]] = []
        for t, pairs in enumerate(reached):
            self._enter(t, pairs)
        self.commutation: CommutationChecker | None = None
        if digest.is_whole:
            self.commutation = CommutationChecker(digest.whole, stores, reached)

    def _enter(self, t: int, pairs: Pairs) -> None:
        stores: defaultdict[LocalStore, set[int]] = defaultdict(set)
        readers: defaultdict[int, set[int]] = defaultdict(set)
        writers: defaultdict[int, set[int]] = defaultdict(set)
        for g, l in pairs:
            stores[l].add(g)
        for l, found in stores.items():
            for edge in self.program.outgoing[l.pc]:
                for slot, write in self.touched(t, l, edge):
                    readers[slot] |= found
                    if write:
                        writers[slot] |= found
        self.stores.append(stores)
        self.readers.append(readers)
        self.writers.append(writers)

    # -- classes ---------------------------------------------------------------------------------

    def directions(self, t: int, l: LocalStore, edge: Edge) -> Directions:
        """Where an edge of the program may move when t takes it in l."""
        if self._is_visible(t, edge):  # (iii)
            return _NOWHERE
        left = self.digest.store(t, l)
        found, claim = self._inferred(t, left, self.program.edges[edge.id]), edge.mover
        if claim is None or self.commutation is None:
            return found
        return Directions(  # (iv)
            found.right or (claim.right and self.commutation.moves_right(t, l, edge.id)),
            found.left or (claim.left and self.commutation.moves_left(t, l, edge.id)),
        )

    def _inferred(self, t: int, l: LocalStore, edge: Edge) -> Directions:
        """Rules (i) and (ii)."""
        contended = [
            touched for touched in self.touched(t, l, edge) if self._meets_others(t, l, touched)
        ]
        if not contended:  # (ii)
            return _ANYWHERE
        if any(self._variable(touched.slot) not in self.locks for touched in contended):
            return _NOWHERE
        uses = [use for inner in self._region(edge) if (use := self.uses[inner.id]) is not None]
        kinds = {kind for _, kind in uses}
        return Directions("release" not in kinds, "acquire" not in kinds)  # (i)

    def _meets_others(self, t: int, l: LocalStore, touched: _Touched) -> bool:
        tables = self.readers if touched.write else self.writers
        here = self.stores[t].get(l, set())
        return any(
            self._can_meet(t, here, u, table.get(touched.slot, set()))
            for u, table in enumerate(tables)
            if u != t
        )

    def _can_meet(self, t: int, here: set[int], u: int, there: set[int]) -> bool:
        """Whether t can be at one of some global stores while u is at one of others."""
        if not self.digest.alone:
            return not here.isdisjoint(there)
        mine = {self.held[t][g] for g in here}
        theirs = {self.held[u][g] for g in there}
        return any(one.isdisjoint(other) for one in mine for other in theirs)

    def _variable(self, slot: int) -> str:
        return self.layout.globals.cells[slot].variable.name

    # -- accesses --------------------------------------------------------------------------------

    def _region(self, edge: Edge) -> list[Edge]:
        """The edge, and those that may follow it in the same step."""
        if edge.id not in self._regions:
            found = {edge.id: edge}
            pending = [edge]
            for known in pending:
                if self.program.locations[known.target].atomic:
                    inner = [e for e in self.program.outgoing[known.target] if e.id not in found]
                    found.update((e.id, e) for e in inner)
                    pending += inner
            self._regions[edge.id] = pending
        return self._regions[edge.id]

    def touched(self, t: int, l: LocalStore, edge: Edge) -> set[_Touched]:
        """The shared cells an edge mentions, evaluated or not."""
        view = View(self.program, self.layout, t, GlobalStore(()), l)
        region = [e for e in self._region(edge) if isinstance(e.action, Command)]
        assigned = {base_of(place) for e in region for place in action_places(e.action)}
        found: set[_Touched] = set()
        for inner in region:
            moving = set() if inner is edge else assigned
            for place in action_places(inner.action):
                found |= {_Touched(slot, True) for slot in self._slots(view, place, moving)}
            for expr in action_expressions(inner.action):
                for place in places_in(expr):
                    found |= {_Touched(slot, False) for slot in self._slots(view, place, moving)}
        return found

    def _slots(self, view: View, place: Place, moving: set[Variable]) -> set[int]:
        """The shared cells a place can mean; an index that may change can mean any."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable):
                if variable.scope is not Scope.GLOBAL:
                    return set()
                return {self.layout.globals.offset[variable.name]}
            case FieldPlace(base, name):
                assert isinstance(base.type, RecordType | MutexType)
                offset = field_offset(base.type, name, numbers)
                return {slot + offset for slot in self._slots(view, base, moving)}
            case IndexPlace(base, index):
                assert isinstance(base.type, ArrayType)
                size = size_of(base.type.element, numbers)
                return {
                    slot + position * size
                    for slot in self._slots(view, base, moving)
                    for position in self._positions(view, base.type, index, moving)
                }
            case _:
                raise AssertionError("a pointer")

    def _positions(
        self, view: View, array: ArrayType, index: Expr, moving: set[Variable]
    ) -> Sequence[int]:
        everywhere = range(extent_of(array, self.layout.numbers))
        mentioned = {base_of(place) for place in places_in(index)}
        if any(v.scope is Scope.GLOBAL or v in moving for v in mentioned):
            return everywhere
        try:
            position = view.integer(index)
        except Undefined:
            return everywhere
        if isinstance(array.extent, PerThread):
            position -= self.layout.numbers.ranges[array.extent.template].start
        return (position,) if position in everywhere else everywhere

    # -- locks -----------------------------------------------------------------------------------

    @staticmethod
    def _locks(program: Program) -> set[str]:
        """The mutexes that every edge that mentions them uses as locks."""
        locks = {
            declared.variable.name for declared in program.globals if is_mutex(declared.variable)
        }
        for edge in program.edges:
            places = [*action_places(edge.action)]
            places += [p for expr in action_expressions(edge.action) for p in places_in(expr)]
            use = lock_use(edge)
            for variable in map(base_of, places):
                if variable.scope is Scope.GLOBAL and (use is None or use[0] != variable.name):
                    locks.discard(variable.name)
        return locks

    # -- visibility ------------------------------------------------------------------------------

    def _is_visible(self, t: int, edge: Edge) -> bool:
        template = self.layout.numbers.templates[t]
        positions = self.observed.labels
        inside = self._region(self.program.edges[edge.id])
        region = [self.whole.edges[inner.id] for inner in inside]
        written = {base_of(place) for inner in region for place in action_places(inner.action)}
        if isinstance(edge.action, Return):
            callee = self.whole.procedure_of[edge.source].name
            calls = [
                call
                for call in self.whole.edges
                if isinstance(call.action, Call) and call.action.procedure == callee
            ]
            written |= {base_of(place) for call in calls for place in action_places(call.action)}
            ends = [call.target for call in calls]
        elif isinstance(edge.action, Call):
            ends = [self.whole.procedure[edge.action.procedure].entry]
        else:
            ends = [e.target for e in region if not self.whole.locations[e.target].atomic]
        if any(self.observed.reads(variable, template) for variable in written):
            return True
        before = self._labels(edge.source) & positions
        return any(self._labels(end) & positions != before for end in ends)

    def _labels(self, location: LocId) -> set[tuple[str, str]]:
        name = self.whole.procedure_of[location].name
        return {(name, label) for label in self.whole.locations[location].labels}


class _Observed:
    """The variables and labels that formulas mention."""

    def __init__(self, formulas: Sequence[Expr]) -> None:
        self.shared: set[str] = set()
        self.own: set[tuple[str, str]] = set()
        self.labels: set[tuple[str, str]] = set()
        for part in (part for formula in formulas for part in subexpressions(formula)):
            if isinstance(part, AtLabel):
                self.labels.add((part.procedure, part.label))
            elif isinstance(part, ThreadRead):
                self.own.add((part.thread.template, base_of(part.place).name))
            elif isinstance(part, Read):
                self.shared.add(base_of(part.place).name)

    def reads(self, variable: Variable, template: str) -> bool:
        """Whether a formula mentions a variable as threads of a template have it."""
        match variable.scope:
            case Scope.GLOBAL:
                return variable.name in self.shared
            case Scope.THREAD:
                return (template, variable.name) in self.own
            case Scope.LOCAL:
                return False
