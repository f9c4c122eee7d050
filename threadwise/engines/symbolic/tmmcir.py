"""`tmmcir`: thread-modular model checking with iterative refinement (MHWL Algorithms 2 and 3).

`tmmc` on the program with ghosts, exposing more until the answer is known: complete for finite
state. See `refinement` for the loop and `threadwise.transforms.expose` for the ghosts.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.engines.api import Finding, Task
from threadwise.engines.symbolic.components import thread_modular
from threadwise.engines.symbolic.refinement import (
    thread_modular_model_checking_with_refinement,
)
from threadwise.engines.symbolic.run import Session, answered, limited


class TmmcirEngine:
    """Thread-modular checking made complete."""

    name = "tmmcir"

    def run(self, task: Task) -> Iterator[Finding]:
        """Compute R̄, refine, repeat."""
        session = Session(task, self.name)
        yield from limited(task, self._work(answered(task), session), session)

    def _work(self, task: Task, session: Session) -> Iterator[Finding]:
        yield from thread_modular_model_checking_with_refinement(session, task, thread_modular)
