"""Real interleavings along the paths of a derivation.

The threads of an abstract error, and those whose steps disturbed them, become threads of a
concrete instance. First `bounded` is asked whether their paths have an interleaving, whatever the
values; then each may take any edge of the derivation any number of times, and last any edge at
all, with a thread more where there may be any number, on enumerated values. Whatever is found is a
trace of the program and is replayed like any other; finding nothing proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from threadwise.backends.smt.solver import Effort
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Task
from threadwise.engines.bounded.interleaving import Refutation, find_interleaving
from threadwise.engines.search_tree import SearchTree
from threadwise.engines.tar.derivation import Derivation, Node
from threadwise.ir.program import Edge, EdgeId
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.predicate.system import PredicateSystem
from threadwise.traces.trace import Trace

MOST_STATES = 20_000
INTERLEAVING_LIMIT = 4_000_000
"""Units of the solver's resource counter for one question about an interleaving."""
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
    counts, schedule = _schedule(system, derivation)
    trace = trace_along(task, schedule, checked, counts)
    if trace is not None:
        return trace
    grown = {name: min(count + 1, MOST_THREADS) for name, count in counts.items()}
    try:
        near = _Search(task, counts, checked).among({edges for _, edges in schedule})
        return near or _Search(task, grown, checked).among(None)
    except Unsupported:
        return None


def interleave(
    task: Task, system: PredicateSystem, derivation: Derivation, checked: Property
) -> Trace | None:
    """A trace along the paths of the derivation's threads, in whatever order."""
    counts, schedule = _schedule(system, derivation)
    return trace_along(task, schedule, checked, counts)


def _schedule(
    system: PredicateSystem, derivation: Derivation
) -> tuple[dict[str, int], list[tuple[int, Edges]]]:
    """How many threads there are, and the steps of each in order."""
    found = actors(derivation)
    counts, threads = _cast(system, found)
    return counts, [
        (thread, edges)
        for thread, actor in zip(threads, found, strict=True)
        if thread is not None
        for edges in actor.path
    ]


def trace_along(
    task: Task,
    schedule: Sequence[tuple[int, Edges]],
    checked: Property,
    counts: dict[str, int] | None = None,
) -> Trace | None:
    """A trace in which threads take these steps, each thread its own in this order."""
    program = task.program.with_counts(counts or {})
    paths: dict[int, list[tuple[Edge, ...]]] = {}
    for thread, edges in schedule:
        paths.setdefault(thread, []).append(tuple(program.edges[edge] for edge in edges))
    limit = task.options.solver_limit(INTERLEAVING_LIMIT)
    effort = Effort(task.statistics, task.meter.check, limit)
    try:
        found = find_interleaving(program, paths, checked, effort)
    except Unsupported:
        return None
    if isinstance(found, Refutation):
        return None
    whole = program_hash(task.program)
    return Trace(whole, checked.name, found.initial, found.moves, counts or {}, found.inputs)


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

    def __init__(self, task: Task, counts: dict[str, int], checked: Property) -> None:
        self.task = task
        self.counts = counts
        self.system = ConcreteSystem(task.program.with_counts(counts))
        self.checked = checked
        self.patterns = list(self.system.errors([checked]))

    def among(self, allowed: set[Edges] | None) -> Trace | None:
        """Each thread takes any of the steps; any at all if there are none to choose from."""
        tree: SearchTree[Joint] = SearchTree()
        for state in self.system.joint_initial():
            tree.reach(state, None)
        position = 0
        while position < min(len(tree.states), MOST_STATES):
            self.task.meter.check()
            state = tree.states[position]
            if self._is_violated(state):
                return self._trace(tree.path(position), tree.states)
            for t, choices, after in self._successors(state):
                if allowed is None or tuple(choice.edge for choice in choices) in allowed:
                    tree.reach(after, (position, t, choices))
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

    def _trace(self, found: tuple[int, list[Move]], states: Sequence[Joint]) -> Trace:
        start, moves = found
        initial = self.system.reference_state(states[start]).g.cells
        whole = program_hash(self.task.program)
        return Trace(whole, self.checked.name, initial, tuple(moves), self.counts)


def _moved(state: Joint, t: Role, g: Any, l: Any, stack: tuple[Any, ...]) -> Joint:
    locals_ = (*state.locals[:t], l, *state.locals[t + 1 :])
    stacks = (*state.stacks[:t], stack, *state.stacks[t + 1 :])
    return JointState(g, locals_, stacks)
