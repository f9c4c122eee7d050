"""What a proof that divides a property means in a run: the claims of all its parts hold there."""

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


class DividedMonitor:
    """Every part watches the same runs."""

    def __init__(self, parts: Sequence[Monitor | None]) -> None:
        self._parts = parts
        self._monitors = [part for part in parts if part is not None]

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
        for monitor in self._monitors:
            monitor.start(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        for monitor in self._monitors:
            monitor.step(before, move, after)
