"""Rulesets 2 and 3 of QRR §5: reachability between transactions, summaries inside them.

a, b, c, n are nodes of t (`nodes`). Level I, where t may go on only if all u ≠ t are in N:

    INIT                                   ==>  Ω(g0, ls0, empty stacks), all threads in N
    STEP   Ω(g, ls, ss), Sum (ls t, c)     ==>  Ω(c.g, ls[t := c], ss)
    PUSH   Ω(g, ls, ss), Sum+(ls t, n, f)  ==>  Ω(n.g, ls[t := n], ss[t := ss t · f])
    POP    Ω(g, ls, ss[t := s · f]), Sum-(ls t, f, c)  ==>  Ω(c.g, ls[t := c], ss[t := s])
    START  Ω(g, ls, ss)                    ==>  P(ls t, ls t)

Level II, inside one transaction of t; those with * need b ∉ N, or b = a started by START:

    CFL STEP *  P(a, b), U(b) ∋ c                              ==>  P(a, c)
    CFL PUSH *  P(a, b), U+(b) ∋ (n, f)                        ==>  P(n, n)
    CFL POP  *  P(a, b), U+(b) ∋ (n, f), n ∉ N, Sum-(n, f, c)  ==>  P(a, c)
    CFL SUM- *  P(a, b), U-(b, f) ∋ c                          ==>  Sum-(a, f, c)
    CFL SUM     P(a, b), b ∈ N                                 ==>  Sum(a, b), Mark(a)
    CFL SUM+ *  P(a, b), U+(b) ∋ (n, f), Mark(n)               ==>  Sum+(a, n, f), Mark(a)

Each rule is applied when the last of its premises arrives, to exactly the facts it joins with.

Differs from QRR §5:
(a) CFL SUM applies to P(n, n) with n ∈ N too: Mark(n) keeps the boundary at the entry of a callee.
    The Sum from n to itself is dropped. CFL POP needs n ∉ N, so every summary is one transaction.
(b) Sum-(a, f, c) is computed only for the frames f on top of which a was started.
(c) A failure ends the program, and is found in P. A failed node has no Sum and gives no Mark: no
    other thread goes on after it, and a transaction that can only fail does not finish (`finish`).
    So a run of the program to its failure loses nothing: the failing transaction comes last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from threadwise.engines.reduction.partition import Part, Partition
from threadwise.engines.summaries.nodes import Instrumented, Node
from threadwise.engines.summaries.relations import (
    Begun,
    Called,
    Cut,
    Ends,
    EndsInside,
    Entered,
    Exit,
    Omega,
    OmegaState,
    Origin,
    Stepped,
    ThreadRelations,
    Transaction,
)
from threadwise.semantics.state import Choice
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem, Frame


class PathEdge(NamedTuple):
    """A new element of P."""

    t: Role
    a: Node
    b: Node


class Between(NamedTuple):
    """A new element of Ω, by number."""

    state: int


Event: TypeAlias = PathEdge | Between


class SummaryRules:
    """The least P, Sum, Sum+, Sum-, Mark and Ω for a partition, stacks up to a depth."""

    def __init__(self, system: ConcreteSystem, partition: Partition, max_depth: int) -> None:
        self.system = system
        self.max_depth = max_depth
        self.program = Instrumented(system, partition)
        self.threads = [ThreadRelations() for _ in system.roles]
        self.omega = Omega()
        self.cuts: list[Cut] = []
        self.pending: deque[PathEdge] = deque()

    def run(self, tick: Callable[[], object]) -> Iterator[Event]:
        """Apply the rules until nothing is new; yields each fact before it is used."""
        for joint in self.system.joint_initial():  # INIT
            outside: tuple[Part, ...] = tuple("N" for _ in self.system.roles)
            self.omega.reach(OmegaState(joint, outside), None)
        for position in _growing(self.omega.states):
            tick()
            yield Between(position)
            self._start(position)
            while self.pending:
                tick()
                edge = self.pending.popleft()
                yield edge
                self._process(*edge)

    # -- level II --------------------------------------------------------------------------------

    def _extend(self, t: Role, a: Node, b: Node, origin: Origin) -> None:
        """Add P(a, b)."""
        targets = self.threads[t].path.setdefault(a, {})
        if b not in targets:
            targets[b] = origin
            self.threads[t].edges.append((a, b))
            self.pending.append(PathEdge(t, a, b))

    def _process(self, t: Role, a: Node, b: Node) -> None:
        """Apply the rules that have P(a, b) as a premise."""
        if self.program.has_failed(b):
            return
        if b.part == "N":
            self._cfl_sum(t, a, b)
            if b != a or a not in self.threads[t].started:
                return
        for choices, c in self.program.step(t, b):  # CFL STEP
            self._extend(t, a, c, Stepped(b, choices))
        for call, n, f in self.program.push(t, b):
            self._call(t, a, b, Entering(call, n, f))
        if self.program.may_return(b):
            self.threads[t].exits[a].append(b)
            for f in self.threads[t].frames[a]:
                self._cfl_sum_pop(t, a, b, f)

    def _call(self, t: Role, a: Node, b: Node, entering: Entering) -> None:
        """CFL PUSH, CFL POP and CFL SUM+ for P(a, b) and one element of U+."""
        call, n, f = entering
        relations = self.threads[t]
        relations.callers[n].setdefault(f, {})[a, b] = call
        self._extend(t, n, n, Entered(a, b, call))  # CFL PUSH
        self._add_frame(t, n, f)
        if n.part != "N":
            for c, exit_ in relations.sum_pop[n, f].items():  # CFL POP
                self._extend(t, a, c, Called(b, call, n, *exit_))
        if n in relations.mark:
            self._cfl_sum_push(t, a, Exit(b, call), n, f)
            self._mark(t, a, EndsInside(n))

    def _add_frame(self, t: Role, a: Node, f: Frame) -> None:
        """CFL SUM- for a new frame."""
        relations = self.threads[t]
        if f not in relations.frames[a]:
            relations.frames[a][f] = None
            for b in relations.exits[a]:
                self._cfl_sum_pop(t, a, b, f)

    def _cfl_sum_pop(self, t: Role, a: Node, b: Node, f: Frame) -> None:
        """CFL SUM- for P(a, b) and a frame, and CFL POP and POP for what it gives."""
        relations = self.threads[t]
        for back, c in self.program.pop(t, b, f):
            found = relations.sum_pop[a, f]
            if c in found:
                continue
            found[c] = Exit(b, back)
            if a.part != "N":
                for (caller, at), call in relations.callers[a].get(f, {}).items():
                    self._extend(t, caller, c, Called(at, call, a, b, back))
            for position in relations.waiting[a].get(f, ()):
                self._pop(position, t, c, Exit(b, back))

    def _cfl_sum(self, t: Role, a: Node, b: Node) -> None:
        """CFL SUM, and STEP for what it gives."""
        relations = self.threads[t]
        self._mark(t, a, Ends(b))
        if b != a and b not in relations.sum[a]:
            relations.sum[a][b] = None
            for position in _states(relations.waiting[a]):
                self._step(position, t, b)

    def _cfl_sum_push(self, t: Role, a: Node, exit_: Exit, n: Node, f: Frame) -> None:
        """CFL SUM+, and PUSH for what it gives."""
        relations = self.threads[t]
        if (n, f) not in relations.sum_push[a]:
            relations.sum_push[a][n, f] = exit_
            for position in _states(relations.waiting[a]):
                self._push(position, t, n, f, exit_)

    def _mark(self, t: Role, a: Node, reason: Ends | EndsInside) -> None:
        """Mark(a), and CFL SUM+ for all callers of a."""
        relations = self.threads[t]
        pending: list[tuple[Node, Ends | EndsInside]] = [(a, reason)]
        for n, why in pending:
            if n not in relations.mark:
                relations.mark[n] = why
                for f, callers in relations.callers[n].items():
                    for (caller, b), call in callers.items():
                        self._cfl_sum_push(t, caller, Exit(b, call), n, f)
                        pending.append((caller, EndsInside(n)))

    # -- level I ---------------------------------------------------------------------------------

    def schedulable(self, state: OmegaState) -> list[Role]:
        """The threads all of whose others are in N."""
        inside = [t for t in self.system.roles if state.parts[t] != "N"]
        return inside or list(self.system.roles)

    def _start(self, position: int) -> None:
        """START, and STEP, PUSH and POP with the summaries that exist already."""
        state = self.omega.states[position]
        for t in self.schedulable(state):
            relations, a, f = self.threads[t], state.node(t), state.top(t)
            relations.waiting[a].setdefault(f, []).append(position)
            known = a in relations.path
            if a not in relations.started:
                relations.started[a] = None
                if known and a.part == "N":  # entered by CFL PUSH; now it may go on
                    self.pending.append(PathEdge(t, a, a))
            if not known:
                self._extend(t, a, a, Begun(position))
            if f is None:
                relations.bottom[a] = None
            else:
                self._add_frame(t, a, f)
                for c, exit_ in relations.sum_pop[a, f].items():
                    self._pop(position, t, c, exit_)
            for b in relations.sum[a]:
                self._step(position, t, b)
            for (n, frame), exit_ in relations.sum_push[a].items():
                self._push(position, t, n, frame, exit_)

    def _step(self, position: int, t: Role, b: Node) -> None:
        """STEP."""
        stack = self.omega.states[position].joint.stacks[t]
        self._reach(Transaction(position, t, b, None), b, stack)

    def _push(self, position: int, t: Role, n: Node, f: Frame, exit_: Exit) -> None:
        """PUSH."""
        stack = self.omega.states[position].joint.stacks[t]
        if len(stack) >= self.max_depth:
            self.cuts.append(Cut(t, n, (*stack, f)))
        else:
            self._reach(Transaction(position, t, *exit_), n, (*stack, f))

    def _pop(self, position: int, t: Role, c: Node, exit_: Exit) -> None:
        """POP."""
        stack = self.omega.states[position].joint.stacks[t]
        self._reach(Transaction(position, t, *exit_), c, stack[:-1])

    def _reach(self, taken: Transaction, node: Node, stack: tuple[Frame, ...]) -> None:
        """Add an element of Ω."""
        (_, locals_, stacks), parts = self.omega.states[taken.before]
        t = taken.t
        joint = JointState(
            node.g,
            (*locals_[:t], node.l, *locals_[t + 1 :]),
            (*stacks[:t], stack, *stacks[t + 1 :]),
        )
        after = OmegaState(joint, (*parts[:t], node.part, *parts[t + 1 :]))
        self.omega.reach(after, taken)


class Entering(NamedTuple):
    """An element of U+: the call, the entry of the callee, the frame."""

    call: Choice
    n: Node
    f: Frame


def _states(waiting: dict[Frame | None, list[int]]) -> list[int]:
    return [position for positions in waiting.values() for position in positions]


def _growing(items: list[OmegaState]) -> Iterator[int]:
    """The positions of a list that grows meanwhile."""
    position = 0
    while position < len(items):
        yield position
        position += 1
