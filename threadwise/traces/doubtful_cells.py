"""Whether a run depends on values that stand for others, cell by cell.

`threadwise.traces.doubt` follows such values by variables and types, without running anything, and
is quickly done. Where it finds that the run may depend on one, the run is made once more here, and
the values are followed where they really go.

The edges of one place in the source that stands for something that is not computed, as far as they
are connected, are a *block*. Nothing is in doubt in a block until something is chosen there: a
value, or one of several edges that are possible. From there on,

    whatever the rest of the block may write    is doubtful, the elements next to it included, but
                                                for variables that every way through writes alike
    a guard in the block                        may read what was chosen in it and so choose,
                                                if all choices may leave it at the same ends
    indices and pointers in the block           may depend on how it was gone through
    all other indices and pointers              must read nothing doubtful
    all other guards                            likewise, or all ways meet again (`detours`)
    x := e                                      makes x as doubtful as what e reads
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import DerefPlace, Expr, IsWritten, Place, Read, Scope, VariablePlace
from threadwise.ir.fold import action_places, place_expressions, root, subexpressions
from threadwise.ir.layout import Cell
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import UNSET, Address, MachineType, Type
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.recorded_moves import initial_state
from threadwise.semantics.state import Choice, Frame, GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter
from threadwise.traces.detours import LONGEST, Detours, Key, State
from threadwise.traces.trace import Trace

_INDEX = re.compile(r"\[\d+\]")


def doubtful_cell(program: Program, trace: Trace, standing: frozenset[Span]) -> Span | None:
    """Where a value that stands for others decided something; None if none did."""
    return _Run(program.with_counts(trace.counts), trace, standing).run()


class _Blocks:
    """Which edges belong together."""

    def __init__(self, program: Program, standing: frozenset[Span]) -> None:
        self.program = program
        self._of: dict[EdgeId, int] = {}
        self.edges: list[list[Edge]] = []
        self._alike: dict[LocId, bool] = {}
        by_end: dict[tuple[Span, LocId], list[Edge]] = {}
        ends = _ends_of_locals(program)
        inside = [e for e in program.edges if e.span in standing and e.id not in ends]
        for edge in inside:
            for end in (edge.source, edge.target):
                by_end.setdefault((edge.span, end), []).append(edge)  # type: ignore[arg-type]  # it has a span
        for edge in inside:
            if edge.span is not None and edge.id not in self._of:
                self._collect(edge, edge.span, by_end)

    def _collect(
        self, first: Edge, span: Span, by_end: dict[tuple[Span, LocId], list[Edge]]
    ) -> None:
        found, number = [first], len(self.edges)
        self._of[first.id] = number
        for edge in found:
            for end in (edge.source, edge.target):
                for other in by_end[span, end]:
                    if other.id not in self._of:
                        self._of[other.id] = number
                        found.append(other)
        self.edges.append(found)

    def of(self, edge: Edge) -> int | None:
        """The block of an edge."""
        return self._of.get(edge.id)

    def rest(
        self, block: int, start: LocId, without: frozenset[EdgeId] = frozenset()
    ) -> list[Edge]:
        """The edges of a block that may follow behind a location."""
        seen, pending, found = {start}, [start], []
        while pending:
            for edge in self.program.outgoing[pending.pop()]:
                if self._of.get(edge.id) == block and edge.id not in without:
                    found.append(edge)
                    if edge.target not in seen:
                        seen.add(edge.target)
                        pending.append(edge.target)
        return found

    def comes_out_alike(self, edge: Edge) -> bool:
        """Whether the block of an edge may be left at the same places by all edges beside it."""
        if edge.id not in self._of:
            return False
        if edge.source not in self._alike:
            block = self._of[edge.id]
            beside = self.program.outgoing[edge.source]
            exits = {self._exits(block, other) for other in beside}
            self._alike[edge.source] = len(exits - {frozenset()}) <= 1
        return self._alike[edge.source]

    def _exits(self, block: int, edge: Edge) -> frozenset[LocId] | None:
        """Where a block may be left behind an edge of it; None if the edge is none of it.

        Ends that violate nothing do not count.
        """
        if self._of.get(edge.id) != block:
            return None
        inside = [edge, *self.rest(block, edge.target)]
        left = (each.target for each in inside if self.ends(block, (each,)))
        failures = ((at, self.program.locations[at].failure) for at in left)
        return frozenset(at for at, failure in failures if failure is None or failure.property)

    def ends(self, block: int, edges: Iterable[Edge]) -> bool:
        """Whether one of some edges leads out of the block."""
        return any(
            not outgoing or any(self._of.get(edge.id) != block for edge in outgoing)
            for outgoing in (self.program.outgoing[edge.target] for edge in edges)
        )


def _ends_of_locals(program: Program) -> set[EdgeId]:
    """The edges that end the lives of local variables: they have the span of the last statement.

    Nothing is chosen there, so they are steps like any other.
    """
    ends = [edge for edge in program.edges if isinstance(edge.action, Free) and edge.sync]
    near = (e for end in ends for at in (end.source, end.target) for e in program.outgoing[at])
    return {e.id for e in near if not (isinstance(e.action, Command) and e.action.havocs)}


@dataclass
class _Chosen:
    """What was chosen in a block that a thread is in."""

    block: int
    rest: dict[EdgeId, Edge]
    """The edges behind what was chosen."""
    sure: frozenset[str]
    """Variables of threads that every way through writes alike."""
    found: set[EdgeId]
    """Those of the edges whose places were found once."""


class _Run:
    def __init__(self, program: Program, trace: Trace, standing: frozenset[Span]) -> None:
        self.program = program
        self.trace = trace
        self.standing = standing
        self.blocks = _Blocks(program, standing)
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        start = initial_state(self.interpreter, trace.initial)
        assert start is not None, "the trace was replayed"
        self.g: GlobalStore = start.g
        self.locals: list[LocalStore] = list(start.locals)
        self.stacks: list[list[Frame]] = [[] for _ in self.locals]
        self.doubtful: set[Key] = set()
        self.written: set[Key] = set()
        """Doubtful cells of memory that hold something in any case: they did before."""
        self.drawn: set[Key] = set()
        """Those that hold such a value, or one made of it, however a block was gone through."""
        self.types: set[Type] = set()
        """Types of memory that may have been written somewhere."""
        self.chosen: dict[int, _Chosen] = {}
        """By thread."""
        self.last: Span | None = None

    def run(self) -> Span | None:
        """Make the run."""
        end, written = 0, frozenset[Key]()
        for step, (t, choice, _) in enumerate(self.steps):
            if step >= end and not self._take(t, choice):
                met = self._detour(step)
                if met is None:
                    return self.last
                end, written = step + met[0], met[1]
                self._doubt(written)
            if step < end:
                self._write(t, self.program.edges[choice.edge], choice)
                self.doubtful |= written
            if step + 1 == end:
                self.drawn |= written
        for t, l in enumerate(self.locals):
            for edge in self.program.outgoing[l.pc]:
                if not self._is_determined(t, edge):
                    return self.last
        return None

    @cached_property
    def steps(self) -> list[tuple[int, Choice, bool]]:
        """The edges that threads take, and whether each is a step of its own."""
        return [
            (move.thread, choice, len(move.choices) == 1)
            for move in self.trace.moves
            for choice in move.choices
        ]

    def _detour(self, step: int) -> tuple[int, frozenset[Key]] | None:
        """After how many steps all ways from here meet, and what they may have written."""
        t = self.steps[step][0]
        way: list[LocId] = []
        for thread, choice, single in self.steps[step : step + LONGEST]:
            if thread != t or not single:
                break
            way.append(self.program.edges[choice.edge].target)
        ways = Detours(
            self.interpreter,
            t,
            reads=lambda state, expr: any(True for _ in self._doubts(t, expr, state)),
            locates=located_by,
            key=lambda state, place: self._key(t, self._view(t, state).resolve(place)),
            stands=lambda edge: self.blocks.of(edge) is not None,
        )
        start = State(self.g, self.locals[t], frozenset(self.doubtful), frozenset())
        return ways.meet(start, way)

    # -- edges -----------------------------------------------------------------------------------

    def _take(self, t: int, choice: Choice) -> bool:
        """Take an edge; whether nothing doubtful decides about it."""
        edge = self.program.edges[choice.edge]
        block = self.blocks.of(edge)
        if t in self.chosen and self.chosen[t].block != block:
            self._spoil(t, self.chosen.pop(t))
        if not self._is_determined(t, edge):
            return False
        if block is not None and self._chooses(t, edge):
            self.last = edge.span
            if not self.blocks.comes_out_alike(edge):
                return False
            self._choose(t, block, edge.source)
        match edge.action:
            case Call() | Return():
                return self._change_stack(t, edge)
            case _:
                self._write(t, edge, choice)
        return True

    def _is_determined(self, t: int, edge: Edge) -> bool:
        """Whether nothing doubtful decides about an edge, but for what its block chose."""
        inner = self._inner(t, edge)
        doubts = set(self._doubts(t, edge.action.guard))
        if doubts and not (self.blocks.comes_out_alike(edge) and doubts <= inner):
            return False
        located = {key for part in located_by(edge) for key in self._doubts(t, part)}
        return located <= inner - self.drawn

    def _inner(self, t: int, edge: Edge) -> frozenset[Key]:
        """The variables of a thread that only the block of an edge writes."""
        block = self.blocks.of(edge)
        if block is None:
            return frozenset()
        offsets = self.layout.local[self.program.procedure_of[edge.source].name].offset
        depth = len(self.stacks[t])
        return frozenset(
            (Region.LOCAL, t, depth, offsets[name]) for name in self._only_written_in(block)
        )

    def _only_written_in(self, block: int) -> frozenset[str]:
        if block not in self._known_inner:
            own = self.blocks.edges[block]
            procedure = self.program.procedure_of[own[0].source]
            here = {edge.id for edge in own}
            names = {name for edge in own for name in _locals_written(edge)}
            for location in procedure.locations:
                for edge in self.program.outgoing[location.id]:
                    if edge.id not in here:
                        names -= set(_locals_written(edge))
            self._known_inner[block] = frozenset(names)
        return self._known_inner[block]

    @cached_property
    def _known_inner(self) -> dict[int, frozenset[str]]:
        return {}

    def _chooses(self, t: int, edge: Edge) -> bool:
        """Whether the thread might as well do something else in this block."""
        if isinstance(edge.action, Command) and edge.action.havocs:
            return True
        if any(True for _ in self._doubts(t, edge.action.guard)):
            return True
        view = self._view(t)
        possible = 0
        for other in self.program.outgoing[edge.source]:
            try:
                possible += view.holds(other.action.guard)
            except Undefined:
                possible += 1
        return possible > 1

    def _choose(self, t: int, block: int, at: LocId) -> None:
        known = self.chosen.get(t)
        rest = {edge.id: edge for edge in self.blocks.rest(block, at)}
        if known is None or known.block != block or not rest.keys() <= known.rest.keys():
            sure = frozenset(self._surely_written(block, at, rest))
            known = self.chosen[t] = _Chosen(block, rest, sure, set())
        self._spoil(t, known, finally_=False)

    def _surely_written(self, block: int, at: LocId, rest: dict[EdgeId, Edge]) -> Iterator[str]:
        """Variables of a thread that every way through the rest of a block writes alike."""
        writers: dict[str, list[Edge]] = {}
        for edge in rest.values():
            for name in _locals_written(edge):
                writers.setdefault(name, []).append(edge)
        for name, edges in writers.items():
            values = {_written_value(edge, name) for edge in edges}
            if None in values or len(values) > 1:
                continue
            without = frozenset(edge.id for edge in edges)
            if not self.blocks.ends(block, self.blocks.rest(block, at, without)):
                yield name

    def _spoil(self, t: int, chosen: _Chosen, *, finally_: bool = True) -> None:
        """What a block may have written is doubtful."""
        for edge in chosen.rest.values():
            for place in action_places(edge.action):
                base = root(place)
                if isinstance(base, VariablePlace) and base.variable.scope is not Scope.GLOBAL:
                    if base.variable.name not in chosen.sure:
                        self._doubt(self._family(t, place) or ())
                    continue
                keys = self._family(t, place)
                if keys is not None:
                    chosen.found.add(edge.id)
                    self._doubt(keys)
                elif finally_ and edge.id not in chosen.found:
                    self.types.add(_unsigned(place.type))

    def _doubt(self, keys: Iterable[Key]) -> None:
        """Values are doubtful from now on; whether there are any is not, if there are now."""
        for key in keys:
            if key not in self.doubtful:
                (self.written.add if self._holds(key) else self.written.discard)(key)
                self.doubtful.add(key)

    def _holds(self, key: Key) -> bool:
        """Whether a cell of memory was written."""
        region, _, number, slot = key
        if region is Region.GLOBAL:
            return self.g.cells[slot] != UNSET
        return region is Region.HEAP and self.g.heap[number].cells[slot] != UNSET

    def _write(self, t: int, edge: Edge, choice: Choice) -> None:
        """Run an edge; what it writes is as doubtful as what it is made of."""
        view, action = self._view(t), edge.action
        results: list[tuple[Key, bool, bool]] = []
        chosen = self.chosen.get(t)
        if isinstance(action, Command):
            for assignment in action.assignments:
                key = self._key(t, view.resolve(assignment.target))
                parts = set(self._doubts(t, assignment.value))
                spoilt = self._is_spoilt(chosen, assignment.target)
                results.append((key, bool(parts) or spoilt, bool(parts & self.drawn)))
            for place in action.havocs:
                stands = self.blocks.of(edge) is not None
                results.append((self._key(t, view.resolve(place)), stands, stands))
        elif isinstance(action, Allocate):
            key = self._key(t, view.resolve(action.target))
            results.append((key, self._is_spoilt(chosen, action.target), False))
        _, self.g, self.locals[t], _ = next(
            iter(self.interpreter.fire(edge, t, self.g, self.locals[t], choice.values))
        )
        for key, doubtful, drawn in results:
            if not self._holds(key):
                self.written.discard(key)
            elif chosen is None:
                self.written.add(key)
            (self.doubtful.add if doubtful else self.doubtful.discard)(key)
            (self.drawn.add if drawn else self.drawn.discard)(key)

    @staticmethod
    def _is_spoilt(chosen: _Chosen | None, place: Place) -> bool:
        """Whether a place is written in a way that something chosen decided."""
        base = root(place)
        return chosen is not None and not (
            isinstance(base, VariablePlace)
            and base.variable.scope is not Scope.GLOBAL
            and base.variable.name in chosen.sure
        )

    def _change_stack(self, t: int, edge: Edge) -> bool:
        l, depth = self.locals[t], len(self.stacks[t])
        if isinstance(edge.action, Call):
            push = next(p for p in self.interpreter.push(t, l) if p.choice.edge == edge.id)
            doubts = [
                slot
                for slot, argument in enumerate(edge.action.arguments)
                if any(True for _ in self._doubts(t, argument))
            ]
            self.stacks[t].append(push.frame)
            self.locals[t] = push.l
            self.doubtful |= {(Region.LOCAL, t, depth + 1, slot) for slot in doubts}
            return True
        assert isinstance(edge.action, Return)
        value = edge.action.value
        if value is not None and any(True for _ in self._doubts(t, value)):
            return False
        frame = self.stacks[t].pop()
        pop = next(p for p in self.interpreter.pop(t, l, frame) if p.choice.edge == edge.id)
        self.locals[t] = pop.l
        gone = [k for k in self.doubtful if k[:3] == (Region.LOCAL, t, depth)]
        self.doubtful.difference_update(gone)
        return True

    # -- cells -----------------------------------------------------------------------------------

    def _view(self, t: int, state: State | None = None) -> View:
        g, l = (self.g, self.locals[t]) if state is None else (state.g, state.l)
        return View(self.program, self.layout, t, g, l)

    def _key(self, t: int, ref: CellRef) -> Key:
        match ref.region:
            case Region.LOCAL:
                return ref.region, t, len(self.stacks[t]), ref.slot
            case Region.THREAD:
                return ref.region, t, 0, ref.slot
            case _:
                return ref.region, 0, ref.number, ref.slot

    def _doubts(self, t: int, expr: Expr, state: State | None = None) -> Iterator[Key]:
        """The doubtful cells that an expression reads; what it does not come to is not read."""
        doubtful = self.doubtful if state is None else state.doubtful
        if not doubtful and not self.types:
            return
        view = self._view(t, state)
        for part in subexpressions(expr):
            if not isinstance(part, Read | IsWritten):
                continue
            try:
                ref = view.resolve(part.place)
            except Undefined:
                continue
            key = self._key(t, ref)
            if isinstance(part, IsWritten) and key in self.written:
                continue
            shared = ref.region in (Region.GLOBAL, Region.HEAP)
            if key in doubtful or (shared and _unsigned(part.place.type) in self.types):
                yield key

    def _family(self, t: int, place: Place) -> list[Key] | None:
        """The cell of a place and all that are like it in the same array; None if not known."""
        view = self._view(t)
        try:
            ref = view.resolve(place)
        except Undefined:
            return self._object(t, place)
        return [self._key(t, ref._replace(slot=slot)) for slot in self._like(t, ref)]

    def _object(self, t: int, place: Place) -> list[Key] | None:
        """All cells of a type in the object that a pointer leads past the end of."""
        base = root(place)
        if not isinstance(base, DerefPlace):
            return None
        try:
            address = self._view(t).evaluate(base.pointer)
        except Undefined:
            return None
        if not isinstance(address, Address) or address.number < 0:
            return None
        ref = self._view(t).cell_at(address._replace(offset=0))
        if ref.region is Region.HEAP:
            return [
                self._key(t, ref._replace(slot=slot))
                for slot in range(len(self.g.heap[ref.number].cells))
            ]
        variable = self.program.globals[address.number].variable
        length = len(self.layout.cells_of_type(variable.type))
        return [self._key(t, ref._replace(slot=ref.slot + n)) for n in range(length)]

    def _store(self, t: int, ref: CellRef) -> tuple[Region, str | int]:
        """Which store or kind of object a cell is in: its cells are always the same."""
        match ref.region:
            case Region.GLOBAL:
                return ref.region, 0
            case Region.HEAP:
                return ref.region, self.g.heap[ref.number].site
            case Region.THREAD:
                return ref.region, self.layout.numbers.templates[t]
            case Region.LOCAL:
                return ref.region, self.program.procedure_of[self.locals[t].pc].name

    def _cells(self, store: tuple[Region, Any]) -> tuple[Cell, ...]:
        region, which = store
        match region:
            case Region.GLOBAL:
                return self.layout.globals.cells
            case Region.HEAP:
                return (*self.layout.sites[which], *self.layout.tails.get(which, ()))
            case Region.THREAD:
                return self.layout.thread[which].cells
            case Region.LOCAL:
                return self.layout.local[which].cells

    def _like(self, t: int, ref: CellRef) -> Iterator[int]:
        """The slots of an object or store whose cells have the same name but for indices."""
        store = self._store(t, ref)
        cells = self._cells(store)
        alike = self._alike.get(store)
        if alike is None:
            groups: dict[str, list[int]] = {}
            for slot, cell in enumerate(cells):
                groups.setdefault(_pattern(cell), []).append(slot)
            alike = self._alike[store] = {slot: each for each in groups.values() for slot in each}
        if ref.region is not Region.HEAP:
            yield from alike[ref.slot]
            return
        item = self.g.heap[ref.number]
        like = {*alike[self.layout.position(item.site, ref.slot)]}
        for slot in range(len(item.cells)):
            if self.layout.position(item.site, slot) in like:
                yield slot

    @cached_property
    def _alike(self) -> dict[tuple[Region, str | int], dict[int, list[int]]]:
        """By store, and by slot in it, the slots that are like it."""
        return {}


def _pattern(cell: Cell) -> str:
    return _INDEX.sub("[]", cell.name)


def _unsigned(held: Type) -> Type:
    """Numbers of one width may be the same with and without a sign."""
    return MachineType(held.width, signed=False) if isinstance(held, MachineType) else held


def _locals_written(edge: Edge) -> Iterator[str]:
    for place in action_places(edge.action):
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
            yield base.variable.name


def _written_value(edge: Edge, name: str) -> Expr | None:
    """What an edge writes to a whole variable; None if that is no expression."""
    if isinstance(edge.action, Command):
        for assignment in edge.action.assignments:
            target = assignment.target
            if isinstance(target, VariablePlace) and target.variable.name == name:
                return assignment.value
    return None


def located_by(edge: Edge) -> Iterator[Expr]:
    """What decides which memory an edge accesses."""
    for place in action_places(edge.action):
        yield from place_expressions(place)
    match edge.action:
        case Command(_, assignments, _):
            for assignment in assignments:
                for part in subexpressions(assignment.value):
                    if isinstance(part, Read | IsWritten):
                        yield from place_expressions(part.place)
        case Allocate(count=count) if count is not None:
            yield count
        case Free(_, pointer):
            yield pointer
        case _:
            pass
