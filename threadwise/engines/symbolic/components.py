"""R̄_j: what one thread and the shared cells can look like, for each thread.

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

Threads that can be exchanged are computed once; round a table, each from its neighbour, since
renaming by one place hardly disturbs the order of variables. Sweeps alternate their direction.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """The components of Algorithm 1."""
    computed: dict[int, Node] = {}
    for j in classes.representatives:
        groups = [
            thread.actions if thread.thread == j else thread.guarantee for thread in model.threads
        ]
        start = model.initial_shared & model.threads[j].initial
        computed[j] = closure(model.manager, start, groups)
    return Components(model, classes, computed)


def closure(manager: Manager, start: Node, groups: Sequence[Sequence[Action]]) -> Node:
    """Everything reachable by the actions."""
    reached = start
    forward = True
    while True:
        before = reached
        for group in groups if forward else reversed(groups):
            for action in group:
                reached = reached | action.post(manager, reached)
        if reached == before:
            return reached
        forward = not forward


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
    """What states of all threads look like to one of them."""
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
