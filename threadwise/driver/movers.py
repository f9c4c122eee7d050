"""From a file to the movers among its statements."""

from __future__ import annotations

from threadwise.core.budget import UNLIMITED, Budget, Meter
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import DEFAULT_LOAD, load_simplified
from threadwise.report.movers import MoverLine


def movers_of_file(
    path: str, load: LoadOptions = DEFAULT_LOAD, budget: Budget = UNLIMITED
) -> list[MoverLine]:
    """The class of each statement and why; raises InputError, Unsupported or BudgetExhausted.

    Where a statement has several classes in different states, the one that moves least is given,
    and the others are named.
    """
    from threadwise.engines.movers.statements import classify_statements

    found = classify_statements(load_simplified(path, load), Meter(budget).check)
    lines: list[MoverLine] = []
    for statement in found:
        least = statement.classes[0]
        direction = _DIRECTIONS[least.right, least.left]
        others = dict.fromkeys(_DIRECTIONS[c.right, c.left] for c in statement.classes)
        elsewhere = [other for other in others if other != direction]
        reason = least.reason + (f"; elsewhere {', '.join(elsewhere)}" if elsewhere else "")
        lines.append(
            MoverLine(
                statement.template,
                statement.span,
                statement.text,
                direction,
                reason,
                least.refuted,
            )
        )
    return lines


_DIRECTIONS = {
    (True, True): "both",
    (True, False): "right",
    (False, True): "left",
    (False, False): "none",
}
