"""Thread-modular checking with facts: the equations of `counting` between cells and threads.

The rules are those of FQ §2.2, on the views that agree with the equations
(`threadwise.systems.facts.system`): `readers == #(reading)` keeps a reader from seeing readers
fall to 0 while it reads itself. The certificate lists the equations; its checker checks them
first.

Not for programs with calls, nor where threads are distinguished so that there are no classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from threadwise.analyses.regions import has_calls
from threadwise.core.errors import Unsupported
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.counting.facts import useful_facts
from threadwise.engines.thread_modular.certificates import certify
from threadwise.engines.thread_modular.rules import (
    ThreadModularFixpoint,
    thread_modular_fixpoint,
)
from threadwise.engines.thread_modular.thread_modular_engine import AnySystem, judged, reach_limit
from threadwise.ir.fold import allocates
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.systems.facts.stores import StoreFacts
from threadwise.systems.facts.system import CountedSystem
from threadwise.systems.symmetric.classes import find_symmetry, frames_hold_ids
from threadwise.systems.symmetric.errors import mixes_quantifiers, related_threads
from threadwise.systems.symmetric.system import SymmetricSystem


@dataclass(frozen=True)
class CountedEngine:
    """Only what facts add: `auto` runs it where thread-modular checking without them failed."""

    name: str = "thread-modular --facts"

    def run(self, task: Task) -> Iterator[Finding]:
        """Compute R and G among the views that agree with the facts."""
        kept = tuple(p for p in task.properties if not mixes_quantifiers(p))
        if not kept or not task.options.facts:
            return
        task = replace(task, properties=kept)
        program = task.program
        if has_calls(program) or allocates(program) or frames_hold_ids(program):
            raise Unsupported("facts about numbers of threads, with procedures or a heap")
        system = SymmetricSystem(find_symmetry(program, related_threads(kept)))
        if not system.roles:
            raise Unsupported("thread-modular checking without a thread")
        facts = useful_facts(task)
        if not facts:
            reason = "no equations between shared cells and numbers of threads"
            yield Undecided(tuple(p.name for p in kept), reason, applies=False)
            return
        counted = CountedSystem(system, StoreFacts(system.layout, facts))
        fixpoint = thread_modular_fixpoint(cast(AnySystem, counted), task.meter.check)
        task.statistics.set(Name.STATES, fixpoint.size)
        task.statistics.set(Name.GUARANTEES, fixpoint.guarantee_count)
        limit = reach_limit(system, fixpoint)
        if limit is not None:
            yield Undecided(tuple(p.name for p in kept), limit)
            return
        for finding in judged(task, system, fixpoint, counted.errors):
            match finding:
                case Undecided():
                    yield finding
                case names:
                    plain = _unplaced(fixpoint)
                    proof = certify(program_hash(program), names, system, plain)
                    assert isinstance(proof, SymmetricCertificate)
                    yield Proved(names, replace(proof, lemmas=facts))


def _unplaced(
    fixpoint: ThreadModularFixpoint[Any, Any, Any],
) -> ThreadModularFixpoint[Any, Any, Any]:
    """R and G without the locations from which changes are made."""
    guarantees = [
        {placed.change: pair for placed, pair in actions.items()}
        for actions in fixpoint.guarantees
    ]
    return ThreadModularFixpoint(fixpoint.reached, guarantees)
