"""When slots happen: clocks, and reads matched to writes.

Every slot has a clock, an integer. A slot that reads a cell reads what the last slot before it
wrote there, or the initial value: it picks a writer, whose clock is smaller, and every other
writer is earlier than that one or later than the reader. Slots that do not touch a common cell may
have the same clock: they commute. Within a thread clocks grow, so only its last writer matters.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.backends.smt.environments import Store, store_terms
from threadwise.backends.smt.logic import Logic, Term
from threadwise.engines.bounded.unrolling import Slot


class Order:
    """The order of the slots of some threads."""

    def __init__(self, logic: Logic, initial: Store, threads: Sequence[Sequence[Slot]]) -> None:
        self.logic = logic
        self.initial = list(store_terms(initial))
        self.threads = threads
        self.slots = [slot for slots in threads for slot in slots]

    def constraints(self) -> list[Term]:
        """What holds of clocks and inputs."""
        found: list[Term] = []
        for slot in self.slots:
            inputs = list(store_terms(slot.inputs))
            for cell in sorted({*slot.reads, *slot.outputs}):
                writers = self._writers(cell, slot)
                read = self._read(cell, inputs[cell], slot.clock, writers)
                found.append(self.logic.implication(slot.executed, read))
            found.extend(self._different(slot))
        return found

    def final(self, inputs: Store, clock: Term, cells: Sequence[int]) -> list[Term]:
        """What the cells of a store after all slots are."""
        terms = list(store_terms(inputs))
        found = [self.logic.implication(slot.executed, slot.clock < clock) for slot in self.slots]
        for cell in cells:
            writers = [slot for slot in self.slots if cell in slot.outputs]
            found.append(self._read(cell, terms[cell], clock, writers))
        return found

    def _writers(self, cell: int, reader: Slot) -> list[Slot]:
        """Who may have written a cell last when a slot happens."""
        found: list[Slot] = []
        for slots in self.threads:
            writers = [slot for slot in slots if cell in slot.outputs]
            if slots and slots[0].thread == reader.thread:
                writers = [slot for slot in writers if slot.number < reader.number][-1:]
            found.extend(writers)
        return found

    def _read(self, cell: int, value: Term, clock: Term, writers: Sequence[Slot]) -> Term:
        """A value is what the last writer before a clock has written."""
        logic = self.logic
        before = [logic.conjunction([writer.executed, writer.clock < clock]) for writer in writers]
        nobody = logic.conjunction([logic.negation(early) for early in before])
        ways = [logic.conjunction([nobody, logic.equal(value, self.initial[cell])])]
        for i, writer in enumerate(writers):
            others = [
                logic.implication(before[j], other.clock < writer.clock)
                for j, other in enumerate(writers)
                if j != i and not _precedes(other, writer)
            ]
            same = logic.equal(value, writer.outputs[cell])
            ways.append(logic.conjunction([before[i], same, *others]))
        return logic.disjunction(ways)

    def _different(self, slot: Slot) -> list[Term]:
        """Slots of other threads that touch what it writes happen at another time."""
        return [
            slot.clock != other.clock
            for other in self.slots
            if other.thread > slot.thread and _conflict(slot, other)
        ]


def _precedes(first: Slot, second: Slot) -> bool:
    return first.thread == second.thread and first.number < second.number


def _conflict(first: Slot, second: Slot) -> bool:
    written = {*first.outputs} & {*second.reads, *second.outputs}
    return bool(written or {*second.outputs} & {*first.reads, *first.outputs})
