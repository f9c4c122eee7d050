"""Ruleset 1 of QRR §4: a thread is scheduled only while all others are outside a transaction.

Σ(g, ls, ss), where ls t is a local store with the part N, L or R that t is in; U, U+ and U- are T,
T+ and T- that go on to the part of ⟨l', p'⟩, with

    p' = RM(step) ∧ (p ∨ ¬LM(step))          p holds in N and R; calls and returns are both movers

    INIT   Σ(g0, ls0, empty stacks), all threads in N
    STEP   Σ(g, ls, ss), u in N for all u ≠ t, U (t, g, ls t) ∋ (g', l')   ==>  Σ(g', …)
    PUSH   …  U+(t, ls t) ∋ (l', f)                                       ==>  Σ(g, …)
    POP    …  U-(t, ls t, f) ∋ l'                                         ==>  Σ(g, …)

At most one thread is outside N in any state of Σ. C3 is checked on the graph of Σ: a state in
which t is in L must have a path of steps of t to one in which t is in N. Nodes that have none (a
loop of left movers, a blocked thread) move to N, and the search runs again, until C3 holds; N
grows each time, so it ends.

Differs from QRR §4:
(a) QRR remembers the phase in N: a thread that committed and then left N by a both mover is still
    after its commit. Here every transaction starts before its commit. It is still a sequence of
    right movers, one step, left movers, which is all that the proof of Theorem 1 uses, and the
    parts of a thread still depend on its own steps only. There are fewer states and longer
    transactions: otherwise a loop around a critical section is cut at its head and at the acquire.
(b) In our semantics a failure ends the program; in Σ the other threads go on, as in QRR, for
    otherwise the failure of one thread could hide that of another. To make the two agree, a step
    that fails leaves the shared store alone here. The steps that failed before the last one can
    then be dropped from a path of Σ, and what is left is an interleaving of the program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

from threadwise.analyses.worklist import reached
from threadwise.engines.movers.classify import Movers
from threadwise.engines.reduction.partition import Part, Partition
from threadwise.engines.search_tree import SearchTree
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local

Joint: TypeAlias = JointState[Global, Local, Frame]


class PhasedState(NamedTuple):
    """A state of Σ: a state of the program, and the part each thread is in."""

    joint: Joint
    parts: tuple[Part, ...]


Successor: TypeAlias = tuple[tuple[Choice, ...], PhasedState]


class ReducedSearch:
    """The least Σ for the greatest L and R that satisfy C1 to C3."""

    def __init__(self, system: ConcreteSystem, movers: Movers, max_depth: int) -> None:
        self.system = system
        self.movers = movers
        self.max_depth = max_depth
        self.partition = Partition(system, movers)
        self.tree: SearchTree[PhasedState] = SearchTree()
        self.ranks: dict[int, int] = {}
        """For the states with a thread in L, how many steps it takes that thread to N."""
        self.cut = False

    def run(self, tick: Callable[[], object]) -> Iterator[int]:
        """Compute Σ; yields the number of each state in `tree` before its successors are added.

        The consumer may stop early. When it ends, `tree` is Σ and C3 holds; before that,
        states may be met again with a larger N.
        """
        while True:
            yield from self._search(tick)
            broken = self._broken()
            if not broken:
                return
            for t, l in broken:
                self.partition.move(t, l)
            self.tree = SearchTree()

    def _search(self, tick: Callable[[], object]) -> Iterator[int]:
        for joint in self.system.joint_initial():  # INIT
            self.tree.reach(PhasedState(joint, tuple("N" for _ in self.system.roles)), None)
        position = 0
        while position < len(self.tree.states):
            tick()
            yield position
            state = self.tree.states[position]
            for t in self.schedulable(state):
                for choices, after in self.successors(state, t):
                    self.tree.reach(after, (position, t, choices))
            position += 1

    def schedulable(self, state: PhasedState) -> list[Role]:
        """The threads all of whose others are in N."""
        inside = [t for t in self.system.roles if state.parts[t] != "N"]
        return inside or list(self.system.roles)

    def successors(self, state: PhasedState, t: Role) -> Iterator[Successor]:
        """The steps, calls and returns of a thread, each with the part it leads to."""
        system = self.system
        g, l, stack = state.joint.g, state.joint.locals[t], state.joint.stacks[t]
        enter = partial(self.partition.after, t, l, state.parts[t])
        for step in system.step(t, g, l):  # STEP
            after = g if system.is_stopped(step.l) else step.g
            part = enter(step.choices[0].edge, step.l)
            yield step.choices, _moved(state, t, part, after, step.l, stack)
        for push in system.push(t, g, l):  # PUSH
            if len(stack) >= self.max_depth:
                self.cut = True
            else:
                part = enter(push.choice.edge, push.l)
                yield (push.choice,), _moved(state, t, part, g, push.l, (*stack, push.frame))
        if stack:
            for pop in system.pop(t, g, l, stack[-1]):  # POP
                part = enter(pop.choice.edge, pop.l)
                yield (pop.choice,), _moved(state, t, part, g, pop.l, stack[:-1])

    # -- C3 --------------------------------------------------------------------------------------

    def _broken(self) -> list[tuple[Role, Local]]:
        """Rank the states with a thread in L; the nodes for which C3 does not hold."""
        committed = {
            position: t
            for position, state in enumerate(self.tree.states)
            for t in self.system.roles
            if state.parts[t] == "L"
        }
        self._rank(committed)
        return list(
            dict.fromkeys(
                (t, self.tree.states[position].joint.locals[t])
                for position, t in committed.items()
                if position not in self.ranks
            )
        )

    def _rank(self, committed: dict[int, Role]) -> None:
        """How far from N each state with a thread in L is, going backwards from N."""
        before: defaultdict[int, list[int]] = defaultdict(list)
        ending: dict[int, None] = {}
        for position, t in committed.items():
            for _, after in self.successors(self.tree.states[position], t):
                if after.parts[t] != "N":
                    before[self.tree.number[after]].append(position)
                else:
                    ending[position] = None
        distances = reached(ending, before.__getitem__)
        self.ranks = {position: 1 + steps for position, steps in distances.items()}

    # -- paths -----------------------------------------------------------------------------------

    def start(self, position: int) -> Joint:
        """The initial state from which a state was reached."""
        return self.tree.states[self.tree.path(position)[0]].joint

    def kept_moves(self, position: int, *, last: bool) -> list[Move]:
        """The interleaving that leads to a state, without failures except perhaps the last."""
        _, moves = self.tree.path(position)
        final = moves[-1:] if last else []
        rest = moves[:-1] if last else moves
        return [*(move for move in rest if not self._fails(move)), *final]

    def before_failures(self, position: int) -> tuple[Local, ...]:
        """The local stores in a state, those of failed threads as they were before they failed."""
        found = list(self.tree.states[position].joint.locals)
        parent = self.tree.parents[position]
        while parent is not None:
            earlier, t, choices = parent
            if self._fails(Move(t, choices)):
                found[t] = self.tree.states[earlier].joint.locals[t]
            parent = self.tree.parents[earlier]
        return tuple(found)

    def _fails(self, move: Move) -> bool:
        last = self.system.program.edges[move.choices[-1].edge]
        return self.system.program.locations[last.target].failure is not None


def _moved(
    state: PhasedState, t: Role, part: Part, g: Global, l: Local, stack: tuple[Frame, ...]
) -> PhasedState:
    joint, parts = state
    locals_ = (*joint.locals[:t], l, *joint.locals[t + 1 :])
    stacks = joint.stacks
    if stack is not stacks[t]:
        stacks = (*stacks[:t], stack, *stacks[t + 1 :])
    if part != parts[t]:
        parts = (*parts[:t], part, *parts[t + 1 :])
    return PhasedState(JointState(g, locals_, stacks), parts)
