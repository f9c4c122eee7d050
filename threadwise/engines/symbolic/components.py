"""R̄_j: the states of one thread and the shared cells, for each thread.

TMMC (MHWL Algorithm 1)   R̄_j = reach(P_j ∥ G(P_i) for all i ≠ j)
local proof               R_j = ∃ L_i, i ≠ j. reachable under the steps from ⋂ R_i

G(P_i) is T_i with the own cells of i quantified away. For TMMC it is computed once, from the local
stores that i can be in by itself: MHWL quantifies over all of them, reachable or not; leaving out
those that no environment can bring about is sound and keeps an index from meaning every cell. For
local proofs G(P_i) is T_i from states in R_i only, and grows with R_i; the least fixpoint is that
of the rules of FQ §2.2.

Any subset of the least fixpoint that contains the initial states is as good a start as these.
Local proofs start from the projections of states that are reachable for certain, found by exact
search as long as its diagram is small: halfway through the fixpoint R_j is ragged, and by far the
largest.

For TMMC the components have most of their work in common: all but one of the guarantees. What
these lead to is computed once for many components (`_left_out`), and each goes on from there.

Threads that can be exchanged are computed once; round a table, each from its neighbour, since
renaming by one place hardly disturbs the order of variables. Sweeps alternate their direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from threadwise.backends.bdd.manager import Manager, Node
from threadwise.backends.bdd.model import Model, ThreadModel
from threadwise.backends.bdd.threads import Action
from threadwise.engines.symbolic.interchange import Classes, Kind, Permuting
from threadwise.engines.symbolic.reachability import Reachability

MOST_START_NODES = 20_000
"""Local proofs start from what exact search finds with a diagram of this size."""


class Components:
    """R̄_j of the representatives, and of everybody else by exchanging."""

    def __init__(self, model: Model, classes: Classes, computed: dict[int, Node]) -> None:
        self.model = model
        self.classes = classes
        self._known = dict(computed)

    def of(self, thread: int) -> Node:
        """R̄ of a thread."""
        if thread not in self._known:
            members = self.classes.of_thread(thread)
            first = members.members[0]
            turned = members.kind is Kind.TURN
            way = range(first, thread + 1) if turned else (first, thread)
            for before, t in pairwise(way):
                if t not in self._known:
                    move = Permuting(self.model, members, members.permutation(before, t))
                    self._known[t] = move(self._known[before])
        return self._known[thread]

    @cached_property
    def joined(self) -> Node:
        """R̄, the join of all."""
        node = self.model.manager.true
        for thread in self.model.threads:
            node = node & self.of(thread.thread)
        return node


class Method(Protocol):
    """A way to compute components."""

    def __call__(self, model: Model, classes: Classes) -> Components:
        """The components of a model."""


def thread_modular(model: Model, classes: Classes) -> Components:
    """The components of Algorithm 1, each from what the others do while it waits."""
    computed: dict[int, Node] = {}
    for j, waiting in _left_out(model, classes.representatives):
        others = [thread.guarantee for thread in model.threads if thread.thread != j]
        start = waiting & model.threads[j].initial
        computed[j] = closure(model.manager, start, [model.threads[j].actions, *others])
    return Components(model, classes, computed)


def _left_out(model: Model, threads: Sequence[int]) -> Iterator[tuple[int, Node]]:
    """For each j, shared states that the guarantees of all others lead to, but perhaps not all.

    The threads are halved again and again: what one half does is computed once for the whole
    other half. So everything together takes N log N sweeps instead of N².
    """
    wanted = frozenset(threads)
    pending = [(tuple(t.thread for t in model.threads), model.initial_shared)]
    while pending:
        left_out, states = pending.pop()
        if wanted.isdisjoint(left_out):
            continue
        if len(left_out) == 1:
            yield left_out[0], states
            continue
        middle = len(left_out) // 2
        first, second = left_out[:middle], left_out[middle:]
        for half, others in ((second, first), (first, second)):
            groups = [model.threads[t].guarantee for t in others]
            pending.append((half, closure(model.manager, states, groups)))


def closure(manager: Manager, start: Node, groups: Sequence[Sequence[Action]]) -> Node:
    """Everything reachable by the actions.

    Groups are applied one after the other, forwards and backwards in turn, each until it leads
    to nothing new. A group is left out as long as nothing is new since its last turn.
    """
    reached, version = start, 0
    closed = [-1] * len(groups)
    order = range(len(groups))
    while any(turn != version for turn in closed):
        for k in order:
            if closed[k] == version:
                continue
            while True:
                before = reached
                for action in groups[k]:
                    reached = reached | action.post(manager, reached)
                if reached == before:
                    break
                version += 1
            closed[k] = version
        order = order[::-1]
    return reached


def local_proof(model: Model, classes: Classes) -> Components:
    """The components of the Cartesian fixpoint."""
    some = Reachability(model).partial(MOST_START_NODES)
    return cartesian(
        model, classes, {j: _projected(model, some, j) for j in classes.representatives}
    )


def cartesian(model: Model, classes: Classes, start: dict[int, Node]) -> Components:
    """The least fixpoint above a start, which has the initial states and lies below it."""
    computed = start
    while True:
        parts = Components(model, classes, computed)
        groups = [_guarantee(model, thread, parts.of(thread.thread)) for thread in model.threads]
        grown: dict[int, Node] = {}
        for j in classes.representatives:
            steps = [
                model.threads[j].actions if t.thread == j else groups[t.thread]
                for t in model.threads
            ]
            grown[j] = closure(model.manager, computed[j], steps)
        if grown == computed:
            return parts
        computed = grown


def _projected(model: Model, states: Node, thread: int) -> Node:
    """The projection of states of all threads to one of them."""
    others = [bit for t in model.space.threads if t.thread != thread for bit in t.bits]
    return model.manager.exists(others, states)


def _guarantee(model: Model, thread: ThreadModel, states: Node) -> list[Action]:
    """What a thread does to the shared cells from some of its states."""
    manager = model.manager
    own = model.space.threads[thread.thread].bits
    found: list[Action] = []
    for visible, whole in thread.visible:
        guard = manager.and_exists(states, whole.guard, own)
        if guard != manager.false:
            found.append(Action(guard, visible.written, visible.result))
    return found
