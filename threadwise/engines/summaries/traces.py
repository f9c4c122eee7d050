"""From summaries back to interleavings: every P(a, b) and every state of Ω stands for a run."""

from __future__ import annotations

from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.relations import Begun, Called, Entered, Stepped, Transaction
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import Role
from threadwise.systems.python_code import Global

TRACE_LIMIT = 200_000
"""Runs longer than this are not written out: k summaries may stand for 2^k steps."""


class TooLong(Exception):  # noqa: N818 - a limit, not a fault
    """A trace has too many steps to be of use."""


class Expansion:
    """Runs of the program, from derivations."""

    def __init__(self, rules: SummaryRules) -> None:
        self.rules = rules

    def to_state(self, position: int) -> tuple[Global, list[Move]]:
        """The initial global store and the moves that lead to a state of Ω."""
        taken: list[Transaction] = []
        parent = self.rules.omega.parents[position]
        while parent is not None:
            taken.append(parent)
            position = parent.before
            parent = self.rules.omega.parents[position]
        moves: list[Move] = []
        for before, t, b, last in reversed(taken):
            a = self.rules.omega.states[before].node(t)
            self._add(moves, t, self.steps(t, a, b))
            if last is not None:
                self._add(moves, t, [(last,)])
        return self.rules.omega.states[position].joint.g, moves

    def to_node(self, t: Role, a: Node, b: Node) -> tuple[Global, list[Move]]:
        """A run after which t is at b of P(a, b)."""
        position, path = self.from_start(t, a, b)
        initial, moves = self.to_state(position)
        self._add(moves, t, path)
        return initial, moves

    def from_start(self, t: Role, a: Node, b: Node) -> tuple[int, list[tuple[Choice, ...]]]:
        """The state of Ω in which t first started towards P(a, b), and t's steps from there."""
        parts = [self.steps(t, a, b)]
        origin = self.rules.threads[t].path[a][a]
        while isinstance(origin, Entered):
            parts += [[(origin.call,)], self.steps(t, origin.a, origin.b)]
            origin = self.rules.threads[t].path[origin.a][origin.a]
        assert isinstance(origin, Begun)
        return origin.state, [step for part in reversed(parts) for step in part]

    def steps(self, t: Role, a: Node, b: Node) -> list[tuple[Choice, ...]]:
        """The steps that P(a, b) stands for, calls written out; found from last to first."""
        path = self.rules.threads[t].path
        steps: list[tuple[Choice, ...]] = []
        pending: list[tuple[Node, Node] | Choice] = [(a, b)]
        while pending:
            item = pending.pop()
            if len(steps) > TRACE_LIMIT:
                raise TooLong
            if isinstance(item, Choice):
                steps.append((item,))
                continue
            start, end = item
            match path[start][end]:
                case Stepped(before, choices):
                    steps.append(choices)
                    pending.append((start, before))
                case Called(before, call, entry, exit_, back):
                    steps.append((back,))
                    pending += [(start, before), call, (entry, exit_)]
                case Begun() | Entered():
                    pass
        steps.reverse()
        return steps

    @staticmethod
    def _add(moves: list[Move], t: Role, path: list[tuple[Choice, ...]]) -> None:
        moves += (Move(t, choices) for choices in path)
        if len(moves) > TRACE_LIMIT:
            raise TooLong
