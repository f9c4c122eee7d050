"""Absence of races, variable by variable: what locks protect, and slices for the rest.

`locksets` proves at once what locks protect, what is owned and what is never written together. For
each variable that is left, the engine is run on slices of the program
(`threadwise.engines.slices`), from the smallest on: whatever data an engine can track, it need not
track what other variables depend on. If all variables are proved, so is the property
(`threadwise.proofs.divided`). Before that slices are searched for races
(`threadwise.engines.slice_races`): one may be a race of the program, and a slice that has others
proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.engines.parametric import most_created, parametric_or_none
from threadwise.engines.slice_races import SliceRaces
from threadwise.engines.slices import AGAIN, Loss, Slicer
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import Property, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import MutexType
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.divided.certificate import DividedCertificate, Part, part_of
from threadwise.proofs.transformed.certificate import (
    Forget,
    Merge,
    Own,
    Parametrise,
    Presume,
    Simplify,
    Step,
    behind,
)
from threadwise.traces.trace import Trace
from threadwise.transforms.forget import forget
from threadwise.transforms.merge import Merged, merge
from threadwise.transforms.owners import with_owners
from threadwise.transforms.pipeline import simplify
from threadwise.transforms.presume import presume

Run = Callable[[Task], Iterator[Finding]]

SMALL = 100
"""Programs with no more edges are not divided: as a whole they say more to an engine."""
STEPS = 300_000
"""So many steps the search by values may take for one slice."""


def with_slices(task: Task, on_slice: Run, on_program: Run) -> Iterator[Finding]:
    """Run an engine on slices for races, and on the program for the rest."""
    left: list[Property] = []
    for checked in task.properties:
        if isinstance(checked, RaceProperty) and len(task.program.edges) > SMALL:
            division = _Division(task, on_slice, checked)
            certificate = division.proof()
            if division.race is not None:
                yield Violated(division.race)
                continue
            if certificate is not None:
                yield Proved((checked.name,), certificate)
                continue
        left.append(checked)
    if left:
        yield from on_program(replace(task, properties=tuple(left)))


class _Division:
    """One race property, variable by variable."""

    def __init__(self, task: Task, run: Run, checked: RaceProperty) -> None:
        self.task = task
        self.run = run
        self.checked = checked
        self.parts: list[Part] = []
        self._kept: dict[tuple[tuple[str, ...], Loss], tuple[tuple[Step, ...], Program]] = {}
        """Slices without races that are not proved yet, and the steps to them."""
        self.races = SliceRaces(task, checked)
        self.race: Trace | None = None
        """A race of the program that a slice showed."""

    def proof(self) -> Certificate | None:
        """A proof of all variables, if there is one."""
        slicer = Slicer(self.task.program)
        losses = {name: slicer.losses(name) for name in self._not_locked()}
        while losses:
            groups = self._without_races(losses)
            if groups is None:
                return None
            for loss, names in groups.items():
                if self._prove(tuple(names), loss):
                    for name in names:
                        del losses[name]
        whole = program_hash(self.task.program)
        return DividedCertificate(whole, (self.checked.name,), tuple(self.parts))

    def _without_races(self, losses: Mapping[str, Iterator[Loss]]) -> dict[Loss, list[str]] | None:
        """The next slice of each variable that has no races with few threads, those with the same
        together. None if a variable has no more slices, or a race."""
        found: dict[Loss, list[str]] = {}
        racy = losses
        while racy:
            groups = _grouped(racy)
            if groups is None:
                return None
            racy = {}
            for loss, names in groups.items():
                if not self._has_race(tuple(names), loss):
                    found.setdefault(loss, []).extend(names)
                elif self.race is None:
                    racy |= {name: losses[name] for name in names}
                else:
                    return None
        return found

    def _not_locked(self) -> tuple[str, ...]:
        """The variables that `locksets` does not prove; the others become a part."""
        program, about = self.task.program, self.checked.variables
        shared = (declaration.variable.name for declaration in program.globals)
        names = tuple(name for name in shared if about is None or name in about)
        single = tuple(RaceProperty(name, (name,)) for name in names)
        divided = replace(program, properties=single)
        proved: dict[str, None] = {}
        found: Certificate | None = None
        for finding in LocksetEngine().run(replace(self.task, program=divided, properties=single)):
            if isinstance(finding, Proved):
                proved, found = dict.fromkeys(finding.properties), finding.certificate
        if found is not None:
            part = part_of(program, self.checked.name, tuple(proved))
            named = replace(
                found,
                program_hash=program_hash(part),
                properties=(self.checked.name,),
                partial=(),
            )
            self.parts.append(Part(tuple(proved), named))
        return tuple(name for name in names if name not in proved)

    def _prove(self, names: tuple[str, ...], loss: Loss) -> bool:
        """Whether races on some variables are excluded, whatever is in others."""
        part = part_of(self.task.program, self.checked.name, names)
        try:
            kept = self._kept.pop((names, loss)) if (names, loss) in self._kept else None
            steps, program = _cut(part, loss.names).last if kept is None else kept
        except Unsupported:
            return False
        slice_ = _simplified(self.task, steps, program, names)
        runs = (self._by_values,) if loss.flags_only else (self._by_values, self.run)
        for run in runs:
            for owned in (False, True):
                steps, program = slice_.last(owned=owned)
                proof = self._proof(run, program)
                if proof is not None:
                    proof = behind((*slice_.steps, *steps), program_hash(part), proof)
                    self.parts.append(Part(names, proof))
                    return True
        return False

    def _has_race(self, names: tuple[str, ...], loss: Loss) -> bool:
        """Whether a slice has races; one may be a race of the program."""
        part = part_of(self.task.program, self.checked.name, names)
        try:
            cut = _cut(part, loss.names)
            seen = self.races.look(cut.program, cut.merged)
        except Unsupported:
            return False
        if not seen.races:
            self._kept[names, loss] = cut.last
        self.race = seen.trace
        return seen.races

    def _proof(self, run: Run, program: Program) -> Certificate | None:
        """What an engine finds for a slice."""
        task = replace(self.task, program=program, properties=program.properties)
        try:
            for finding in run(task):
                if isinstance(finding, Proved):
                    return finding.certificate
        except Unsupported:
            return None
        return None

    def _by_values(self, task: Task) -> Iterator[Finding]:
        """Thread by thread, with all values that flags have."""
        sliced = replace(task, meter=self.task.meter.slice(STEPS))
        try:
            yield from ThreadModularEngine(facts=False).run(sliced)
        except BudgetExhausted as error:
            self.task.meter.allows(error)


class _Slice:
    """A simplified slice, and the steps that lead to it."""

    def __init__(self, steps: tuple[Step, ...], program: Program, asked: tuple[str, ...]) -> None:
        self.steps = steps
        self.program = program
        self.asked = asked

    def last(self, *, owned: bool) -> tuple[tuple[Step, ...], Program]:
        """The steps to the program that engines work on, and that one: any number of threads,
        and ghosts of who wrote to flags."""
        steps: list[Step] = []
        program = self.program
        flags = tuple(
            declaration.variable.name
            for declaration in program.globals
            if not declaration.variable.sync
            and not isinstance(declaration.variable.type, MutexType)
            and declaration.variable.name not in self.asked
        )
        if owned and flags:
            steps.append(Own(flags))
            program = with_owners(program, flags)
        most = most_created(program)
        parametric = parametric_or_none(program, most)
        if parametric is not None:
            steps.append(Parametrise(most))
            program = parametric
        return tuple(steps), program


class _Cut(NamedTuple):
    """A slice that is not simplified yet: with the edges of the program, and with fewer."""

    steps: tuple[Step, ...]
    program: Program
    merged: Merged

    @property
    def last(self) -> tuple[tuple[Step, ...], Program]:
        """The steps to the slice with fewer edges, and that one."""
        return self.steps, self.merged.program


def _cut(part: Program, lost: tuple[str, ...]) -> _Cut:
    """A slice of a part; raises Unsupported."""
    steps: list[Step] = [Forget(lost)]
    program = forget(part, lost)
    presumed = presume(program)
    if presumed is not program:
        steps.append(Presume())
    return _Cut((*steps, Merge()), presumed, merge(presumed))


def _simplified(
    task: Task, steps: tuple[Step, ...], program: Program, asked: tuple[str, ...]
) -> _Slice:
    """A slice that is simplified."""
    simpler = simplify(program, accepts=task.accepts, passes=AGAIN)
    return _Slice((*steps, *map(Simplify, simpler.names)), simpler.program, asked)


def _grouped(
    losses: Mapping[str, Iterator[Loss]],
) -> dict[Loss, list[str]] | None:
    """The next slice of each variable, those with the same together; None if one has none."""
    found: dict[Loss, list[str]] = {}
    for name, each in losses.items():
        try:
            loss = next(each, None)
        except Unsupported:
            return None
        if loss is None:
            return None
        found.setdefault(loss, []).append(name)
    return found
