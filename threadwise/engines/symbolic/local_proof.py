"""`local-proof`: the Cartesian fixpoint in BDDs, with exposing (Cohen & Namjoshi; SPLIT).

Stronger than `tmmc`, since a guarantee only counts from where its thread can be; dearer for the
same reason. Refined by the same essential predicates, hence complete for finite state.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.engines.api import Finding, Task
from threadwise.engines.symbolic.components import local_proof
from threadwise.engines.symbolic.refinement import Refinement
from threadwise.engines.symbolic.run import Session, answered, limited


class LocalProofEngine:
    """Local proofs made complete."""

    name = "local-proof"

    def run(self, task: Task) -> Iterator[Finding]:
        """Compute the fixpoint, refine, repeat."""
        session = Session(task, self.name)
        yield from limited(task, self._work(answered(task), session), session)

    def _work(self, task: Task, session: Session) -> Iterator[Finding]:
        yield from Refinement(
            session, task, local_proof, refine=task.options.expose is not False
        ).run()
