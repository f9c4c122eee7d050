"""Real interleavings along the paths of a derivation.

The threads of an abstract error, and those whose steps disturbed them, become threads of a
concrete instance. First each may only follow its own path, so that few interleavings are left;
then each may take any edge of the derivation as often as it likes, and last any edge at all, with
a thread more where there may be any number. Whatever is found is a trace of the program and is
replayed like any other; finding nothing proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Task
from threadwise.engines.search_tree import SearchTree
from threadwise.engines.tar.derivation import Derivation, Node
from threadwise.evidence.trace import Trace
from threadwise.ir.printer import program_hash
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import FailureProperty, Property
from threadwise.semantics.state import Choice
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.predicate.system import PredicateSystem

MOST_STATES = 20_000
MOST_THREADS = 4
"""Of one template."""

Edges = tuple[EdgeId, ...]
Joint = JointState[Any, Any, Any]


@dataclass(frozen=True)
class Actor:
    """A thread of the interleaving, and the steps it takes, each as its edges."""

    role: int
    path: tuple[Edges, ...]


def actors(derivation: Derivation) -> list[Actor]:
    """The threads of a derivation: those in the error, then those that disturbed them."""
    found = [Actor(root.view.role, own_path(root)) for root in derivation.roots]
    for node in reversed(derivation.nodes):
        if node.rule != "ENV" or node.path is None:
            continue
        last = tuple(edge.id for edge in node.path.edges)
        if node.other is None:
            continue
        disturber = Actor(node.other.view.role, (*own_path(node.other), last))
        if not any(_covers(actor, disturber) for actor in found):
            found.append(disturber)
    return found


def _covers(actor: Actor, other: Actor) -> bool:
    return actor.role == other.role and actor.path[: len(other.path)] == other.path


def own_path(node: Node | None) -> tuple[Edges, ...]:
    """The thread's own steps up to a pair."""
    steps: list[Edges] = []
    while node is not None:
        if node.rule in ("STEP", "PUSH", "POP"):
            steps.append(tuple(edge.id for edge in node.edges))
        node = node.before
    return tuple(reversed(steps))


def find_trace(
    task: Task, system: PredicateSystem, derivation: Derivation, checked: Property
) -> Trace | None:
    """A trace that violates the property, along the derivation if possible."""
    try:
        found = actors(derivation)
        counts, threads = _cast(system, found)
        program = task.program.with_counts(counts)
        search = _Search(task, program, counts, checked)
        strict: list[tuple[Edges, ...] | None] = [None] * len(search.system.roles)
        for thread, actor in zip(threads, found, strict=True):
            if thread is not None:
                strict[thread] = actor.path
        trace = search.along(strict)
        if trace is None:
            edges = {edges for actor in found for edges in actor.path}
            trace = search.among(edges)
        if trace is None:
            grown = {name: min(count + 1, MOST_THREADS) for name, count in counts.items()}
            search = _Search(task, task.program.with_counts(grown), grown, checked)
            trace = search.among(None)
    except Unsupported:
        return None
    return trace


def trace_along(
    task: Task, schedule: Sequence[tuple[int, Edges]], threads: int, checked: Property
) -> Trace | None:
    """A trace in which threads take these steps, in any order that works."""
    paths: list[tuple[Edges, ...] | None] = [
        tuple(edges for thread, edges in schedule if thread == t) for t in range(threads)
    ]
    try:
        return _Search(task, task.program, {}, checked).along(paths)
    except Unsupported:
        return None


def _cast(
    system: PredicateSystem, found: Sequence[Actor]
) -> tuple[dict[str, int], list[int | None]]:
    """Thread counts for templates with any number, and the thread that plays each actor."""
    program = system.program
    wanted = dict.fromkeys(system.templates, 0)
    places: list[tuple[str, int] | None] = []
    for actor in found:
        name = system.templates[actor.role]
        count = program.template[name].count
        most = MOST_THREADS if count is None else count
        if wanted[name] < most:
            places.append((name, wanted[name]))
            wanted[name] += 1
        else:
            places.append(None)
    counts = {t.name: wanted.get(t.name, 0) for t in program.templates if t.count is None}
    start, offset = {}, 0
    for template in program.templates:
        start[template.name] = offset
        offset += counts.get(template.name, template.count or 0)
    return counts, [None if p is None else start[p[0]] + p[1] for p in places]


class _Search:
    """Breadth-first search over concrete states with some steps left out."""

    def __init__(
        self, task: Task, program: Program, counts: dict[str, int], checked: Property
    ) -> None:
        self.task = task
        self.counts = counts
        self.system = ConcreteSystem(program)
        self.checked = checked
        self.patterns = list(self.system.errors([checked]))

    def along(self, paths: Sequence[tuple[Edges, ...] | None]) -> Trace | None:
        """Each thread follows its own path."""
        start = tuple(0 for _ in paths)
        tree: SearchTree[tuple[Joint, tuple[int, ...]]] = SearchTree()
        for state in self.system.joint_initial():
            tree.reach((state, start), None)
        position = 0
        while position < min(len(tree.states), MOST_STATES):
            self.task.meter.check()
            state, places = tree.states[position]
            if self._is_violated(state):
                return self._trace(tree.path(position), tree.states)
            for t, choices, after in self._successors(state):
                path = paths[t]
                edges = tuple(choice.edge for choice in choices)
                if path is not None and places[t] < len(path) and path[places[t]] == edges:
                    moved = (*places[:t], places[t] + 1, *places[t + 1 :])
                    tree.reach((after, moved), (position, t, choices))
            position += 1
        return None

    def among(self, allowed: set[Edges] | None) -> Trace | None:
        """Each thread takes any of the steps; any at all if there are none to choose from."""
        tree: SearchTree[tuple[Joint, tuple[int, ...]]] = SearchTree()
        for state in self.system.joint_initial():
            tree.reach((state, ()), None)
        position = 0
        while position < min(len(tree.states), MOST_STATES):
            self.task.meter.check()
            state, _ = tree.states[position]
            if self._is_violated(state):
                return self._trace(tree.path(position), tree.states)
            for t, choices, after in self._successors(state):
                if allowed is None or tuple(choice.edge for choice in choices) in allowed:
                    tree.reach((after, ()), (position, t, choices))
            position += 1
        return None

    def _successors(self, state: Joint) -> Iterator[tuple[Role, tuple[Choice, ...], Joint]]:
        if any(map(self.system.is_stopped, state.locals)):
            return
        for t in self.system.roles:
            g, l, stack = state.g, state.locals[t], state.stacks[t]
            for step in self.system.step(t, g, l):
                yield t, step.choices, _moved(state, t, step.g, step.l, stack)
            if len(stack) < self.task.options.max_depth:
                for push in self.system.push(t, g, l):
                    grown = (*stack, push.frame)
                    yield t, (push.choice,), _moved(state, t, g, push.l, grown)
            if stack:
                for pop in self.system.pop(t, g, l, stack[-1]):
                    yield t, (pop.choice,), _moved(state, t, g, pop.l, stack[:-1])

    def _is_violated(self, state: Joint) -> bool:
        stopped = any(map(self.system.is_stopped, state.locals))
        if stopped != isinstance(self.checked, FailureProperty):
            return False
        return any(pattern.violated(state.g, state.locals) for pattern in self.patterns)

    def _trace(
        self, found: tuple[int, list[Any]], states: Sequence[tuple[Joint, tuple[int, ...]]]
    ) -> Trace:
        start, moves = found
        initial = self.system.reference_state(states[start][0]).g.cells
        whole = program_hash(self.task.program)
        return Trace(whole, self.checked.name, initial, tuple(moves), self.counts)


def _moved(state: Joint, t: Role, g: Any, l: Any, stack: tuple[Any, ...]) -> Joint:
    locals_ = (*state.locals[:t], l, *state.locals[t + 1 :])
    stacks = (*state.stacks[:t], stack, *state.stacks[t + 1 :])
    return JointState(g, locals_, stacks)
