"""When slots happen: an order of all slots, and reads matched to writes.

For each pair of slots of different threads a truth value says which happens first. Within a thread
slots happen in order, so what happens before a slot happens before the next one too; among three
threads the order is transitive. A slot that reads a cell reads what the last slot before it wrote
there, or the initial value: some writer is earlier, and every other writer is earlier than that
one or later than the reader. Of the reader's own thread only the last writer matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations

from threadwise.backends.smt.environments import Store, store_terms
from threadwise.backends.smt.interleavings.unrolling import Slot
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Model


class Order:
    """The order of the slots of some threads."""

    def __init__(self, logic: Logic, initial: Store, threads: Sequence[Sequence[Slot]]) -> None:
        self.logic = logic
        self.initial = list(store_terms(initial))
        self.threads = threads
        self.slots = [slot for slots in threads for slot in slots]

    def before(self, first: Slot, second: Slot) -> Term:
        """Whether one slot happens before another."""
        if first.thread == second.thread:
            return self.logic.boolean(first.number < second.number)
        if first.thread > second.thread:
            return self.logic.negation(self.before(second, first))
        name = f"t{first.thread}.{first.number}<t{second.thread}.{second.number}"
        return self.logic.constant(name, self.logic.boolean_sort)

    # -- constraints ------------------------------------------------------------------------------

    def constraints(self) -> Iterator[Term]:
        """What holds of the order and of inputs."""
        yield from self._order()
        for slot in self.slots:
            inputs = list(store_terms(slot.inputs))
            for cell in sorted({*slot.reads, *slot.outputs}):
                read = self._read(cell, inputs[cell], slot, self._writers(cell, slot))
                yield self.logic.implication(slot.executed, read)

    def _order(self) -> Iterator[Term]:
        logic = self.logic
        for first, second in permutations(self.threads, 2):
            for a in first:
                for earlier, later in pairwise(second):
                    yield logic.implication(self.before(a, earlier), self.before(a, later))
        for threads in combinations(self.threads, 3):
            for first, second, third in permutations(threads):
                for a in first:
                    for b in second:
                        for c in third:
                            both = [self.before(a, b), self.before(b, c)]
                            yield logic.implication(logic.conjunction(both), self.before(a, c))

    def final(self, inputs: Store, cells: Sequence[int]) -> list[Term]:
        """What the cells of a store after all slots are."""
        terms = list(store_terms(inputs))
        return [
            self._read(cell, terms[cell], None, [s for s in self.slots if cell in s.outputs])
            for cell in cells
        ]

    def _writers(self, cell: int, reader: Slot) -> list[Slot]:
        """Who may have written a cell last when a slot happens."""
        found: list[Slot] = []
        for slots in self.threads:
            writers = [slot for slot in slots if cell in slot.outputs]
            if slots and slots[0].thread == reader.thread:
                writers = [slot for slot in writers if slot.number < reader.number][-1:]
            found.extend(writers)
        return found

    def _read(self, cell: int, value: Term, reader: Slot | None, writers: Sequence[Slot]) -> Term:
        """A value is what the last writer before a slot, or the end, has written."""
        logic = self.logic
        early = []
        for writer in writers:
            passed = logic.true if reader is None else self.before(writer, reader)
            early.append(logic.conjunction([writer.executed, passed]))
        nobody = logic.conjunction([logic.negation(passed) for passed in early])
        ways = [logic.conjunction([nobody, logic.equal(value, self.initial[cell])])]
        for i, writer in enumerate(writers):
            others = [
                logic.implication(early[j], self.before(other, writer))
                for j, other in enumerate(writers)
                if j != i
            ]
            same = logic.equal(value, writer.outputs[cell])
            ways.append(logic.conjunction([early[i], same, *others]))
        return logic.disjunction(ways)

    # -- models -----------------------------------------------------------------------------------

    def sorted(self, model: Model, slots: Sequence[Slot]) -> list[Slot]:
        """Slots in the order of a model."""

        def passed(slot: Slot) -> int:
            return sum(model.boolean(self.before(other, slot)) for other in slots)

        return sorted(slots, key=passed)
