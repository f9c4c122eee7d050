"""The equations of `counting`, offered to other engines."""

from __future__ import annotations

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Task
from threadwise.engines.counting.engine import counting_facts
from threadwise.ir.linear import CellQuantity, LinearInvariant


def useful_facts(task: Task) -> tuple[LinearInvariant, ...]:
    """Linear invariants of a program; none if they say nothing about shared cells."""
    try:
        facts = counting_facts(task.program, task.meter.check)
    except Unsupported:
        return ()
    useful = any(
        isinstance(quantity, CellQuantity) for fact in facts for quantity, _ in fact.terms
    )
    return facts if useful else ()
