"""Explicit search that interleaves only where it matters: persistent sets, few switches first.

    INIT   as in `threadwise.engines.explicit`
    STEP   at a state where one thread alone is a persistent set (`choice`), only its steps,
           unless all of them go round in a cycle (`ways_out`);
           at any other state the steps of all threads (PUSH and POP likewise)

The reduced graph reaches a violation of the same property whenever the full one does, for failed
assertions, range and mutex errors, races and deadlocks (docs/theory/persistent.md); invariants
depend on states that it leaves out, and stay UNKNOWN.

States are taken up in the order of how many switches between threads lead to them, a thread that
goes on before one that takes over: errors that need few switches are found first, however deep
they lie, and their traces are easy to read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.explicit import Search, run_instances
from threadwise.engines.persistent.choice import Chooser
from threadwise.engines.persistent.ways_out import WaysOut
from threadwise.ir.properties import DeadlockProperty, InvariantProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.systems.api import JointState, Role

Joint = JointState[Any, Any, Any]


class PersistentEngine:
    """Explicit-state search over persistent sets."""

    name = "persistent"

    def run(self, task: Task) -> Iterator[Finding]:
        """Search; instance by instance if the number of threads is open."""
        kept = tuple(p for p in task.properties if not isinstance(p, InvariantProperty))
        left = tuple(p.name for p in task.properties if isinstance(p, InvariantProperty))
        if left:
            reason = "a search over persistent sets leaves out states"
            yield Undecided(left, reason, applies=False)
        if not kept:
            return
        task = replace(task, properties=kept)
        if task.program.has_any_number:
            yield from run_instances(task, PersistentSearch)
        else:
            yield from PersistentSearch(task, program_hash(task.program), {}).run()


class PersistentSearch(Search):
    """One search."""

    compiled_after = None

    def __init__(self, task: Task, whole_hash: str, counts: dict[str, int]) -> None:
        super().__init__(task, whole_hash, counts)
        cycles = any(isinstance(p, DeadlockProperty) for p in task.properties)
        self.chooser = Chooser(self.system, cycles=cycles)
        self.ways_out = WaysOut()
        self.chosen: dict[int, int] = {}
        self.waiting: deque[int] = deque()

    def _positions(self) -> Iterator[int]:
        self.waiting.extend(range(len(self.states)))  # the initial ones
        while self.waiting:
            yield self.waiting.popleft()

    def _expand(self, position: int, state: Joint) -> None:
        parent = self.tree.parents[position]
        last = None if parent is None else parent[1]
        known = len(self.states)
        if self._expand_alone(position, state, last):
            self.waiting.extendleft(reversed(range(known, len(self.states))))
            return
        on: list[int] = []
        for t in self.system.roles:
            known = len(self.states)
            self._advance(position, state, t)
            fresh = range(known, len(self.states))
            if t == last:
                on.extend(fresh)
            else:
                self.waiting.extend(fresh)
        self.waiting.extendleft(reversed(on))

    def _expand_alone(self, position: int, state: Joint, last: Role | None) -> bool:
        """Follow one thread only, if one may go alone and leads away from here.

        What a thread reaches that does not is known already: nothing is visited in vain.
        """
        for t in self.chooser.candidates(state, last):
            if self.ways_out.lead(position, self._advance(position, state, t)):
                self.chosen[position] = t
                return True
        return False

    def _proved(self, names: tuple[str, ...]) -> Finding:
        order = self.ways_out.sorted(len(self.states))
        states = [self.system.reference_state(self.states[position]) for position in order]
        chosen = [self.chosen.get(position, -1) for position in order]
        futures = [
            [(masks.read, masks.written) for masks in rows] for rows in self.chooser.futures
        ]
        certificate = PersistentCertificate(self.whole_hash, names, states, chosen, futures)
        return Proved(names, certificate)
