"""Latches: cells that are 0 until the first thread lets the others go on.

    pthread_create(&t, 0, work, 0);        void *work(void *a) {
    config.level = 3;                          sem_wait(&ready);
    sem_post(&ready);                          … config.level …

A cell s of a global variable is a *latch* if it is 0 initially, and every write that may make it
something else is one of the first thread, or of a thread that is *behind* s, or gets there by the
same edge. A thread is behind s once it has taken an edge that asks whether s is not 0: the guard
compares s itself, or a variable that the step before, whichever it was, read from s. The first
thread has *opened* s once it has taken an edge with such a write.

Then, while the first thread has not opened s, s is 0 and no other thread is behind it. That holds
initially, and every step preserves it: threads that are not behind s do not change it, the ones
that are behind it do not exist, and no thread gets behind it, since s was 0 whenever it was read.
So an access that the first thread makes before it opens s, and one that another thread makes
behind s, never come at the same time.

Where threads are behind s, and where the first thread may have opened it, is computed here from
control flow alone: all paths count, calls return to where they came from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    Place,
    Read,
    Scope,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import conjuncts, root
from threadwise.ir.program import Edge, EdgeId, LocId
from threadwise.ir.types import is_scalar
from threadwise.ir.writes import written
from threadwise.proofs.locksets.knowledge import is_own
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.memory.contents import Memory, includes
from threadwise.proofs.locksets.threads.creation import Threads

MOST = 64
"""So many cells are looked at."""
_ZERO: Values = frozenset({0})


@dataclass(frozen=True)
class Latches:
    """The latches of a program."""

    memory: Memory
    threads: Threads

    def unopened(self, template: str, at: LocId) -> frozenset[Target]:
        """The latches that the first thread has surely not opened at a location."""
        if template != self._first:
            return frozenset()
        if at not in self._known_unopened:
            found = frozenset(s for s, opened in self._opened.items() if at not in opened)
            self._known_unopened[at] = found
        return self._known_unopened[at]

    def behind(self, template: str, at: LocId) -> frozenset[Target]:
        """The latches that a thread of a template is surely behind at a location."""
        key = template, at
        if key not in self._known_behind:
            found = frozenset(
                s for s, before in self._before.items() if at not in before[template]
            )
            self._known_behind[key] = found
        return self._known_behind[key]

    @cached_property
    def _known_unopened(self) -> dict[LocId, frozenset[Target]]:
        return {}

    @cached_property
    def _known_behind(self) -> dict[tuple[str, LocId], frozenset[Target]]:
        return {}

    # -- which cells are latches -----------------------------------------------------------------

    @cached_property
    def _first(self) -> str | None:
        templates = self.threads.program.templates
        return next((t.name for t in templates if self.threads.is_first(t)), None)

    @cached_property
    def _before(self) -> Mapping[Target, Mapping[str, frozenset[LocId]]]:
        """By latch and template: where threads need not be behind it."""
        found: dict[Target, Mapping[str, frozenset[LocId]]] = {}
        if self._first is None:
            return found
        for cell, asking in list(self._asked.items())[:MOST]:
            before = {
                template.name: self._reached(template.name, asking)
                for template in self.threads.program.templates
            }
            writes = (edge for edge in self._writes[cell] if edge.id not in asking)
            if all(self._is_kept(edge, before) for edge in writes):
                found[cell] = before
        return found

    def _is_kept(self, edge: Edge, before: Mapping[str, frozenset[LocId]]) -> bool:
        """Whether an edge with a write that may open a latch is taken by nobody in front of it."""
        procedure = self.threads.program.procedure_of[edge.source].name
        others = (name for name in self.threads.running[procedure] if name != self._first)
        return all(edge.source not in before[name] for name in others)

    @cached_property
    def _asked(self) -> Mapping[Target, frozenset[EdgeId]]:
        """The cells that are 0 initially, and the edges that are taken if they are not 0."""
        found: defaultdict[Target, set[EdgeId]] = defaultdict(set)
        for procedure in self.threads.program.procedures:
            for edge in procedure.edges:
                for place in self._not_zero(edge, procedure.entry):
                    cells = self.memory.targets(place, procedure.name)
                    if len(cells) == 1:
                        found[cells[0]].add(edge.id)
        begun: defaultdict[Target, list[bool]] = defaultdict(list)
        for cell, values in self.memory.initial():
            if cell in found:
                begun[cell].append(includes(_ZERO, values))
        zero = {cell for cell, each in begun.items() if all(each)}
        return {cell: frozenset(edges) for cell, edges in found.items() if cell in zero}

    def _not_zero(self, edge: Edge, entry: LocId) -> Iterator[Place]:
        """The cells of global variables that were not 0 if an edge can be taken."""
        for part in conjuncts(edge.action.guard):
            place = _compared(part)
            if place is None:
                continue
            if _is_cell(place):
                yield place
            elif isinstance(place, VariablePlace) and edge.source != entry:
                read = {_copied(place, before) for before in self.threads.incoming[edge.source]}
                if len(read) == 1:
                    yield from (each for each in read if each is not None)

    @cached_property
    def _writes(self) -> Mapping[Target, list[Edge]]:
        """The edges that may write something else than 0 to the cells that are asked for."""
        objects: defaultdict[str, list[Target]] = defaultdict(list)
        for cell in self._asked:
            objects[cell.object].append(cell)
        found: dict[Target, list[Edge]] = {cell: [] for cell in self._asked}
        for procedure in self.threads.program.procedures:
            for edge in procedure.edges:
                for place, value in written(edge):
                    if is_own(place) or (isinstance(value, Const) and value.value == 0):
                        continue
                    for cell in self._touched(place, procedure.name, objects):
                        found[cell].append(edge)
        return found

    def _touched(
        self, place: Place, procedure: str, objects: Mapping[str, list[Target]]
    ) -> Iterator[Target]:
        """Of the cells that are asked for, those that a write to a place may change."""
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable.name not in objects:
            return
        exact, coarse = self.memory.located(place, procedure)
        whole = {area[0] for area in coarse}
        if not is_scalar(place.type):
            whole |= {cell.object for cell in exact}
        for cell in {*exact, *(c for name in whole for c in objects.get(name, ()))}:
            if cell in self._asked:
                yield cell

    # -- where threads are -----------------------------------------------------------------------

    def _reached(self, template: str, closed: frozenset[EdgeId]) -> frozenset[LocId]:
        """The locations that threads of a template reach without taking some edges."""
        program = self.threads.program
        entry = program.procedure[program.template[template].body].entry
        return self._closure([entry], lambda edge: edge.id not in closed)

    def _closure(
        self, start: Iterable[LocId], follows: Callable[[Edge], bool]
    ) -> frozenset[LocId]:
        """What control flow reaches: into procedures, and behind calls of those that return."""
        program = self.threads.program
        seen, pending = set(start), list(start)
        calls: defaultdict[str, list[LocId]] = defaultdict(list)
        returning: set[str] = set()

        def reach(locations: Iterable[LocId]) -> None:
            for location in locations:
                if location not in seen:
                    seen.add(location)
                    pending.append(location)

        while pending:
            for edge in program.outgoing[pending.pop()]:
                if not follows(edge):
                    continue
                match edge.action:
                    case Call(name):
                        calls[name].append(edge.target)
                        reach([program.procedure[name].entry])
                        reach([edge.target] if name in returning else ())
                    case Return():
                        name = program.procedure_of[edge.source].name
                        returning.add(name)
                        reach(calls[name])
                    case _:
                        reach([edge.target])
        return frozenset(seen)

    @cached_property
    def _opened(self) -> Mapping[Target, frozenset[LocId]]:
        """By latch: where the first thread may have opened it."""
        return {cell: self._after(self._writes[cell]) for cell in self._before}

    def _after(self, opening: Iterable[Edge]) -> frozenset[LocId]:
        """Where some edges may have been taken before, whoever takes them.

        Behind such an edge, behind calls of procedures that may take one, and in what is called
        there.
        """
        program = self.threads.program
        direct = {program.procedure_of[edge.source].name for edge in opening}
        starts = {edge.target for edge in opening}
        for edge in program.edges:
            if isinstance(edge.action, Call):
                name = edge.action.procedure
                if name in direct or not direct.isdisjoint(self.threads.calls[name]):
                    starts.add(edge.target)
        return self._closure(starts, lambda _: True)


def _compared(part: Expr) -> Place | None:
    """The place that a condition says not to be 0."""
    match part:
        case Binary(BinaryOp.NE, Read(place), Const(0, _)):
            return place
        case Binary(BinaryOp.GT, Read(place), Const(int(bound), _)) if bound >= 0:
            return place
        case Binary(BinaryOp.GE | BinaryOp.EQ, Read(place), Const(int(bound), _)) if bound > 0:
            return place
        case _:
            return None


def _copied(variable: VariablePlace, edge: Edge) -> Place | None:
    """The cell of a global variable that an edge copies to a variable of the thread's own."""
    if not is_own(variable):
        return None
    values = [value for place, value in written(edge) if root(place) == variable]
    if len(values) != 1:
        return None
    value = values[0].operand if isinstance(values[0], Wrap) else values[0]
    return value.place if isinstance(value, Read) and _is_cell(value.place) else None


def _is_cell(place: Place) -> bool:
    """Whether a place is one cell of a global variable."""
    while isinstance(place, FieldPlace):
        place = place.base
    return isinstance(place, VariablePlace) and place.variable.scope is Scope.GLOBAL
