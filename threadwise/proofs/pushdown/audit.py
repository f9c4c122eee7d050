"""What P, the callers and G claim in a run.

The monitor remembers, for each thread, in which pair of stores it entered each procedure that it
is in. P_t has the entry of the innermost one with the current pair, in every state. A call is
listed with the entry of the callee, the entry of the caller, and the frame to return to. G_t has
the shared stores before and after each step of thread t that changes them.
"""

from __future__ import annotations

from collections import Counter

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.semantics.state import Cells, Frame, LocalStore, Move, State

Pair = tuple[Cells, LocalStore]


def audit_pushdown(program: Program, certificate: PushdownCertificate) -> PushdownMonitor:
    """What watches runs."""
    return PushdownMonitor(certificate)


class PushdownMonitor:
    """Looks up pairs with their entries, calls, and changes."""

    def __init__(self, certificate: PushdownCertificate) -> None:
        stores = [tuple(cells) for cells in certificate.globals]
        self._inside: list[set[tuple[Pair, Pair]]] = []
        self._calls: list[set[tuple[Pair, Pair, Frame]]] = []
        for rows, edges, calls in zip(
            certificate.pairs, certificate.path_edges, certificate.callers, strict=True
        ):
            pairs = [(stores[g], l) for g, l in rows]
            self._inside.append({(pairs[entry], pairs[now]) for entry, now in edges})
            self._calls.append({(pairs[to], pairs[by], frame) for to, by, frame in calls})
        self._changes = [
            {(stores[before], stores[after]) for before, after in changes}
            for changes in certificate.guarantees
        ]
        self._entries: list[list[Pair]] = []
        """Per thread, where it entered the procedures that it is in, the innermost last."""
        self.evaluated: Counter[str] = Counter()
        for thread, tables in enumerate(
            zip(self._inside, self._calls, self._changes, strict=True)
        ):
            for name, table in zip(("P", "callers", "G"), tables, strict=True):
                if table:
                    self.evaluated[f"{name} of thread {thread}"] = 0

    def start(self, state: State) -> None:
        """Every thread has just entered its body."""
        self._entries = [[(state.g.cells, l)] for l in state.locals]
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A step, a call or a return; then every thread is where P has it."""
        thread = move.thread
        entries, stack = self._entries[thread], after.stacks[thread]
        if len(stack) > len(before.stacks[thread]):
            entries.append((after.g.cells, after.locals[thread]))
            self._require(
                (entries[-1], entries[-2], stack[-1]) in self._calls[thread], "callers", thread
            )
        elif len(stack) < len(before.stacks[thread]):
            entries.pop()
        if before.g != after.g:
            change = before.g.cells, after.g.cells
            self._require(change in self._changes[thread], "G", thread)
        self._look(after)

    def _look(self, state: State) -> None:
        for thread, l in enumerate(state.locals):
            pair = state.g.cells, l
            self._require((self._entries[thread][-1], pair) in self._inside[thread], "P", thread)

    def _require(self, holds: bool, table: str, thread: int) -> None:
        name = f"{table} of thread {thread}"
        self.evaluated[name] += 1
        if not holds:
            raise Broken(f"{name} does not list what happens")
