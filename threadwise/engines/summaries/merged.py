"""Ω with the top of each stack only: for transactions that end inside procedures.

In Ω a stack is explicit, and k procedures that each call the next twice have 2^k stacks. Where
transactions end inside such procedures, all of them are in Ω, although what a thread does next
depends on the top frame only, until it returns. So here a state has the top frame of each stack,
and `below` has, per thread, which frames may lie below which (None: nothing):

    PUSH   Ω(g, ls, f₀), Sum+(ls t, n, f)             ==>  Ω(n.g, ls[t := n], f), Below(f, f₀)
    POP    Ω(g, ls, f), Sum-(ls t, f, c), Below(f, f₀) ==>  Ω(c.g, ls[t := c], f₀)

Every state of Ω is there, shortened, and every two neighbours on one of its stacks are in Below:
by induction, a return finds what really lies below. There may be more: which stack belongs to
which store is forgotten. So if nothing is violated here, that is a proof; violations may be
spurious.
"""

from __future__ import annotations

from collections import defaultdict

from threadwise.analyses.components import components
from threadwise.engines.reduction.partition import Partition
from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.relations import Exit, Transaction
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem, Frame

FIRST = 1_000
"""After so many states of Ω it is tried whether fewer are enough."""

LATER = 8
"""And again whenever there are so many times as many."""


class MergedRules(SummaryRules):
    """Rulesets 2 and 3 with Below instead of stacks."""

    def __init__(self, system: ConcreteSystem, partition: Partition) -> None:
        super().__init__(system, partition, max_depth=0)
        self.below: list[defaultdict[Frame, dict[Frame | None, None]]] = [
            defaultdict(dict) for _ in system.roles
        ]
        self._returned: list[defaultdict[Frame, list[tuple[int, Node, Exit]]]] = [
            defaultdict(list) for _ in system.roles
        ]
        """Per frame, the returns to it so far: where another frame lies below, they go there."""

    def _push(self, position: int, t: Role, n: Node, f: Frame, exit_: Exit) -> None:
        """PUSH."""
        under = self.omega.states[position].top(t)
        if under not in self.below[t][f]:
            self.below[t][f][under] = None
            for back in self._returned[t][f]:
                self._return(*back, t, under)
        self._reach(Transaction(position, t, *exit_), n, (f,))

    def _pop(self, position: int, t: Role, c: Node, exit_: Exit) -> None:
        """POP."""
        f = self.omega.states[position].top(t)
        assert f is not None
        self._returned[t][f].append((position, c, exit_))
        for under in list(self.below[t][f]):
            self._return(position, c, exit_, t, under)

    def _return(self, position: int, c: Node, exit_: Exit, t: Role, under: Frame | None) -> None:
        stack = () if under is None else (under,)
        self._reach(Transaction(position, t, *exit_), c, stack)


def may_merge(program: Program) -> bool:
    """Whether calls nest, but not in cycles: recursion stays as the paper has it (§5.3)."""
    calls: dict[str, set[str]] = {procedure.name: set() for procedure in program.procedures}
    for edge in program.edges:
        if isinstance(edge.action, Call):
            caller = program.procedure_of[edge.source].name
            calls[caller].add(edge.action.procedure)
    return any(calls[callee] for called in calls.values() for callee in called) and not components(
        calls
    )
