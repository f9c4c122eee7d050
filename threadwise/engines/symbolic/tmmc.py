"""`tmmc`, `tmmc-printed`: thread-modular model checking in BDDs (MHWL Algorithm 1).

One round of `refinement`, without refining: SAFE if R̄ excludes the error, else UNKNOWN. Printed is
that G(P_i) is T_i with the local stores of i quantified away, all of them (Definition 1). `tmmc`
leaves out those that i cannot be in whatever the others do, which proves more.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.engines.api import Finding, Task
from threadwise.engines.symbolic.components import thread_modular
from threadwise.engines.symbolic.refinement import thread_modular_model_checking
from threadwise.engines.symbolic.run import Session, answered, limited


class TmmcEngine:
    """Each thread against the guarantees of the others, without regard to what they can reach."""

    name = "tmmc"

    def run(self, task: Task) -> Iterator[Finding]:
        """Compute R̄ and compare it with the errors."""
        session = Session(task, self.name)
        yield from limited(task, self._work(answered(task), session), session)

    def _work(self, task: Task, session: Session) -> Iterator[Finding]:
        yield from thread_modular_model_checking(session, task, thread_modular)


class TmmcPrintedEngine(TmmcEngine):
    """Algorithm 1 as it is printed."""

    name = "tmmc-printed"

    def _work(self, task: Task, session: Session) -> Iterator[Finding]:
        model = session.model_with_all_stores(task.program)
        yield from thread_modular_model_checking(session, task, thread_modular, model)
