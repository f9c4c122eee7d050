"""What lengths of interleavings mean in a run: no thread takes more steps, nothing violates."""

from __future__ import annotations

from collections import Counter

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter

SAMPLES = (0, 1)
"""The values of large inputs when a state is evaluated: which cells a step accesses."""


class InterleavingsMonitor:
    """Counts the steps of each thread, and evaluates the properties in every state."""

    def __init__(self, program: Program, certificate: InterleavingsCertificate) -> None:
        self.lengths = certificate.lengths
        self.interpreter = Interpreter(program, SAMPLES)
        self.checker = PropertyChecker(self.interpreter)
        self.claimed = [p for p in program.properties if p.name in certificate.properties]
        self.evaluated: Counter[str] = Counter(
            {**{self._name(t): 0 for t in self.interpreter.threads}, "the properties": 0}
        )
        self._taken: list[int] = []

    def _name(self, thread: int) -> str:
        return f"length of {self.interpreter.layout.numbers.name(thread)}"

    def start(self, state: State) -> None:
        """A run begins."""
        self._taken = [0 for _ in state.locals]
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        self._taken[move.thread] += 1
        self.evaluated[self._name(move.thread)] += 1
        if self._taken[move.thread] > self.lengths[move.thread]:
            told = self.interpreter.layout.numbers.name(move.thread)
            raise Broken(f"{told} takes more than {self.lengths[move.thread]} steps")
        self._look(after)

    def _look(self, state: State) -> None:
        if self.checker.limit(state) is not None:
            return
        self.evaluated["the properties"] += 1
        for checked in self.claimed:
            if self.checker.violated(checked, state):
                raise Broken(f"`{checked.name}` is violated")


def audit_interleavings(
    program: Program, certificate: InterleavingsCertificate
) -> InterleavingsMonitor:
    """The monitor of a proof by all interleavings."""
    return InterleavingsMonitor(program, certificate)
