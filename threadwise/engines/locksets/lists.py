"""Which objects may be at home in lists that have locks, to begin with.

Homed are the sites that memory leads to; gates are the cells outside of them that do. How the lock
of a gate is found is read off the accesses to it: the way by which most threads hold one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from threadwise.proofs.locksets.accesses import Access
from threadwise.proofs.locksets.cells import Target, is_site
from threadwise.proofs.locksets.gates import Key, keys_of
from threadwise.proofs.locksets.memory import Memory

Lists = tuple[frozenset[str], Mapping[Target, Key]]
NO_LISTS: Lists = frozenset(), {}


def lists_of(memory: Memory, accesses: Mapping[Target, Sequence[Access]]) -> Lists:
    """Homed sites, and gates with their keys."""
    leading = {target: set(_sites(memory, target)) for target in accesses}
    homed = {site for sites in leading.values() for site in sites}
    votes: defaultdict[Target, Counter[Key]] = defaultdict(Counter)
    for target, each in accesses.items():
        for access in each:
            for lock in access.locks | access.shared:
                votes[target].update(set(keys_of(access.place, lock)))
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


def _sites(memory: Memory, target: Target) -> Iterator[str]:
    for value in memory.values.get(target) or ():
        if isinstance(value, Target) and is_site(value.object):
            yield value.object


def _elected(votes: Counter[Key]) -> Key:
    return max(sorted(votes), key=lambda key: votes[key])
