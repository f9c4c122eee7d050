"""What a proof that divides a property means in a run: the claims of all its parts hold there.

Where there are many parts, some of them watch each run, in turn: a driver has dozens of parts,
each of which computes images of runs of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Learns, Monitor
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.divided.certificate import DividedCertificate, Part, part_of
from threadwise.semantics.state import Move, State


def audit_divided(program: Program, certificate: DividedCertificate) -> Monitor | None:
    """The monitors of all parts."""
    (name,) = certificate.properties
    return DividedMonitor([partial(_monitor, program, name, part) for part in certificate.parts])


def _monitor(program: Program, name: str, part: Part) -> Monitor | None:
    return monitor_of(part_of(program, name, part.variables), part.proof)


AT_ONCE = 4
"""So many parts watch a run."""


class DividedMonitor:
    """Parts take turns in watching runs, if there are many; a monitor is made for its first."""

    def __init__(self, parts: Sequence[Callable[[], Monitor | None]]) -> None:
        self._parts = parts
        self._told: tuple[object, ...] = (None,) * len(self._parts)
        self._monitors: dict[int, Monitor | None] = {}
        """By part; none for those whose claims cannot be tested."""
        self._watching: list[Monitor] = []
        self._next = 0

    def learn(self, found: object) -> None:
        """What the checkers of the parts claim besides the certificate."""
        if isinstance(found, tuple):
            self._told = found

    @property
    def evaluated(self) -> Counter[str]:
        """What was evaluated in all parts."""
        total: Counter[str] = Counter()
        for monitor in filter(None, self._monitors.values()):
            for claim, times in monitor.evaluated.items():
                total[claim] += times
        return total

    def start(self, state: State) -> None:
        """A run begins."""
        self._watching = []
        for _ in self._parts:
            monitor = self._monitor(self._next)
            self._next = (self._next + 1) % len(self._parts)
            if monitor is not None:
                self._watching.append(monitor)
            if len(self._watching) == AT_ONCE:
                break
        for monitor in self._watching:
            monitor.start(state)

    def _monitor(self, number: int) -> Monitor | None:
        """The monitor of a part, which is made when it is first needed."""
        if number not in self._monitors:
            monitor = self._parts[number]()
            if isinstance(monitor, Learns):
                monitor.learn(self._told[number])
            self._monitors[number] = monitor
        return self._monitors[number]

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        for monitor in self._watching:
            monitor.step(before, move, after)
