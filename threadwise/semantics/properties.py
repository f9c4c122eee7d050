"""What it means for a state to violate a property (docs/theory/semantics.md).

    assertion, range, mutex   a thread is in a failure location that names the property
    race        two threads have enabled edges that access one cell, one of them writing and at
                least one of them plain
    deadlock    no thread can step and some thread is neither finished nor at a label starting with
                `end`; or some threads wait in acquire or join for each other or for a finished
                holder, even while others run
    invariant   the formula is false

A failure ends the program, so in a failed state only the failure counts. No property looks at the
stacks: the global store and each thread's innermost local store decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from threadwise.ir.commands import WAITING, Command
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import NONE, default_value
from threadwise.semantics.evaluate import Region, Undefined, View
from threadwise.semantics.state import State
from threadwise.semantics.step import Access, Interpreter
from threadwise.semantics.waiting import WaysOn


class PropertyChecker:
    """Decides properties of single states of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.ways = WaysOn(interpreter.program)

    def violated(self, checked: Property, state: State) -> bool:
        """Whether the state violates the property."""
        if isinstance(checked, FailureProperty):
            return any(
                failure is not None and failure.property == checked.name
                for failure in (self.program.locations[l.pc].failure for l in state.locals)
            )
        if self.interpreter.is_stopped(state):
            return False
        match checked:
            case RaceProperty():
                return next(self.races(checked, state), None) is not None
            case DeadlockProperty():
                return self.is_stuck(state) or bool(self.waiting_circle(state))
            case InvariantProperty():
                return not self.holds(checked, state)

    def limit(self, state: State) -> str | None:
        """Why the model ends in this state, if a thread ran into one of its limits."""
        for l in state.locals:
            failure = self.program.locations[l.pc].failure
            if failure is not None and failure.kind.is_limit:
                return failure.message
        return None

    def holds(self, invariant: InvariantProperty, state: State) -> bool:
        """Whether the formula of an invariant is true in a state."""
        first = state.locals[0] if state.locals else None
        view = View(self.program, self.layout, NONE, state.g, first, others=state.locals)  # type: ignore[arg-type]  # invariants read no local store of their own
        try:
            return view.holds(invariant.formula)
        except Undefined:
            return False

    # -- races -----------------------------------------------------------------------------------

    def races(
        self, checked: RaceProperty, state: State
    ) -> Iterator[tuple[int, Access, int, Access]]:
        """Pairs of threads with the conflicting accesses they could make now."""
        accesses = {t: self.accesses(checked, state, t) for t in self.interpreter.threads}
        for t, u in combinations(self.interpreter.threads, 2):
            for first in accesses[t]:
                for second in accesses[u]:
                    if first.cell == second.cell and _conflict(first, second):
                        yield t, first, u, second

    def accesses(self, checked: RaceProperty, state: State, thread: int) -> list[Access]:
        """The accesses to the property's variables that a thread's enabled edges make."""
        found: dict[Access, None] = {}
        for access in self._touched(state, thread):
            if self._concerns(checked, access):
                found[access] = None
        return list(found)

    def _touched(self, state: State, thread: int) -> Iterator[Access]:
        """The accesses of a thread's steps; those of one edge do not depend on what it havocs."""
        l = state.locals[thread]
        edges = self.program.outgoing[l.pc]
        if any(self.program.locations[edge.target].atomic for edge in edges):
            for step in self.interpreter.step(thread, state.g, l):
                yield from step.accesses
            return
        for edge in edges:
            havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
            values = tuple(default_value(place.type) for place in havocs)  # type: ignore[arg-type]  # validated: a havoc is scalar
            for _, _, _, accesses in self.interpreter.fire(edge, thread, state.g, l, values):
                yield from accesses

    def _concerns(self, checked: RaceProperty, access: Access) -> bool:
        if checked.variables is None:
            return True
        if access.cell.region is not Region.GLOBAL:
            return False
        cell = self.layout.globals.cells[access.cell.slot]
        return cell.variable.name in checked.variables

    # -- deadlocks -------------------------------------------------------------------------------

    def is_finished(self, state: State, thread: int) -> bool:
        """Whether a thread has ended, or has not been started."""
        return self.program.locations[state.locals[thread].pc].final

    def has_ended(self, state: State, thread: int) -> bool:
        """Whether a thread will never do anything again; one that may yet be started has not."""
        return (
            self.is_finished(state, thread) and not self.program.outgoing[state.locals[thread].pc]
        )

    def is_stuck(self, state: State) -> bool:
        """Whether nothing can happen although some thread is not at its end."""
        if any(self.can_step(state, t) for t in self.interpreter.threads):
            return False
        return any(
            not self.is_finished(state, t)
            and not any(
                label.startswith("end")
                for label in self.program.locations[state.locals[t].pc].labels
            )
            for t in self.interpreter.threads
        )

    def can_step(self, state: State, thread: int) -> bool:
        """Whether a thread can do something."""
        return self.interpreter.can_step(thread, state.g, state.locals[thread])

    def waiting_circle(self, state: State) -> frozenset[int]:
        """The largest set of threads that wait only for each other or for finished holders."""
        waits: dict[int, frozenset[int]] = {}
        for t in self.interpreter.threads:
            awaited = self.awaited(state, t)
            if awaited:
                waits[t] = awaited
        while True:
            hopeless = {
                t
                for t, awaited in waits.items()
                if all(u in waits or self.has_ended(state, u) for u in awaited)
            }
            if len(hopeless) == len(waits):
                return frozenset(hopeless)
            waits = {t: waits[t] for t in waits if t in hopeless}

    def awaited(self, state: State, thread: int) -> frozenset[int]:
        """For whom a thread waits that can do nothing but acquire or join; empty if it can."""
        l = state.locals[thread]
        if self.can_step(state, thread):
            return frozenset()
        awaited: set[int] = set()
        view = View(self.program, self.layout, thread, state.g, l)
        for edge, condition in self.ways.of(l.pc):
            if not view.holds(condition):
                continue
            operation = edge.operation
            if operation is None or operation.kind not in WAITING:
                return frozenset()
            assert operation.subject is not None
            try:
                holder = view.integer(operation.subject)
            except Undefined:
                return frozenset()
            if holder == NONE:
                return frozenset()
            awaited.add(holder)
        return frozenset(awaited)


def _conflict(first: Access, second: Access) -> bool:
    return (first.write or second.write) and not (first.sync and second.sync)
