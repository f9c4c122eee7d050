"""What R and G claim in a run: where each thread is, and what each step does to shared memory.

R_t has the pair of the shared store and thread t's own in every state. G_t has the pair of the
shared stores before and after each step of thread t that changes them.
"""

from __future__ import annotations

from collections import Counter

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.state import Move, State


def audit_thread_modular(
    program: Program, certificate: ThreadModularCertificate
) -> ThreadModularMonitor:
    """What watches runs."""
    return ThreadModularMonitor(certificate)


class ThreadModularMonitor:
    """Looks up pairs and changes."""

    def __init__(self, certificate: ThreadModularCertificate) -> None:
        self._numbers = {cells: number for number, cells in enumerate(certificate.globals)}
        self._reached = [set(pairs) for pairs in certificate.reached]
        self._changes = [set(changes) for changes in certificate.guarantees]
        threads = range(len(self._reached))
        self.evaluated: Counter[str] = Counter({f"R of thread {t}": 0 for t in threads})
        self.evaluated.update({f"G of thread {t}": 0 for t in threads if self._changes[t]})

    def start(self, state: State) -> None:
        """Every thread is in one of its pairs."""
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """So is every thread after a step, and what the step changed was promised."""
        self._look(after)
        if before.g != after.g:
            thread = move.thread
            self.evaluated[f"G of thread {thread}"] += 1
            change = self._numbers[before.g.cells], self._numbers[after.g.cells]
            if change not in self._changes[thread]:
                raise Broken(
                    f"thread {thread} changes {before.g.cells} to {after.g.cells}, "
                    "which is not in its G"
                )

    def _look(self, state: State) -> None:
        number = self._numbers.get(state.g.cells)
        for thread, l in enumerate(state.locals):
            self.evaluated[f"R of thread {thread}"] += 1
            if (number, l) not in self._reached[thread]:
                raise Broken(f"R of thread {thread} has no pair of {state.g.cells} and {l}")
