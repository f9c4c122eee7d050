"""The image of a run of a program in the program that a transformation makes of it.

A transformation claims a simulation: every run of the program is one of the program after it, edge
by edge. An edge becomes one of those made from it, and cells keep their values, except those for
which a `Source` says otherwise. Here the image is computed, and the claim tested: the image takes
its steps in the reference semantics of the program after, with inputs chosen so that its values
are those of the run. Where no edge leads to these values, the claim is false.

A location that the transformation hides in an atomic region is a special case. Steps that a thread
takes there belong to the step that led there, so the image delays this step, and all that come
after it, until the thread has left the region. Or (`late`) the image takes the steps that led
there together with the one that leaves the region, after all that others do in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, count
from operator import ne
from typing import NamedTuple

from threadwise.core.errors import InternalError
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.layout import Cell, Layout
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import NONE, TidType, Value, contains, default_value
from threadwise.proofs.base.audit import Broken, Monitor
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.state import (
    Cells,
    Choice,
    Frame,
    GlobalStore,
    LocalStore,
    Move,
    State,
)
from threadwise.semantics.step import Interpreter

STEPS = "images of steps"

PART = 256
"""So many cells of two stores are compared at a time."""


class Source(NamedTuple):
    """Where a cell of the image has its value from: a cell, a constant, or (FREE) the image."""

    slot: int | None = None
    constant: Value | None = None


FREE = Source()


def sources(old: Layout, new: Layout, special: Mapping[str, Source]) -> tuple[Source, ...]:
    """Cells of variables have the values of the same cells, but for the special ones."""
    found: list[Source] = []
    for slot, cell in enumerate(new.cells):
        name = cell.variable.name
        position = slot - new.offset[name]
        if name in special:
            found.append(special[name])
        elif name in old.offset:
            found.append(Source(old.offset[name] + position))
        else:
            found.append(FREE)
    return tuple(found)


@dataclass(frozen=True)
class Changed:
    """A program after a transformation, and how it is related to the program before."""

    program: Program
    edges: Sequence[EdgeId]
    """For each edge, the one it was made from."""
    threads: Sequence[int]
    """For each thread of the program before, the one it is now."""
    shared: tuple[Source, ...]
    thread: Mapping[str, tuple[Source, ...]]
    """By template."""
    local: Mapping[str, tuple[Source, ...]]
    """By procedure."""
    hidden: frozenset[tuple[int, LocId]] = frozenset()
    """Which threads have no step of their own at which locations of the program before."""
    indices: Mapping[int, int] = field(default_factory=dict)
    """Threads that first choose a number, and which."""
    idle: frozenset[EdgeId] = frozenset()
    """Edges of the program before that the image does not take: nothing is done there."""
    late: bool = False
    """Whether hidden steps are taken with the step after them, and not with the one before."""


class Taken(NamedTuple):
    """An edge that a thread took in the run, and what it changed."""

    thread: int
    edge: EdgeId
    g: GlobalStore
    g_after: GlobalStore
    l_after: LocalStore
    values: tuple[Value, ...] = ()
    """What its inputs were."""


def taken(interpreter: Interpreter, before: State, move: Move, after: State) -> list[Taken]:
    """The edges of a step one by one, with the stores between them."""
    thread = move.thread
    if isinstance(interpreter.program.edges[move.choices[0].edge].action, Call | Return):
        edge = move.choices[0].edge
        return [Taken(thread, edge, before.g, after.g, after.locals[thread])]
    found: list[Taken] = []
    g, l = before.g, before.locals[thread]
    for choice in move.choices:
        edge_ = interpreter.program.edges[choice.edge]
        ((_, g_after, l_after, _),) = interpreter.fire(edge_, thread, g, l, choice.values)
        found.append(Taken(thread, choice.edge, g, g_after, l_after, choice.values))
        g, l = g_after, l_after
    return found


@dataclass
class _Event:
    """Edges that a thread takes together in the image; open while there may be more."""

    edges: list[Taken]
    is_open: bool


class Image:
    """The image of one run after the other, watched by a monitor of the inner proof."""

    def __init__(self, before: Program, changed: Changed) -> None:
        self.before = before
        self.changed = changed
        self.program = changed.program
        self.interpreter = Interpreter(changed.program)
        self.layout = self.interpreter.layout
        self.monitor: Monitor | None = None
        self.looks = 0
        self._made: dict[tuple[EdgeId, LocId], list[Edge]] = {}
        for edge, origin in zip(self.program.edges, changed.edges, strict=True):
            if not self._is_new_limit(edge, before.edges[origin]):
                self._made.setdefault((origin, edge.source), []).append(edge)
        self._images_of: dict[int, list[int]] = {}
        """By shared cell of the run, the cells of the image that hold its value."""
        for slot, source in enumerate(changed.shared):
            if source.slot is not None:
                self._images_of.setdefault(source.slot, []).append(slot)
        self._constant = [slot for slot, s in enumerate(changed.shared) if s.slot is None]
        self._state = State(GlobalStore(()), (), ())
        self._visible = self._state
        """The state before the step that a thread is in the middle of, if one is."""
        self._choices: list[Choice] = []
        self._events: list[_Event] = []
        self._open: dict[int, _Event] = {}

    def _is_new_limit(self, edge: Edge, origin: Edge) -> bool:
        """Whether an edge leads to a limit that the program before does not have."""
        there = self.program.locations[edge.target].failure
        return (
            there is not None
            and there.kind.is_limit
            and self.before.locations[origin.target].failure is None
        )

    # -- the run ----------------------------------------------------------------------------------

    def start(self, state: State, monitor: Monitor | None) -> None:
        """A run begins, with the monitor that watches its image."""
        self.monitor = monitor
        cells = [
            _first(choices, cell) if source == FREE else self._image(source, state.g.cells, cell)
            for source, cell, choices in zip(
                self.changed.shared,
                self.layout.globals.cells,
                self.interpreter.initial_cells,
                strict=True,
            )
        ]
        for value, cell, allowed in zip(
            cells, self.layout.globals.cells, self.interpreter.initial_cells, strict=True
        ):
            if not (contains(cell.type, value) if allowed is None else value in allowed):
                raise Broken(f"the image does not start with {value!r} in `{cell.name}`")
        locals_ = tuple(map(self.interpreter.initial_local, self.interpreter.threads))
        for thread, image in enumerate(self.changed.threads):
            if not self._is_own_image(image, locals_[image], state.locals[thread]):
                raise Broken("the image of a thread does not start as the thread does")
        self._state = State(GlobalStore(tuple(cells)), locals_, tuple(() for _ in locals_))
        self._choices, self._events, self._open = [], [], {}
        if self.monitor is not None:
            self.monitor.start(self._state)

    def step(self, thread: int, edges: Sequence[Taken], after: LocId) -> None:
        """A thread takes a step along some edges; where it is then."""
        event = self._open.pop(thread, None)
        if event is None:
            event = _Event([], is_open=False)
            self._events.append(event)
        elif self.changed.late:
            self._events = [other for other in self._events if other is not event] + [event]
        event.edges.extend(edges)
        event.is_open = (thread, after) in self.changed.hidden
        if event.is_open:
            self._open[thread] = event
        while (ready := self._ready()) is not None:
            for edge in self._events.pop(ready).edges:
                self._begin(self.changed.threads[edge.thread])
                self._advance(edge)

    def _ready(self) -> int | None:
        """Which of the delayed steps may be taken."""
        first = self._events if self.changed.late else self._events[:1]
        return next((k for k, event in enumerate(first) if not event.is_open), None)

    def _begin(self, thread: int) -> None:
        """A thread that first chooses a number does so."""
        l = self._state.locals[thread]
        if thread in self.changed.indices and l.pc == self.program.procedure_of[l.pc].entry:
            (edge,) = self.program.outgoing[l.pc]
            values = (self.changed.indices[thread],)
            ((choice, g, l, _),) = self.interpreter.fire(edge, thread, self._state.g, l, values)
            self._move(thread, choice, g, l, self._state.stacks[thread])

    def _advance(self, edge: Taken) -> None:
        thread = self.changed.threads[edge.thread]
        self.looks += 1
        if edge.edge in self.changed.idle:
            self._rest(thread, edge)
            return
        pc = self._state.locals[thread].pc
        for made in self._made.get((edge.edge, pc), ()):
            for choice, g, l, stack in self._ways(made, thread, edge):
                if self._is_image(edge, g) and self._is_own_image(thread, l, edge.l_after):
                    self._move(thread, choice, g, l, stack)
                    return
        raise Broken(f"no step of the changed program is the image of edge {edge.edge}")

    def _rest(self, thread: int, edge: Taken) -> None:
        """A thread whose image has no step does nothing, and is in no region."""
        own = self._state.locals[thread]
        if not (
            edge.g == edge.g_after
            and self._is_own_image(thread, own, edge.l_after)
            and not self.program.locations[own.pc].atomic
        ):
            raise Broken(f"the image leaves out edge {edge.edge}, which does something")

    def _move(
        self, thread: int, choice: Choice, g: GlobalStore, l: LocalStore, stack: tuple[Frame, ...]
    ) -> None:
        """Go on along an edge; the inner monitor sees a step where it ends."""
        state = self._state
        if not self._choices:
            self._visible = state
        self._choices.append(choice)
        self._state = State(
            g,
            (*state.locals[:thread], l, *state.locals[thread + 1 :]),
            (*state.stacks[:thread], stack, *state.stacks[thread + 1 :]),
        )
        if not self.program.locations[l.pc].atomic:
            move = Move(thread, tuple(self._choices))
            self._choices = []
            if self.monitor is not None:
                self.monitor.step(self._visible, move, self._state)

    def _ways(
        self, edge: Edge, thread: int, done: Taken
    ) -> Iterator[tuple[Choice, GlobalStore, LocalStore, tuple[Frame, ...]]]:
        """Where an edge leads, inputs being what they are in the run."""
        g, l, stack = self._state.g, self._state.locals[thread], self._state.stacks[thread]
        try:
            match edge.action:
                case Call():
                    for push in self.interpreter.push(thread, l):
                        if push.choice.edge == edge.id:
                            yield push.choice, g, push.l, (*stack, push.frame)
                case Return():
                    for pop in self.interpreter.pop(thread, l, stack[-1]) if stack else ():
                        if pop.choice.edge == edge.id:
                            yield pop.choice, g, pop.l, stack[:-1]
                case Command(havocs=places):
                    view = View(self.program, self.layout, thread, g, l)
                    values = [self._chosen(thread, view.resolve(p), done) for p in places]
                    fit = all(contains(p.type, v) for p, v in zip(places, values, strict=True))  # type: ignore[arg-type]  # validated: a havoc is scalar
                    if fit:
                        fired = self.interpreter.fire(edge, thread, g, l, tuple(values))
                        for choice, g_after, l_after, _ in fired:
                            yield choice, g_after, l_after, stack
                case _:
                    raise InternalError("the image of a program with a heap")
        except Undefined:
            return

    # -- values -----------------------------------------------------------------------------------

    def _image(self, source: Source, cells: Cells, cell: Cell) -> Value:
        """The value of a cell of the image, given the cells of the run."""
        if source.slot is None:
            assert source.constant is not None
            return source.constant
        value = cells[source.slot]
        if isinstance(cell.type, TidType) and isinstance(value, int) and value != NONE:
            return self.changed.threads[value]
        return value

    def _chosen(self, thread: int, cell: CellRef, done: Taken) -> Value:
        """What an input of the image has to be."""
        l = self._state.locals[thread]
        template = self.layout.numbers.templates[thread]
        procedure = self.program.procedure_of[l.pc].name
        now, then, layout, found = {
            Region.GLOBAL: (
                self._state.g.cells,
                done.g_after.cells,
                self.layout.globals,
                self.changed.shared,
            ),
            Region.THREAD: (
                l.thread,
                done.l_after.thread,
                self.layout.thread[template],
                self.changed.thread[template],
            ),
            Region.LOCAL: (
                l.locals,
                done.l_after.locals,
                self.layout.local[procedure],
                self.changed.local[procedure],
            ),
        }[cell.region]
        source = found[cell.slot]
        if source == FREE:
            return now[cell.slot]
        return self._image(source, then, layout.cells[cell.slot])

    def _is_image(self, done: Taken, g: GlobalStore) -> bool:
        """Whether shared cells changed as they did in the run."""
        now = self._state.g.cells
        if done.g.cells is done.g_after.cells and g.cells is now:
            return True  # nothing was written
        written = frozenset(changed_slots(done.g.cells, done.g_after.cells))
        seen = [slot for own in written for slot in self._images_of.get(own, ())]
        for slot in {*seen, *self._constant, *changed_slots(now, g.cells)}:
            source = self.changed.shared[slot]
            if source == FREE:
                continue
            wanted = now[slot]
            if source.slot is None or source.slot in written:
                wanted = self._image(source, done.g_after.cells, self.layout.globals.cells[slot])
            if g.cells[slot] != wanted:
                return False
        return True

    def _is_own_image(self, thread: int, l: LocalStore, original: LocalStore) -> bool:
        """Whether a thread has the variables of the thread that it is the image of."""
        template = self.layout.numbers.templates[thread]
        procedure = self.program.procedure_of[l.pc].name
        parts = (
            (
                self.changed.thread[template],
                self.layout.thread[template],
                l.thread,
                original.thread,
            ),
            (
                self.changed.local[procedure],
                self.layout.local[procedure],
                l.locals,
                original.locals,
            ),
        )
        return all(
            source == FREE or image == self._image(source, cells, cell)
            for found, layout, own, cells in parts
            for source, cell, image in zip(found, layout.cells, own, strict=True)
        )


def changed_slots(before: Cells, after: Cells) -> list[int]:
    """Where two stores differ; mostly it is one cell, and large parts are the same."""
    if before is after:
        return []
    found: list[int] = []
    for start in range(0, len(before), PART):
        old, new = before[start : start + PART], after[start : start + PART]
        if old != new:
            found += compress(count(start), map(ne, old, new))
    return found


def _first(choices: tuple[Value, ...] | None, cell: Cell) -> Value:
    return default_value(cell.type) if choices is None else choices[0]
