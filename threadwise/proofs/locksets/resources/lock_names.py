"""Locks by other names, where a step changes what a lock was named with."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    Expr,
    Place,
    Read,
)
from threadwise.ir.fold import (
    place_expressions,
    rebuild,
    rebuild_place,
    subexpressions,
)
from threadwise.proofs.locksets.knowledge import (
    is_definite,
    is_own,
    overlap,
    place_mentions,
    spelled,
)
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.heap import (
    Count,
    Heap,
    SlotAddress,
)
from threadwise.proofs.locksets.resources.values import Moment, Values


@dataclass(frozen=True)
class LockNames:
    """The names of locks in a program."""

    values: Values

    def renamed(self, stores: Sequence[tuple[Place, Expr | None]], heap: Heap, at: Moment) -> None:
        """Units whose locks are named with what is assigned are closed, or get another name."""
        if not (heap.opened or heap.others) and not any(
            isinstance(value, SlotAddress | Count) for value in heap.store.values()
        ):
            return
        ground = self.values.meaning.ground
        own = [target for target, _ in stores if is_own(target)]
        cells: set[Target] = set()
        unknown = False
        for target, _ in stores:
            if not is_own(target):
                found = ground.cells_of(target, at.procedure)
                unknown |= not found
                cells |= found

        def changes(place: Place) -> bool:
            return changes_memory(place) or any(place_mentions(place, each) for each in own)

        def changes_memory(place: Place) -> bool:
            reads = [
                part.place
                for expr in place_expressions(place)
                for part in subexpressions(expr)
                if isinstance(part, Read) and not is_own(part.place)
            ]
            return bool(reads) and (
                unknown
                or any(not cells.isdisjoint(ground.cells_of(p, at.procedure)) for p in reads)
            )

        def heir_of(place: Place | None) -> Place | None:
            """The name of a place afterwards."""
            if place is None or not changes(place):
                return place
            heir = self._told_otherwise(place, stores, at)
            return None if heir is None or changes_memory(heir) else heir

        for which in list(heap.opened):
            names = which.lock, which.element
            heirs = heir_of(which.lock), heir_of(which.element)
            if which not in heap.opened or heirs == names:
                continue
            lock, element = heirs
            lost = lock is None or (element is None and which.element is not None)
            if lock is None or lost or which.other(lock, element) in heap.opened:
                self.values.close(which, heap)  # it has no other name
            else:
                heap.rename(which, which.other(lock, element))
        heap.forget_names(changes)

    def _told_otherwise(
        self, lock: Place, stores: Sequence[tuple[Place, Expr | None]], at: Moment
    ) -> Place | None:
        """A lock by variables that have the values which others had before a step."""
        own = [target for target, _ in stores if is_own(target)]
        new = {value: target for target, value in stores if is_own(target)}
        known = {value: place for place, value in sorted(at.before.known.items(), key=_spelled)}
        untold: list[Expr] = []

        def change(expr: Expr) -> Expr:
            if not isinstance(expr, Read) or not any(overlap(expr.place, each) for each in own):
                return rebuild(expr, change)
            heir = new.get(expr)
            if heir is not None and is_definite(heir):
                return Read(heir)
            heir = known.get(expr)
            if heir is not None and not any(overlap(heir, each) for each in own):
                return Read(heir)
            untold.append(expr)
            return expr

        found = rebuild_place(lock, change)
        return None if untold else found


def _spelled(item: tuple[Place, Expr]) -> str:
    return spelled(item[0])
