"""Which engines work on a program, in which order, and how they share the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from threadwise.core.quick_dataclass import dataclass
from threadwise.driver.running.work import Work
from threadwise.engines.registry import EngineInfo
from threadwise.ir.program import Program


@dataclass(frozen=True)
class Schedule:
    """Engines side by side where there are processes for them, otherwise in slices."""

    engines: Callable[[Program], Sequence[EngineInfo]]
    slices: Sequence[int | None]
    jobs: int = 0
    """How many engines may be at work at a time, each in a process of its own; 0: in slices."""
    memory_bytes: int | None = None
    """What all of them may use together."""

    def run(self, work: Work) -> None:
        """Decide what is open, as far as possible."""
        engines = self.engines(work.program)
        if self.jobs and hasattr(os, "fork"):
            from threadwise.driver.running.racing import Race

            Race(work, engines, jobs=self.jobs, memory_bytes=self.memory_bytes).run()
        else:
            work.run(engines, self.slices)
