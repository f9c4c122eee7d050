"""What a proof claims for all threads and all time; knowledge stands on it.

memory     what every cell may hold
threads    who starts whom (read off the program)
frozen     global variables that are written only while no other thread runs
spoilt     owners of mutexes that may be written otherwise than by acquiring and releasing
given      templates whose threads get an object of their own as argument, with its site
numbers    cells that serve as locks, and how (`threadwise.evidence.locksets.tokens`)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from threadwise.evidence.locksets.cells import Target
from threadwise.evidence.locksets.knowledge import is_own
from threadwise.evidence.locksets.memory import Memory
from threadwise.evidence.locksets.threads import Threads
from threadwise.evidence.locksets.tokens import Discipline
from threadwise.ir.expr import Expr, IsAllocated, IsValid, IsWritten, Place, Read, VariablePlace
from threadwise.ir.fold import place_expressions, root, subexpressions
from threadwise.ir.types import is_scalar


@dataclass(frozen=True)
class Ground:
    """The part of a claim that is the same everywhere."""

    memory: Memory
    threads: Threads
    frozen: frozenset[str] = frozenset()
    spoilt: frozenset[Target] = frozenset()
    numbers: Mapping[Target, Discipline] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)

    def is_frozen(self, place: Place) -> bool:
        """Whether a place is a part of a frozen variable, at fixed indices or at stable ones."""
        base = root(place)
        return isinstance(base, VariablePlace) and base.variable.name in self.frozen

    def is_stable(self, expr: Expr) -> bool:
        """Whether no other thread can change the value of an expression."""
        for part in subexpressions(expr):
            match part:
                case Read(place):
                    if not is_own(place) and not self.is_frozen(place):
                        return False
                case _:
                    pass
        return is_lasting(expr)

    def discipline(self, place: Place, procedure: str) -> Discipline | None:
        """How a place serves as a lock, if it does whatever cell it is."""
        if not self.numbers or not is_scalar(place.type):
            return None
        found = {self.numbers.get(cell) for cell in self.memory.targets(place, procedure)}
        return found.pop() if len(found) == 1 else None

    def is_stable_place(self, place: Place) -> bool:
        """Whether a place stays the same cell, whatever other threads do."""
        return all(map(self.is_stable, place_expressions(place)))


def is_lasting(expr: Expr) -> bool:
    """Whether the value of an expression changes only when a cell is written that it reads."""
    return not any(
        isinstance(part, IsValid | IsAllocated | IsWritten) for part in subexpressions(expr)
    )
