"""Ruleset 1 of QRR §4: a thread is scheduled only while all others are outside a transaction.

Σ(g, ls, ss) with ls t = ⟨l, p⟩; U, U+ and U- are T, T+ and T- with the phase

    p' = RM(step) ∧ (p ∨ ¬LM(step))          initially true; calls and returns are both movers

    INIT   Σ(g0, ls0, empty stacks)
    STEP   Σ(g, ls, ss), N(u, ls u) for all u ≠ t, U (t, g, ls t) ∋ (g', l')   ==>  Σ(g', …)
    PUSH   …  U+(t, ls t) ∋ (l', f)                                           ==>  Σ(g, …)
    POP    …  U-(t, ls t, f) ∋ l'                                             ==>  Σ(g, …)

At most one thread is outside N in any state of Σ. C3 is checked on the graph of Σ: a state in
which t is in L must have a path of steps of t to one in which t is in N. Nodes that have none (a
loop of left movers, a blocked thread) move to N, and the search goes on from the states
that contain them, until C3 holds: N grows, so it ends, and Σ grows with it, so nothing is lost.

Differs from QRR §4: in our semantics a failure ends the program; in Σ the other threads go on, as
in QRR, for otherwise the failure of one thread could hide that of another. To make the two agree,
a step that fails leaves the shared store alone here. The steps that failed before the last one can
then be dropped from a path of Σ, and what is left is an interleaving of the program.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from threadwise.engines.movers.classify import Movers
from threadwise.engines.reduction.partition import Part, Partition
from threadwise.engines.search_tree import SearchTree
from threadwise.ir.program import EdgeId
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local

Joint: TypeAlias = JointState[Global, Local, Frame]


class PhasedState(NamedTuple):
    """A state of Σ: a state of the program, and the phase of each thread."""

    joint: Joint
    phases: tuple[bool, ...]


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
        """Compute Σ; yields the number of each state once, when its successors are at hand.

        Whoever consumes this may stop early; Σ is complete when it ends.
        """
        everyone = tuple(True for _ in self.system.roles)
        pending: deque[int] = deque()
        for joint in self.system.joint_initial():  # INIT
            if self.tree.reach(PhasedState(joint, everyone), None):
                pending.append(len(self.tree.states) - 1)
        seen = 0
        while pending:
            while pending:
                tick()
                position = pending.popleft()
                if position >= seen:
                    seen = position + 1
                    yield position
                self._expand(position, pending)
            pending.extend(self._repair())

    def _expand(self, position: int, pending: deque[int]) -> None:
        state = self.tree.states[position]
        for t in self.schedulable(state):
            for choices, after in self.successors(state, t):
                if self.tree.reach(after, (position, t, choices)):
                    pending.append(len(self.tree.states) - 1)

    def schedulable(self, state: PhasedState) -> list[Role]:
        """The threads all of whose others are in N."""
        inside = [t for t in self.system.roles if self._part(state, t) is not Part.N]
        return inside[:1] if inside else list(self.system.roles)

    def _part(self, state: PhasedState, t: Role) -> Part:
        return self.partition.part(t, state.joint.locals[t], state.phases[t])

    def successors(self, state: PhasedState, t: Role) -> Iterator[Successor]:
        """The steps, calls and returns of a thread with their phases."""
        system = self.system
        g, l, stack = state.joint.g, state.joint.locals[t], state.joint.stacks[t]
        for step in system.step(t, g, l):  # STEP
            after = g if system.is_stopped(step.l) else step.g
            phase = self._phase(state, t, step.choices[0].edge)
            yield step.choices, _moved(state, t, phase, after, step.l, stack)
        for push in system.push(t, g, l):  # PUSH
            if len(stack) >= self.max_depth:
                self.cut = True
            else:
                phase = self._phase(state, t, push.choice.edge)
                grown = (*stack, push.frame)
                yield (push.choice,), _moved(state, t, phase, g, push.l, grown)
        if stack:
            for pop in system.pop(t, g, l, stack[-1]):  # POP
                phase = self._phase(state, t, pop.choice.edge)
                yield (pop.choice,), _moved(state, t, phase, g, pop.l, stack[:-1])

    def _phase(self, state: PhasedState, t: Role, edge: EdgeId) -> bool:
        """p' = RM ∧ (p ∨ ¬LM); a both mover keeps p."""
        mover = self.movers.of(t, state.joint.locals[t], edge)
        return mover.right and (state.phases[t] or not mover.left)

    # -- C3 --------------------------------------------------------------------------------------

    def _repair(self) -> list[int]:
        """Move the nodes that break C3 into N; the states that contain them."""
        committed = {
            position: t
            for position, state in enumerate(self.tree.states)
            for t in self.system.roles
            if self._part(state, t) is Part.L
        }
        self._rank(committed)
        broken = {
            (t, self.tree.states[position].joint.locals[t]): None
            for position, t in committed.items()
            if position not in self.ranks
        }
        for t, l in broken:
            self.partition.move(t, l)
        return [
            position
            for position, state in enumerate(self.tree.states)
            if any(
                (t, state.joint.locals[t]) in broken and not state.phases[t]
                for t in self.system.roles
            )
        ]

    def _rank(self, committed: dict[int, Role]) -> None:
        """How far from N each state with a thread in L is, going backwards from N."""
        self.ranks = {}
        before: defaultdict[int, list[int]] = defaultdict(list)
        pending: deque[int] = deque()
        for position, t in committed.items():
            for _, after in self.successors(self.tree.states[position], t):
                if self._part(after, t) is Part.N:
                    if position not in self.ranks:
                        self.ranks[position] = 1
                        pending.append(position)
                else:
                    before[self.tree.number[after]].append(position)
        while pending:
            position = pending.popleft()
            for earlier in before[position]:
                if earlier not in self.ranks:
                    self.ranks[earlier] = self.ranks[position] + 1
                    pending.append(earlier)

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
    state: PhasedState, t: Role, phase: bool, g: Global, l: Local, stack: tuple[Frame, ...]
) -> PhasedState:
    joint, phases = state
    locals_ = (*joint.locals[:t], l, *joint.locals[t + 1 :])
    stacks = joint.stacks
    if stack is not stacks[t]:
        stacks = (*stacks[:t], stack, *stacks[t + 1 :])
    if phase != phases[t]:
        phases = (*phases[:t], phase, *phases[t + 1 :])
    return PhasedState(JointState(g, locals_, stacks), phases)
