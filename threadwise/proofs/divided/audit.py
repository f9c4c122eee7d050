"""What a proof that divides a property means in a run: the claims of all its parts hold there.

Where there are many parts, some of them watch each run, in turn: a driver has dozens of parts,
each of which computes images of runs of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Learns, Monitor
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.divided.certificate import DividedCertificate, part_of
from threadwise.semantics.state import Move, State


def audit_divided(program: Program, certificate: DividedCertificate) -> Monitor | None:
    """The monitors of all parts."""
    (name,) = certificate.properties
    return DividedMonitor(
        [
            monitor_of(part_of(program, name, variables), proof)
            for variables, proof in certificate.parts
        ]
    )


AT_ONCE = 4
"""So many parts watch a run."""


class DividedMonitor:
    """Parts take turns in watching runs, if there are many."""

    def __init__(self, parts: Sequence[Monitor | None]) -> None:
        self._parts = parts
        self._monitors = [part for part in parts if part is not None]
        self._watching = self._monitors[:AT_ONCE]
        self._next = 0

    def learn(self, found: object) -> None:
        """What the checkers of the parts claim besides the certificate."""
        told = found if isinstance(found, tuple) else (None,) * len(self._parts)
        for part, claims in zip(self._parts, told, strict=True):
            if isinstance(part, Learns):
                part.learn(claims)

    @property
    def evaluated(self) -> Counter[str]:
        """What was evaluated in all parts."""
        total: Counter[str] = Counter()
        for monitor in self._monitors:
            for claim, times in monitor.evaluated.items():
                total[claim] += times
        return total

    def start(self, state: State) -> None:
        """A run begins."""
        turns = range(self._next, self._next + min(AT_ONCE, len(self._monitors)))
        self._watching = [self._monitors[turn % len(self._monitors)] for turn in turns]
        self._next += len(self._watching)
        for monitor in self._watching:
            monitor.start(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        for monitor in self._watching:
            monitor.step(before, move, after)
