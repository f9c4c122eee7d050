"""The `horn` engine: rely-guarantee proofs about k threads at once, found by Spacer.

Rules: `clauses`. Soundness: the solution is turned into formulas R about k representatives, and
the certificate (with the equations of `counting` that were used) is checked by code that knows
neither the clauses nor Spacer. k = 1 is thread-modular checking; what k proves, k + 1 can prove.

Termination: Spacer may run for ever; a limit on its own resource counter stops it. A derivation of
false is not an error of the program: k threads and their views may not suffice. It is a hint:
short searches, explicit and bounded, look for a real schedule that violates the property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from threadwise.analyses.regions import has_calls
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.progress import Progress
from threadwise.engines.api import Engine, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.bounded.bounded_engine import BoundedEngine
from threadwise.engines.counting.facts import facts_of
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.following import passes_indices, starts_in_loops, with_creation_index
from threadwise.engines.horn.calls import refuse_calls
from threadwise.engines.horn.errors import split_formula
from threadwise.engines.horn.proofs import Proofs
from threadwise.engines.horn.resting import suggestions
from threadwise.engines.parametric import Run, with_parametric
from threadwise.engines.reducing import with_whole_sections
from threadwise.engines.resolving import with_resolved_memory
from threadwise.engines.splitting import with_split_locations
from threadwise.engines.tallies.tally_proofs import with_accounts, with_tallies
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, InvariantProperty, Property
from threadwise.ir.quantities import LinearInvariant

LARGEST_K = 3
STATES = 2_000
HINT_STEPS = 500
"""What the search for a schedule may cost if the clauses derive a violation: by explicit search,
and by bounded search."""
DEFAULT_KS = (1, 2)
"""The numbers of representatives that are tried if the user asks for none."""
TOO_FEW = "the program has too few threads"


@dataclass(frozen=True)
class HornEngine:
    """Proofs with k representatives; without `counting` they take no equations as lemmas."""

    counting: bool = True
    name = "horn"

    def run(self, task: Task) -> Iterator[Finding]:
        """Try to prove the properties, of the program without pointers if it has some."""
        yield from with_resolved_memory(task, partial(with_whole_sections, run=self._prove))

    def _prove(self, task: Task) -> Iterator[Finding]:
        """Try to prove the properties: by lock invariants; with accounts, where threads are
        joined; with tallies, where threads are few; of the parametric abstraction, where threads
        are created in loops; with split locations, where that helps counting; and following one
        thread by its creation index."""
        left = {checked.name: checked for checked in task.properties}
        for attempt in (self._by_locks, with_accounts, with_tallies):
            for found in attempt(replace(task, properties=tuple(left.values()))):
                if isinstance(found, Proved):
                    for name in found.properties:
                        del left[name]
                yield found
            if not left:
                return
        hints = Hints(replace(task, properties=tuple(left.values())))
        reasons: dict[str, Undecided] = {}
        for k in self._numbers(task):
            asked = replace(task, properties=tuple(left.values()))
            for found in self._with_representatives(asked, k, hints):
                match found:
                    case Proved(names):
                        for name in names:
                            del left[name]
                        yield found
                    case Violated(trace):
                        left.pop(trace.property, None)
                        yield found
                    case Undecided(names, reason):
                        for name in names:
                            if reason != TOO_FEW or name not in reasons:
                                reasons[name] = replace(found, properties=(name,))
            if not left:
                return
        yield from (reasons[name] for name in left if name in reasons)

    def _numbers(self, task: Task) -> tuple[int, ...]:
        """How many representatives to try: fewer in all ways before more in any."""
        if task.options.k is not None:
            return (task.options.k,)
        return DEFAULT_KS[:1] if has_calls(task.program) else DEFAULT_KS

    def _with_representatives(self, task: Task, k: int, hints: Hints) -> Iterator[Finding]:
        """Try the parametric abstraction, split locations, a followed thread, and the program.

        The abstraction knows nothing of cells that belong to one thread each: where there may be
        some, a thread is followed first.
        """
        plain = partial(self._run, k=k, hints=hints)
        narrow = partial(self._run, k=k, hints=hints, narrow=True)
        looping = starts_in_loops(task.program)
        whole: Run = partial(
            with_creation_index,
            on_followed=partial(narrow, at_rest=True),
            on_program=plain,
            followed_first=looping,
        )
        if self.counting:
            on_split = partial(plain, at_rest=True)
            whole = partial(with_split_locations, on_split=on_split, on_program=whole)
        on_parametric = partial(narrow, patient=False)
        if looping and passes_indices(task.program):
            rest = partial(with_parametric, on_parametric=on_parametric, on_program=plain)
            yield from with_creation_index(task, on_followed=narrow, on_program=rest)
        elif looping:
            yield from with_parametric(task, on_parametric, whole)
        else:
            yield from whole(task)

    def _by_locks(self, task: Task) -> Iterator[Finding]:
        """What follows from what locks protect: of the abstraction or, without one, the program.

        That is cheap, and much of what programs assert under a lock needs no more.
        """
        yield from with_parametric(
            task, self._at_rest, self._at_rest, without_loops=True, counting=False
        )

    def _at_rest(self, task: Task) -> Iterator[Finding]:
        """What follows from what locks protect, and from what holds between atomic sections."""
        program = task.program
        possible = [checked for checked in task.properties if _refusal(checked) is None]
        if uses_memory(program) or has_calls(program) or not possible:
            return
        told = suggestions(program)
        if told is None:
            return
        task.listener(Progress(self.name, "what locks protect"))
        found = Proofs(task, 1, (), narrow=False, suggested=told).by_guesses(possible)
        if found is not None:
            yield found

    def _run(
        self,
        task: Task,
        hints: Hints,
        *,
        k: int,
        narrow: bool = False,
        patient: bool = True,
        at_rest: bool = False,
    ) -> Iterator[Finding]:
        """Try to prove the properties with k representatives; by lock invariants first, where
        they were not tried on this program before."""
        program = task.program
        _refuse(program, task.options.k)
        possible: list[Property] = []
        for checked in task.properties:
            refusal = _refusal(checked)
            if refusal is None:
                possible.append(checked)
            else:
                yield Undecided((checked.name,), refusal, applies=False)
        if not possible:
            return
        if at_rest and k == self._numbers(task)[0]:
            for found in self._at_rest(replace(task, properties=tuple(possible))):
                yield found
                if isinstance(found, Proved):
                    possible = [p for p in possible if p.name not in found.properties]
        facts = _facts(task) if self.counting and not has_calls(program) else ()
        fixed = sum(template.count or 0 for template in program.templates)
        reasons: dict[str, str] = {}
        if possible and (program.has_any_number or fixed >= k):
            task.listener(Progress(self.name, f"{k} representatives"))
            proofs = Proofs(task, k, facts, narrow=narrow, patient=patient)
            for proof in proofs.run(possible):
                yield proof
                possible = [p for p in possible if p.name not in proof.properties]
            reasons = proofs.reasons
            for violated in hints.follow(p.name for p in possible if p.name in proofs.derived):
                yield violated
                possible = [p for p in possible if p.name != violated.trace.property]
        for checked in possible:
            reason = reasons.get(checked.name, TOO_FEW)
            yield Undecided((checked.name,), reason)


class Hints:
    """Searches for real schedules where the clauses derive a violation; once per property."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.open = {checked.name: checked for checked in task.properties}

    def follow(self, names: Iterable[str]) -> Iterator[Violated]:
        """Schedules of the program itself: a few states first, then a bounded search."""
        suspects = {name: self.open.pop(name) for name in names if name in self.open}
        for engine, steps in ((ExplicitEngine(), STATES), (BoundedEngine(), HINT_STEPS)):
            if not suspects:
                return
            for found in self._violated(engine, tuple(suspects.values()), steps):
                suspects.pop(found.trace.property, None)
                yield found

    def _violated(
        self, engine: Engine, suspects: tuple[Property, ...], steps: int
    ) -> Iterator[Violated]:
        meter = self.task.meter.slice(steps)
        try:
            for finding in engine.run(replace(self.task, properties=suspects, meter=meter)):
                if isinstance(finding, Violated):
                    yield finding
        except Unsupported:
            return
        except BudgetExhausted as error:
            self.task.meter.allows(error)


def _facts(task: Task) -> tuple[LinearInvariant, ...]:
    try:
        return facts_of(task)
    except Unsupported:
        return ()


def _refuse(program: Program, k: int | None) -> None:
    if uses_memory(program):
        raise Unsupported("a heap in Horn clauses")
    if has_calls(program):
        refuse_calls(program)
        if k is not None and k > 1:
            raise Unsupported("procedure calls of several representatives, in Horn clauses")
    if not any(template.count != 0 for template in program.templates):
        raise Unsupported("Horn clauses without a thread")


def _refusal(checked: Property) -> str | None:
    if isinstance(checked, DeadlockProperty):
        return "Horn clauses over some threads say nothing about deadlocks"
    if isinstance(checked, InvariantProperty):
        try:
            split_formula(checked)
        except Unsupported as refusal:
            return str(refusal)
    return None
