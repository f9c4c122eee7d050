"""The `counting` engine: linear invariants over numbers of threads, and what follows from them.

Rules. Threads are counted per location; a step is a vector over these counts and the shared
integer cells; the kernel of all vectors gives equations that every step keeps (`invariants`).
Guessed equations are dropped until the rest is inductive: each step is checked under all that
remain.

Soundness. The certificate lists the equations and is checked step by step by a solver. What the
engine says is exactly what its certificate proves.

Termination. The kernel is computed exactly; each round of dropping removes an equation.

Incomplete: an equation between counts knows nothing of what a single thread remembers, and no
implication ("while a writer writes, readers == 0"). The `horn` engine uses these facts and adds
both.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.counting.facts import facts_of
from threadwise.engines.parametric import with_parametric
from threadwise.engines.reducing import with_whole_sections
from threadwise.engines.resolving import with_resolved_memory
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.counting.certificate import CountingCertificate


class CountingEngine:
    """Proofs by counting alone."""

    name = "counting"

    def run(self, task: Task) -> Iterator[Finding]:
        """Find the invariants, and what they imply, of the program without pointers."""
        yield from with_resolved_memory(task, partial(with_whole_sections, run=self._count))

    def _count(self, task: Task) -> Iterator[Finding]:
        """Of the parametric abstraction first."""
        yield from with_parametric(task, self._run, self._run)

    def _run(self, task: Task) -> Iterator[Finding]:
        from threadwise.proofs.counting.check import CountingChecker
        from threadwise.proofs.counting.errors import arity

        task.listener(Progress(self.name, "counting threads"))
        kept: list[Property] = []
        for checked in task.properties:
            try:
                arity(checked)
                kept.append(checked)
            except Unsupported as refusal:
                yield Undecided((checked.name,), str(refusal))
        if not kept:
            return
        facts = facts_of(task)
        task.statistics.set(Name.PREDICATES, len(facts))
        threads = max(map(arity, kept))
        checker = CountingChecker(task.program, facts, threads, task.meter.check)
        names = tuple(checked.name for checked in kept)
        try:
            checker.check_limits()
        except Refuted:
            # Other engines can say which limit it is.
            reason = "counting does not exclude a limit of the model"
            yield Undecided(names, reason, applies=False)
            return
        proved: list[str] = []
        for checked in kept:
            try:
                checker.check_property(checked)
                proved.append(checked.name)
            except Refuted:
                reason = "the numbers of threads alone do not exclude it"
                yield Undecided((checked.name,), reason)
        if proved:
            certificate = CountingCertificate(program_hash(task.program), tuple(proved), facts)
            yield Proved(tuple(proved), certificate)
