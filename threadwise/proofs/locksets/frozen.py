"""Settled cells: what a thread knows of them after it wrote one, or a procedure that it called.

A *settled* cell is written by no other thread: it is frozen (not written after publication), or
only the first thread ever writes it, and this is the first thread.

write     N := e        facts that read what may be N are dropped; N == e is added, if e and the
                        name of N can be expressed with the thread's own variables only
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import Binary, BinaryOp, Expr, Place, Read, Variable, VariablePlace
from threadwise.ir.fold import place_expressions, rebuild, subexpressions
from threadwise.ir.types import is_integer, is_scalar
from threadwise.proofs.locksets.ground import LARGEST_NAME, Ground, is_lasting
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.order import equalities, without_wrap
from threadwise.proofs.locksets.retelling import forgetting, without


@dataclass(frozen=True)
class Frozen:
    """The rules."""

    ground: Ground

    def melted(self, knowledge: Knowledge, target: Place, procedure: str, where: str) -> Knowledge:
        """What is left, in a procedure, when another one writes a settled cell."""
        cells = self.ground.cells_of(target, procedure)
        if not cells and where in self.ground.firsts_procedures:
            return forgetting(knowledge, lambda place: not is_own(place))
        return self.melted_cells(knowledge, self.ground.settled(cells, where), where)

    def melted_cells(
        self, knowledge: Knowledge, written: frozenset[Target], where: str
    ) -> Knowledge:
        """What is left in a procedure after settled cells were written."""
        if not written:
            return knowledge
        for name in sorted({cell.object for cell in written}):
            if name in self._global and is_scalar(self._global[name].type):
                knowledge = without(knowledge, VariablePlace(self._global[name]))

        def reads(place: Place) -> bool:
            if is_own(place):
                return False
            cells = self.ground.cells_of(place, where)
            return not cells or not written.isdisjoint(cells)

        return forgetting(knowledge, reads)

    @cached_property
    def _global(self) -> Mapping[str, Variable]:
        return {d.variable.name: d.variable for d in self.ground.threads.program.globals}

    def written(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        """What is known of a settled cell in addition when a value is written to it.

        Others do not write it. What this thread writes to it, and to the variables in the names,
        makes it forget this, also what it writes in the same step.
        """
        if value is None or not self.ground.is_settled(target, procedure):
            return after
        there, name = named_place(target, before.known), self._told(value, before)
        if not is_integer(name.type) or not all(map(_is_own, (*place_expressions(there), name))):
            return after
        fact = Binary(BinaryOp.EQ, Read(there), name)
        return replace(after, facts=after.facts | {fact})

    def _told(self, value: Expr, knowledge: Knowledge) -> Expr:
        """A value, expressed with the thread's own variables that cells are known to equal."""
        equal = {left: right for left, right in equalities(knowledge.facts) if _is_own(right)}

        def in_expr(expr: Expr) -> Expr:
            if isinstance(expr, Read) and expr.place in equal:
                return equal[expr.place]
            return rebuild(expr, in_expr)

        name = named(value, knowledge.known)
        if equal:
            name = named(in_expr(name), knowledge.known)
        return without_wrap(name, knowledge.known, knowledge.facts)


def _is_own(expr: Expr) -> bool:
    """Whether an expression is short, and reads nothing but the thread's own variables."""
    parts = list(subexpressions(expr))
    return (
        len(parts) <= LARGEST_NAME
        and is_lasting(expr)
        and all(is_own(part.place) for part in parts if isinstance(part, Read))
    )
