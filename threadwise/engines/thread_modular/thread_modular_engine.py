"""The `thread-modular` engine: rules, error search, certificate."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.thread_modular.certificates import certify
from threadwise.engines.thread_modular.derivation import Derivations
from threadwise.engines.thread_modular.pushdown import PushdownFixpoint, pushdown_fixpoint
from threadwise.engines.thread_modular.rules import (
    ThreadModularFixpoint,
    thread_modular_fixpoint,
)
from threadwise.ir.commands import Call
from threadwise.ir.fold import allocates
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.systems.api import ErrorPattern, ReachedPairs, ThreadSystem, Witness
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.classes import find_symmetry, frames_hold_ids
from threadwise.systems.symmetric.errors import mixes_quantifiers, related_threads
from threadwise.systems.symmetric.system import SymmetricSystem

System: TypeAlias = ConcreteSystem | SymmetricSystem
AnySystem: TypeAlias = ThreadSystem[Global, Local, Frame, Any]
Fixpoint: TypeAlias = (
    ThreadModularFixpoint[Global, Local, Any] | PushdownFixpoint[Global, Local, Frame, Any]
)
Errors: TypeAlias = Callable[[Sequence[Property]], Sequence[ErrorPattern[Global, Local]]]
PROGRESS_PERIOD = 256


@dataclass(frozen=True)
class ThreadModularEngine:
    """Rules INIT, STEP and ENV on the concrete program, one role per thread."""

    facts: bool = True
    """Whether it takes facts where the options say so."""
    name = "thread-modular"

    def run(self, task: Task) -> Iterator[Finding]:
        """Decide the properties; where that fails, once more with facts if they are asked for."""
        if not (self.facts and task.options.facts):
            yield from self._run(task)
            return
        left: dict[str, Undecided] = {}
        for finding in self._run(task):
            if isinstance(finding, Undecided):
                left.update(dict.fromkeys(finding.properties, finding))
            else:
                yield finding
        for finding in _with_facts(task, left):
            if isinstance(finding, Proved):
                yield finding
                for name in finding.properties:
                    del left[name]
        for name, finding in left.items():
            yield replace(finding, properties=(name,))

    def _run(self, task: Task) -> Iterator[Finding]:
        """Compute R and G, and search for constellations that violate a property."""
        program = task.program
        if program.has_any_number:
            mixed = tuple(p.name for p in task.properties if mixes_quantifiers(p))
            if mixed:
                told = "quantifiers over any number of threads other than `forall`"
                yield Undecided(mixed, told, applies=False)
            kept = tuple(p for p in task.properties if p.name not in mixed)
            task = replace(task, properties=kept)
        if allocates(program):
            raise Unsupported("a heap in thread-modular checking")
        calls = any(isinstance(edge.action, Call) for edge in program.edges)
        tick = _Account(task).tick
        fixpoint: Fixpoint
        system = choose_system(task)
        if not system.roles:
            raise Unsupported("thread-modular checking without a thread")
        if calls:
            pushdown = pushdown_fixpoint(cast(AnySystem, system), tick)
            task.statistics.set(Name.PATH_EDGES, pushdown.path_edge_count)
            fixpoint = pushdown
        else:
            fixpoint = thread_modular_fixpoint(cast(AnySystem, system), tick)
        task.statistics.set(Name.STATES, fixpoint.size)
        task.statistics.set(Name.GUARANTEES, fixpoint.guarantee_count)
        yield from self._judge(task, system, fixpoint)

    def _judge(self, task: Task, system: System, fixpoint: Fixpoint) -> Iterator[Finding]:
        limit = reach_limit(system, fixpoint)
        if limit is not None:
            yield Undecided(tuple(checked.name for checked in task.properties), limit)
            return
        for finding in judged(task, system, fixpoint, system.errors):
            match finding:
                case Undecided():
                    yield finding
                case names:
                    proof = certify(program_hash(task.program), names, system, fixpoint)
                    yield Proved(names, proof)


def judged(
    task: Task, system: System, fixpoint: Fixpoint, errors: Errors
) -> Iterator[Undecided | tuple[str, ...]]:
    """Which properties views may violate together, and in the end those that they cannot."""
    everything = fixpoint.pairs
    going = ReachedPairs(
        [[p for p in pairs if not system.is_stopped(p[1])] for pairs in fixpoint.reached]
    )
    proved: list[str] = []
    for checked in task.properties:
        failed = isinstance(checked, FailureProperty)
        witnesses = _search(errors, everything if failed else going, checked)
        if witnesses is None:
            proved.append(checked.name)
        else:
            explanation = Derivations(system, fixpoint).explain(witnesses)
            reason = "thread by thread it could happen, though perhaps not all at once"
            yield Undecided((checked.name,), reason, explanation=tuple(explanation))
    if proved:
        yield tuple(proved)


def _with_facts(task: Task, left: Container[str]) -> Iterator[Finding]:
    """What the equations of `counting` add; nothing where they cannot be used."""
    from threadwise.engines.thread_modular.counted import CountedEngine

    kept = tuple(checked for checked in task.properties if checked.name in left)
    try:
        yield from CountedEngine().run(replace(task, properties=kept))
    except Unsupported:
        return


def choose_system(task: Task) -> System:
    """One role per class of threads that are alike if that helps, else one per thread."""
    if frames_hold_ids(task.program):
        if task.program.has_any_number:
            raise Unsupported(
                "ids in variables of a procedure that calls, by any number of threads"
            )
        return ConcreteSystem(task.program)
    if task.program.has_any_number:
        return SymmetricSystem(find_symmetry(task.program, related_threads(task.properties)))
    if task.options.symmetry:
        try:
            symmetry = find_symmetry(task.program, related_threads(task.properties))
        except Unsupported:
            return ConcreteSystem(task.program)
        if symmetry.is_useful:
            return SymmetricSystem(symmetry)
    return ConcreteSystem(task.program)


class _Account:
    """Meters the work and reports progress."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.pairs = 0

    def tick(self) -> None:
        self.task.meter.check()
        if self.pairs % PROGRESS_PERIOD == 0:
            counters = {Name.STATES.value: self.pairs}
            self.task.listener(Progress(ThreadModularEngine.name, counters=counters))
        self.pairs += 1


def _search(
    errors: Errors, pairs: ReachedPairs[Global, Local], checked: Property
) -> Sequence[Witness[Global, Local]] | None:
    """Pairs that together violate a property."""
    for pattern in errors([checked]):
        found = pattern.search(pairs)
        if found is not None:
            return found
    return None


def reach_limit(system: System, fixpoint: Fixpoint) -> str | None:
    """Why the model ends somewhere in R, if it does."""
    for pairs in fixpoint.reached:
        for _, l in pairs:
            limit = system.limit(l)
            if limit is not None:
                return limit
    return None
