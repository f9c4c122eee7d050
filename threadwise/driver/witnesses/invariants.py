"""Invariants for witnesses: guessed from runs, and kept if they are proved.

Runs of the program show which values variables have where they are used, and which locks are held
there. What is always so becomes a candidate:

    a loop                      the values of the variables of its condition
    an assertion                the values of the variables that it reads
    a statement under a lock    the lock is held, and the values of the variables
    before a lock is taken      if it is free, the values of the variables

Locks are ghosts: `m_locked` is 1 from `pthread_mutex_lock(&m)` to `pthread_mutex_unlock(&m)`. The
program with all candidates as claims is checked once (`claims`); those that are not proved are
left out, so that everything that is written holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from threadwise.core.budget import Budget
from threadwise.core.errors import InputError, Unsupported
from threadwise.core.source import SourceFile, Span
from threadwise.driver.loading import is_database, load_input
from threadwise.driver.witnesses.claims import (
    checked_claims,
    is_always_true,
    sources_of,
    with_claims,
)
from threadwise.frontends.c.instrument import Instrumented
from threadwise.ir.program import Program
from threadwise.ir.types import MachineType
from threadwise.proofs.base.runs import Runs
from threadwise.report.witnesses.model import (
    CorrectnessWitness,
    GhostUpdate,
    GhostVariable,
    Invariant,
    Location,
    Task,
)
from threadwise.report.witnesses.violation import Places
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict
from threadwise.semantics.state import State
from threadwise.traces.naming import Naming
from threadwise.traces.own_text import is_own

MOST_STEPS = 4_000
"""So many steps of runs are evaluated."""
MOST_CANDIDATES = 24
SECONDS = 60.0
"""So long candidates may be checked."""
_FEW_VALUES = 64
"""Intervals with more values are no candidates."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_VARIABLE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_LOCK_CALL = re.compile(
    r"(?<=[;{}:)])\s*(?P<call>(?:pthread_mutex|pthread_spin|mtx)_(?P<what>lock|unlock)"
    r"\s*\(\s*&\s*(?P<lock>[A-Za-z_]\w*)\s*\)\s*;)"
)
_LOOP = re.compile(r"(?:while|for)\b")
_ASSERT = re.compile(r"\b\w*assert\w*\s*\(|\breach_error\s*\(")

Values = dict[str, set[int]]


@dataclass
class _Seen:
    """What runs show at a place."""

    span: Span
    values: Values = field(default_factory=dict)
    held: set[str] | None = None
    """The locks that were held every time."""
    free: dict[str, Values] = field(default_factory=dict)
    """The values of variables while a lock was free."""


def correctness_witness(result: Result, task: Task) -> CorrectnessWitness | None:
    """Invariants of a program whose properties hold; None if it has no place for one."""
    if is_database(result.file):
        return None
    sources = {each.path: each for each in sources_of(result.file, result.load)}
    names = dict(zip(sources, task.input_files, strict=True))
    program = load_input(result.file, result.load).program
    guessing = _Guessing(program, sources, Places(sources, names))
    witness = guessing.witness(task)
    return None if witness is None else _proved(witness, result, sources, names)


def _proved(
    witness: CorrectnessWitness,
    result: Result,
    sources: Mapping[str, SourceFile],
    names: Mapping[str, str],
) -> CorrectnessWitness:
    """The part of a witness that holds."""
    paths = {name: path for path, name in names.items()}
    kept = witness
    while len(kept.invariants) > 1:
        made = with_claims(kept, list(sources.values()), paths)
        try:
            checked = checked_claims(result.file, result.load, made, Budget(time_s=SECONDS))
        except InputError as error:
            smaller = _without_faults(kept, made, error)
            if len(smaller.invariants) == len(kept.invariants):
                break
            kept = smaller
            continue
        good = [
            each
            for number, each in enumerate(kept.invariants)
            if checked.told(number, each.value) is Verdict.SAFE
        ]
        return _only(kept, _without_trivial(good) or kept.invariants[-1:])
    return _only(kept, kept.invariants[-1:])


def _without_trivial(invariants: list[Invariant]) -> list[Invariant]:
    return [each for each in invariants if not is_always_true(each.value)]


def _only(
    witness: CorrectnessWitness, invariants: list[Invariant] | tuple[Invariant, ...]
) -> CorrectnessWitness:
    """With some of the invariants, and the ghosts that they mention."""
    words = {word for each in invariants for word in _WORD.findall(each.value)}
    ghosts = tuple(each for each in witness.ghosts if each.name in words)
    known = {each.name for each in ghosts}
    updates = tuple(u for u in witness.updates if all(name in known for name, _ in u.changes))
    return CorrectnessWitness(witness.task, tuple(invariants), ghosts, updates)


def _without_faults(
    witness: CorrectnessWitness, made: Instrumented, error: InputError
) -> CorrectnessWitness:
    """Without the claims in lines that the compiler does not accept: variables out of scope."""
    lines = {(d.span.path, d.span.line) for d in error.diagnostics if d.span is not None}
    wrong = {number for (path, line, _), number in made.claims.items() if (path, line) in lines}
    kept = [each for number, each in enumerate(witness.invariants) if number not in wrong]
    return _only(witness, kept)


class _Guessing:
    """Candidates for one program."""

    def __init__(
        self, program: Program, sources: Mapping[str, SourceFile], places: Places
    ) -> None:
        self.program = program
        self.sources = sources
        self.places = places
        self.seen: dict[Location, _Seen] = {}
        self.all: Values = {}
        """The values that shared variables ever have."""

    def witness(self, task: Task) -> CorrectnessWitness | None:
        """All candidates; the last one is always true."""
        if not self.program.has_any_number:
            with suppress(Unsupported):
                self._look()
        found = list(dict.fromkeys(self._candidates()))[:MOST_CANDIDATES]
        if not self.seen:
            return None
        found.append(Invariant(next(iter(self.seen)), "1"))
        ghosts = [GhostVariable(ghost_of(lock)) for lock in self._locks]
        return CorrectnessWitness(task, tuple(found), tuple(ghosts), tuple(self._updates()))

    # -- runs ----------------------------------------------------------------------------------

    def _look(self) -> None:
        runs = Runs(self.program, seed=1)
        self.layout = runs.interpreter.layout
        self.naming = Naming(self.program, self.layout)
        steps = 0
        for _, run in runs:
            for before, move, _ in run:
                edge = self.program.edges[move.choices[0].edge]
                if edge.span is not None and is_own(edge.span):
                    self._note(before, move.thread, edge.span)
                steps += 1
                if steps >= MOST_STEPS:
                    return

    def _note(self, state: State, thread: int, span: Span) -> None:
        place = self.places.start(span) or self._loop_around(span)
        if place is None:
            return
        seen = self.seen.setdefault(place, _Seen(span))
        shared, own = self._shared(state), self._own(state, thread)
        for name, value in {**shared, **own}.items():
            seen.values.setdefault(name, set()).add(value)
        for name, value in shared.items():
            self.all.setdefault(name, set()).add(value)
        held = set(self.naming.held(thread, state.g))
        seen.held = held if seen.held is None else seen.held & held
        taken = {name for t in range(len(state.locals)) for name in self.naming.held(t, state.g)}
        for lock in self._locks:
            if lock not in taken:
                for name, value in shared.items():
                    seen.free.setdefault(lock, {}).setdefault(name, set()).add(value)

    def _loop_around(self, span: Span) -> Location | None:
        """The `for` in whose head a condition is."""
        source = self.sources.get(span.path)
        if source is None:
            return None
        line = source.line(span.line)
        match = re.match(r"[\s}]*(for\s*\()", line)
        if match is None or match.start(1) >= span.column:
            return None
        return self.places.of(span, span.line, match.start(1) + 1)

    def _shared(self, state: State) -> dict[str, int]:
        return {
            cell.name: value
            for cell, value in zip(self.layout.globals.cells, state.g.cells, strict=True)
            if type(value) is int
            and isinstance(cell.type, MachineType)
            and not cell.sync
            and _VARIABLE.fullmatch(cell.name)
            and cell.variable.name == cell.name.split(".")[0]
        }

    def _own(self, state: State, thread: int) -> dict[str, int]:
        l = state.locals[thread]
        cells = self.layout.local[self.program.procedure_of[l.pc].name].cells
        return {
            cell.name: value
            for cell, value in zip(cells, l.locals, strict=True)
            if type(value) is int
            and isinstance(cell.type, MachineType)
            and _WORD.fullmatch(cell.name)
        }

    # -- candidates ----------------------------------------------------------------------------

    def _candidates(self) -> Iterator[Invariant]:
        for place, seen in self.seen.items():
            text = self._statement(place, seen.span)
            used = set(_VARIABLE.findall(text))
            if _LOOP.match(text):
                yield from self._of(place, seen.values, used, loop=True)
            elif match := _LOCK_CALL.match(";" + text):
                if match["what"] == "lock" and match["lock"] in self._locks:
                    yield from self._while_free(place, seen, match["lock"])
            else:
                locks = [lock for lock in self._locks if lock in (seen.held or ())]
                for lock in locks:
                    yield Invariant(place, f"{ghost_of(lock)} == 1")
                if locks or _ASSERT.search(text):
                    yield from self._of(place, seen.values, used)

    def _of(
        self, place: Location, values: Values, used: set[str], *, loop: bool = False
    ) -> Iterator[Invariant]:
        facts = [fact for name in sorted(used & set(values)) for fact in _facts(name, values)]
        if facts and loop:
            yield Invariant(place, " && ".join(facts), loop=True)
        elif facts:
            yield from (Invariant(place, fact) for fact in facts)

    def _while_free(self, place: Location, seen: _Seen, lock: str) -> Iterator[Invariant]:
        """What is so whenever a lock is free, if it is not so all the time."""
        values = seen.free.get(lock, {})
        for name in sorted(values):
            if len(values[name]) < len(self.all.get(name, ())):
                for fact in _facts(name, values):
                    yield Invariant(place, f"{ghost_of(lock)} == 1 || ({fact})")

    def _statement(self, place: Location, span: Span) -> str:
        source = self.sources[span.path]
        lines = source.text.split("\n")
        text = "\n".join(lines[place.line - 1 : span.end_line])
        return text[(place.column or 1) - 1 :]

    # -- locks ---------------------------------------------------------------------------------

    @cached_property
    def _locks(self) -> list[str]:
        """The locks that are taken by their names."""
        named = [match["lock"] for _, match in self._lock_calls()]
        known = {declaration.variable.name for declaration in self.program.globals}
        return [lock for lock in dict.fromkeys(named) if lock in known]

    def _lock_calls(self) -> Iterator[tuple[SourceFile, re.Match[str]]]:
        for source in self.sources.values():
            for match in _LOCK_CALL.finditer(source.text):
                yield source, match

    def _updates(self) -> Iterator[GhostUpdate]:
        for source, match in self._lock_calls():
            if match["lock"] not in self._locks:
                continue
            position = source.position(match.start("call"))
            location = Location(self.places.names[source.path], position.line, position.column)
            value = "1" if match["what"] == "lock" else "0"
            yield GhostUpdate(location, ((ghost_of(match["lock"]), value),))


def ghost_of(lock: str) -> str:
    """The ghost that says whether a lock is taken."""
    return f"{lock}_locked"


def _facts(name: str, values: Values) -> Iterator[str]:
    low, high = min(values[name]), max(values[name])
    if low == high:
        yield f"{name} == {low}"
    elif high - low < _FEW_VALUES:
        yield f"{low} <= {name} && {name} <= {high}"
