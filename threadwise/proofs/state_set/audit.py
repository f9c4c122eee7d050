"""What a set of states claims in a run: the run does not leave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.semantics.memory import canonical
from threadwise.semantics.state import Move, State

CLAIM = "the set contains the state"


def audit_state_set(program: Program, certificate: StateSetCertificate) -> StateSetMonitor:
    """What watches runs."""
    return StateSetMonitor(program, certificate)


class StateSetMonitor:
    """Looks up every state of a run; heaps are compared up to numbering."""

    def __init__(self, program: Program, certificate: StateSetCertificate) -> None:
        self.evaluated: Counter[str] = Counter({CLAIM: 0})
        self._declared = len(program.globals)
        self._states: Container[State]
        if isinstance(certificate.states, list | tuple):
            self._states = {canonical(state, self._declared) for state in certificate.states}
        else:  # a large table; what it needs takes long to load
            from threadwise.proofs.state_set.row_index import index_of

            self._states = index_of(certificate.states)

    def start(self, state: State) -> None:
        """An initial state is in the set."""
        self._look(state, "initial state")

    def step(self, before: State, move: Move, after: State) -> None:
        """So is every successor."""
        self._look(after, "state")

    def _look(self, state: State, what: str) -> None:
        self.evaluated[CLAIM] += 1
        if canonical(state, self._declared) not in self._states:
            raise Broken(f"it does not list the {what} {state}")
