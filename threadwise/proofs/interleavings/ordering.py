"""When slots of different threads happen, and what they read.

For each pair of slots of two threads a truth value says which is first; the order is total, and
within a thread slots happen one after the other. A slot reads of a cell what the last slot before
it that was executed and may write there left, or the initial value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise, permutations

from threadwise.backends.smt.handle import Term
from threadwise.proofs.interleavings.unrolling import Slot
from threadwise.proofs.toolbox.smt.terms import Terms


class Ordering:
    """The order of the slots of some threads."""

    def __init__(
        self, logic: Terms, initial: Sequence[Term], threads: Sequence[Sequence[Slot]]
    ) -> None:
        self.logic = logic
        self.initial = initial
        self.threads = threads

    def before(self, first: Slot, second: Slot) -> Term:
        """Whether one slot happens before another."""
        if first.thread == second.thread:
            return self.logic.boolean(first.number < second.number)
        if first.thread > second.thread:
            return self.logic.negation(self.before(second, first))
        name = f"{first.thread}.{first.number} < {second.thread}.{second.number}"
        return self.logic.constant(name, self.logic.boolean_sort)

    def constraints(self) -> Iterator[Term]:
        """That it is an order, and that slots read what was written."""
        yield from self._transitive()
        for slots in self.threads:
            for slot in slots:
                for cell in sorted(slot.reads | slot.writes.keys()):
                    read = self._is_last(cell, slot.inputs[cell], slot)
                    yield self.logic.implication(slot.executed, read)

    def _transitive(self) -> Iterator[Term]:
        for one, other in permutations(self.threads, 2):
            for slot in one:
                for earlier, later in pairwise(other):
                    yield self._chain(slot, earlier, later)
        for three in combinations(self.threads, 3):
            for first, second, third in permutations(three):
                for a in first:
                    for b in second:
                        for c in third:
                            yield self._chain(a, b, c)

    def _chain(self, a: Slot, b: Slot, c: Slot) -> Term:
        both = self.logic.conjunction([self.before(a, b), self.before(b, c)])
        return self.logic.implication(both, self.before(a, c))

    def final(self, terms: Sequence[Term], cells: Iterable[int]) -> list[Term]:
        """That some shared cells are what all slots leave."""
        return [self._is_last(cell, terms[cell], None) for cell in cells]

    def _is_last(self, cell: int, value: Term, reader: Slot | None) -> Term:
        """Whether a value is what the last write to a cell before a slot, or the end, left."""
        logic = self.logic
        writers = [s for slots in self.threads for s in slots if cell in s.writes]
        early: list[tuple[Slot, Term]] = []
        for writer in writers:
            passed = logic.true if reader is None else self.before(writer, reader)
            happened = logic.conjunction([writer.executed, passed])
            if not logic.is_false(happened):
                early.append((writer, happened))
        nobody = logic.conjunction([logic.negation(happened) for _, happened in early])
        ways = [logic.conjunction([nobody, logic.equal(value, self.initial[cell])])]
        for writer, happened in early:
            others = [
                logic.implication(also, self.before(other, writer))
                for other, also in early
                if other is not writer
            ]
            left = logic.equal(value, writer.writes[cell])
            ways.append(logic.conjunction([happened, left, *others]))
        return logic.disjunction(ways)
