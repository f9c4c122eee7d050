"""Races that slices show, carried back to the program they were cut from.

A slice has at least the races of its program (`threadwise.engines.slices`), on few data: with a
few threads all its states can be visited, in which races are seen at once. The run that leads to
one is a guess about the program: the same threads take the same edges, if values can be found
with which what was projected away allows it. A solver is asked for these
(`threadwise.engines.bounded.along`). Whatever it finds is a run of the program and is replayed
like any other; if it finds none, the slice says too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any

from threadwise.analyses.regions import steps_from
from threadwise.backends.smt.solver import Effort
from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.api import Task
from threadwise.engines.bounded.along import Runs, TakenStep
from threadwise.engines.search_tree import SearchTree
from threadwise.ir.commands import OperationKind
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import JointState
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.trace import Trace
from threadwise.transforms.merge import Merged, is_idle
from threadwise.transforms.presume import names_of

FEW = 2
"""So many threads of each kind there are."""
MOST_STATES = 20_000
"""So many states of a slice are visited."""
MOST_RACES = 4
"""So many races of a slice are tried, each with threads at other places."""
MOST_ENDS = 8
"""So many pairs of accesses are tried where a race is seen."""
LIMIT = 4_000_000
"""Units of the solver's resource counter for one run."""

Joint = JointState[Any, Any, Any]


@dataclass(frozen=True)
class Seen:
    """What the search of a slice has shown."""

    races: bool = False
    """Whether the slice has races: then no proof for it is one for the program."""
    trace: Trace | None = None
    """A race of the program."""


class SliceRaces:
    """Races of the slices of one program."""

    def __init__(self, task: Task, checked: RaceProperty) -> None:
        self.task = task
        self.checked = checked
        templates = task.program.templates
        self.counts = {t.name: FEW for t in templates if t.count is None}
        self.program = task.program.with_counts(self.counts)

    @cached_property
    def _runs(self) -> Runs:
        task = self.task
        limit = task.options.solver_limit(LIMIT)
        return Runs(self.program, Effort(task.statistics, task.meter.check, limit))

    def look(self, slice_: Program, merged: Merged) -> Seen:
        """Search a slice, which has the edges of the program, for races that are the program's.

        `merged` is the slice without most of its idle steps. Raises Unsupported where values are
        too many to be visited.
        """
        search = _Search(self.task, merged, self.counts)
        path = _Path(self.program, slice_, search)
        found = False
        for race in search.races():
            found = True
            for steps in path.steps(race):
                run = self._runs.along(steps, self.checked)
                if run is not None:
                    whole, name = program_hash(self.task.program), self.checked.name
                    trace = Trace(whole, name, run.initial, run.moves, self.counts, run.inputs)
                    return Seen(races=True, trace=trace)
        return Seen(races=found)


@dataclass(frozen=True)
class _Race:
    """Moves of the merged slice, and the locations at which they leave the threads."""

    moves: tuple[Move, ...]
    at: tuple[LocId, ...]


class _Search:
    """Breadth-first search over the states of a slice whose idle steps are left out."""

    def __init__(self, task: Task, merged: Merged, counts: Mapping[str, int]) -> None:
        self.task = task
        self.merged = merged
        program = self.program = self.merged.program
        self.system = ConcreteSystem(program.with_counts(counts))
        self.patterns = list(self.system.errors(program.properties))
        self.creating = [
            edge.id
            for edge in program.edges
            if edge.operation is not None and edge.operation.kind is OperationKind.SPAWN
        ]
        self.created: list[tuple[int, ...]] = []
        """Per state, how often each of these edges was taken on the way there."""
        self.tree: SearchTree[Joint] = SearchTree()

    def races(self) -> Iterator[_Race]:
        """Runs to races, short ones first; each with threads at other places."""
        tree = self.tree
        for state in self.system.joint_initial():
            if tree.reach(self.system.normalise(state), None):
                self.created.append((0,) * len(self.creating))
        shown: set[tuple[LocId, ...]] = set()
        position = 0
        while position < min(len(tree.states), MOST_STATES) and len(shown) < MOST_RACES:
            self.task.meter.check()
            state = tree.states[position]
            if not any(map(self.system.is_stopped, state.locals)):
                at = tuple(map(self.system.location, state.locals))
                places = tuple(sorted(here for here in at if here in self.using))
                if len(places) > 1 and places not in shown and self._is_race(state):
                    shown.add(places)
                    yield _Race(tuple(tree.path(position)[1]), at)
                self._expand(position, state)
            position += 1

    def _is_race(self, state: Joint) -> bool:
        return any(self.system.violates(state, pattern) for pattern in self.patterns)

    @cached_property
    def using(self) -> frozenset[LocId]:
        """The locations from which steps may access what the property is about."""
        return frozenset(using(self.program))

    def _expand(self, position: int, state: Joint) -> None:
        """The steps from a state, but those that create a thread too many."""
        created = self.created[position]
        for t in self.system.roles:
            for step in self.system.step(t, state.g, state.locals[t]):
                made = _counted(created, self.creating, step.choices)
                if max(made, default=0) > FEW:
                    continue
                locals_ = (*state.locals[:t], step.l, *state.locals[t + 1 :])
                after = self.system.normalise(JointState(step.g, locals_, state.stacks))
                if self.tree.reach(after, (position, t, step.choices)):
                    self.created.append(made)


def using(program: Program) -> Iterator[LocId]:
    """The locations from which steps may access what the race properties are about."""
    races = [checked for checked in program.properties if isinstance(checked, RaceProperty)]
    touching = {
        edge.id
        for edge in program.edges
        if any(
            checked.variables is None or not names_of(edge).isdisjoint(checked.variables)
            for checked in races
        )
    }
    for here in program.locations:
        if not here.atomic and any(
            edge.id in touching for path in steps_from(program, here.id) for edge in path.edges
        ):
            yield here.id


def _counted(
    created: tuple[int, ...], creating: Sequence[EdgeId], choices: Sequence[Choice]
) -> tuple[int, ...]:
    """How often each creation was taken, after some more edges."""
    taken = [choice.edge for choice in choices]
    if not any(edge in taken for edge in creating):
        return created
    return tuple(
        before + taken.count(edge) for before, edge in zip(created, creating, strict=True)
    )


class _Path:
    """Runs of a merged slice, with the idle steps in between, in the program."""

    def __init__(self, program: Program, slice_: Program, search: _Search) -> None:
        self.search = search
        self.slice = slice_
        self.program = program

    def steps(self, race: _Race) -> Iterator[list[TakenStep]]:
        """The steps of runs of the program along the same edges that may end in a race."""
        taken: list[TakenStep] = []
        at: dict[int, LocId] = {}
        for move in race.moves:
            edges = [self.search.merged.edges[choice.edge] for choice in move.choices]
            steps = self._steps(move.thread, at, [self.slice.edges[edge] for edge in edges])
            if steps is None:
                return
            taken += steps
        for ends in islice(self._ends(race, at), MOST_ENDS):
            yield [*taken, *ends]

    def _steps(
        self, thread: int, at: dict[int, LocId], edges: Sequence[Edge]
    ) -> list[TakenStep] | None:
        """The steps of a thread along some edges, and idle ones before them."""
        here = at.get(thread, self._entry(thread))
        idle = self._idle_way(here, edges[0].source)
        if idle is None:
            return None
        at[thread] = edges[-1].target
        return list(self._cut(thread, (*idle, *edges)))

    def _entry(self, thread: int) -> LocId:
        template = self.search.system.interpreter.layout.numbers.templates[thread]
        return self.slice.procedure[self.slice.template[template].body].entry

    def _idle_way(self, start: LocId, end: LocId) -> list[Edge] | None:
        """Edges that do nothing from one location to another that is merged with it."""
        came: dict[LocId, Edge | None] = {start: None}
        waiting = [start]
        for here in waiting:
            if here == end:
                way: list[Edge] = []
                edge = came[here]
                while edge is not None:
                    way.append(edge)
                    edge = came[edge.source]
                return way[::-1]
            for edge in self._idle.get(here, ()):
                if edge.target not in came:
                    came[edge.target] = edge
                    waiting.append(edge.target)
        return None

    @cached_property
    def _idle(self) -> Mapping[LocId, Sequence[Edge]]:
        """The idle edges between locations that are merged, by their sources."""
        found: dict[LocId, list[Edge]] = {}
        places = self.search.merged.places
        for edge in self.slice.edges:
            if is_idle(edge) and places[edge.source] == places[edge.target]:
                found.setdefault(edge.source, []).append(edge)
        return found

    def _cut(self, thread: int, edges: Iterable[Edge]) -> Iterator[TakenStep]:
        """Edges one after the other as steps, which end where others may go on."""
        step: list[Edge] = []
        for edge in edges:
            step.append(self.program.edges[edge.id])
            if not self.slice.locations[edge.target].atomic:
                yield thread, tuple(step)
                step = []

    def _ends(self, race: _Race, at: Mapping[int, LocId]) -> Iterator[list[TakenStep]]:
        """Idle steps of two threads to where they access what the race is on."""
        places = self.search.merged.places
        sources: dict[int, list[LocId]] = {}
        for thread, there in enumerate(race.at):
            if there in self.search.using:
                sources[thread] = [here for here in self._using if places[here] == there]
        for pair in combinations(sources, 2):
            for ends in product(*(sources[thread] for thread in pair)):
                steps: list[TakenStep] = []
                for thread, end in zip(pair, ends, strict=True):
                    way = self._idle_way(at.get(thread, self._entry(thread)), end)
                    if way is None:
                        break
                    steps += self._cut(thread, way)
                else:
                    yield steps

    @cached_property
    def _using(self) -> list[LocId]:
        return list(using(self.slice))
