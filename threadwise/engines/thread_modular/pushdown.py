"""Thread-modular model checking with procedures (FQ §3.1): summaries under interference.

a, b, c are pairs (g, l). P(t, a, b): from the reachable pair a, the entry of a procedure, t gets
to b at the same stack. Q(t, a, f, b): likewise, with one more frame f on the stack.

    INIT   P(t, s0, s0)
    STEP1  P(t, a, b), T(t, b) ∋ c              ==>  P(t, a, c), G(t, b.g, c.g)
    ENV1   P(t, a, b), G(e, b.g, g'), e ≠ t     ==>  P(t, a, (g', b.l))
    PUSH   P(t, a, b), T+(t, b) ∋ (l', f)       ==>  Q(t, a, f, n), P(t, n, n)   for n = (b.g, l')
    STEP2  Q(t, a, f, b), P(t, b, c)            ==>  Q(t, a, f, c)
    ENV2   Q(t, a, f, b), G(e, b.g, g'), e ≠ t  ==>  Q(t, a, f, (g', b.l))       follows
    POP    Q(t, a, f, b), T-(t, b, f) ∋ l'      ==>  P(t, a, (b.g, l'))

R(t, g, l) iff P(t, a, (g, l)) for some a. Always terminates for finite stores, although the
problem is undecidable: the answer is SAFE or UNKNOWN. Without calls, P(t, s0, ·) is R of `rules`.

Differs from FQ §3.1: Q is not stored. Q(t, a, f, c) holds iff some entry n was called from a with
frame f and P(t, n, c), so it is enough to keep the callers (a, f) of every entry n; POP joins them
with the exits of n. A procedure entered in the same pair from many places is analysed once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple

from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.thread_modular.interference import Interference
from threadwise.engines.thread_modular.rules import (
    Disturbed,
    Initial,
    Origin,
    Stepped,
    ThreadModularFixpoint,
)
from threadwise.systems.api import A, F, G, L, Role, ThreadSystem


class Caller(NamedTuple, Generic[G, L, F]):
    """A caller of an entry: its own procedure entry, and the frame to return to."""

    entry: tuple[G, L]
    frame: F


@dataclass(frozen=True)
class PushdownFixpoint(ThreadModularFixpoint[G, L, A], Generic[G, L, F, A]):
    """R and G, the least P (by current pair), and the callers that stand for Q."""

    path_edges: Sequence[dict[tuple[G, L], dict[tuple[G, L], None]]]
    """Per role and pair b, the entries a with P(t, a, b)."""
    callers: Sequence[dict[tuple[G, L], dict[Caller[G, L, F], None]]]
    """Per role and entry, its callers."""

    @property
    def path_edge_count(self) -> int:
        """|P|."""
        return sum(len(entries) for edges in self.path_edges for entries in edges.values())


class _PushdownRules(Generic[G, L, F, A]):
    """The worklist of path edges."""

    def __init__(self, system: ThreadSystem[G, L, F, A]) -> None:
        roles = system.roles
        self.system = system
        self.reached: list[dict[tuple[G, L], Origin[G, L, A]]] = [{} for _ in roles]
        self.path_edges: list[dict[tuple[G, L], dict[tuple[G, L], None]]] = [{} for _ in roles]
        self.callers: list[dict[tuple[G, L], dict[Caller[G, L, F], None]]] = [{} for _ in roles]
        self.exits: list[dict[tuple[G, L], dict[tuple[G, L], None]]] = [{} for _ in roles]
        """Per role and entry a, the processed pairs b with P(t, a, b)."""
        self.interference = Interference(system)
        self.pending: deque[tuple[Role, tuple[G, L], tuple[G, L]]] = deque()

    def extend(self, t: Role, a: tuple[G, L], b: tuple[G, L], origin: Origin[G, L, A]) -> None:
        """Add an element of P."""
        entries = self.path_edges[t].setdefault(b, {})
        if a not in entries:
            entries[a] = None
            self.reached[t].setdefault(b, origin)
            self.pending.append((t, a, b))

    def process(self, t: Role, a: tuple[G, L], b: tuple[G, L]) -> None:
        """Apply every rule that has P(t, a, b) as a premise, to all that is known."""
        g, l = b
        keys = self.interference.settle(t, g, l)
        self.exits[t].setdefault(a, {})[b] = None
        for step in self.system.step(t, g, l):  # STEP1
            self.extend(t, a, (step.g, step.l), Stepped(g, l, step.choices))
            for u, h, m in self.interference.guarantee(t, step.action, b):
                for entry in list(self.path_edges[u][h, m]):
                    self.disturb(u, entry, (h, m), t, step.action)
        for e, action in self.interference.known(t, keys):
            self.disturb(t, a, b, e, action)
        for push in self.system.push(t, g, l):  # PUSH
            entry = (g, push.l)
            caller = Caller(a, push.frame)
            callers = self.callers[t].setdefault(entry, {})
            if caller not in callers:
                callers[caller] = None
                self.extend(t, entry, entry, Stepped(g, l, (push.choice,)))
                for exit_ in list(self.exits[t].get(entry, ())):
                    self.leave(t, caller, exit_)
        for caller in list(self.callers[t].get(a, ())):  # STEP2 and POP
            self.leave(t, caller, b)

    def leave(self, t: Role, caller: Caller[G, L, F], b: tuple[G, L]) -> None:
        """Rule POP for a caller of the procedure that b is in."""
        g, l = b
        for pop in self.system.pop(t, g, l, caller.frame):
            self.extend(t, caller.entry, (g, pop.l), Stepped(g, l, (pop.choice,)))

    def disturb(self, t: Role, a: tuple[G, L], b: tuple[G, L], e: Role, action: A) -> None:
        """Rule ENV1 for one path edge and one action of e."""
        for pair in self.system.interfere(t, *b, e, action):
            self.extend(t, a, pair, Disturbed(*b, e, action))


def pushdown_fixpoint(
    system: ThreadSystem[G, L, F, A], tick: Callable[[], object] = lambda: None
) -> PushdownFixpoint[G, L, F, A]:
    """The least P, callers and G; `tick` is called for each element of P; it may raise to stop."""
    rules = _PushdownRules(system)
    for t in system.roles:  # INIT
        for start in system.initial(t):
            rules.extend(t, start, start, Initial())
    while rules.pending:
        tick()
        rules.process(*rules.pending.popleft())
    guarantees = rules.interference.guarantees
    return PushdownFixpoint(rules.reached, guarantees, rules.path_edges, rules.callers)
