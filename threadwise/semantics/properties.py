"""What it means for a state to violate a property (docs/theory/semantics.md).

    assertion, range, mutex   a thread is in a failure location that names the property
    race        two threads have enabled edges that access one cell, one of them writing and at
                least one of them plain
    deadlock    some threads wait for each other, for threads that have ended or for what nobody
                can give them, and not all at labels starting with `end`: see `deadlocks`
    invariant   the formula is false

A failure ends the program, so in a failed state only the failure counts. No property but deadlock
looks at the stacks: the global store and each thread's innermost local store decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from threadwise.ir.commands import Action, Command, Free
from threadwise.ir.fold import action_expressions, action_places, is_shared, mentions_shared
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import LocId
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

if TYPE_CHECKING:
    from threadwise.semantics.deadlocks import Deadlocks


class PropertyChecker:
    """Decides properties of single states of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.layout = interpreter.layout

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
                return self.deadlocks.is_deadlock(state)
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
        threads = self.candidates(checked, state)
        if len(threads) < 2:
            return
        accesses = {t: self.accesses(checked, state, t) for t in threads}
        for t, u in combinations(threads, 2):
            for first in accesses[t]:
                for second in accesses[u]:
                    if first.cell == second.cell and conflict(first, second):
                        yield t, first, u, second

    def candidates(self, checked: RaceProperty, state: State) -> list[int]:
        """The threads that may be in a race; no other thread is."""
        del checked  # by where they are, of any variable
        return [t for t in self.interpreter.threads if state.locals[t].pc in self.touching]

    @cached_property
    def touching(self) -> frozenset[LocId]:
        """The locations from where a step may access memory that threads share."""
        found = {edge.source for edge in self.program.edges if _may_touch(edge.action)}
        into = [e for e in self.program.edges if self.program.locations[e.target].atomic]
        size = 0
        while size < len(found):
            size = len(found)
            found |= {edge.source for edge in into if edge.target in found}
        return frozenset(found)

    def accesses(self, checked: RaceProperty, state: State, thread: int) -> list[Access]:
        """The accesses to the property's variables that a thread's enabled edges make."""
        found: dict[Access, None] = {}
        for access in self._touched(state, thread):
            if concerns(self.layout, checked, access):
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

    # -- deadlocks -------------------------------------------------------------------------------

    @cached_property
    def deadlocks(self) -> Deadlocks:
        """Which states are deadlocks; code that most properties do not need is not loaded."""
        from threadwise.semantics.deadlocks import Deadlocks

        return Deadlocks(self.interpreter)

    def is_finished(self, state: State, thread: int) -> bool:
        """Whether a thread has ended, or has not been started."""
        return self.program.locations[state.locals[thread].pc].final


def _may_touch(action: Action) -> bool:
    return (
        isinstance(action, Free)
        or any(map(is_shared, action_places(action)))
        or any(map(mentions_shared, action_expressions(action)))
    )


def concerns(layout: ProgramLayout, checked: RaceProperty, access: Access) -> bool:
    """Whether a property excludes races at the cell of an access."""
    if checked.variables is None:
        return True
    if access.cell.region is not Region.GLOBAL:
        return False
    cell = layout.globals.cells[access.cell.slot]
    return cell.variable.name in checked.variables


def conflict(first: Access, second: Access) -> bool:
    """Whether two accesses to one cell, by different threads, race if nothing orders them."""
    return (first.write or second.write) and not (first.sync and second.sync)
