"""Deadlocks of C, if they were not asked for: checked in the time that is left.

This begins when everything else is decided or given up, so it costs the other properties nothing.
It may take as long as these took, at least some seconds, and no longer than the user's limit; if
steps are limited, what is left of them. If it decides nothing, that is a note and no verdict
(docs/adr/091-deadlocks-by-default.md).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from threadwise.core.budget import Budget
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.processes.supervisor import supervise
from threadwise.driver.defects import defect_of_ending
from threadwise.driver.running.messages import Defective, Send

WHILE_S = 10.0
"""So long it may take even if the rest took less."""

MARGIN_S = 0.5
"""So long before the user's limit it ends."""

LEAST_S = 0.5
"""With less time than this it does not begin."""

SLICES = 2
"""Engines one after the other have so many slices."""


def time_left(limit_s: float | None, used_s: float) -> float:
    """How long it may take, if the rest took so long."""
    wanted = max(WHILE_S, used_s)
    return wanted if limit_s is None else min(wanted, limit_s - used_s - MARGIN_S)


def on_time_left(decide: Callable[[Send], None], send: Send, time_s: float | None) -> None:
    """Decide something in so much time, in a process of its own; None: here, in limited steps."""

    def job(tell: Send) -> None:
        # It was not asked for, so its early end is no reason for a verdict.
        with suppress(BudgetExhausted, Unsupported):
            decide(tell)

    if time_s is None:
        job(send)
        return
    if time_s < LEAST_S:
        return
    ending = supervise(job, Budget(time_s=time_s), send)
    defect = defect_of_ending(None, ending)
    if defect is not None:
        send(Defective(defect))
