"""A violation witness followed: a search that goes where the waypoints lead.

Nodes are states with how many segments were passed and which threads the waypoints have named. The
search goes on from where most segments were passed; among these, rather with the thread that the
next waypoint is about. A step that passes a waypoint may also be taken without counting it, as the
format allows; a step that passes one to be avoided is not taken.

    confirmed     an interleaving was found that passes all segments and ends in the target; it is
                  replayed
    refused       there is none
    undecided     the search was cut, or conditions were not understood
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count

from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.validation.matching import Matching, Step
from threadwise.ir.commands import Command, OperationKind
from threadwise.ir.expr import Const
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import AnyValue, Program
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.report.witnesses.model import Segment, Waypoint, WaypointKind
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Access, Interpreter, may_be_sampled
from threadwise.traces.own_text import own_edge
from threadwise.traces.trace import Trace

MAIN = "main"
MOST_NODES = 300_000
"""After so many states the search is cut."""
MOST_SAMPLES = 12
"""So many values are tried of inputs that have many."""
_NUMBER = re.compile(r"-?\b\d+\b")
_OTHER_THREAD = 4
"""What a step of another thread costs than that of the next waypoint."""


class Answer(Enum):
    """What became of a witness."""

    CONFIRMED = "confirmed"
    REFUSED = "refused"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Followed:
    """The answer, why, and the interleaving that was found."""

    answer: Answer
    reason: str
    trace: Trace | None = None
    passed: int = 0
    """How many segments could be passed."""
    nodes: int = 0


@dataclass(frozen=True)
class _Node:
    state: State
    passed: int
    threads: tuple[int, ...]
    """The threads that waypoints have named, by their numbers."""
    before: _Node | None = None
    move: Move | None = None
    cost: int = 0

    def moves(self) -> tuple[Move, ...]:
        """How it was reached."""
        found: list[Move] = []
        node: _Node | None = self
        while node is not None and node.move is not None:
            found.append(node.move)
            node = node.before
        return tuple(reversed(found))


def follow(
    program: Program,
    checked: Sequence[Property],
    segments: Sequence[Segment],
    sources: Mapping[str, SourceFile],
    tick: Callable[[], None] = lambda: None,
) -> Followed:
    """Search for an execution that a witness represents; properties are those it may violate."""
    return _Search(program, checked, segments, sources).run(tick)


class _Search:
    def __init__(
        self,
        program: Program,
        checked: Sequence[Property],
        segments: Sequence[Segment],
        sources: Mapping[str, SourceFile],
    ) -> None:
        self.interpreter = Interpreter(program, _samples(program, segments))
        self.program = program
        self.checked = checked
        self.normal = segments[:-1]
        self.targets = segments[-1].followed
        self.avoided = segments[-1].avoided
        self.matching = Matching(self.interpreter, sources)
        self.checker = PropertyChecker(self.interpreter)
        self.best = 0
        self.cut = ""

    def run(self, tick: Callable[[], None]) -> Followed:
        names = self.interpreter.layout.numbers.templates
        main = names.index(MAIN) if MAIN in names else 0
        order = count()
        queue: list[tuple[int, int, int, _Node]] = []
        seen: set[tuple[State, int, tuple[int, ...]]] = set()

        def add(node: _Node) -> None:
            key = (node.state, node.passed, node.threads)
            if key not in seen:
                seen.add(key)
                heapq.heappush(queue, (-node.passed, node.cost, next(order), node))

        try:
            for state in self.interpreter.initial_states():
                add(_Node(state, 0, (main,)))
            while queue:
                tick()
                node = heapq.heappop(queue)[-1]
                self.best = max(self.best, node.passed)
                found = self._found(node)
                if found is not None:
                    return self._confirmed(node, found, len(seen))
                if len(seen) > MOST_NODES:
                    self.cut = f"no answer after {MOST_NODES} states"
                    break
                for successor in self._successors(node):
                    add(successor)
        except (Unsupported, Undefined) as error:
            self.cut = str(error)
        except BudgetExhausted as error:
            self.cut = error.reason
        return self._not_found(len(seen))

    def _confirmed(self, node: _Node, found: Property, nodes: int) -> Followed:
        first = node
        while first.before is not None:
            first = first.before
        moves = node.moves()
        trace = Trace(program_hash(self.program), found.name, first.state.g.cells, moves)
        ignored = self.matching.ignored
        if ignored:
            told = f"there is such a violation, but not evaluated: {', '.join(ignored)}"
            return Followed(Answer.UNDECIDED, told, trace, node.passed, nodes)
        return Followed(Answer.CONFIRMED, f"violates {found.name}", trace, node.passed, nodes)

    def _not_found(self, nodes: int) -> Followed:
        told = f"{self.best} of {len(self.normal)} segments before the target can be passed"
        if self.cut or self.interpreter.samples or self.matching.narrowed:
            why = self.cut or "not all inputs were tried"
            return Followed(Answer.UNDECIDED, f"{why}; {told}", None, self.best, nodes)
        if self.best == len(self.normal):
            told = "all segments before the target can be passed, but there is no such violation"
        return Followed(Answer.REFUSED, told, None, self.best, nodes)

    # -- steps ---------------------------------------------------------------------------------

    def _successors(self, node: _Node) -> Iterator[_Node]:
        wanted = self._wanted(node)
        for transition in self.interpreter.successors(node.state):
            move, after = transition
            steps = list(self.matching.steps(node.state, move))
            avoided = (
                self.normal[node.passed].avoided
                if node.passed < len(self.normal)
                else self.avoided
            )
            if any(self._passes(node, each, steps) for each in avoided):
                continue
            cost = node.cost + (1 if wanted in (None, move.thread) else _OTHER_THREAD)
            yield _Node(after, node.passed, node.threads, node, move, cost)
            yield from self._passing(node, move, steps, after, cost)

    def _passing(
        self, node: _Node, move: Move, steps: Sequence[Step], after: State, cost: int
    ) -> Iterator[_Node]:
        """The same step, counted as passing the next segments, as many as it does."""
        passed, threads = node.passed, node.threads
        while passed < len(self.normal):
            followed = self.normal[passed].followed
            if not all(self._passes(node, each, steps) for each in followed):
                return
            passed += 1
            if any(each.kind is WaypointKind.FUNCTION_ENTER for each in followed):
                threads = (*threads, *self._started(node.state, steps))
            yield _Node(after, passed, threads, node, move, cost)
            steps = steps[1:] if len(steps) > 1 else ()

    def _passes(self, node: _Node, waypoint: Waypoint, steps: Sequence[Step]) -> bool:
        return any(
            self._is_by(node, waypoint, step.thread)
            and self.matching.passes(waypoint, step, node.state)
            for step in steps
        )

    def _is_by(self, node: _Node, waypoint: Waypoint, thread: int) -> bool:
        wanted = waypoint.thread
        if wanted is None:
            return True
        return wanted < len(node.threads) and node.threads[wanted] == thread

    def _started(self, state: State, steps: Sequence[Step]) -> Iterator[int]:
        """The threads that steps start."""
        for step in steps:
            operation = step.edge.operation
            if operation is None or operation.kind is not OperationKind.SPAWN:
                continue
            assert operation.subject is not None
            l = state.locals[step.thread]
            view = View(self.program, self.interpreter.layout, step.thread, state.g, l)
            yield view.integer(operation.subject)

    def _wanted(self, node: _Node) -> int | None:
        """The thread that the next waypoint is about."""
        targets = [each.thread for each in self.targets]
        followed = self.normal[node.passed].followed if node.passed < len(self.normal) else ()
        number = followed[0].thread if followed else targets[0]
        return node.threads[number] if number is not None and number < len(node.threads) else None

    # -- the target ----------------------------------------------------------------------------

    def _found(self, node: _Node) -> Property | None:
        """The property that is violated as the targets say."""
        if node.passed < len(self.normal):
            return None
        for checked in self.checked:
            if isinstance(checked, FailureProperty) and self._fails(node, checked):
                return checked
            if isinstance(checked, RaceProperty) and self._races(node, checked):
                return checked
        return None

    def _fails(self, node: _Node, checked: FailureProperty) -> bool:
        if len(self.targets) != 1:
            return False
        (target,) = self.targets
        for thread, l in enumerate(node.state.locals):
            location = self.program.locations[l.pc]
            failure = location.failure
            if failure is None or failure.property != checked.name:
                continue
            spans = [location.span]
            spans += [self.program.edges[f.call].span for f in node.state.stacks[thread]]
            at = any(s and self.matching.is_at(target.location, s) for s in spans)
            if at and self._is_by(node, target, thread):
                return True
        return False

    def _races(self, node: _Node, checked: RaceProperty) -> bool:
        if len(self.targets) > 2 or self.interpreter.is_stopped(node.state):
            return False
        for t, first, u, second in self.checker.races(checked, node.state):
            sides = ((t, first), (u, second))
            for pair in (sides, sides[::-1]):
                if all(
                    self._is_by(node, target, thread) and self._is_at(node, target, thread, access)
                    for target, (thread, access) in zip(self.targets, pair, strict=False)
                ):
                    return True
        return False

    def _is_at(self, node: _Node, target: Waypoint, thread: int, access: Access) -> bool:
        l = node.state.locals[thread]
        for step in self.interpreter.step(thread, node.state.g, l):
            if access in step.accesses:
                for choice in step.choices:
                    edge = self.program.edges[choice.edge]
                    own = own_edge(self.program, node.state, thread, edge)
                    if own and own.span and self.matching.is_at(target.location, own.span):
                        return True
        return False


def _samples(program: Program, segments: Sequence[Segment]) -> list[int] | None:
    """Values for inputs with many: what the witness names, and what the program compares with.

    None if no input has many: then all are tried.
    """
    commands = [edge.action for edge in program.edges if isinstance(edge.action, Command)]
    held = [place.type for command in commands for place in command.havocs]
    held += [d.variable.type for d in program.globals if isinstance(d.initial, AnyValue)]
    if not any(map(may_be_sampled, held)):
        return None
    named = [
        int(number)
        for segment in segments
        for waypoint in segment.waypoints
        for number in _NUMBER.findall(waypoint.constraint or "")
    ]
    return list(dict.fromkeys((*named, 0, 1, -1, *_constants(program))))[:MOST_SAMPLES]


def _constants(program: Program) -> Iterator[int]:
    """The numbers that a program mentions, with their neighbours."""
    for edge in program.edges:
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if isinstance(part, Const) and type(part.value) is int:
                    yield from (part.value, part.value + 1, part.value - 1)
