"""`local-proof`: the Cartesian fixpoint in BDDs, with exposing (Cohen & Namjoshi; SPLIT).

Stronger than `tmmc`, since a guarantee only counts from where its thread can be; dearer for the
same reason. Refined by the same essential predicates, hence complete for finite state.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.engines.api import Finding, Task
from threadwise.engines.symbolic.components import local_proof
from threadwise.engines.symbolic.refinement import (
    thread_modular_model_checking,
    thread_modular_model_checking_with_refinement,
)
from threadwise.engines.symbolic.run import Session, answered, limited


class LocalProofEngine:
    """Local proofs made complete."""

    name = "local-proof"

    def run(self, task: Task) -> Iterator[Finding]:
        """Compute the fixpoint, refine, repeat."""
        session = Session(task, self.name)
        yield from limited(task, self._work(answered(task), session), session)

    def _work(self, task: Task, session: Session) -> Iterator[Finding]:
        if task.options.expose is False:
            yield from thread_modular_model_checking(session, task, local_proof)
        else:
            yield from thread_modular_model_checking_with_refinement(session, task, local_proof)
