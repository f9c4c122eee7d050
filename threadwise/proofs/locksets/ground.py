"""Global invariants: what a proof claims for all threads and all time; knowledge depends on it.

memory     what every cell may hold
threads    which threads start which (computed from the program)
frozen     cells that are written only while no other thread runs, or in an object that the writer
           owns: not after publication
spoilt     owners of mutexes that may be written otherwise than by acquiring and releasing
given      templates whose threads own the object that their argument points to, with its site
numbers    cells that serve as locks, and how (`threadwise.proofs.locksets.tokens`)
numbered   templates whose threads have different numbers, given by their arguments
           (`threadwise.proofs.locksets.threads.thread_arrays`)
homed      sites whose objects are in lists, protected by the locks of these
gates      the root cells of such lists, and how to find the locks
           (`threadwise.proofs.locksets.containers.guarded_lists`)
handed     sites whose objects are taken out of containers, and used without their locks
slots      cells of such containers, and how to find the locks
           (`threadwise.proofs.locksets.containers.handover`)
guards     flags among the numbers that are written under mutexes only, and how to find these
           (`threadwise.proofs.locksets.guarded_flags`)
indexed    cells of elements that hold the number of the thread that gets the element as argument
           (`threadwise.proofs.locksets.threads.numbers_in_elements`)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import (
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    Read,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import place_expressions, subexpressions
from threadwise.ir.program import Program
from threadwise.ir.types import MutexType, is_scalar
from threadwise.ir.writes import written
from threadwise.proofs.locksets.certificate import Discipline, Key, LocksetCertificate
from threadwise.proofs.locksets.containers.list_locks import lock_of
from threadwise.proofs.locksets.knowledge import REMEMBERED, is_own
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.memory.objects import BYTES, Objects
from threadwise.proofs.locksets.threads.creation import Threads
from threadwise.proofs.locksets.tokens import companion, mutex_groups

LARGEST_NAME = 24
"""Values with longer names are not followed."""


@dataclass(frozen=True)
class Ground:
    """The part of a claim that is the same everywhere."""

    memory: Memory
    threads: Threads
    frozen: frozenset[Target] = frozenset()
    spoilt: frozenset[Target] = frozenset()
    numbers: Mapping[Target, Discipline] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    numbered: frozenset[str] = frozenset()
    homed: frozenset[str] = frozenset()
    gates: Mapping[Target, Key] = field(default_factory=dict)
    handed: frozenset[str] = frozenset()
    slots: Mapping[Target, Key] = field(default_factory=dict)
    guards: Mapping[Target, Key] = field(default_factory=dict)
    indexed: frozenset[Target] = frozenset()

    def is_frozen(self, place: Place, procedure: str) -> bool:
        """Whether no other thread writes a place: all cells that it may be are frozen."""
        cells = self.cells_of(place, procedure)
        return bool(cells) and cells <= self.frozen

    def is_settled(self, place: Place, procedure: str) -> bool:
        """Whether no other thread writes a place while a procedure runs.

        It is frozen, or only the first thread ever writes it, and only that runs the procedure.
        """
        if self.is_frozen(place, procedure):
            return True
        return procedure in self.firsts_procedures and self.is_firsts(place, procedure)

    def settled(self, cells: frozenset[Target], procedure: str) -> frozenset[Target]:
        """Those of some cells that no other thread writes while a procedure runs."""
        if procedure in self.firsts_procedures:
            return frozenset(c for c in cells if c in self.frozen or self.is_written_by_firsts(c))
        return self.frozen & cells

    @cached_property
    def firsts_procedures(self) -> frozenset[str]:
        """The procedures that only the first thread runs."""
        program, running = self.threads.program, self.threads.running
        return frozenset(
            name
            for name, templates in running.items()
            if templates
            and all(self.threads.is_first(program.template[each]) for each in templates)
        )

    def cells_of(self, place: Place, procedure: str) -> frozenset[Target]:
        """The cells that a place in shared memory may be."""
        return self._located(place, procedure)[0]

    def cells_in_order(self, place: Place, procedure: str) -> tuple[Target, ...]:
        """The same, always in the same order."""
        key = place, procedure
        if key not in self._in_order:
            self._in_order[key] = tuple(sorted(self.cells_of(place, procedure)))
        return self._in_order[key]

    @cached_property
    def _in_order(self) -> dict[tuple[Place, str], tuple[Target, ...]]:
        return {}

    def values_of(self, expr: Expr, procedure: str) -> Values:
        """The values that an expression may have, as memory says."""
        key = expr, procedure
        if key not in self._values:
            self._values[key] = self.memory.of(expr, procedure)
        return self._values[key]

    @cached_property
    def _values(self) -> dict[tuple[Expr, str], Values]:
        return {}

    def is_exact(self, place: Place, procedure: str) -> bool:
        """Whether a place is a part of its type wherever it is; if not, its name says nothing."""
        return self._located(place, procedure)[1]

    def _located(self, place: Place, procedure: str) -> tuple[frozenset[Target], bool]:
        key = place, procedure
        if key not in self._cells:
            cells = frozenset(self.memory.targets(place, procedure))
            self._cells[key] = cells, self.memory.is_exact(place, procedure)
        return self._cells[key]

    @cached_property
    def _cells(self) -> dict[tuple[Place, str], tuple[frozenset[Target], bool]]:
        return {}

    @cached_property
    def in_bytes(self) -> frozenset[str] | None:
        """The objects that pointers lead to which were turned into bytes; None: any."""
        values = self.memory.values.get(BYTES, frozenset())
        if values is None:
            return None
        return frozenset(value.object for value in values if isinstance(value, Target))

    def is_copied(self, site: str) -> bool:
        """Whether pointers to objects of a site may be copied as bytes, without an assignment."""
        return self.in_bytes is None or site in self.in_bytes

    def is_stable(self, expr: Expr, procedure: str) -> bool:
        """Whether no other thread can change the value of an expression."""
        key = expr, procedure
        if key not in self._stable:
            self._stable[key] = self._is_stable(expr, procedure)
        return self._stable[key]

    @cached_property
    def _stable(self) -> dict[tuple[Expr, str], bool]:
        return {}

    def _is_stable(self, expr: Expr, procedure: str) -> bool:
        for part in subexpressions(expr):
            match part:
                case Read(place):
                    kept = is_own(place) or self.numbered_argument(part) is not None
                    kept = kept or self.argument_with_number(part, procedure) is not None
                    if not kept and not self.is_settled(place, procedure):
                        return False
                case _:
                    pass
        return is_lasting(expr)

    def numbered_argument(self, expr: Expr) -> str | None:
        """The template whose threads get an argument with a number, if this is one's own.

        It is not written any more once the thread runs.
        """
        match expr:
            case Read(IndexPlace(VariablePlace(variable), SelfId())):
                arguments = self.threads.arguments
                return next((t for t in self.numbered if variable.name in arguments[t]), None)
            case _:
                return None

    def argument_with_number(self, expr: Expr, procedure: str) -> Expr | None:
        """The pointer to the element that a thread was started with, if this is its number there.

        It does not change: that is what is claimed of indexed cells.
        """
        if not self.indexed or not isinstance(expr, Read):
            return None
        base = expr.place
        while isinstance(base, FieldPlace):
            base = base.base
        if not isinstance(base, DerefPlace) or self.numbered_argument(base.pointer) is None:
            return None
        cells = self.cells_of(expr.place, procedure)
        held = bool(cells) and cells <= self.indexed and self.is_exact(expr.place, procedure)
        return base.pointer if held else None

    def is_firsts(self, place: Place, procedure: str) -> bool:
        """Whether only the first thread ever writes a place."""
        cells = self.cells_of(place, procedure)
        return bool(cells) and cells.isdisjoint(self._written_by_others)

    def is_written_by_firsts(self, cell: Target) -> bool:
        """Whether only the first thread ever writes a cell."""
        return cell not in self._written_by_others

    @cached_property
    def _written_by_others(self) -> frozenset[Target]:
        """The cells that other threads than the first one may write.

        A pointer that never leads anywhere is not followed: that is no correct use of memory, and
        no access by the rules of `threadwise.proofs.locksets.accesses` either.
        """
        program, running = self.threads.program, self.threads.running
        found: set[Target] = set()
        for procedure in program.procedures:
            if procedure.name in self.firsts_procedures or not running[procedure.name]:
                continue
            for edge in procedure.edges:
                for place, _ in written(edge):
                    if not is_own(place):
                        found |= self.cells_of(place, procedure.name)
        return frozenset(found)

    def companion(self, cell: Place) -> Place | None:
        """The mutex beside a count of readers."""
        return companion(cell, self._groups)

    @cached_property
    def _groups(self) -> Mapping[str, Place]:
        return mutex_groups(d.variable for d in self.threads.program.globals)

    def discipline(self, place: Place, procedure: str) -> Discipline | None:
        """How a place serves as a lock, if it does whatever cell it is."""
        if not self.numbers or not is_scalar(place.type):
            return None
        if not self.is_exact(place, procedure):
            return None
        found = {self.numbers.get(cell) for cell in self.cells_of(place, procedure)}
        return found.pop() if len(found) == 1 else None

    def is_guarded(self, place: Place, procedure: str) -> bool:
        """Whether a place may be a flag that is written under a mutex only."""
        return bool(self.guards) and not self.guards.keys().isdisjoint(
            self.cells_of(place, procedure)
        )

    def guard_of(self, place: Place, procedure: str) -> Place | None:
        """The mutex under which a flag is written, if that is so whatever cell the place is."""
        if not self.guards or self.discipline(place, procedure) is not Discipline.FLAG:
            return None
        keys = {self.guards.get(cell) for cell in self.cells_of(place, procedure)}
        key = keys.pop() if len(keys) == 1 else None
        guard = None if key is None else lock_of(key, place, self.threads.program)
        return guard if guard is not None and isinstance(guard.type, MutexType) else None

    def is_stable_place(self, place: Place, procedure: str) -> bool:
        """Whether a place stays the same cell, whatever other threads do."""
        return all(self.is_stable(part, procedure) for part in place_expressions(place))


@lru_cache(maxsize=REMEMBERED)
def is_lasting(expr: Expr) -> bool:
    """Whether the value of an expression changes only when a cell is written that it reads."""
    return not any(
        isinstance(part, IsValid | IsAllocated | IsWritten) for part in subexpressions(expr)
    )


def ground_of(program: Program, certificate: LocksetCertificate) -> Ground:
    """What a certificate claims that is the same everywhere."""
    return Ground(
        Memory(Objects(program), dict(certificate.memory)),
        Threads(program),
        certificate.frozen,
        certificate.spoilt,
        certificate.numbers,
        certificate.given,
        certificate.numbered,
        certificate.homed,
        certificate.gates,
        certificate.handed,
        certificate.slots,
        certificate.guards,
        certificate.indexed,
    )
