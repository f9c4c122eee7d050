"""What a set of states claims in a run: the run does not leave it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container

import numpy as np

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.state_set.table import StateTable, flattened
from threadwise.semantics.memory import canonical
from threadwise.semantics.state import Move, State

CLAIM = "the set contains the state"


def audit_state_set(program: Program, certificate: StateSetCertificate) -> StateSetMonitor:
    """What watches runs."""
    return StateSetMonitor(program, certificate)


class RowIndex:
    """The rows of a large table by a number that is computed from their cells.

    To make states of all rows would take longer than everything else.
    """

    def __init__(self, table: StateTable) -> None:
        draws = random.Random(0)
        self._factors = [draws.getrandbits(64) | 1 for _ in range(table.columns.count)]
        self._table = table
        numbers = np.zeros(len(table), dtype=np.uint64)
        for column, factor in enumerate(self._factors):
            numbers += table.column(column).astype(np.uint64) * np.uint64(factor)
        self._order = np.argsort(numbers, kind="stable")
        self._numbers = numbers[self._order]

    def __contains__(self, state: object) -> bool:
        """Whether a row is this state; one with a heap or with stacks is none."""
        if not isinstance(state, State) or state.g.heap or any(state.stacks):
            return False
        row = flattened(state)
        if len(row) != len(self._factors):
            return False
        number = sum(v * f for v, f in zip(row, self._factors, strict=True)) % (1 << 64)
        first = int(np.searchsorted(self._numbers, np.uint64(number)))
        for place in range(first, len(self._order)):
            if int(self._numbers[place]) != number:
                return False
            if self._table[int(self._order[place])] == state:
                return True
        return False


class StateSetMonitor:
    """Looks up every state of a run; heaps are compared up to numbering."""

    def __init__(self, program: Program, certificate: StateSetCertificate) -> None:
        self.evaluated: Counter[str] = Counter({CLAIM: 0})
        self._declared = len(program.globals)
        self._states: Container[State]
        if isinstance(certificate.states, StateTable):
            self._states = RowIndex(certificate.states)
        else:
            self._states = {canonical(state, self._declared) for state in certificate.states}

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
