"""The search of `explicit` in machine code, for programs whose states are numbers.

The same rules (see `threadwise.engines.explicit`), a hundred times as fast: states and their
predecessors are computed by `threadwise.backends.native`; Python only checks states that are
marked, and decides there with the same error patterns as the slow search:

    failures     a thread has failed in a way that is checked, or at a limit of the model
    invariants   a formula is false, or has no value
    races        two threads are at locations from which steps may touch the same variable
    deadlocks    a thread that is not at its end has no step

What cannot be compiled, and a run in which a number does not fit 64 bits, is Unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from threadwise.analyses.conflicts import Conflicts
from threadwise.backends.native.control import Mark
from threadwise.backends.native.search import NativeSearch
from threadwise.core.errors import InternalError, Unsupported
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Task
from threadwise.ir.properties import DeadlockProperty, InvariantProperty, RaceProperty
from threadwise.ir.types import Value
from threadwise.proofs.state_set.table import Columns, StateTable
from threadwise.semantics.state import Move
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem

SLICE = 1 << 14
"""So many states are visited between two checks of the clock."""
STATES_PER_STEP = 64
"""So many states of machine code count as one step,"""
USUAL_CELLS = 64
"""if they have so many cells at most; larger ones take longer to copy and to look up."""

MOST_EDGES = 4_000
"""Compiling takes about a millisecond per edge, during which the clock is not checked."""

Joint = JointState[Any, Any, Any]


class CompiledSearch:
    """A search from the initial states on; positions number states in the order of discovery."""

    def __init__(self, task: Task, system: ConcreteSystem) -> None:
        self.task = task
        self.system = system
        program = task.program
        if len(program.edges) > MOST_EDGES:
            raise Unsupported("a program of this size in machine code")
        formulas = [p.formula for p in task.properties if isinstance(p, InvariantProperty)]
        self.search = NativeSearch(program, system.layout, system.interpreter, formulas)
        races = [p for p in task.properties if isinstance(p, RaceProperty)]
        self.conflicts = Conflicts(program, system.layout.numbers, races) if races else None
        self.marks = Mark.VIOLATED
        if any(isinstance(p, DeadlockProperty) for p in task.properties):
            self.marks |= Mark.WAITING
        self.columns = Columns(program, system.layout)
        wanted = {p.name for p in task.properties}
        self.reported = np.array(
            [
                failure is not None and (failure.kind.is_limit or failure.property in wanted)
                for failure in (location.failure for location in program.locations)
            ],
            dtype=np.bool_,
        )
        """The locations that are reported: failures of the properties, and limits."""
        for state in system.joint_initial():
            self.search.add(_row(state))

    def __len__(self) -> int:
        return len(self.search)

    @property
    def narrowed(self) -> bool:
        """Whether some input was given samples only."""
        return self.search.narrowed

    def suspects(self) -> Iterator[int]:
        """Search, and give the positions of states that may violate a property, or have ended."""
        listener, statistics = self.task.listener, Name.STATES.value
        while self.search.expanded < len(self.search):
            first = self.search.expanded
            for _ in range(1 + self.search.run(SLICE) // self._states_per_step):
                self.task.meter.check()
            waiting = 1 - self.search.expanded / len(self.search)
            listener(Progress("explicit", "", {statistics: len(self.search)}, waiting))
            yield from self._marked(first)

    @property
    def _states_per_step(self) -> int:
        cells = len(self.columns.shared) + sum(
            self.columns.own(t).stop - self.columns.location[t] for t in self.system.roles
        )
        return max(1, STATES_PER_STEP * USUAL_CELLS // max(cells, USUAL_CELLS))

    def _marked(self, first: int) -> Iterator[int]:
        end = self.search.expanded
        marks = self.search.marks[first:end]
        chosen = (marks & int(self.marks)) != 0
        rows = self.search.rows[first:end]
        locations = [rows[str(c)].astype(np.int64) for c in self.columns.location]
        stopped = (marks & int(Mark.STOPPED)) != 0
        if stopped.any():
            chosen |= stopped & np.any([self.reported[where] for where in locations], axis=0)
        if self.conflicts is not None:
            chosen |= self.conflicts.possible(locations)
        for position in np.flatnonzero(chosen).tolist():
            self.task.meter.check()
            yield first + position

    def state(self, position: int) -> Joint:
        """A state, as the system has it."""
        values: Sequence[Value] = self.search.packing.unpack(self.search.rows[position])
        columns = self.columns
        locals_ = tuple(
            tuple(values[columns.location[t] : columns.own(t).stop]) for t in self.system.roles
        )
        shared = tuple(values[: len(columns.shared)])
        return JointState(shared, locals_, tuple(() for _ in locals_))

    def path(self, position: int) -> tuple[Joint, list[Move]]:
        """The initial state from which a state was reached, and the moves from there."""
        moves: list[Move] = []
        after = self.state(position)
        while (parent := self.search.parent(position)) is not None:
            position, thread = parent
            before = self.state(position)
            moves.append(self._move(before, Role(thread), after))
            after = before
        moves.reverse()
        return after, moves

    def _move(self, before: Joint, t: Role, after: Joint) -> Move:
        for step in self.system.step(t, before.g, before.locals[t]):
            if step.g == after.g and step.l == after.locals[t]:
                return Move(t, step.choices)
        raise InternalError("machine code made a step that the program does not have")

    def table(self) -> StateTable:
        """All states; there is no path to them any more."""
        self.search.give_back()
        return StateTable(self.search.rows, self.columns)


def _row(state: Joint) -> list[Value]:
    return [*state.g, *(value for l in state.locals for value in l)]
