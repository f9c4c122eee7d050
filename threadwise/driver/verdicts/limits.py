"""The limits that a result names: places where the model ends and runs may get to."""

from __future__ import annotations

from threadwise.analyses.limits import front_limits
from threadwise.ir.program import Program
from threadwise.results.result import ReachedLimit


def reached_limits(program: Program) -> tuple[ReachedLimit, ...]:
    """The limits that runs may reach, those that hide most first."""
    return tuple(
        ReachedLimit(limit.message, limit.span, limit.hidden) for limit in front_limits(program)
    )
