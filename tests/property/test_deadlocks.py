"""Deadlocks against their definition: all sets of blocked threads, on random programs.

The definition is written down a second time here, without bit masks and without a fixpoint: every
set of blocked threads is tried, and whether a thread can help is searched from where it is. What a
blocked thread waits for is asked of `WaysOn`, which has tests of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import pytest

from tests.property.comparison import load, program_of
from tests.property.mixed_programs import mixed_program_of
from tests.unit.semantics.running import model
from threadwise.core.errors import InputError
from threadwise.ir.commands import Call, Command, OperationKind
from threadwise.ir.expr import FieldPlace, IndexPlace, Place, Scope, ThreadAt, VariablePlace
from threadwise.ir.program import LocId
from threadwise.ir.properties import DeadlockProperty
from threadwise.semantics.deadlocks import Deadlocks, Waiting, may_rest
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter

CI = 25
NIGHTLY = 1000
STATES = 120
DEPTH = 6


class Definition:
    """The members of S, by the definition."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.deadlocks = Deadlocks(interpreter)

    def members(self, state: State) -> frozenset[int]:
        blocked = {
            t: ways
            for t in self.interpreter.threads
            if not self.can_step(state, t)
            and not self.is_final(state, t)
            and (ways := self.deadlocks.waiting(t, state.g, state.locals[t])) is not None
        }
        fitting = [
            set(chosen)
            for size in range(len(blocked) + 1)
            for chosen in combinations(blocked, size)
            if all(self.closes(set(chosen), w, state) for t in chosen for w in blocked[t])
        ]
        greatest = frozenset().union(*fitting)
        assert set(greatest) in fitting
        return greatest

    def closes(self, chosen: set[int], waiting: Waiting, state: State) -> bool:
        awaited = waiting.way.awaited
        if awaited is not None and (self.is_live(state, awaited) or self.ended(state, awaited)):
            return awaited in chosen or self.ended(state, awaited)
        cells = {self.shown(cell.slot) for cell in waiting.way.cells}
        return not any(
            self.is_live(state, t) and t not in chosen and cells & self.writes(state, t)
            for t in self.interpreter.threads
        )

    def shown(self, slot: int) -> str:
        name = self.interpreter.layout.globals.cells[slot].name
        return re.sub(r"\[\d+\]", "[]", name)

    def writes(self, state: State, t: int) -> set[str]:
        """What a thread can write, by control flow, from where it is."""
        starts = [state.locals[t].pc]
        starts += [self.program.edges[frame.call].target for frame in state.stacks[t]]
        seen: set[LocId] = set()
        found: set[str] = set()
        while starts:
            at = starts.pop()
            if at in seen:
                continue
            seen.add(at)
            for edge in self.program.outgoing[at]:
                starts.append(edge.target)
                if isinstance(edge.action, Call):
                    starts.append(self.program.procedure[edge.action.procedure].entry)
                elif isinstance(edge.action, Command):
                    for place in (
                        *(each.target for each in edge.action.assignments),
                        *edge.action.havocs,
                    ):
                        found.update(written(place))
                if edge.operation is not None and edge.operation.kind is OperationKind.SPAWN:
                    assert isinstance(edge.operation.subject, ThreadAt)
                    body = self.program.template[edge.operation.subject.template].body
                    starts.append(self.program.procedure[body].entry)
        return found

    def can_step(self, state: State, t: int) -> bool:
        return self.interpreter.can_step(t, state.g, state.locals[t])

    def is_final(self, state: State, t: int) -> bool:
        return self.program.locations[state.locals[t].pc].final

    def ended(self, state: State, t: int) -> bool:
        return self.is_final(state, t) and not self.program.outgoing[state.locals[t].pc]

    def is_live(self, state: State, t: int) -> bool:
        return not self.is_final(state, t) or self.can_step(state, t)


def written(place: Place) -> Iterator[str]:
    """How a cell is shown that a place of a global variable means; its elements are all one."""
    path = ""
    while not isinstance(place, VariablePlace):
        if isinstance(place, FieldPlace):
            path = ("" if place.field == "owner" else f".{place.field}") + path
        else:
            assert isinstance(place, IndexPlace)
            path = f"[]{path}"
        place = place.base
    if place.variable.scope is Scope.GLOBAL:
        yield place.variable.name + path


def states(interpreter: Interpreter) -> Iterator[State]:
    """The first states that a search meets."""
    reached = dict.fromkeys(interpreter.initial_states())
    pending = list(reached)
    while pending and len(reached) < STATES:
        state = pending.pop(0)
        yield state
        for _, after in interpreter.successors(state):
            if after not in reached and all(len(stack) <= DEPTH for stack in after.stacks):
                reached[after] = None
                pending.append(after)
    yield from pending


def examine(text: str) -> int:
    """How many of the states have members; asserts what docs/theory/deadlocks.md says."""
    program = load(text)
    if program.has_any_number:
        program = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    interpreter = Interpreter(program)
    definition, deadlocks = Definition(interpreter), Deadlocks(interpreter)
    found = 0
    for state in states(interpreter):
        if interpreter.is_stopped(state):
            continue
        members = deadlocks.members(state)
        assert members == definition.members(state), text
        found += bool(members)
        for move, after in interpreter.successors(state):
            assert move.thread not in members
            if not interpreter.is_stopped(after):
                assert members <= deadlocks.members(after), text  # a deadlock stays one
        if not any(definition.can_step(state, t) for t in interpreter.threads):
            away = {
                t
                for t in interpreter.threads
                if not definition.is_final(state, t) and not may_rest(program, state.locals[t])
            }
            assert deadlocks.is_deadlock(state) == bool(away), text  # a total one is one
    return found


def sample(seeds: range) -> int:
    found = 0
    for seed in seeds:
        for write in (program_of, mixed_program_of):
            try:
                found += examine(write(seed))
            except InputError:  # a few of the texts recurse inside an atomic block
                continue
    return found


def test_a_sample() -> None:
    assert sample(range(CI)) > 20


@pytest.mark.slow
def test_many() -> None:
    assert sample(range(CI, NIGHTLY)) > 1000


def test_a_program_without_deadlock_has_no_members() -> None:
    program = model("mutex m; thread t[2] { acquire(m); release(m); }")
    interpreter = Interpreter(program)
    deadlocks = Deadlocks(interpreter)
    assert not any(deadlocks.members(state) for state in states(interpreter))
    assert DeadlockProperty("deadlocks") in program.properties
