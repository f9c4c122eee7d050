"""Deadlocks against their definition: all sets of blocked threads, on random programs.

The definition is written down a second time here, without bit masks and without a fixpoint: every
set of blocked threads is tried, and whether a thread can help is searched from where it is. What a
blocked thread waits for is asked of `WaysOn`, which has tests of its own.

On the same programs the engines that prove deadlocks absent are compared with explicit search. A
third of the programs are models in which threads are short, a third models in which they loop,
call and start each other, a third C in which they wait in every way that the library has.
`pytest -m slow -k "test_many and 308"` is the block of programs that begins there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations

import pytest

from tests.property import c_waiting
from tests.property.comparison import load, program_of
from tests.property.mixed_programs import mixed_program_of
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, InputError, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Violated
from threadwise.engines.auto import steps_within
from threadwise.engines.registry import ENGINES
from threadwise.ir.commands import HOLDINGS, TAKING, Call, Command, OperationKind
from threadwise.ir.expr import (
    DerefPlace,
    FieldPlace,
    IndexPlace,
    Place,
    Scope,
    ThreadAt,
)
from threadwise.ir.layout import ThreadNumbers, extent_of
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.types import ArrayType, MutexType, RecordType, Type, fields_of
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.deadlocks import Deadlocks, Waiting, may_rest
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter
from threadwise.traces.replay import replay

CI = 8
SEEDS = 668
"""Three programs each: together 2,004."""
BLOCK = 50
STATES = 120
DEPTH = 6
PROVING = ("lock-order", "thread-modular", "persistent")
"""Who is compared with explicit search."""
SLICE = 100_000
"""About so many microseconds engines get, in steps of their own."""
DEADLOCKS = DeadlockProperty("every deadlock")


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
        awaited, held = waiting.way.awaited, waiting.way.held
        concerned = [
            t
            for t in self.interpreter.threads
            if (t == awaited or (held is not None and held in self.holds(state, t)))
            and (self.is_live(state, t) or self.ended(state, t))
        ]
        if concerned:
            return any(t in chosen or self.ended(state, t) for t in concerned)
        kind = waiting.way.kind
        cells = {name for cell in waiting.way.cells for name in self.names[cell.slot]}
        return not any(
            writer not in TAKING or writer is not kind
            for t in self.interpreter.threads
            if self.is_live(state, t) and t not in chosen
            for name, writer in self.writes(state, t)
            if name in cells
        )

    def holds(self, state: State, t: int) -> set[object]:
        """The addresses of what a thread holds."""
        template = self.interpreter.layout.numbers.templates[t]
        cells = self.interpreter.layout.thread[template].cells
        named = (cell.variable.name.startswith(HOLDINGS) for cell in cells)
        return {value for value, held in zip(state.locals[t].thread, named, strict=True) if held}

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """By cell, its path in its variable, and what it is to somebody with a pointer."""
        return [
            names
            for declared in self.program.globals
            for names in cells_in(
                declared.variable.type, self.interpreter.layout.numbers, declared.variable.name
            )
        ]

    def writes(self, state: State, t: int) -> set[tuple[str, OperationKind | None]]:
        """What a thread can write, by control flow, from where it is, and by what operation."""
        starts = [state.locals[t].pc]
        starts += [self.program.edges[frame.call].target for frame in state.stacks[t]]
        return set().union(*map(self.written_from, starts))

    @cache  # noqa: B019 - lives as long as the program
    def written_from(self, start: LocId) -> frozenset[tuple[str, OperationKind | None]]:
        starts = [start]
        seen: set[LocId] = set()
        found: set[tuple[str, OperationKind | None]] = set()
        while starts:
            at = starts.pop()
            if at in seen:
                continue
            seen.add(at)
            for edge in self.program.outgoing[at]:
                starts.append(edge.target)
                kind = None if edge.operation is None else edge.operation.kind
                if isinstance(edge.action, Call):
                    starts.append(self.program.procedure[edge.action.procedure].entry)
                elif kind is not OperationKind.INITIALISE and isinstance(edge.action, Command):
                    places = [each.target for each in edge.action.assignments]
                    for place in (*places, *edge.action.havocs):
                        found.update((name, kind) for name in written(place))
                if kind is OperationKind.SPAWN:
                    assert edge.operation is not None
                    assert isinstance(edge.operation.subject, ThreadAt)
                    body = self.program.template[edge.operation.subject.template].body
                    starts.append(self.program.procedure[body].entry)
        return frozenset(found)

    def can_step(self, state: State, t: int) -> bool:
        return self.interpreter.can_step(t, state.g, state.locals[t])

    def is_final(self, state: State, t: int) -> bool:
        return self.program.locations[state.locals[t].pc].final

    def ended(self, state: State, t: int) -> bool:
        return self.is_final(state, t) and not self.program.outgoing[state.locals[t].pc]

    def is_live(self, state: State, t: int) -> bool:
        return not self.is_final(state, t) or self.can_step(state, t)


def cells_in(
    held: Type, numbers: ThreadNumbers, path: str, member: str = ""
) -> Iterator[tuple[str, str]]:
    """The cells of a variable, with the member of the innermost record that each is in."""
    match held:
        case ArrayType():
            for _ in range(extent_of(held, numbers)):
                yield from cells_in(held.element, numbers, f"{path}[]", member)
        case RecordType() | MutexType():
            for field, part in fields_of(held):
                yield from cells_in(part, numbers, f"{path}.{field}", f"{held}.{field}")
        case _:
            yield path, f"* {member}"


def written(place: Place) -> Iterator[str]:
    """The name of the cells that a place means: elements of arrays are all one.

    Behind a pointer it may be that member of any record of this type.
    """
    path, member = "", ""
    while isinstance(place, FieldPlace | IndexPlace):
        if isinstance(place, FieldPlace):
            member = member or f"{place.base.type}.{place.field}"
            path = f".{place.field}{path}"
        else:
            path = f"[]{path}"
        place = place.base
    if isinstance(place, DerefPlace):
        yield f"* {member}"
    elif place.variable.scope is Scope.GLOBAL:
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


def examine(program: Program, text: str) -> int:
    """How many of the states have members; asserts what docs/theory/deadlocks.md says."""
    interpreter = Interpreter(program)
    definition, deadlocks = Definition(interpreter), Deadlocks(interpreter)
    members = cache(deadlocks.members)
    found = 0
    for state in states(interpreter):
        if interpreter.is_stopped(state):
            continue
        stuck = members(state)
        assert stuck == definition.members(state), text
        found += bool(stuck)
        for move, after in interpreter.successors(state):
            assert move.thread not in stuck
            if stuck and not interpreter.is_stopped(after):
                assert stuck <= members(after), text  # a deadlock stays one
        if not any(definition.can_step(state, t) for t in interpreter.threads):
            away = {
                t
                for t in interpreter.threads
                if not definition.is_final(state, t) and not may_rest(program, state.locals[t])
            }
            assert deadlocks.is_deadlock(state) == bool(away), text  # a total one is one
    return found


def ask(program: Program, engine: str, *, symmetry: bool) -> str:
    """What an engine says about deadlocks; evidence is checked as the driver does."""
    info = ENGINES[engine]
    meter = Meter(Budget(steps=steps_within(info, program, SLICE)))
    task = Task(program, (DEADLOCKS,), EngineOptions(symmetry=symmetry), meter)
    found: list[Finding] = []
    with suppress(BudgetExhausted, Unsupported):
        found.extend(info.create().run(task))
    for finding in found:
        if isinstance(finding, Violated):
            replay(program, finding.trace)
            return "UNSAFE"
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            return "SAFE"
    return "UNKNOWN"


def compare(program: Program, text: str, *, symmetry: bool) -> Counter[str]:
    """What engines say; asserts that nobody contradicts explicit search."""
    truth = ask(program, "explicit", symmetry=symmetry)
    answers = Counter([f"explicit {truth}"])
    for engine in PROVING:
        said = ask(program, engine, symmetry=symmetry)
        assert {said, truth} != {"SAFE", "UNSAFE"}, f"{engine}: {said}\n{text}"
        answers[f"{engine} {said}"] += 1
    return answers


def programs(seed: int) -> Iterator[tuple[Program, str]]:
    """A model with short threads, one with others, and one in C, with all their texts."""
    for write in (program_of, mixed_program_of):
        with suppress(InputError):  # a few of the texts recurse inside an atomic block
            program = load(write(seed))
            if program.has_any_number:
                counts = {t.name: 2 for t in program.templates if t.count is None}
                program = program.with_counts(counts)
            yield replace(program, properties=(DEADLOCKS,)), write(seed)
    text = c_waiting.generate(seed)
    program = load_c_sources([SourceFile("random.c", text)], LoadOptions()).worked_on
    yield replace(program, properties=(DEADLOCKS,)), text


def sample(seeds: range) -> Counter[str]:
    """How many states have members, and what engines say."""
    found: Counter[str] = Counter()
    for seed in seeds:
        for program, text in programs(seed):
            found["programs"] += 1
            found["members"] += examine(program, text)
            found += compare(program, text, symmetry=bool(seed % 2))
    return found


def test_a_sample() -> None:
    found = sample(range(CI))
    assert found["members"] > CI
    for engine in PROVING:
        assert found[f"{engine} SAFE"]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(CI, SEEDS, BLOCK))
def test_many(first: int) -> None:
    last = min(first + BLOCK, SEEDS)
    found = sample(range(first, last))
    assert found["programs"] > 2 * (last - first)
    assert found["members"] > last - first


def test_a_program_without_deadlock_has_no_members() -> None:
    program = model("mutex m; thread t[2] { acquire(m); release(m); }")
    interpreter = Interpreter(program)
    deadlocks = Deadlocks(interpreter)
    assert not any(deadlocks.members(state) for state in states(interpreter))
    assert DeadlockProperty("deadlocks") in program.properties
