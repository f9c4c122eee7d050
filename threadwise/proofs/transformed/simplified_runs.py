"""Runs of the program of record as runs of the simplified program.

The edges that a thread takes between two visible locations of the simplified program are one or
more of the paths that edges of the simplified program stand for (`Edge.origin`). The image takes
these edges, in the reference semantics, at the time when the first step was taken: hidden steps
belong to that step. So the image delays it, and all that come after it, until the thread is at a
visible location again. Then shared cells of both programs must have changed alike, and live locals
must be equal. If no edges lead there, the image is no run: an accepted pass was wrong.

Where a pass made an edge for each of a few values of an input, which stand for all, runs take
these values (`inputs`).

If the simplified program starts behind some steps (`first steps`), the run has to take these
first, and its image begins where they end, with the values that are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Uses
from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import Const
from threadwise.ir.layout import Cell, Layout
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import UNSET, PointerType, Value, contains, default_value
from threadwise.proofs.base.audit import Broken, Monitor, Steers
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.transformed.certificate import RESOLVED
from threadwise.proofs.transformed.images import STEPS, Taken, changed_slots, taken
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.memory import canonical
from threadwise.semantics.recorded_moves import initial_state
from threadwise.semantics.state import Cells, Choice, GlobalStore, LocalStore, Move, State
from threadwise.semantics.step import Interpreter
from threadwise.transforms.pipeline import Simplified

LISTING = ("few inputs", "few inputs of counted threads")
"""The passes that have an edge for each of a few values of an input; they come first."""

MOST_TRIES = 5_000
"""So many ways to take the edges of one step are tried."""


@dataclass
class _Event:
    """Edges that a thread takes together in the image; open while there may be more."""

    thread: int
    edges: list[Taken] = field(default_factory=list)
    is_open: bool = True


class SimplifiedMonitor:
    """Computes the image of each run, for the monitor of the inner proof."""

    def __init__(self, program: Program, simpler: Simplified, inner: Certificate) -> None:
        counts = {t.name: t.count for t in program.templates if t.count is not None}
        self.record = Interpreter(program)
        self.simple = Interpreter(simpler.program.with_counts(counts))
        self.monitor: Monitor | None = monitor_of(self.simple.program, inner)
        self.origins = _Origins(simpler)
        self.looks = 0
        self._common = _Common(self.record, self.simple, flags=RESOLVED in simpler.names)
        self._state = State(GlobalStore(()), (), ())
        self._events: list[_Event] = []
        self._open: dict[int, _Event] = {}
        self._first: _FirstSteps | None = None
        """What the run has to do before its image begins."""
        self._known_edges: dict[tuple[State, Move], list[Taken]] = {}
        self._known_moves: dict[object, list[tuple[State, Move, State]]] = {}
        """What was the image of which steps, in which state."""

    @property
    def inputs(self) -> Mapping[EdgeId, Sequence[Value]]:
        """The values that edges with an input have in the simplified program."""
        return self.origins.inputs

    @property
    def evaluated(self) -> Counter[str]:
        """What was evaluated."""
        total = Counter({STEPS: self.looks})
        if self.monitor is not None:
            total.update(self.monitor.evaluated)
        return total

    def start(self, state: State) -> None:
        """A run begins."""
        self._events, self._open = [], {}
        self._first = self.origins.first_steps()
        if self._first is None:
            self._begin(state)

    def _begin(self, state: State) -> None:
        """The image begins in a state of the run."""
        cells = self._common.initial(state.g.cells)
        found = initial_state(self.simple, cells)
        if found is None:
            raise Broken("the simplified program does not start as the program does")
        self._state = found
        if self.monitor is not None:
            self.monitor.start(found)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        thread = move.thread
        if self._first is not None:
            self._first.step([choice.edge for choice in move.choices])
            if self._first.is_done:
                self._first = None
                self._begin(after)
            return
        event = self._open.pop(thread, None)
        if event is None:
            event = _Event(thread)
            self._events.append(event)
        key = before, move
        if key not in self._known_edges:  # most runs begin as others did
            self._known_edges[key] = taken(self.record, before, move, after)
        event.edges += self._known_edges[key]
        event.is_open = after.locals[thread].pc not in self.origins.visible
        if event.is_open:
            self._open[thread] = event
            if not self.origins.begins(tuple(edge.edge for edge in event.edges)):
                raise Broken("a thread is where no edge of the simplified program leads")
        while self._events and not self._events[0].is_open:
            self._advance(self._events.pop(0))

    @property
    def current(self) -> tuple[State, int | None]:
        """Where the image is, and a thread it waits for, if it does."""
        return self._state, next(iter(self._open), None)

    # -- one step --------------------------------------------------------------------------------

    def _advance(self, event: _Event) -> None:
        self.looks += 1
        key = (self._state, event.thread, *map(Same, event.edges))
        if key not in self._known_moves:
            self._known_moves[key] = list(self._steps(event.thread, self._image(event)))
        for before, move, after in self._known_moves[key]:
            if self.monitor is not None:
                self.monitor.step(before, move, after)
            self._state = after

    def _image(self, event: _Event) -> _Way:
        """The edges of the simplified program that stand for those of the run; raises Broken."""
        start = _Way(self._state.g, self._state.locals[event.thread], 0, (), self._stack(event))
        pending = [iter((start,))]
        for _ in range(MOST_TRIES):
            way = next(pending[-1], None) if pending else None
            if way is None:
                if not pending:
                    break
                pending.pop()
            elif way.position < len(event.edges):
                pending.append(self._onwards(event, way))
            elif self._agrees(event, way):
                return way
        taken_ = ", ".join(str(edge.edge) for edge in event.edges)
        raise Broken(f"no step of the simplified program is the image of the edges {taken_}")

    def _stack(self, event: _Event) -> tuple[object, ...]:
        return tuple(self._state.stacks[event.thread])

    def _onwards(self, event: _Event, way: _Way) -> Iterator[_Way]:
        """The edges of the simplified program that stand for the next edges of the run."""
        for edge in self.simple.program.outgoing[way.l.pc]:
            for path in self.origins.paths(edge.id):
                part = event.edges[way.position : way.position + len(path)]
                if len(part) == len(path) and all(map(_Passed.is_image_of, path, part)):
                    yield from self._taken(event.thread, edge, way, part)

    def _taken(self, thread: int, edge: Edge, way: _Way, part: Sequence[Taken]) -> Iterator[_Way]:
        position = way.position + len(part)
        try:
            if isinstance(edge.action, Call):
                for push in self.simple.push(thread, way.l):
                    if push.choice.edge == edge.id:
                        stack = (*way.stack, push.frame)
                        yield _Way(way.g, push.l, position, (*way.moves, (push.choice,)), stack)
            elif isinstance(edge.action, Return):
                frames = way.stack
                for pop in self.simple.pop(thread, way.l, frames[-1]) if frames else ():  # type: ignore[arg-type]  # a frame
                    if pop.choice.edge == edge.id:
                        moves = (*way.moves, (pop.choice,))
                        yield _Way(way.g, pop.l, position, moves, frames[:-1])
            else:
                yield from self._fired(thread, edge, way, part[-1], position)
        except Undefined:
            return

    def _fired(
        self, thread: int, edge: Edge, way: _Way, last: Taken, position: int
    ) -> Iterator[_Way]:
        havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
        view = View(self.simple.program, self.simple.layout, thread, way.g, way.l)
        values = tuple(
            self._common.chosen(thread, view.resolve(place), way.l.pc, last) for place in havocs
        )
        fit = all(contains(p.type, v) for p, v in zip(havocs, values, strict=True))  # type: ignore[arg-type]  # validated: a havoc is scalar
        if not fit:
            return
        inside = bool(way.moves) and self.simple.program.locations[way.l.pc].atomic
        for choice, g, l, _ in self.simple.fire(edge, thread, way.g, way.l, values):
            moves = (
                (*way.moves[:-1], (*way.moves[-1], choice)) if inside else (*way.moves, (choice,))
            )
            yield _Way(g, l, position, moves, way.stack)

    def _agrees(self, event: _Event, way: _Way) -> bool:
        """Whether the image has changed what the run has, and is where the thread is."""
        last = event.edges[-1]
        if self.origins.location(way.l.pc) != last.l_after.pc:
            return False
        changed: dict[int, Value] = {}
        for each in event.edges:
            after = each.g_after.cells
            changed.update((slot, after[slot]) for slot in changed_slots(each.g.cells, after))
        return self._common.shared_alike(
            changed, self._state.g.cells, way.g.cells
        ) and self._common.own_alike(event.thread, last.l_after, way.l)

    def _steps(self, thread: int, way: _Way) -> Iterator[tuple[State, Move, State]]:
        """The steps that some edges are."""
        state = self._state
        for position, choices in enumerate(way.moves, start=1):
            after = self._follow(state, thread, choices, way, last=position == len(way.moves))
            yield state, Move(thread, choices), after
            state = after

    def _follow(
        self, state: State, thread: int, choices: tuple[Choice, ...], way: _Way, *, last: bool
    ) -> State:
        if last:
            return self._with(state, thread, way.g, way.l, way.stack)
        first = self.simple.program.edges[choices[0].edge].action
        if isinstance(first, Call | Return):
            for move, after in self.simple.thread_calls(state, thread):
                if move.choices == choices:
                    return after
            raise Broken("a call is not possible")
        g, l = state.g, state.locals[thread]
        for choice in choices:
            edge = self.simple.program.edges[choice.edge]
            _, g, l, _ = next(self.simple.fire(edge, thread, g, l, choice.values))
        return self._with(state, thread, g, l, state.stacks[thread])

    def _with(
        self, state: State, thread: int, g: GlobalStore, l: LocalStore, stack: tuple[object, ...]
    ) -> State:
        after = State(
            g,
            (*state.locals[:thread], l, *state.locals[thread + 1 :]),
            (*state.stacks[:thread], stack, *state.stacks[thread + 1 :]),  # type: ignore[arg-type]  # frames
        )
        return canonical(after, len(self.simple.program.globals))


class SteeredMonitor(SimplifiedMonitor):
    """The same where the inner proof explores only some threads in some states."""

    def only(self, state: State) -> int | None:
        """The thread that the proof explores; one that the image waits for comes first."""
        del state  # the image is where the run is
        if self._first is not None:
            return None  # only one thread can step
        image, waited = self.current
        if waited is not None or not isinstance(self.monitor, Steers):
            return waited
        return self.monitor.only(image)


@dataclass(frozen=True)
class _Way:
    """Some edges of the image of a step."""

    g: GlobalStore
    l: LocalStore
    position: int
    """How many edges of the run they stand for."""
    moves: tuple[tuple[Choice, ...], ...]
    stack: tuple[object, ...]


class _Passed(NamedTuple):
    """An edge of the program of record, and the value of its input, if a pass listed some."""

    edge: EdgeId
    value: Value | None = None

    def is_image_of(self, done: Taken) -> bool:
        """Whether a run took this edge, with this input."""
        return self.edge == done.edge and (self.value is None or done.values == (self.value,))


class _Origins:
    """What edges and locations of the simplified program were in the program of record."""

    def __init__(self, simpler: Simplified) -> None:
        self.programs = simpler.programs
        self.record, self.program = simpler.record, simpler.program
        self._paths: dict[EdgeId, list[tuple[_Passed, ...]]] = {}
        self._begun: dict[tuple[EdgeId, ...], bool] = {}
        self._begun_by = simpler.begun
        self._image = {self.location(here.id): here.id for here in simpler.program.locations}
        self._listed = _listed_inputs(simpler)
        self.inputs: dict[EdgeId, list[Value]] = {}
        """The values of inputs that became edges, by edge of the program of record."""
        for passed in self._listed.values():
            self.inputs.setdefault(passed.edge, []).append(passed.value)
        self.visible = {
            self.location(here.id) for here in simpler.program.locations if not here.atomic
        }
        """The visible locations of the simplified program."""

    def location(self, location: LocId) -> LocId | None:
        """The location of the program of record."""
        here: LocId | None = location
        for program in reversed(self.programs):
            here = None if here is None else program.locations[here].origin
        return here

    def paths(self, edge: EdgeId) -> list[tuple[_Passed, ...]]:
        """The paths of the program of record that an edge stands for."""
        if edge not in self._paths:
            self._paths[edge] = list(self._traced(len(self.programs) - 1, edge))
        return self._paths[edge]

    def begins(self, edges: tuple[EdgeId, ...]) -> bool:
        """Whether some edges in a row are the beginning of paths of the simplified program."""
        if edges not in self._begun:
            here = self._image.get(self.record.edges[edges[0]].source)
            self._begun[edges] = here is not None and self._leads(here, edges)
        return self._begun[edges]

    def _leads(self, here: LocId, edges: tuple[EdgeId, ...]) -> bool:
        pending = [(here, 0)]
        tried: set[tuple[LocId, int]] = set()
        while pending:
            at, position = pending.pop()
            if (at, position) in tried:
                continue
            tried.add((at, position))
            rest = edges[position:]
            for edge in self.program.outgoing[at]:
                for passed in self.paths(edge.id):
                    path = tuple(each.edge for each in passed)
                    if path[: len(rest)] == rest[: len(path)]:
                        if len(rest) <= len(path):
                            return True
                        pending.append((edge.target, position + len(path)))
        return False

    def _traced(self, last: int, edge: EdgeId) -> Iterator[tuple[_Passed, ...]]:
        if (last, edge) in self._listed:
            yield (self._listed[last, edge],)
            return
        if last < 0:
            yield (_Passed(edge),)
            return
        for path in self.programs[last].edges[edge].origin:
            for parts in product(*(list(self._traced(last - 1, each)) for each in path)):
                yield tuple(number for part in parts for number in part)

    def first_steps(self) -> _FirstSteps | None:
        """What runs of the program of record do before those of the simplified one begin."""
        if not self._begun_by:
            return None
        return _FirstSteps(
            [
                [tuple(each.edge for each in path) for path in self._traced(level - 1, edge)]
                for level, edge in self._begun_by
            ]
        )


class _FirstSteps:
    """How far a run is on its way: all ways to read it as the edges that have to be taken."""

    def __init__(self, wanted: list[list[tuple[EdgeId, ...]]]) -> None:
        self.wanted = wanted
        self.ways: set[tuple[int, tuple[EdgeId, ...]]] = {(0, path) for path in wanted[0]}

    def step(self, edges: Sequence[EdgeId]) -> None:
        """The run takes some edges; raises Broken if they are not those it has to take."""
        for edge in edges:
            on = [(n, path[1:]) for n, path in self.ways if path[:1] == (edge,)]
            self.ways = {way for way in on if way[1]}
            for number, path in on:
                if not path:
                    following = number + 1
                    nexts = self.wanted[following] if following < len(self.wanted) else [()]
                    self.ways |= {(following, other) for other in nexts}
        if not self.ways:
            raise Broken("a run does not begin with the first steps that are left out")

    @property
    def is_done(self) -> bool:
        """Whether all edges were taken."""
        return (len(self.wanted), ()) in self.ways


def _listed_inputs(simpler: Simplified) -> dict[tuple[int, EdgeId], _Passed]:
    """The edges that inputs became, by pass and edge: of which edge, with which value."""
    found: dict[tuple[int, EdgeId], _Passed] = {}
    before = simpler.record
    origin = {edge.id: edge.id for edge in before.edges}
    for number, (name, program) in enumerate(zip(simpler.names, simpler.programs, strict=True)):
        if name not in LISTING:
            break
        for edge in program.edges:
            ((source,),) = edge.origin
            if edge.action != before.edges[source].action:
                assert isinstance(edge.action, Command)
                value = edge.action.assignments[-1].value
                assert isinstance(value, Const)
                found[number, edge.id] = _Passed(origin[source], value.value)
        origin = {edge.id: origin[edge.origin[0][0]] for edge in program.edges}
        before = program
    return found


class _Common:
    """The cells that both programs have: of the same name and type, and no addresses.

    If memory is resolved, a cell that holds nothing has a flag that says so, and any value.
    """

    def __init__(self, record: Interpreter, simple: Interpreter, *, flags: bool) -> None:
        self.record, self.simple = record, simple
        self.flags = flags
        self.shared = _pairs(record.layout.globals, simple.layout.globals)
        self._image_slot = dict(self.shared)
        self._own_slot = {other: own for own, other in self.shared}
        self._numbers = {cell.name: n for n, cell in enumerate(record.layout.globals.cells)}
        self._uses = Uses()
        self._live: dict[str, Mapping[LocId, Collection[str]]] = {}
        self._own = {
            name: _pairs(layout, simple.layout.thread[name])
            for name, layout in record.layout.thread.items()
            if name in simple.layout.thread
        }
        self._locals = {
            name: _pairs(layout, simple.layout.local[name])
            for name, layout in record.layout.local.items()
            if name in simple.layout.local
        }

    def initial(self, cells: Cells) -> Cells:
        """The shared cells of the image at the start."""
        found = list(next(iter(self.simple.initial_globals())).cells)
        for own, other in self.shared:
            if not self._is_flagged(cells[own]):
                found[other] = cells[own]
        return tuple(found)

    def _is_flagged(self, value: Value) -> bool:
        return self.flags and value == UNSET

    def shared_alike(self, changed: Mapping[int, Value], old: Cells, new: Cells) -> bool:
        """Whether cells of the image changed as those of the run did."""
        for other in changed_slots(old, new):
            if other in self._own_slot and self._own_slot[other] not in changed:
                return False
        return all(
            new[self._image_slot[own]] == value
            for own, value in changed.items()
            if own in self._image_slot and not self._is_flagged(value)
        )

    def own_alike(self, thread: int, own: LocalStore, other: LocalStore) -> bool:
        """Whether the live variables of a thread are equal."""
        template = self.simple.layout.numbers.templates[thread]
        for a, b in self._own[template]:
            if own.thread[a] != other.thread[b]:
                return False
        procedure = self.simple.program.procedure_of[other.pc]
        if procedure.name not in self._live:
            self._live[procedure.name] = live_locals(procedure, self._uses)
        needed = self._live[procedure.name][other.pc]
        layout = self.simple.layout.local[procedure.name]
        return all(
            own.locals[a] == other.locals[b]
            for a, b in self._locals[procedure.name]
            if layout.cells[b].variable.name in needed
        )

    def chosen(self, thread: int, cell: CellRef, pc: LocId, last: Taken) -> Value:
        """What an input of the image has to be: what is there in the run afterwards."""
        layout = self.simple.layout
        procedure = self.simple.program.procedure_of[pc].name
        template = layout.numbers.templates[thread]
        there = {
            Region.GLOBAL: layout.globals,
            Region.THREAD: layout.thread[template],
            Region.LOCAL: layout.local[procedure],
        }[cell.region].cells[cell.slot]
        record = self.record.layout
        stores: list[tuple[Layout, Cells]] = [
            (record.local[procedure], last.l_after.locals),
            (record.thread[template], last.l_after.thread),
            (record.globals, last.g_after.cells),
        ]
        for where, cells in stores[::-1] if cell.region is Region.GLOBAL else stores:
            for slot, candidate in enumerate(where.cells):
                if _is_same(candidate, there):
                    return cells[slot]
        return default_value(there.type)


def _is_same(one: Cell, other: Cell) -> bool:
    return one.name == other.name and one.type == other.type


def _pairs(one: Layout, other: Layout) -> list[tuple[int, int]]:
    """Where cells that are in both layouts are."""
    slots = {cell.name: slot for slot, cell in enumerate(one.cells)}
    return [
        (slots[cell.name], slot)
        for slot, cell in enumerate(other.cells)
        if cell.name in slots
        and one.cells[slots[cell.name]].type == cell.type
        and not isinstance(cell.type, PointerType)
    ]
