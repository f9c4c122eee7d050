"""The edges of a step one after the other, and objects that keep their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from threadwise.core.errors import InternalError
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge
from threadwise.ir.types import Address, Value
from threadwise.proofs.locksets.auditing.world import Moment, World, own_cells
from threadwise.semantics.memory import canonical
from threadwise.semantics.state import Choice, Frame, GlobalStore, LocalStore, Move, State
from threadwise.semantics.step import Access


class Micro(NamedTuple):
    """One edge of a step."""

    thread: int
    edge: Edge
    before: Moment
    after: Moment
    accesses: tuple[Access, ...]


class Replay:
    """Takes steps apart; gives new objects names that no other object had."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.named = 0

    def begin(self, state: State) -> Moment:
        """The first moment of a run."""
        self.named = len(state.g.heap)
        return Moment(state, tuple(range(self.named)))

    def edges(self, before: Moment, move: Move) -> Iterator[Micro]:
        """The edges of a step."""
        for choice in move.choices:
            micro = self._edge(before, move.thread, choice)
            yield micro
            before = micro.after

    def _edge(self, before: Moment, thread: int, choice: Choice) -> Micro:
        state = before.state
        edge = self.world.program.edges[choice.edge]
        g, l, stack, accesses = self._taken(state, thread, edge, choice)
        after = State(
            g,
            (*state.locals[:thread], l, *state.locals[thread + 1 :]),
            (*state.stacks[:thread], stack, *state.stacks[thread + 1 :]),
        )
        fresh = range(self.named, self.named + len(g.heap) - len(state.g.heap))
        self.named += len(fresh)
        return Micro(thread, edge, before, Moment(after, (*before.names, *fresh)), accesses)

    def _taken(
        self, state: State, thread: int, edge: Edge, choice: Choice
    ) -> tuple[GlobalStore, LocalStore, tuple[Frame, ...], tuple[Access, ...]]:
        interpreter = self.world.interpreter
        l, stack = state.locals[thread], state.stacks[thread]
        match edge.action:
            case Call():
                for push in interpreter.push(thread, l):
                    if push.choice == choice:
                        return state.g, push.l, (*stack, push.frame), ()
            case Return():
                for pop in interpreter.pop(thread, l, stack[-1]):
                    if pop.choice == choice:
                        return state.g, pop.l, stack[:-1], ()
            case _:
                for _, g, after, accesses in interpreter.fire(
                    edge, thread, state.g, l, choice.values
                ):
                    return g, after, stack, tuple(accesses)
        raise InternalError(f"a run takes edge {edge.id}, which cannot be taken")

    def settled(self, last: Moment, after: State) -> Moment:
        """The state after a step, whose heap objects are numbered anew, with their names."""
        if canonical(last.state, self.world.declared) != after:
            raise InternalError("a run does not go on as its steps say")
        if not after.g.heap:
            return Moment(after, ())
        names: dict[int, int] = {}
        pending = self._pairs(_cells(last.state), _cells(after))
        while pending:
            old, new = pending.pop()
            if new not in names:
                names[new] = last.names[old]
                pending += self._pairs(last.state.g.heap[old].cells, after.g.heap[new].cells)
        return Moment(after, tuple(names[number] for number in range(len(after.g.heap))))

    def _pairs(self, before: Iterable[Value], after: Iterable[Value]) -> list[tuple[int, int]]:
        """The heap objects that values point to, by their numbers before and after."""
        declared = self.world.declared
        both = zip(before, after, strict=True)
        return [
            (old.number - declared, new.number - declared)
            for old, new in both
            if isinstance(old, Address)
            and isinstance(new, Address)
            and old.number >= declared
            and new.number >= declared
        ]


def _cells(state: State) -> Iterator[Value]:
    yield from state.g.cells
    for thread in range(len(state.locals)):
        yield from own_cells(state, thread)
