"""Condition C3' of QRR §5.2: every transaction that commits can finish.

A *context* of a node a is what t finds below it when it returns: the top frame, or the empty
stack, of each state of Ω that STARTs a, and the frame of each CFL PUSH into a. C3' asks that for
every context of a and every P(a, b) with b ∈ L, the rules lead from P(a, b)

    to a Sum or a Sum+ from a, in every context, or
    to a Sum- with the frame of this context.

Differs from QRR §5.2, where a Sum- with any frame is enough: then a thread with an empty stack
that can only return, which is no step, would hold up all others for ever. And a failure does not
count as an end: what cannot but fail is moved to N.

A *rank* bounds the number of rule applications to the end. A node ⟨l, ¬p⟩ without one moves from L
to N, and everything is computed again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from threadwise.analyses.worklist import reached
from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.relations import ThreadRelations
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.systems.api import Role
from threadwise.systems.concrete import Frame
from threadwise.systems.python_code import Local

Ranks = dict[tuple[Node, Node, Frame | None], int]
"""Per P(a, b) with b in L and frame; None stands for every context."""


class Finish:
    """The ranks of all threads, and the nodes that have none."""

    def __init__(self, rules: SummaryRules) -> None:
        self.rules = rules
        self.ranks: list[Ranks] = [{} for _ in rules.system.roles]
        self.broken: dict[tuple[Role, Local], None] = {}
        for t in rules.system.roles:
            for a, targets in rules.threads[t].path.items():
                committed = [b for b in targets if b.part == "L"]
                if committed:
                    self._rank(t, a, committed)

    def _rank(self, t: Role, a: Node, committed: list[Node]) -> None:
        """Rank the P(a, b) with b in L, in all contexts of a."""
        relations, ranks = self.rules.threads[t], self.ranks[t]
        before: defaultdict[Node, list[Node]] = defaultdict(list)
        ending: list[Node] = []
        for b in committed:
            ends = False
            for c in self._next(t, relations, b):
                if c is None or c.part == "N":
                    ends = True
                else:
                    before[c].append(b)
            if ends:
                ending.append(b)
        everywhere = _backwards(ending, before)
        ranks.update(((a, b, None), rank) for b, rank in everywhere.items())
        left = [b for b in committed if b not in everywhere]
        if not left:
            return
        if a in relations.bottom:
            self._move(t, left)
        for f in relations.frames[a]:
            returning = [b for b in left if next(self.rules.program.pop(t, b, f), None)]
            here = _backwards([*ending, *returning], before)
            ranks.update(((a, b, f), here[b]) for b in left if b in here)
            self._move(t, [b for b in left if b not in here])

    def _next(self, t: Role, relations: ThreadRelations, b: Node) -> Iterator[Node | None]:
        """Where CFL STEP and CFL POP lead from P(a, b); None for a Sum+."""
        for _, c in self.rules.program.step(t, b):
            if not self.rules.program.has_failed(c):
                yield c
        for _, n, f in self.rules.program.push(t, b):
            if n in relations.mark:
                yield None
            if n.part != "N":
                yield from relations.sum_pop[n, f]

    def _move(self, t: Role, nodes: Iterable[Node]) -> None:
        self.broken.update(((t, b.l), None) for b in nodes)


def _backwards(ending: list[Node], before: defaultdict[Node, list[Node]]) -> dict[Node, int]:
    """How many rule applications away from an end each node is."""
    return {b: 1 + steps for b, steps in reached(ending, before.__getitem__).items()}
