"""Numbers of threads that are stored in the elements they get as arguments.

    for (i = 0; i < n; i++) { jobs[i].id = i; pthread_create(&t[i], 0, worker, &jobs[i]); }
    worker:  results[job->id] = …

A cell is *indexed* if it holds the number of its element for every thread that finds it in the
element it was started with:

    write       whatever writes such a cell, while others run or not, writes to an element of a
                variable, and the number of that element
    start       when a thread is started with the address of an element around such a cell, the
                starting thread knows that it holds the number

By the second, the cell holds the number of the thread when it starts; by the first, always after.
Threads of a numbered template that run at the same time have different numbers
(`threadwise.proofs.locksets.threads.thread_arrays`), so what they read there differs.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import root
from threadwise.ir.program import Edge
from threadwise.ir.types import RecordType, is_integer
from threadwise.ir.writes import written
from threadwise.proofs.locksets.entailment import holds
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.order import without_wrap
from threadwise.proofs.locksets.threads.numbering import Numbering
from threadwise.proofs.locksets.threads.thread_arrays import element_of, same_sum


@dataclass(frozen=True)
class NumbersInElements:
    """The rules."""

    ground: Ground
    numbering: Numbering

    def miswritten(self, edge: Edge, before: Knowledge, procedure: str) -> Iterator[Target]:
        """The indexed cells that an edge may give another value than the number of the element."""
        for target, value in written(edge):
            if is_own(target):
                continue
            cells = self.ground.cells_of(target, procedure)
            reached = self.ground.indexed & cells if cells else self.ground.indexed
            if reached and not self._is_its_number(target, value, before, procedure):
                yield from sorted(reached)

    def _is_its_number(
        self, target: Place, value: Expr | None, before: Knowledge, procedure: str
    ) -> bool:
        there = self._in_variable(target, before)
        found = None if there is None else element_of(there)
        if value is None or found is None or not self.ground.is_exact(target, procedure):
            return False
        name = without_wrap(named(value, before.known), before.known, before.facts)
        return is_integer(name.type) and same_sum(name, found[1], before.known)

    def _in_variable(self, place: Place, before: Knowledge) -> Place | None:
        there = by_variable(named_place(place, before.known), self.ground.threads.program)
        return there if isinstance(root(there), VariablePlace) else None

    def unset(self, edge: Edge, before: Knowledge, procedure: str) -> Iterator[Target]:
        """The indexed cells that may not hold the number of the thread that an edge starts."""
        template = self.ground.threads.starts.get(edge.id)
        if template is None or not self.ground.indexed:
            return
        names = self.ground.threads.arguments[template]
        for target, value in written(edge):
            base = root(target)
            if isinstance(base, VariablePlace) and base.variable.name in names:
                found = None if value is None else self.ground.values_of(value, procedure)
                objects = (
                    None if found is None else {v.object for v in found if isinstance(v, Target)}
                )
                known = {} if value is None else dict(self._known(value, before, procedure))
                for cell in sorted(self.ground.indexed):
                    if (objects is None or cell.object in objects) and not known.get(cell):
                        yield cell

    def _known(
        self, value: Expr, before: Knowledge, procedure: str
    ) -> Iterator[tuple[Target, bool]]:
        """Whether members of the element at an address are known to hold its number."""
        match self.numbering.address(named(value, before.known)):
            case AddressOf(place) if isinstance(root(place), VariablePlace):
                found = element_of(place)
            case _:
                found = None
        if found is None:
            return
        told: dict[Target, bool] = {}
        for member in _members(place):
            fact = Binary(BinaryOp.EQ, Read(member), found[1])
            right = self.ground.is_exact(member, procedure) and holds(fact, before)
            for cell in self.ground.cells_of(member, procedure):
                told[cell] = told.get(cell, True) and right
        yield from told.items()


def _members(place: Place) -> Iterator[Place]:
    """The numbers in an element that are found by members alone."""
    if isinstance(place.type, RecordType):
        for name, _ in place.type.fields:
            yield from _members(FieldPlace(place, name))
    elif is_integer(place.type):
        yield place
