"""Thread-modular model checking (FQ §2.2): each thread against the guarantees of the others.

    INIT   R(t, g0, ls0 t)
    STEP   R(t, g, l), T(t, g, l) ∋ (g', l')   ==>  R(t, g', l'), G(t, g, g')
    ENV    R(t, g, l), G(e, g, g'), e ≠ t      ==>  R(t, g', l)

R(t, ·) are the pairs of global and local store thread t can be in, G(t, ·) its guarantee: the
changes of the global store it makes. No rule combines two threads' local stores, so the
cost is O(n·G·(G+L)) space instead of O(G·L^n). The fixpoint is the strongest proof that keeps no
relation between the local stores of different threads (MPR Theorem 3: `engines.cartesian`).

Soundness: every reachable state (g, ls) has R(t, g, ls t) for all t. An error is possible only if
some constellation of pairs that fit together violates a property; if none does, (R, G) is a proof.
If one does, it may be an artefact: the answer is UNKNOWN, never UNSAFE.

Written on `ThreadSystem`, where an action is whatever others see of a step and `interfere` is ENV:
the same rules run on concrete programs and on symmetric views. A semi-naive worklist applies each
rule once per new premise; `interference` has the index of ENV.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.thread_modular.interference import Interference
from threadwise.semantics.state import Choice
from threadwise.systems.api import A, F, G, L, ReachedPairs, Role, ThreadSystem


class Initial(NamedTuple):
    """Derived by INIT."""


class Stepped(NamedTuple, Generic[G, L]):
    """Derived by STEP from a pair of the same role."""

    g: G
    l: L
    choices: tuple[Choice, ...]


class Disturbed(NamedTuple, Generic[G, L, A]):
    """Derived by ENV from a pair of the same role and another role's action."""

    g: G
    l: L
    by: Role
    action: A


Origin: TypeAlias = "Initial | Stepped[G, L] | Disturbed[G, L, A]"


@dataclass(frozen=True)
class ThreadModularFixpoint(Generic[G, L, A]):
    """The least R and G, each element with how it was first derived; `pushdown` adds to it."""

    reached: Sequence[dict[tuple[G, L], Origin[G, L, A]]]
    guarantees: Sequence[dict[A, tuple[G, L]]]

    @property
    def pairs(self) -> ReachedPairs[G, L]:
        """R, for searching errors in it."""
        return ReachedPairs(self.reached)

    @property
    def size(self) -> int:
        """|R|."""
        return sum(map(len, self.reached))

    @property
    def guarantee_count(self) -> int:
        """|G|."""
        return sum(map(len, self.guarantees))


class _Rules(Generic[G, L, F, A]):
    """The worklist."""

    def __init__(self, system: ThreadSystem[G, L, F, A]) -> None:
        self.system = system
        self.reached: list[dict[tuple[G, L], Origin[G, L, A]]] = [{} for _ in system.roles]
        self.interference = Interference(system)
        self.pending: deque[tuple[Role, G, L]] = deque()

    def reach(self, t: Role, g: G, l: L, origin: Origin[G, L, A]) -> None:
        """Add an element of R."""
        if (g, l) not in self.reached[t]:
            self.reached[t][g, l] = origin
            self.pending.append((t, g, l))

    def process(self, t: Role, g: G, l: L) -> None:
        """Apply every rule that has R(t, g, l) as a premise, to all that is known."""
        keys = self.interference.settle(t, g, l)
        for step in self.system.step(t, g, l):  # STEP
            self.reach(t, step.g, step.l, Stepped(g, l, step.choices))
            for u, h, m in self.interference.guarantee(t, step.action, (g, l)):
                self.disturb(u, h, m, t, step.action)
        for e, action in self.interference.known(t, keys):
            self.disturb(t, g, l, e, action)

    def disturb(self, t: Role, g: G, l: L, e: Role, action: A) -> None:
        """Rule ENV for one pair and one action of e."""
        for after_g, after_l in self.system.interfere(t, g, l, e, action):
            if (after_g, after_l) not in self.reached[t]:
                self.reach(t, after_g, after_l, Disturbed(g, l, e, action))


def thread_modular_fixpoint(
    system: ThreadSystem[G, L, F, A], tick: Callable[[], object] = lambda: None
) -> ThreadModularFixpoint[G, L, A]:
    """The least R and G; `tick` is called once per element of R, and may raise to stop."""
    rules = _Rules(system)
    for t in system.roles:  # INIT
        for g, l in system.initial(t):
            rules.reach(t, g, l, Initial())
    while rules.pending:
        tick()
        rules.process(*rules.pending.popleft())
    return ThreadModularFixpoint(rules.reached, rules.interference.guarantees)
