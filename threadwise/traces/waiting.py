"""Who waits for what in a deadlock, and who has it: one entry per thread, the cycle in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from threadwise.core.source import Span
from threadwise.ir.commands import HOLDINGS, OperationKind
from threadwise.ir.types import Address, Value
from threadwise.semantics.deadlocks import Deadlocks
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import Move, State
from threadwise.semantics.waiting import Way
from threadwise.traces.naming import Naming
from threadwise.traces.own_text import is_own, own_edge
from threadwise.traces.trace import Holder, Wait, WaitingThread

_WORDS = {
    OperationKind.TAKE: "a unit of {0}",
    OperationKind.WAKE: "a signal to {0}",
    OperationKind.PASS: "others at {0}",
}

History = Sequence[tuple[State, Move, State]]
"""The steps of a run: the state before, the move, the state after."""


class WaitingTold:
    """Describes the waits in the last state of a run."""

    def __init__(
        self,
        deadlocks: Deadlocks,
        state: State,
        history: History = (),
        naming: Naming | None = None,
    ) -> None:
        self.deadlocks = deadlocks
        self.program = deadlocks.program
        self.layout = deadlocks.layout
        self.state = state
        self.history = history
        self._naming = naming or Naming(self.program, self.layout)

    def threads(self) -> tuple[WaitingThread, ...]:
        """All who wait forever; who is waited for comes after who waits for it, if that goes."""
        members = self.deadlocks.members(self.state)
        left = sorted(members)
        told: list[WaitingThread] = []
        found: list[int] = []
        while left:
            ahead = [t for t in found[-1:] for t in self._awaited(t) if t in left]
            t = ahead[0] if ahead else self._first(left)
            left.remove(t)
            found.append(t)
            told.append(self._thread(t))
        return tuple(told)

    def taken(self) -> tuple[tuple[int, Span], ...]:
        """Who got what is waited for, and where."""
        ways = [way for t in sorted(self.deadlocks.members(self.state)) for way in self._ways(t)]
        found = ((u, self._since(way, u)) for way in ways for u in self._holders(way))
        return tuple(dict.fromkeys((u, span) for u, span in found if span is not None))

    def objects(self) -> tuple[str, ...]:
        """What is waited for and has no holder: semaphores, conditions, barriers, variables."""
        ways = [way for t in self.deadlocks.members(self.state) for way in self._ways(t)]
        loose = [way for way in ways if way.awaited is None and way.held is None]
        cells = [(way, cell) for way in loose for cell in way.cells]
        keys = [(way, self._naming.key(cell, self.state.g)) for way, cell in cells]
        return tuple(
            sorted({(way.kind in _WORDS and _whole(key)) or key for way, key in keys if key})
        )

    def held(self, t: int) -> tuple[str, ...]:
        """What a thread holds beside mutexes: locks for reading, initialisations."""
        cells = self.layout.thread[self.layout.numbers.templates[t]].cells
        values = zip(cells, self.state.locals[t].thread, strict=True)
        held = [value for cell, value in values if cell.variable.name.startswith(HOLDINGS)]
        return tuple(self._object(value) for value in held if isinstance(value, Address))

    def _first(self, left: Sequence[int]) -> int:
        """A thread to begin with: one in a cycle, or one that waits for no end of a thread."""
        for t in left:
            seen: list[int] = []
            at = t
            while at not in seen:
                seen.append(at)
                ahead = [u for u in self._awaited(at) if u in left]
                if not ahead:
                    break
                at = ahead[0]
            else:
                return at
        joins = OperationKind.JOIN
        return next((t for t in left if all(w.kind is not joins for w in self._ways(t))), left[0])

    def _ways(self, t: int) -> list[Way]:
        found = self.deadlocks.ways.of(t, self.state.g, self.state.locals[t])
        ways = list(found or ())
        named = [way for way in ways if way.kind is not None]
        return named or ways

    def _awaited(self, t: int) -> list[int]:
        return [u for way in self._ways(t) for u in self._holders(way)]

    def _holders(self, way: Way) -> list[int]:
        if way.awaited is not None:
            return [way.awaited]
        if way.held is None:
            return []
        return [t for t in range(len(self.state.locals)) if self._holds(self.state, t, way.held)]

    def _thread(self, t: int) -> WaitingThread:
        ways = self._ways(t)
        waits = tuple(dict.fromkeys(self._wait(way) for way in ways))
        return WaitingThread(self._name(t), self._span(t, ways), waits)

    def _wait(self, way: Way) -> Wait:
        kind = "await" if way.kind is None else way.kind.value
        holders = tuple(Holder(self._name(u), self._since(way, u)) for u in self._holders(way))
        if way.kind is OperationKind.JOIN:
            return Wait(kind, "the end of", holders)
        if way.held is not None:
            return Wait(kind, self._object(way.held), holders)
        if way.kind in _WORDS:
            objects = sorted({self._cell(cell, _whole) for cell in way.cells})
            return Wait(kind, _WORDS[way.kind].format(" or ".join(objects)), holders)
        names = sorted({self._cell(cell, _without_lock) for cell in way.cells})
        return Wait(kind, " or ".join(names), holders)

    # -- names -----------------------------------------------------------------------------------

    def _name(self, t: int) -> str:
        return self.layout.numbers.name(t)

    def _cell(self, cell: CellRef, part: Callable[[str], str]) -> str:
        """A cell, or the object that it is a part of."""
        if cell.region is Region.GLOBAL:
            name = self.layout.globals.cells[cell.slot].name
            return part(name) or name
        found = self.layout.cell(self.state.g.heap[cell.number].site, cell.slot)
        inside = part(found.name.removeprefix(found.variable.name))
        return self._naming.part(cell, inside, self.state.g)

    def _object(self, held: Value) -> str:
        """The object at an address."""
        if not isinstance(held, Address):
            return "an object"
        return self._naming.lock_at(held, self.state.g)

    def _span(self, t: int, ways: Sequence[Way]) -> Span | None:
        """Where in the user's own text a thread waits."""
        spans = [way.edge.span for way in ways]
        spans.append(self.program.locations[self.state.locals[t].pc].span)
        for frame in reversed(self.state.stacks[t]):
            spans.append(self.program.edges[frame.call].span)
        return next((span for span in spans if is_own(span)), None)

    # -- since when ------------------------------------------------------------------------------

    def _since(self, way: Way, holder: int) -> Span | None:
        """Where a thread got what another one waits for."""
        if way.kind is OperationKind.JOIN:
            return None
        for before, move, after in reversed(self.history):
            if move.thread == holder and self._got(way, holder, before, after):
                edges = [self.program.edges[choice.edge] for choice in reversed(move.choices)]
                owned = (own_edge(self.program, before, holder, edge) for edge in edges)
                return next((edge.span for edge in owned if edge and edge.span), None)
        return None

    def _got(self, way: Way, holder: int, before: State, after: State) -> bool:
        if way.held is not None:
            held = self._holds(after, holder, way.held)
            return held and not self._holds(before, holder, way.held)
        return any(
            _value(before, cell) != holder and _value(after, cell) == holder for cell in way.cells
        )

    def _holds(self, state: State, t: int, held: Value) -> bool:
        cells = self.layout.thread[self.layout.numbers.templates[t]].cells
        return any(
            cell.variable.name.startswith(HOLDINGS) and value == held
            for cell, value in zip(cells, state.locals[t].thread, strict=True)
        )


def _value(state: State, cell: CellRef) -> Value | None:
    """What a cell of shared memory holds; None if it is not there yet."""
    if cell.region is Region.GLOBAL:
        return state.g.cells[cell.slot]
    heap = state.g.heap
    return heap[cell.number].cells[cell.slot] if cell.number < len(heap) else None


def _whole(name: str) -> str:
    """The object that a member belongs to; nothing for a member of what has no name."""
    return name.rpartition(".")[0]


def _without_lock(name: str) -> str:
    return name.removesuffix(".lock")
