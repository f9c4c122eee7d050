"""Candidates for lists with locks: which sites, which root cells, which locks.

Candidates for *homed* sites (objects guarded by the lock of their list) are those that pointers in
memory lead to; candidates for *gates* (the root cells of lists) are the cells outside of them that
do. How the lock of a gate is found from the gate is voted on by the accesses to it: the way by
which most accesses hold one. An access by a pointer to the gate votes for the locks that it holds
in records of the type that the gate is in.

Objects of such lists may also be handed over. The slots are the gates then, and, where these have
indices, numbers that are written only under the lock of one of them.

Candidates for flags under mutexes (`threadwise.proofs.locksets.guarded_flags`) are set and cleared
by writing constants, under a mutex that is found from the flag in the same way each time. Writes
that hold no lock are left to the rules: they may be of a thread that runs alone, or has an object
of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, DerefPlace, FieldPlace, IndexPlace, Place
from threadwise.ir.fold import number
from threadwise.ir.program import Program
from threadwise.ir.types import (
    ArrayType,
    MachineType,
    MutexType,
    RecordType,
    Type,
    is_integer,
)
from threadwise.proofs.locksets.accesses import Access
from threadwise.proofs.locksets.certificate import Discipline, Key
from threadwise.proofs.locksets.containers.list_locks import global_key, keys_of
from threadwise.proofs.locksets.containers.pools import pools_of
from threadwise.proofs.locksets.knowledge import is_own
from threadwise.proofs.locksets.memory.cells import Target, folded_size, is_site
from threadwise.proofs.locksets.memory.contents import Memory

Lists = tuple[frozenset[str], Mapping[Target, Key]]
NO_LISTS: Lists = frozenset(), {}
Guards = Mapping[Target, Key]
NO_GUARDS: Guards = {}
MOST_FLAGS = 8
"""Of more candidates for flags none is proposed: a thread may have any of them or not, and what it
has is told apart."""
Found = Mapping[Target, Sequence[Access]]


def lists_of(
    memory: Memory,
    accesses: Mapping[Target, Sequence[Access]],
    pools: frozenset[str] = frozenset(),
) -> Lists:
    """Homed sites, and gates with their keys; arrays whose elements may be in lists, too."""
    leading = {target: set(_sites(memory, target, pools)) for target in accesses}
    homed = {site for sites in leading.values() for site in sites}
    votes: defaultdict[Target, Counter[Key]] = defaultdict(Counter)
    for target, each in accesses.items():
        for access in each:
            for lock in access.locks | access.shared:
                places = _places(target, access.place, lock, memory)
                votes[target].update({key for place in places for key in keys_of(place, lock)})
    changed = True
    while changed:
        gates = [t for t, sites in leading.items() if sites & homed and t.object not in homed]
        astray = {site for t in gates if not votes[t] for site in leading[t]}
        changed = bool(astray & homed)
        homed -= astray
    gates = [t for t, sites in leading.items() if sites & homed and t.object not in homed]
    if not gates:
        return NO_LISTS
    return frozenset(homed), {gate: _elected(votes[gate]) for gate in gates}


def _places(target: Target, place: Place, lock: Place, memory: Memory) -> Iterator[Place]:
    """The place of a gate; if it is found by a pointer, its places in records with the lock."""
    if not isinstance(place, DerefPlace):
        yield place
        return
    held = memory.objects.types.get(target.object)
    if held is None or target.cell >= folded_size(held):
        return
    record = lock
    while isinstance(record, FieldPlace | IndexPlace):
        record = record.base
        if isinstance(record.type, RecordType):
            part, cell = _part(held, target.cell, record.type)
            if part == record.type:
                yield _at(record, cell)


def _part(held: Type, cell: int, wanted: RecordType) -> tuple[Type, int]:
    """The largest part of a type that a cell is in and that has the wanted type, and where."""
    while held != wanted:
        match held:
            case ArrayType(element):
                held = element
            case RecordType():
                _, held, cell = _field(held, cell)
            case _:
                break
    return held, cell


def _at(place: Place, cell: int) -> Place:
    """The scalar at a folded cell; of arrays, that in the first element."""
    while True:
        match place.type:
            case ArrayType():
                place = IndexPlace(place, number(0))
            case RecordType() as record:
                name, _, cell = _field(record, cell)
                place = FieldPlace(place, name)
            case _:
                return place


def _field(record: RecordType, cell: int) -> tuple[str, Type, int]:
    """The field that a folded cell is in, and where."""
    for name, held in record.fields:
        if cell < folded_size(held):
            return name, held, cell
        cell -= folded_size(held)
    raise AssertionError(f"{record.name} has no such cell")


def _sites(memory: Memory, target: Target, pools: frozenset[str]) -> Iterator[str]:
    for value in memory.values.get(target) or ():
        if isinstance(value, Target) and (is_site(value.object) or value.object in pools):
            yield value.object


def _elected(votes: Counter[Key]) -> Key:
    return max(sorted(votes), key=lambda key: votes[key])


# -- handed over ----------------------------------------------------------------------------------


def containers_of(memory: Memory, accesses: Found, undecided: Iterable[Target]) -> Lists:
    """Sites that may be handed over, if accesses to one of them are undecided, and slots."""
    handed, gates = lists_of(memory, accesses, pools_of(memory.objects.program))
    if not any(target.object in handed for target in undecided):
        return frozenset(), {}
    numbers = (
        _numbers(gates, accesses) if any(_is_indexed(accesses[gate]) for gate in gates) else {}
    )
    return handed, {**gates, **numbers}


def _is_indexed(accesses: Sequence[Access]) -> bool:
    return any(isinstance(access.place, IndexPlace) for access in accesses)


def _numbers(gates: Mapping[Target, Key], accesses: Found) -> dict[Target, Key]:
    """Numbers that are written only under a lock of a slot, or by a thread that runs alone."""
    found: dict[Target, Key] = {}
    for cell, each in accesses.items():
        writes = [a for a in each if a.write and a.running != frozenset()]
        if cell in gates or not writes or not all(is_integer(a.place.type) for a in each):
            continue
        common = frozenset.intersection(*(_keys(access) for access in writes))
        if common:
            found[cell] = min(common)
    return found


def _keys(access: Access) -> frozenset[Key]:
    return frozenset(key for lock in access.locks for key in keys_of(access.place, lock))


# -- flags ---------------------------------------------------------------------------------------


def guards_of(
    program: Program, memory: Memory, accesses: Found, numbers: Mapping[Target, Discipline]
) -> Guards:
    """The cells that may be such flags, and how to find their mutexes."""
    found: dict[Target, Key] = {}
    initial = dict(memory.initial())
    for target, each in accesses.items():
        begins = initial.get(target, frozenset())
        if target in numbers or begins is None or not begins <= Discipline.FLAG.beginnings:
            continue
        writes = [access for access in each if access.write]
        locked = [access for access in writes if access.locks]
        if len(locked) < 2 or not _are_sets_and_clears(program, locked):
            continue
        ways = set.intersection(*(set(_mutex_keys(access)) for access in locked))
        if ways:
            found[target] = min(ways, key=lambda key: (key.lock != "", key))
    return found if len(found) <= MOST_FLAGS else NO_GUARDS


def _are_sets_and_clears(program: Program, writes: Sequence[Access]) -> bool:
    """Whether all values are constants, 0 among them and others."""
    values: set[bool] = set()
    for access in writes:
        action = program.edges[access.edge].action
        if not isinstance(action, Command) or not isinstance(access.place.type, MachineType):
            return False
        stored = [each.value for each in action.assignments if not is_own(each.target)]
        if len(stored) != 1 or not isinstance(stored[0], Const):
            return False
        values.add(bool(stored[0].value))
    return len(values) == 2


def _mutex_keys(access: Access) -> Iterator[Key]:
    """The ways to a mutex that an access holds."""
    for lock in access.locks:
        if isinstance(lock.type, MutexType):
            yield from keys_of(access.place, lock)
            key = global_key(lock)
            if key is not None:
                yield key
