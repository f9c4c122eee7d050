"""Whether the next step of a thread is independent of all that another may do before it.

`threadwise.analyses.touches` knows without a state what edges may touch: whole variables, and the
heap as one. At a state more is known:

    exact      what the next step of t touches: its guards and actions are evaluated, and every
               cell that is looked at or written is noted, those of guards that fail too. While
               nobody writes what was looked at, an evaluation later takes the same way
    foreseen   what another thread u may touch from where it is, while t does not move
               (`threadwise.semantics.foresight`)
    private    an object that no shared cell and no variable of a thread other than t leads to is
               out of reach for them until t moves: addresses are copied and moved inside their
               object, never made (`threadwise.semantics.evaluate`)

Allocating touches nothing that is there already: states are compared up to the numbers of objects.

Soundness. Take a run from the state in which t does not move. Each cell that a thread u touches in
it is in the footprint of u. So if the exact accesses of t conflict with the footprint of no u that
may move before t, nobody writes what the evaluation of t's step looked at, so that the step stays
as it was noted, and nobody reads or writes what it writes: the step of t commutes with theirs, and
neither enables nor disables them. In the same way a thread that cannot move stays so while nobody
writes what the evaluation of its guards looked at.

Of programs with calls nothing is foreseen. Formulas about several threads, and values that are
chosen inside atomic regions, are not evaluated: nothing is apart then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from threadwise.analyses.touches import Masks, Touches
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import AtLabel, Quantified, ThreadRead, ThreadVariable
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.types import Address, Type, Value
from threadwise.semantics.evaluate import CellRef, Undefined, View
from threadwise.semantics.foresight import Footprint, Foresight
from threadwise.semantics.memory import objects_without
from threadwise.semantics.shared_cells import WHETHER_ALIVE, SharedCells
from threadwise.semantics.state import GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter

MOST = 200
"""Ways through an atomic region; where there are more, they are not followed."""


class _Foreseen(NamedTuple):
    asked: dict[Address, tuple[bool, Value]]
    shapes: dict[int, tuple[str, int]]
    footprint: Footprint


class Footprints:
    """What the threads of a program touch, state by state."""

    def __init__(self, interpreter: Interpreter, touches: Touches) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.cells = SharedCells.of(self.program, interpreter.layout, touches)
        self.calls = any(isinstance(edge.action, Call) for edge in self.program.edges)
        self.readable = not any(
            isinstance(part, Quantified | ThreadRead | ThreadVariable | AtLabel)
            for edge in self.program.edges
            for expr in action_expressions(edge.action)
            for part in subexpressions(expr)
        )
        self._later: dict[tuple[int, LocalStore], list[_Foreseen]] = {}
        self._next: dict[tuple[int, GlobalStore, LocalStore], Footprint | None] = {}

    def at(self, state: State, still: int, futures: Sequence[Masks]) -> FootprintsAt:
        """The footprints at a state while a thread does not move.

        `futures` are what the threads may touch at all, known by their locations and callers.
        """
        return FootprintsAt(self, state, still, futures)

    # -- what a thread may touch -----------------------------------------------------------------

    def foreseen(self, state: State, thread: int, moving: int) -> Footprint:
        """What a thread may touch while only some regions change."""
        l = state.locals[thread]
        known = self._later.setdefault((thread, l), [])
        for seen in known:
            if self._is_same(state.g, moving, seen):
                return seen.footprint
        sight = Foresight(self.cells, thread, state.g, l, moving)
        found = sight.footprint()
        known.append(_Foreseen(sight.asked, sight.shapes, found))
        return found

    def _is_same(self, g: GlobalStore, moving: int, seen: _Foreseen) -> bool:
        """Whether everything that was asked for has the same answer."""
        known = self.cells.declared + len(g.heap)
        for number, shape in seen.shapes.items():
            if number >= known or self.cells.shape(g, number) != shape:
                return False
        for address, (is_resting, value) in seen.asked.items():
            if bool(self.cells.region(address) & moving) is is_resting:
                return False
            if is_resting and self.cells.content(g, address) != value:
                return False
        return True

    # -- what a thread touches next --------------------------------------------------------------

    def exact(self, state: State, thread: int) -> Footprint | None:
        """What the next step of a thread touches; None if that is not known."""
        if not self.readable:
            return None
        key = thread, state.g, state.locals[thread]
        if key not in self._next:
            try:
                self._next[key] = self._evaluated(*key)
            except Undefined:
                self._next[key] = None
        return self._next[key]

    def _evaluated(self, thread: int, g: GlobalStore, l: LocalStore) -> Footprint | None:
        found = Footprint()
        new = self.cells.declared + len(g.heap)
        pending = [(g, l)]
        seen = set(pending)
        for stores in pending:
            view = _Noting(self.cells, thread, *stores, found)
            for edge in self.program.outgoing[view.l.pc]:
                after = self._taken(edge, view)
                if after is None or len(pending) > MOST:
                    return None
                pending += [each for each in after if each not in seen]
                seen.update(after)
        found.read = {address for address in found.read if address.number < new}
        found.written = {address for address in found.written if address.number < new}
        return found

    def _taken(self, edge: Edge, view: _Noting) -> list[tuple[GlobalStore, LocalStore]] | None:
        """Note what an edge touches; where it leads inside an atomic region."""
        action = edge.action
        if isinstance(action, Call | Return):
            return None
        if not view.holds(action.guard):
            return []
        atomic = self.program.locations[edge.target].atomic
        match action:
            case Command():
                if atomic and action.havocs:
                    return None
                for assignment in action.assignments:
                    view.note_written(view.resolve(assignment.target))
                    view.evaluate(assignment.value)
                for place in action.havocs:
                    view.note_written(view.resolve(place))
            case Allocate():
                view.note_written(view.resolve(action.target))
                if action.count is not None:
                    view.evaluate(action.count)
            case Free():
                freed = view.evaluate(action.pointer)
                if not isinstance(freed, Address) or freed.number < self.cells.declared:
                    return None
                count = len(view.g.heap[freed.number - self.cells.declared].cells)
                gone = (Address(freed.number, i) for i in range(WHETHER_ALIVE, count))
                view.found.written.update(gone)
        if not atomic:
            return []
        fired = self.interpreter.fire(edge, view.thread, view.g, view.l)
        return [(g, l) for _, g, l, _ in fired]


class FootprintsAt:
    """Footprints at one state, while a thread is still."""

    def __init__(
        self, footprints: Footprints, state: State, still: int, futures: Sequence[Masks]
    ) -> None:
        self.footprints = footprints
        self.cells = footprints.cells
        self.state = state
        self.still = still
        self.futures = futures
        self.moving = 0
        for thread, future in enumerate(futures):
            self.moving |= 0 if thread == still else future.written
        self._reach: dict[int, frozenset[int]] = {}

    def is_apart(self, other: int) -> bool:
        """Whether the next step of the still thread touches nothing another may touch before."""
        mine = self.footprints.exact(self.state, self.still)
        if mine is None:
            return False
        theirs = self.footprint(other)
        return not self.meets(self.still, mine.read, theirs, written=False) and not self.meets(
            self.still, mine.written, theirs, written=True
        )

    def may_wake(self, waiting: int, other: int) -> bool:
        """Whether another may write what keeps a thread from moving."""
        mine = self.footprints.exact(self.state, waiting)
        return mine is None or self.meets(waiting, mine.read, self.footprint(other), written=False)

    def footprint(self, other: int) -> Footprint:
        """What another thread may touch."""
        if self.footprints.calls:
            return Footprint(masks=self.futures[other])
        return self.footprints.foreseen(self.state, other, self.moving)

    def meets(
        self, thread: int, cells: Iterable[Address], theirs: Footprint, *, written: bool
    ) -> bool:
        """Whether it matters that some cells are read, or written, beside a footprint."""
        if thread not in self._reach:
            declared = self.cells.declared
            found = objects_without(self.state, declared, thread)
            self._reach[thread] = frozenset(declared + number for number in found)
        reach = self._reach[thread]
        coarse = theirs.masks.written | (theirs.masks.read if written else 0)
        for address in cells:
            if address in theirs.written or address.number in theirs.objects_written:
                return True
            if written and (address in theirs.read or address.number in theirs.objects_read):
                return True
            shared = address.number < self.cells.declared or address.number in reach
            if shared and self.cells.region(address) & coarse:
                return True
        return False


class _Noting(View):
    """A view that notes which shared cells are looked at."""

    def __init__(
        self, cells: SharedCells, thread: int, g: GlobalStore, l: LocalStore, found: Footprint
    ) -> None:
        super().__init__(cells.program, cells.layout, thread, g, l)
        self.cells = cells
        self.found = found

    def _content(self, cell: CellRef) -> Value:
        address = self.cells.address(cell)
        if address is not None:
            self.found.read.add(address)
        return super()._content(cell)

    def is_valid(self, address: Address, held: Type | None = None) -> bool:
        """Note that it matters whether the object is alive."""
        self._note_tested(address)
        return super().is_valid(address, held)

    def is_allocated(self, address: Address) -> bool:
        """The same."""
        self._note_tested(address)
        return super().is_allocated(address)

    def _note_tested(self, address: Address) -> None:
        if address.number >= self.cells.declared:
            self.found.read.add(Address(address.number, WHETHER_ALIVE))

    def note_written(self, cell: CellRef) -> None:
        """Note a cell that is written."""
        address = self.cells.address(cell)
        if address is not None:
            self.found.written.add(address)
