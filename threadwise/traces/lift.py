"""Traces of a simplified program, as traces of the program of record.

An edge of the simplified program stands for one of a few paths of the program of record
(`Edge.origin`). So a move becomes the moves along one of them: those of the same thread, without
those of others in between. Where the path makes a choice that the simplified program does not
make, nobody looks at it, or it is copied to where the simplified program makes one, or a pass has
an edge for each of some values: these are tried first. After each move both programs must agree
in what they have in common: where the thread is, cells of the same names, and locals that are
still read.

This is not trusted: the result is replayed in the program of record as any trace is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import NamedTuple

from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import Const, Place
from threadwise.ir.layout import Layout, ProgramLayout, cells_of, initial_choices
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import UNSET, PointerType, Value, contains, default_value
from threadwise.semantics.memory import canonical
from threadwise.semantics.recorded_moves import follow_on, initial_state, is_full
from threadwise.semantics.state import Cells, Choice, Move, State
from threadwise.semantics.step import Interpreter
from threadwise.traces.replay import ReplayFailure
from threadwise.traces.trace import Trace
from threadwise.transforms.pipeline import Simplified

MOST_TRIES = 20_000
"""So many ways to take the edges of one move are tried."""

MOST_CHOICES = 200
"""So many combinations of values are tried for the choices of one edge."""


def lifted(simpler: Simplified, trace: Trace) -> Trace:
    """The trace in the program of record; raises ReplayFailure if it cannot be found."""
    if trace.program_hash != program_hash(simpler.program):
        raise ReplayFailure("the trace belongs to another program")
    return _Lifting(simpler, trace).run()


class _Step(NamedTuple):
    """An edge of the program of record, with values that passes gave its choices."""

    edge: EdgeId
    given: Mapping[Place, Value] = {}


@dataclass(frozen=True)
class _Node:
    """Some way into the edges of a move."""

    state: State
    taken: tuple[Choice, ...] = ()
    index: int = -1
    """The edge of the simplified program, by its place in the move."""
    path: tuple[_Step, ...] = ()
    """What is left of the path that it stands for."""


@dataclass(frozen=True)
class _Way:
    """What a thread does: for each edge the paths that it stands for, and what it chooses."""

    thread: int
    paths: Sequence[Sequence[tuple[_Step, ...]]]
    choices: tuple[Choice, ...] = ()


class _Lifting:
    def __init__(self, simpler: Simplified, trace: Trace) -> None:
        self.simpler = simpler
        self.trace = trace
        self.record = Interpreter(simpler.record.with_counts(trace.counts))
        self.simple = Interpreter(simpler.program.with_counts(trace.counts))
        self.common = _CommonCells(self.record.layout, self.simple.layout)
        self.uses = Uses()
        self.paths = cache(self._paths)
        self.live: dict[str, Mapping[LocId, Collection[str]]] = {}
        """By procedure of the simplified program: what is still read where."""

    def run(self) -> Trace:
        initial = self._initial()
        state = initial_state(self.record, initial)
        image = initial_state(self.simple, self.trace.initial)
        if state is None or image is None:
            raise ReplayFailure("the trace does not start in an initial state")
        moves: list[Move] = []
        begun = self.simpler.begun
        if begun:
            state, moves = self._begin(begun, state, image)
        for number, move in enumerate(self.trace.moves, start=1):
            after = follow_on(self.simple, image, move)
            ways = [self.paths(choice.edge) for choice in move.choices]
            wanted = _Way(move.thread, ways, move.choices)
            found = None if after is None else self._move(state, wanted, after)
            if after is None or found is None:
                raise ReplayFailure(f"step {number} is not found in the program of record")
            moves += self._moves(move.thread, found.taken)
            state, image = self._settled(state, found.state), after
        return replace(
            self.trace,
            program_hash=program_hash(self.simpler.record),
            initial=initial,
            moves=tuple(moves),
        )

    def _settled(self, before: State, after: State) -> State:
        """A state without unreachable objects, if there are many objects."""
        if not is_full(before, after):
            return after
        return canonical(after, len(self.record.program.globals))

    def _initial(self) -> Cells:
        """The shared cells at the start; those that may be anything as the trace has them."""
        given = {
            cell.name: value
            for cell, value in zip(
                self.simple.layout.globals.cells, self.trace.initial, strict=False
            )
        }
        numbers = self.record.layout.numbers
        found: list[Value] = []
        for declaration in self.record.program.globals:
            for cell, choices in zip(
                cells_of(declaration.variable, numbers),
                initial_choices(declaration, numbers),
                strict=True,
            ):
                default = default_value(cell.type) if choices is None else choices[0]
                value = given.get(cell.name, default)
                allowed = contains(cell.type, value) if choices is None else value in choices
                found.append(value if allowed else default)
        return tuple(found)

    def _begin(
        self, begun: Sequence[tuple[int, EdgeId]], state: State, image: State
    ) -> tuple[State, list[Move]]:
        """What is done before the simplified program begins, and where it leads."""
        programs = (self.simpler.record, *self.simpler.programs)
        ways = [list(_paths(programs[: level + 1], edge)) for level, edge in begun]
        source = self.record.program.edges[ways[0][0][0].edge].source
        thread = [own.pc for own in state.locals].index(source)
        found = self._move(state, _Way(thread, ways), image)
        if found is None:
            raise ReplayFailure("the first steps are not found in the program of record")
        return found.state, list(self._moves(thread, found.taken))

    # -- one move --------------------------------------------------------------------------------

    def _move(self, state: State, move: _Way, image: State) -> _Node | None:
        """The edges that stand for a move to a state of the simplified program."""
        pending = [iter((_Node(state),))]
        tries = 0
        while pending and tries < MOST_TRIES:
            node = next(pending[-1], None)
            if node is None:
                pending.pop()
                continue
            tries += 1
            last = node.index == len(move.paths) - 1 and not node.path
            if last and self._agree(move.thread, node.state, image):
                return node
            if not last:
                pending.append(self._onwards(node, move))
        return None

    def _onwards(self, node: _Node, move: _Way) -> Iterator[_Node]:
        """One edge more."""
        here = node.state.locals[move.thread].pc
        if not node.path:
            index = node.index + 1
            for path in move.paths[index]:
                if self.record.program.edges[path[0].edge].source == here:
                    yield replace(node, index=index, path=path)
            return
        edge = self.record.program.edges[node.path[0].edge]
        if edge.source != here:
            return
        for choice, state in self._taken(node, move):
            yield replace(node, state=state, taken=(*node.taken, choice), path=node.path[1:])

    def _taken(self, node: _Node, move: _Way) -> Iterator[tuple[Choice, State]]:
        """The ways to take the next edge."""
        thread, state = move.thread, node.state
        edge = self.record.program.edges[node.path[0].edge]
        if isinstance(edge.action, Call | Return):
            for offered, after in self.record.thread_calls(state, thread):
                if offered.choices[0].edge == edge.id:
                    yield offered.choices[0], after
            return
        chosen = move.choices[node.index] if move.choices else None
        for values in self._values(edge.action, chosen, node.path[0]):
            fired = self.record.fire(edge, thread, state.g, state.locals[thread], values)
            for choice, g, l, _ in fired:
                locals_ = (*state.locals[:thread], l, *state.locals[thread + 1 :])
                yield choice, State(g, locals_, state.stacks)

    def _values(self, action: object, chosen: Choice | None, step: _Step) -> Iterator[Cells]:
        """What the choices of an edge may be, the likely ones first."""
        havocs = action.havocs if isinstance(action, Command) else ()
        other = None if chosen is None else self.simple.program.edges[chosen.edge].action
        places = other.havocs if isinstance(other, Command) else ()
        given = () if chosen is None else chosen.values
        named = {_name(place): v for place, v in zip(places, given, strict=True)}

        def candidates(place: Place) -> list[Value]:
            likely = [step.given[place]] if place in step.given else []
            likely += [named[_name(place)]] if _name(place) in named else []
            tried = (*likely, *given, default_value(place.type), 0, 1, True)  # type: ignore[arg-type]  # validated: a havoc is scalar
            fitting = [value for value in tried if contains(place.type, value)]  # type: ignore[arg-type]
            return list(dict.fromkeys(fitting))

        return islice(product(*map(candidates, havocs)), MOST_CHOICES)

    def _moves(self, thread: int, taken: Sequence[Choice]) -> Iterator[Move]:
        """The edges, cut where others can see the thread."""
        program = self.record.program
        begun: list[Choice] = []
        for choice in taken:
            begun.append(choice)
            edge = program.edges[choice.edge]
            if isinstance(edge.action, Call | Return) or not program.locations[edge.target].atomic:
                yield Move(thread, tuple(begun))
                begun = []

    # -- origins ---------------------------------------------------------------------------------

    def _paths(self, edge: EdgeId) -> list[tuple[_Step, ...]]:
        """The paths of the program of record that an edge of the simplified one stands for."""
        return list(_paths((self.simpler.record, *self.simpler.programs), edge))

    def _origin(self, location: LocId) -> LocId | None:
        here: LocId | None = location
        for program in reversed(self.simpler.programs):
            here = None if here is None else program.locations[here].origin
        return here

    # -- agreement -------------------------------------------------------------------------------

    def _agree(self, thread: int, state: State, image: State) -> bool:
        """Whether the states of both programs are alike in what a thread may have changed."""
        own, other = state.locals[thread], image.locals[thread]
        if own.pc != self._origin(other.pc):
            return False
        template = self.record.layout.numbers.templates[thread]
        body = self.record.program.procedure_of[own.pc].name
        return (
            self.common.globals.agree(state.g.cells, image.g.cells)
            and self.common.thread(template).agree(own.thread, other.thread)
            and self.common.local(body).agree(own.locals, other.locals, self._live(other.pc))
        )

    def _live(self, location: LocId) -> frozenset[str]:
        procedure = self.simple.program.procedure_of[location]
        if procedure.name not in self.live:
            self.live[procedure.name] = live_locals(procedure, self.uses)
        return frozenset(self.live[procedure.name][location])


class _Common:
    """The cells that two stores have in common: the same name and type; pointers are left out."""

    def __init__(self, one: Layout, two: Layout) -> None:
        slots = {(cell.name, cell.type): slot for slot, cell in enumerate(one.cells)}
        self.pairs = [
            (slots[cell.name, cell.type], slot, cell.variable.name)
            for slot, cell in enumerate(two.cells)
            if (cell.name, cell.type) in slots and not isinstance(cell.type, PointerType)
        ]

    def agree(self, cells: Cells, others: Cells, names: frozenset[str] | None = None) -> bool:
        """Whether they hold the same, those of some variables only if these are given."""
        return all(
            cells[slot]
            in (others[other], UNSET)  # of which the simplified program may have a flag
            for slot, other, name in self.pairs
            if names is None or name in names
        )


class _CommonCells:
    """What the stores of two programs have in common."""

    def __init__(self, one: ProgramLayout, two: ProgramLayout) -> None:
        self.globals = _Common(one.globals, two.globals)
        self.thread = cache(lambda template: _Common(one.thread[template], two.thread[template]))
        self.local = cache(lambda body: _Common(one.local[body], two.local[body]))


def _name(place: Place) -> str:
    return str(place)


def _paths(programs: Sequence[Program], edge: EdgeId) -> Iterator[tuple[_Step, ...]]:
    """The paths of the first of some programs that an edge of the last one stands for."""
    *before, last = programs
    if not before:
        yield (_Step(edge),)
        return
    for path in last.edges[edge].origin:
        for parts in product(*(list(_paths(before, each)) for each in path)):
            steps = tuple(step for part in parts for step in part)
            if len(steps) == 1:
                given = _given(before[-1].edges[path[0]], last.edges[edge])
                steps = (_Step(steps[0].edge, {**given, **steps[0].given}),)
            yield steps


def _given(old: Edge, new: Edge) -> dict[Place, Value]:
    """The constants that an edge has where the one that it was made from has choices."""
    if not isinstance(old.action, Command) or not isinstance(new.action, Command):
        return {}
    chosen = set(old.action.havocs) - set(new.action.havocs)
    if not chosen:
        return {}
    return {
        each.target: each.value.value
        for each in new.action.assignments
        if each.target in chosen and isinstance(each.value, Const)
    }
