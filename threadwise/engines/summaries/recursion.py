"""Recursion that is not transactional: the procedure, and what ends its transactions (QRR §5.3).

If every recursive frame is transactional, Ω is finite. Otherwise stacks grow without bound, and
the search ends at a depth. The frame that repeats on such a stack names the procedure; why its
entry is marked leads to the node at which a transaction ends inside it.
"""

from __future__ import annotations

from threadwise.engines.movers.classify import Movers
from threadwise.engines.reduction.partition import Partition
from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.relations import Cut, Ends, EndsInside
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.ir.commands import Call
from threadwise.ir.program import Edge
from threadwise.systems.api import Role


def account(rules: SummaryRules, partition: Partition, depth: int) -> str:
    """Why the search was cut at this depth."""
    cut = max(rules.cuts, key=_repetitions)
    if _repetitions(cut) < 2:
        return f"no violation with at most {depth} calls on a stack, but there are deeper ones"
    procedure = _procedure(rules, cut)
    ending = _ending(rules, cut)
    statement = _statement(rules, partition, cut.t, ending)
    return (
        f"{procedure} is recursive and not inside one transaction: {statement}; "
        f"no violation with at most {depth} calls on a stack"
    )


def _repetitions(cut: Cut) -> int:
    """How often the call at hand is on its stack."""
    return sum(frame.call == cut.stack[-1].call for frame in cut.stack)


def _procedure(rules: SummaryRules, cut: Cut) -> str:
    call = rules.system.program.edges[cut.stack[-1].call]
    assert isinstance(call.action, Call)
    return call.action.procedure


def _ending(rules: SummaryRules, cut: Cut) -> Node:
    """The node at which a transaction ends inside the callee."""
    mark = rules.threads[cut.t].mark
    reason = mark[cut.entry]
    while isinstance(reason, EndsInside):
        reason = mark[reason.entry]
    assert isinstance(reason, Ends)
    return reason.b


def _statement(rules: SummaryRules, partition: Partition, t: Role, b: Node) -> str:
    """Which statement at a node starts another transaction, and why."""
    movers: Movers = partition.movers
    edges = rules.system.program.edges
    if (t, b.l) in partition.moved:
        return "a transaction may go on for ever" + _at(edges[next(iter(movers.at(t, b.l)))])
    for edge, mover in movers.at(t, b.l).items():
        if not mover.left:
            text = edges[edge].text or "a step"
            return f"`{text}`{_at(edges[edge])} starts another one ({mover.reason})"
    return "a thread stops inside it"


def _at(edge: Edge) -> str:
    return "" if edge.span is None else f" at line {edge.span.line}"
