"""Runs of a program in the reference semantics, for audits.

Every run starts in an initial state: the state of a monitor belongs to one run. Most runs lead to
a state with an unexplored transition and continue from there, under schedules that switch threads
at random or rarely, until there is no unexplored transition; so a program with few states is
explored completely. Every fourth run is random, through known states too, since a state may have
several histories; if a proof explores only some threads in a state, another fourth does the same.

Of inputs with many values a few are drawn. Where a proof has a few values that stand for all of
an input, only these are taken: other runs have no image in the program that the proof is about.
All choices follow from the seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TypeVar

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import Const, Wrap
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.ir.types import IntType, MachineType, RangeType, ScalarType, Value
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.schedule import RandomSchedule
from threadwise.semantics.state import Cells, Choice, GlobalStore, LocalStore, Move, State
from threadwise.semantics.step import Access, Interpreter, Step, Transition

Item = TypeVar("Item")
Steer = Callable[[State], "int | None"]

FEW = 16
"""Of more values than this in one input, some are drawn."""

DRAWN = 3
"""So many."""

RARELY = 0.95
"""How likely a thread goes on in runs with few switches."""

FREE_RUN = 4
"""Every so many runs, one is random."""

FREE_STEPS = 100
"""So far."""

ROUNDS = 8
"""So many times inputs are drawn again, where nothing else is left to try."""

AFTERWARDS = 8
"""So many random runs follow when everything was tried."""

UNBOUNDED = 1 << 20
"""Integers without bounds are drawn from this range around 0, or from constants."""


class Draws:
    """Pseudo-random choices; only `random` itself promises the same numbers everywhere."""

    def __init__(self, seed: int) -> None:
        self._numbers = random.Random(seed)

    def below(self, bound: int) -> int:
        """A number from 0 to below a bound."""
        return int(self._numbers.random() * bound)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of some items."""
        return items[self.below(len(items))]

    def chance(self, likely: float) -> bool:
        """True with a given probability."""
        return self._numbers.random() < likely


class DrawingInterpreter(Interpreter):
    """The semantics, except that inputs with many values take a few of them, drawn each time."""

    def __init__(
        self, program: Program, draws: Draws, inputs: Mapping[EdgeId, Sequence[Value]]
    ) -> None:
        super().__init__(program)
        self.inputs = inputs
        self.drawn = 0
        """How often a few of many values were taken."""
        self._draws = draws
        self._constants = _constants(program)
        self._steps: dict[tuple[int, GlobalStore, LocalStore], list[Step]] = {}

    def step(self, thread: int, g: GlobalStore, l: LocalStore) -> Iterator[Step]:
        """The steps of a thread; computed once, unless inputs are drawn."""
        key = thread, g, l
        found = self._steps.get(key)
        if found is None:
            drawn = self.drawn
            found = list(super().step(thread, g, l))
            if self.drawn == drawn:
                self._steps[key] = found
        return iter(found)

    def fire(
        self, edge: Edge, thread: int, g: GlobalStore, l: LocalStore, values: Cells | None = None
    ) -> Iterator[tuple[Choice, GlobalStore, LocalStore, list[Access]]]:
        """Take one edge; an input may have fewer values."""
        if values is not None or edge.id not in self.inputs:
            yield from super().fire(edge, thread, g, l, values)
            return
        for value in self._few(self.inputs[edge.id]):
            yield from super().fire(edge, thread, g, l, (value,))

    def _few(self, values: Sequence[Value]) -> Iterable[Value]:
        """All of some values if they are few, otherwise some."""
        if len(values) <= FEW:
            return values
        self.drawn += 1
        return dict.fromkeys(self._draws.pick(values) for _ in range(DRAWN))

    def domain(self, scalar: ScalarType) -> Iterable[Value]:
        """All values, or a few of many."""
        match scalar:
            case RangeType(low, high) | MachineType(low=low, high=high) if high - low >= FEW:
                return self._drawn(low, high)
            case IntType():
                return self._drawn(-UNBOUNDED, UNBOUNDED)
            case _:
                return super().domain(scalar)

    def _drawn(self, low: int, high: int) -> Iterable[Value]:
        """Constants of the program, since branches compare with them, and any value."""
        self.drawn += 1
        fitting = [value for value in self._constants if low <= value <= high]
        drawn = [self._draws.pick(fitting) for _ in range(DRAWN - 1) if fitting]
        return dict.fromkeys((*drawn, low + self._draws.below(high - low + 1)))


def _constants(program: Program) -> list[int]:
    """The constants that a program mentions, with their neighbours."""
    found = {0: None, 1: None, -1: None}
    for action in program.actions:
        for whole in action_expressions(action):
            for part in subexpressions(whole):
                if isinstance(part, Const) and type(part.value) is int:
                    value = part.value
                    found |= dict.fromkeys((value - 1, value, value + 1))
                elif isinstance(part, Wrap):
                    found |= dict.fromkeys((part.low, part.high))
    return list(found)


@dataclass(eq=False, slots=True)
class _Node:
    """A state that was visited, how it was first reached, and what was not tried there."""

    state: State
    before: _Node | None
    move: Move | None
    depth: int
    unasked: list[int]
    """The threads whose transitions were not computed yet."""
    offered: dict[int, list[Transition]] = field(default_factory=dict)
    untried: dict[int, list[Transition]] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        return bool(self.unasked or self.untried)


class Runs:
    """Runs of a program with a fixed number of threads, one after the other."""

    def __init__(
        self,
        program: Program,
        seed: int,
        steer: Steer | None = None,
        inputs: Mapping[EdgeId, Sequence[Value]] | None = None,
    ) -> None:
        """`steer` gives the only thread that a proof explores in a state; None: all.

        `inputs` are the values that stand for all, by edge.
        """
        self._steer = steer
        self._draws = Draws(seed)
        self._schedule = RandomSchedule(seed)
        self.interpreter = DrawingInterpreter(program, self._draws, inputs or {})
        self._nodes: dict[State, _Node] = {}
        self._open: list[_Node] = []
        self._count = 0
        self._rounds = ROUNDS
        self._drew: list[tuple[_Node, int]] = []
        """Where transitions of a thread were computed and inputs were drawn."""
        self._starts = self._first_states()

    @property
    def drew(self) -> bool:
        """Whether some inputs were left out."""
        return bool(self.interpreter.drawn or self.interpreter.inputs)

    @property
    def states(self) -> int:
        """How many states were visited."""
        return len(self._nodes)

    def __iter__(self) -> Iterator[tuple[State, Iterator[tuple[State, Move, State]]]]:
        """Initial states, each with the steps of a run; until everything was tried."""
        for start in self._starts:
            yield start, self._onwards(self._known(start))
        while (node := self._next_open()) is not None:
            self._count += 1
            if self._count % FREE_RUN == 0:
                start = self._schedule.start(self.interpreter)
                yield start, self._anywhere(self._known(start), None)
            elif self._count % FREE_RUN == 1 and self._steer is not None:
                start = self._schedule.start(self.interpreter)
                yield start, self._anywhere(self._known(start), self._steer)
            else:
                path = _path(node)
                yield path[0].state, self._through(path)
        for _ in self._starts and range(AFTERWARDS):
            start = self._schedule.start(self.interpreter)
            yield start, self._anywhere(self._known(start), None)

    def _first_states(self) -> list[State]:
        """All initial states if they are few, otherwise some."""
        try:
            found = list(islice(self.interpreter.initial_states(), FEW + 1))
            if len(found) > FEW:
                found = [self._schedule.start(self.interpreter) for _ in range(FEW)]
        except Unsupported:  # a pointer that starts anywhere
            return []
        return found

    def _next_open(self) -> _Node | None:
        """A visited state with an unexplored transition, preferably near an initial state."""
        one, other = self._any_open(), self._any_open()
        if one is None or other is None:
            return self._drawn_again()
        return min(one, other, key=lambda node: node.depth)

    def _drawn_again(self) -> _Node | None:
        """A state where other inputs may be drawn, once all that were drawn have been tried."""
        if not self._drew or not self._rounds:
            return None
        self._rounds -= 1
        for node, thread in self._drew:
            node.unasked.append(thread)
            self._open.append(node)
        self._drew = []
        return self._any_open()

    def _any_open(self) -> _Node | None:
        while self._open:
            position = self._draws.below(len(self._open))
            node = self._open[position]
            if node.is_open:
                return node
            self._open[position] = self._open[-1]
            self._open.pop()
        return None

    def _known(self, state: State, before: _Node | None = None, move: Move | None = None) -> _Node:
        node = self._nodes.get(state)
        if node is None:
            stopped = self.interpreter.is_stopped(state)
            depth = 0 if before is None else before.depth + 1
            threads = [] if stopped else list(self.interpreter.threads)
            node = _Node(state, before, move, depth, threads)
            self._nodes[state] = node
            self._open.append(node)
        return node

    def _through(self, path: list[_Node]) -> Iterator[tuple[State, Move, State]]:
        """To a state with an unexplored transition, and on from there."""
        for before, after in pairwise(path):
            assert after.move is not None
            yield before.state, after.move, after.state
        yield from self._onwards(path[-1])

    def _onwards(self, node: _Node) -> Iterator[tuple[State, Move, State]]:
        """Unexplored transitions, as long as there are some."""
        stay = RARELY if self._draws.chance(0.5) else 0.0
        thread = -1
        while (chosen := self._new(node, thread if self._draws.chance(stay) else -1)) is not None:
            thread = chosen.move.thread
            after = self._known(chosen.state, node, chosen.move)
            yield node.state, chosen.move, after.state
            node = after

    def _new(self, node: _Node, preferred: int) -> Transition | None:
        """An unexplored transition, if possible of a certain thread."""
        while node.is_open:
            waiting = [*node.unasked, *node.untried]
            thread = preferred if preferred in waiting else self._draws.pick(waiting)
            self._ask(node, thread)
            left = node.untried.get(thread)
            if left:
                chosen = left.pop(self._draws.below(len(left)))
                if not left:
                    del node.untried[thread]
                return chosen
        return None

    def _ask(self, node: _Node, thread: int) -> list[Transition]:
        """The transitions of a thread; none where a step has no meaning or is not supported."""
        if thread in node.unasked:
            node.unasked.remove(thread)
            drawn = self.interpreter.drawn
            try:
                found = list(self.interpreter.thread_successors(node.state, thread))
            except (Undefined, Unsupported):
                found = []
            if self.interpreter.drawn != drawn:
                self._drew.append((node, thread))
            node.offered[thread] = found
            if found:
                node.untried[thread] = list(found)
        return node.offered.get(thread, [])

    def _anywhere(self, node: _Node, steer: Steer | None) -> Iterator[tuple[State, Move, State]]:
        """Random transitions, or of the threads that a proof explores; explored or not."""
        for _ in range(FREE_STEPS):
            only = None if steer is None else steer(node.state)
            threads = list(self.interpreter.threads) if only is None else [only]
            offered: list[Transition] = []
            while threads and not offered:
                thread = threads.pop(self._draws.below(len(threads)))
                offered = self._ask(node, thread)
            if not offered:
                return
            chosen = self._draws.pick(offered)
            after = self._known(chosen.state, node, chosen.move)
            yield node.state, chosen.move, after.state
            node = after


def _path(node: _Node) -> list[_Node]:
    """How a state was first reached."""
    path = [node]
    while (before := path[-1].before) is not None:
        path.append(before)
    return path[::-1]
