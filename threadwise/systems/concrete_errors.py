"""Properties as error patterns of the concrete system.

assertion, range, mutex   one thread, in a failure location of the property
race                      two threads with conflicting enabled accesses
invariant                 see `threadwise.systems.invariants`
deadlock                  see `threadwise.systems.deadlocks`
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.systems.api import ErrorPattern, Role
from threadwise.systems.deadlocks import DeadlockPattern
from threadwise.systems.invariants import invariant_patterns
from threadwise.systems.patterns import FewThreads
from threadwise.systems.python_code import Global, Local

if TYPE_CHECKING:
    from threadwise.systems.concrete import ConcreteSystem

Few = FewThreads[Global, Local]


def concrete_patterns(
    system: ConcreteSystem, checked: Property
) -> Iterator[ErrorPattern[Global, Local]]:
    """All ways to violate a property."""
    match checked:
        case FailureProperty():
            yield _failure(system, checked)
        case RaceProperty():
            yield _race(system, checked)
        case DeadlockProperty():
            yield DeadlockPattern(checked, system)
        case InvariantProperty():
            yield from invariant_patterns(checked, system.program, system.layout)


def _failure(system: ConcreteSystem, checked: FailureProperty) -> Few:
    """A thread in a failure location."""
    bad = frozenset(
        location.id
        for location in system.program.locations
        if location.failure is not None and location.failure.property == checked.name
    )

    def may_hold(_g: Global, _roles: Sequence[Role], ls: Sequence[Local]) -> bool:
        return ls[0][0] in bad

    def project(_k: int, _t: Role, _g: Global, l: Local) -> Hashable:
        return l[0] if l[0] in bad else None

    return Few(checked, (tuple(system.roles),), may_hold, project)


def _race(system: ConcreteSystem, checked: RaceProperty) -> Few:
    """Two threads with conflicting enabled accesses to a cell."""
    concerned = [
        checked.variables is None or cell.variable.name in checked.variables
        for cell in system.layout.globals.cells
    ]

    def accesses(t: Role, g: Global, l: Local) -> tuple[tuple[int, bool, bool], ...]:
        return tuple(
            access
            for access in system.accesses(t, g, l)
            if (concerned[access[0]] if access[0] >= 0 else checked.variables is None)
        )

    def may_hold(g: Global, roles: Sequence[Role], ls: Sequence[Local]) -> bool:
        mine = accesses(roles[0], g, ls[0])
        return bool(mine) and any(
            slot == other and (write or writes) and not (sync and syncs)
            for other, writes, syncs in accesses(roles[1], g, ls[1])
            for slot, write, sync in mine
        )

    def project(_k: int, t: Role, g: Global, l: Local) -> Hashable:
        return accesses(t, g, l) or None

    everyone = tuple(system.roles)
    return Few(checked, (everyone, everyone), may_hold, project, unordered=True)
