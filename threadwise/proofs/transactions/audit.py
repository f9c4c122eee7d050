"""What proofs about transactions claim in a run.

    pairs     R and G, from which movers follow: see their own monitor; not tested where they
              are about less than the program
    movers    a step that moves right and the next step, of another thread, lead to the same state
              in the other order; so does a step that moves left and the step before it
    states    as long as other threads only step while all but they are in N, the states of the
              run are listed, each thread in the part that the claims about its stores give it

Some runs go on with a thread that is not in N until it is, as the proof does. In others the
states say nothing, but pairs and movers do. By summaries only states are listed in which all
threads are in N; the relations of procedures and ranks are not tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken, Monitor
from threadwise.proofs.pushdown.audit import PushdownMonitor
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.thread_modular.audit import ThreadModularMonitor
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import (
    ReductionCertificate,
    StoreClaims,
    SummaryCertificate,
)
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.state import LocalStore, Move, State
from threadwise.semantics.step import Interpreter

LISTED = "states between and inside transactions are listed"
RIGHT = "right movers move right"
LEFT = "left movers move left"


def audit_reduction(program: Program, certificate: ReductionCertificate) -> TransactionMonitor:
    """What watches runs."""
    return TransactionMonitor(program, certificate, "NLR")


def audit_summaries(program: Program, certificate: SummaryCertificate) -> TransactionMonitor:
    """What watches runs."""
    return TransactionMonitor(program, certificate, "N")


def _monitor_of(pairs: ThreadModularCertificate | PushdownCertificate | None) -> Monitor | None:
    match pairs:
        case ThreadModularCertificate():
            return ThreadModularMonitor(pairs)
        case PushdownCertificate():
            return PushdownMonitor(pairs)
        case None:
            return None


class TransactionMonitor:
    """Watches free runs and runs that finish transactions."""

    def __init__(
        self,
        program: Program,
        certificate: ReductionCertificate | SummaryCertificate,
        listed: Collection[str],
    ) -> None:
        """`listed` are the parts in which threads are in the states that are listed."""
        self._interpreter = Interpreter(program)
        partial = certificate.alone or certificate.forgotten
        self._pairs = None if partial else _monitor_of(certificate.pairs)
        self._claims: Sequence[dict[LocalStore, StoreClaims]] = [
            {claims.l: claims for claims in rows} for rows in certificate.claims
        ]
        self._states = set(zip(certificate.states, certificate.parts, strict=True))
        below = certificate.below if isinstance(certificate, SummaryCertificate) else None
        self._below = None if below is None else list(map(frozenset, below))
        self._listed = frozenset(listed)
        self._parts: str | None = None
        """The part of each thread; None once a thread was interrupted in its transaction."""
        self._last: tuple[State, Move] | None = None
        self._own: Counter[str] = Counter({LISTED: 0})
        for name, edges in ((RIGHT, "right"), (LEFT, "left")):
            if any(getattr(claims, edges) for rows in certificate.claims for claims in rows):
                self._own[name] = 0

    @property
    def evaluated(self) -> Counter[str]:
        """Also how often claims about pairs were evaluated."""
        found = Counter(self._own)
        if self._pairs is not None:
            found.update(self._pairs.evaluated)
        return found

    def only(self, state: State) -> int | None:
        """The thread that is in a transaction."""
        inside = [t for t, part in enumerate(self._parts or "") if part != "N"]
        return inside[0] if inside else None

    def start(self, state: State) -> None:
        """All threads are in N."""
        if self._pairs is not None:
            self._pairs.start(state)
        self._parts = "N" * len(state.locals)
        self._last = None
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A step of any thread."""
        if self._pairs is not None:
            self._pairs.step(before, move, after)
        if self._last is not None and self._last[1].thread != move.thread:
            self._check_order(*self._last, before, move, after)
        self._last = before, move
        self._parts = self._parts_after(before, move, after)
        self._look(after)

    # -- states ----------------------------------------------------------------------------------

    def _parts_after(self, before: State, move: Move, after: State) -> str | None:
        t, parts = move.thread, self._parts
        if parts is None or any(part != "N" for u, part in enumerate(parts) if u != t):
            return None
        moves = self._moves(before, move)
        reached = self._claims[t].get(after.locals[t])
        part = "N"
        if reached is not None:
            if RIGHT in moves and (parts[t] != "L" or LEFT not in moves):
                part = "R" if reached.before_commit else "N"
            else:
                part = "L" if reached.after_commit else "N"
        return parts[:t] + part + parts[t + 1 :]

    def _look(self, state: State) -> None:
        if self._parts is not None and self._listed.issuperset(self._parts):
            self._own[LISTED] += 1
            if (self._listed_as(state), self._parts) not in self._states:
                raise Broken(f"it does not list {state} with threads in {self._parts}")

    def _listed_as(self, state: State) -> State:
        """The state as it should be listed: with whole stacks, or with their top frames."""
        if self._below is None:
            return state
        for t, stack in enumerate(state.stacks):
            for under, frame in pairwise((None, *stack)):
                if frame is not None and (frame, under) not in self._below[t]:
                    raise Broken(f"it does not tell what is below {frame}")
        return state._replace(stacks=tuple(stack[-1:] for stack in state.stacks))

    # -- movers ----------------------------------------------------------------------------------

    def _moves(self, before: State, move: Move) -> frozenset[str]:
        """How a step moves, by what is claimed of its first edge."""
        claims = self._claims[move.thread].get(before.locals[move.thread])
        edge = move.choices[0].edge
        found = ((RIGHT, claims.right), (LEFT, claims.left)) if claims is not None else ()
        return frozenset(name for name, edges in found if edge in edges)

    def _check_order(
        self, start: State, first: Move, middle: State, second: Move, after: State
    ) -> None:
        """Two steps of different threads, the first of which may move right, the second left."""
        for name, claimed in (
            (RIGHT, RIGHT in self._moves(start, first)),
            (LEFT, LEFT in self._moves(middle, second)),
        ):
            if claimed:
                self._own[name] += 1
                if not self._swapped(start, first, second, after):
                    raise Broken(
                        f"{name}, but not a step of thread {first.thread} "
                        f"and one of thread {second.thread}"
                    )

    def _swapped(self, start: State, first: Move, second: Move, after: State) -> bool:
        """Whether the other order leads to the same state, by the same edges."""
        one, other = first.thread, second.thread
        try:
            for move, between in self._interpreter.thread_successors(start, other):
                same = move.choices[0].edge == second.choices[0].edge
                if not same or between.locals[other] != after.locals[other]:
                    continue
                for again, reached in self._interpreter.thread_successors(between, one):
                    if again.choices[0].edge == first.choices[0].edge and reached == after:
                        return True
        except (Undefined, Unsupported):
            return True  # too many inputs to try all
        return False
