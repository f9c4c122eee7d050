"""The accesses of edges, and the rules by which two of them cannot race.

Two accesses of different threads to memory that may be the same, one of them a write and one of
them plain, are apart if one of these holds:

    alone       there is only one thread that makes both
    absent      while one thread is there, threads of the other's kind do not run
    elsewhere   their indices differ, or each is in the cell of its own thread
    owned       one of the objects is known to nobody else
    locked      both threads hold one lock: the same, or the one that belongs to the cell

A lock *belongs to the cell* if it is named with the index or the pointer of the access itself:
`m[i]` for an access to `a[i]`, `deref(p).m` for one to `deref(p).x`. If the cells are the same, so
are the indices and the pointers, and then so are the locks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from threadwise.evidence.locksets.cells import Target
from threadwise.evidence.locksets.knowledge import Knowledge, is_own, named_place
from threadwise.evidence.locksets.locks import owner_of
from threadwise.evidence.locksets.step import Steps
from threadwise.evidence.locksets.threads import Threads, written
from threadwise.evidence.locksets.tokens import Discipline, companion
from threadwise.ir.commands import Free
from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    place_expressions,
    rebuild,
    rebuild_place,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge, EdgeId, Procedure


@dataclass(frozen=True)
class Access:
    """What a thread of a template may do to memory in a step."""

    template: str
    edge: EdgeId
    place: Place
    """Named by the thread's own variables."""
    write: bool
    sync: bool
    locks: frozenset[Place]
    shared: frozenset[Place]
    """Locks that others may hold in the same way: for reading."""
    absent: frozenset[str]
    identity: Expr | None


@dataclass(frozen=True)
class Accesses:
    """The accesses of a program."""

    steps: Steps

    @property
    def threads(self) -> Threads:
        """Who starts whom."""
        return self.steps.threads

    def of(
        self, edge: Edge, knowledge: Knowledge, procedure: Procedure
    ) -> Iterator[tuple[Target, Access]]:
        """The accesses of an edge to memory that others may know; raises Unresolved."""
        touched = list(_touched(edge))
        if not touched or isinstance(edge.action, Free):
            return
        for before, _ in self.steps.guards.passing(edge, knowledge, procedure.name):
            for place, write in touched:
                there = named_place(place, before.known)
                if owner_of(there, before) is not None:
                    continue
                sync = edge.sync or _is_sync(place)
                for template in self.threads.running[procedure.name]:
                    found = Access(
                        template,
                        edge.id,
                        there,
                        write,
                        sync,
                        *self._locks(before.locks & knowledge.locks, procedure.name),
                        self.absent(template, before),
                        before.identity,
                    )
                    for target in self.steps.memory.targets(there, procedure.name):
                        yield target, found

    def _locks(
        self, held: frozenset[Place], procedure: str
    ) -> tuple[frozenset[Place], frozenset[Place]]:
        """Which locks are held alone, and which for reading."""
        shared: dict[Place, Place] = {}
        for place in held:
            if self.steps.ground.discipline(place, procedure) is Discipline.READERS:
                mutex = companion(place)
                assert mutex is not None
                shared[place] = mutex
        return held.difference(shared), frozenset(shared.values())

    def absent(self, template: str, knowledge: Knowledge) -> frozenset[str]:
        """The templates of which no thread runs, as a thread of this one knows."""
        program = self.threads.program
        if not self.threads.is_first(program.template[template]):
            return knowledge.absent
        return knowledge.absent | {
            other.name
            for other in program.templates
            if other.pool and self.threads.is_absent(other.name, template, knowledge)
        }


def _touched(edge: Edge) -> Iterator[tuple[Place, bool]]:
    """The places outside of the thread that an edge reads and writes."""
    for expr in action_expressions(edge.action):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten) and not is_own(part.place):
                yield part.place, False
    for place, _ in written(edge):
        for index in place_expressions(place):
            for part in subexpressions(index):
                if isinstance(part, Read) and not is_own(part.place):
                    yield part.place, False
        if not is_own(place):
            yield place, True


def _is_sync(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.sync


def apart(first: Access, second: Access, alone: frozenset[str]) -> str | None:
    """The rule by which two accesses to one target do not race; None if there is none."""
    if not (first.write or second.write):
        return "reads"
    if first.sync and second.sync:
        return "synchronisation"
    if first.template == second.template:
        same = first.identity is not None and first.identity == second.identity
        if first.template in alone or same:
            return "alone"
    if second.template in first.absent or first.template in second.absent:
        return "absent"
    if _elsewhere(first.place, second.place):
        return "elsewhere"
    if common_locks(first, second):
        return "locked"
    return None


def _elsewhere(first: Place, second: Place) -> bool:
    a, b = list(_path(first)), list(_path(second))
    if len(a) != len(b) or a[0] != b[0] or not isinstance(a[0], Variable):
        return False
    for one, two in zip(a[1:], b[1:], strict=True):
        match one, two:
            case SelfId(), SelfId():
                return True
            case Const(x, _), Const(y, _) if x != y:
                return True
            case _:
                pass
    return False


def _path(place: Place) -> Iterator[object]:
    match place:
        case VariablePlace(variable):
            yield variable
        case DerefPlace():
            yield place
        case FieldPlace(base, field):
            yield from _path(base)
            yield field
        case IndexPlace(base, index):
            yield from _path(base)
            yield index


# -- locks ---------------------------------------------------------------------------------------


def common_locks(first: Access, second: Access) -> frozenset[Place]:
    """The locks that keep two accesses apart, if they are to the same cell."""
    found = _apart_by(*map(_impersonal, (first.locks, first.shared, second.locks, second.shared)))
    one, *locks_of_one = relative(first)
    two, *locks_of_two = relative(second)
    return found | _apart_by(*locks_of_one, *locks_of_two) if one == two else found


def _apart_by(
    mine: frozenset[Place],
    mine_shared: frozenset[Place],
    others: frozenset[Place],
    others_shared: frozenset[Place],
) -> frozenset[Place]:
    """What one of them holds alone, and the other holds at all."""
    return mine & (others | others_shared) | mine_shared & others


def _impersonal(locks: frozenset[Place]) -> frozenset[Place]:
    """The locks that are the same whoever names them."""
    return frozenset(m for m in locks if not any(map(_is_personal, place_expressions(m))))


def _is_personal(expr: Expr) -> bool:
    """Whether an expression means something else for each thread."""
    return any(
        isinstance(part, SelfId)
        or (isinstance(part, Read) and is_own(part.place) and not _is_marker(part.place))
        for part in subexpressions(expr)
    )


def relative(access: Access) -> tuple[Place, frozenset[Place], frozenset[Place]]:
    """The place of an access, and the locks that belong to it, without the thread's own names.

    The indices of the place, and the pointer it begins with, become variables `#0`, `#1`, …; a
    lock belongs to the cell if nothing else personal is left in its name.
    """
    markers = [
        (index, Read(VariablePlace(Variable(f"#{n}", index.type, Scope.LOCAL))))
        for n, index in enumerate(place_expressions(access.place))
    ]

    def change(expr: Expr) -> Expr:
        for index, marker in markers:
            if expr == index and not isinstance(expr, Const):
                return marker
        return rebuild(expr, change)

    shape = rebuild_place(access.place, change)

    def belonging(locks: frozenset[Place]) -> frozenset[Place]:
        return _impersonal(frozenset(rebuild_place(mutex, change) for mutex in locks))

    return shape, belonging(access.locks), belonging(access.shared)


def _is_marker(place: Place) -> bool:
    return isinstance(place, VariablePlace) and place.variable.name.startswith("#")
