"""The shared locations of a program, in words: what protects each, and what is undecided.

`threadwise.proofs.locksets.accesses` decides which pairs of accesses are apart; here they are
only put together and named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.ir.commands import Free
from threadwise.ir.program import EdgeId, Program
from threadwise.proofs.base.locations import Location, Pair, Side
from threadwise.proofs.locksets.accesses import Access
from threadwise.proofs.locksets.belonging import common_locks
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.naming import WORDS, Names, in_order, is_relative

Settled = tuple[tuple[Target, ...], Access, Access, str | None]
"""Two accesses to each of some cells, and the rule by which they are apart, if there is one."""

UNSHARED = frozenset({"reads", "alone"})
"""Rules for pairs that are no two accesses of different threads with one that writes."""

CROWDED = "crowded"
"""No rule: one of many steps any two of which may be undecided."""


def locations_of(
    program: Program, pairs: Iterable[Settled], kernel: Collection[Target] = ()
) -> tuple[Location, ...]:
    """The locations that pairs of accesses lead to, in the order of their names.

    `kernel` are the cells that the kernel settles by itself.
    """
    groups: list[tuple[tuple[Target, ...], _Found]] = []
    names = Names(program)
    sides, telling = _Sides(names), _Telling(names)
    for cells, first, second, rule in pairs:
        if rule in UNSHARED:
            continue
        if not groups or groups[-1][0] is not cells:
            groups.append((cells, _Found()))
        here = groups[-1][1]
        if rule is None:
            here.note(sides, first, second)
        elif rule == CROWDED:
            here.crowd.add(first.edge)
        else:
            here.protections[rule, telling.told(rule, first, second)] = None
    found: dict[Target | str, list[_Found]] = {}
    for cells, here in groups:
        for target in cells:
            parts = found.setdefault(names.internal(target) or target, [])
            if not parts or parts[-1] is not here:
                parts.append(here)
    named = (
        replace(
            _together(each).location(target if isinstance(target, str) else names.of(target)),
            kernel=target in kernel and not any(part.is_open for part in each),
        )
        for target, each in found.items()
        if not isinstance(target, str) or any(part.is_open for part in each)
    )
    return tuple(sorted(named, key=lambda location: location.name))


@dataclass
class _Found:
    """What was found of one location."""

    protections: dict[tuple[str, str], None] = field(default_factory=dict)
    """Rules, and what they say here."""
    undecided: dict[frozenset[object], Pair] = field(default_factory=dict)
    edges: defaultdict[frozenset[object], set[frozenset[EdgeId]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    noted: set[tuple[object, ...]] = field(default_factory=set)
    crowd: set[EdgeId] = field(default_factory=set)

    @property
    def is_open(self) -> bool:
        """Whether some accesses are undecided."""
        return bool(self.undecided or self.crowd)

    def note(self, sides: _Sides, first: Access, second: Access) -> None:
        """A pair is undecided; those that look alike to users are one."""
        seen = (
            first.edge,
            first.template,
            first.write,
            second.edge,
            second.template,
            second.write,
        )
        if seen in self.noted:
            return
        self.noted.add(seen)
        key = frozenset({sides.key(first), sides.key(second)})
        if key not in self.undecided:
            one, two = sorted((sides.of(first), sides.of(second)), key=_order)
            self.undecided[key] = Pair(one, two, lacking(first, second))
        self.edges[key].add(frozenset({first.edge, second.edge}))

    def location(self, name: str) -> Location:
        """In words."""
        return replace(self._told, name=name)

    @cached_property
    def _told(self) -> Location:
        """The same for all locations of which this was found."""
        pairs = [
            replace(pair, edges=frozenset(self.edges[key])) for key, pair in self.undecided.items()
        ]
        pairs.sort(key=lambda pair: (_order(pair.first), _order(pair.second)))
        reasons = {reason for _, reason in self.protections}
        return Location("", tuple(in_order(reasons)), tuple(pairs), frozenset(self.crowd))


def _together(parts: Sequence[_Found]) -> _Found:
    """What was found of a location with several cells."""
    if len(parts) == 1:
        return parts[0]
    whole = _Found()
    for part in parts:
        whole.protections |= part.protections
        whole.undecided = part.undecided | whole.undecided
        for key, edges in part.edges.items():
            whole.edges[key] |= edges
        whole.crowd |= part.crowd
    return whole


def told(names: Names, rule: str, first: Access, second: Access) -> str:
    """What keeps two accesses apart."""
    if rule != "locked":
        return WORDS[rule]
    locks = common_locks(first, second)
    same = [each for each in locks if not is_relative(each)]
    return f"under {' and '.join(names.locks(same or locks, first.edge))}"


@dataclass
class _Telling:
    """What keeps accesses apart, told once for accesses with the same place and locks."""

    names: Names
    _numbers: dict[object, int] = field(default_factory=dict)
    _known: dict[Same, int] = field(default_factory=dict)
    _told: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def told(self, rule: str, first: Access, second: Access) -> str:
        """See `told`."""
        if rule != "locked":
            return WORDS[rule]
        key = rule, self._number(first), self._number(second)
        if key not in self._told:
            self._told[key] = told(self.names, rule, first, second)
        return self._told[key]

    def _number(self, access: Access) -> int:
        key = Same(access)
        if key not in self._known:
            here = self.names.procedure(access.edge).name
            locked = access.place, access.locks, access.shared, here
            self._known[key] = self._numbers.setdefault(locked, len(self._numbers))
        return self._known[key]


def lacking(first: Access, second: Access) -> str:
    """What a proof that two accesses are apart would need."""
    held = [bool(access.locks or access.shared) for access in (first, second)]
    if not any(held):
        return "neither holds a lock"
    if not all(held):
        return "only one of them holds a lock"
    return "no lock that both hold is known to be the same"


class _Sides:
    """Accesses in words, each told once."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._keys: dict[tuple[EdgeId, str, bool], int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._told: dict[Same, Side] = {}

    def key(self, access: Access) -> int:
        """The same number for accesses that look alike to users."""
        known = access.edge, access.template, access.write
        if known not in self._keys:
            span = self.names.program.edges[access.edge].span or access.edge
            shown = span, access.template, access.write
            self._keys[known] = self._numbers.setdefault(shown, len(self._numbers))
        return self._keys[known]

    def of(self, access: Access) -> Side:
        """An access in words."""
        key = Same(access)
        if key not in self._told:
            edge = self.names.program.edges[access.edge]
            side = Side(
                access.template,
                edge.span,
                access.write,
                self.names.place(access.place, access.edge),
                tuple(self.names.locks(access.locks | access.shared, access.edge)),
                isinstance(edge.action, Free),
            )
            self._told[key] = side
        return self._told[key]


def _order(side: Side) -> tuple[str, int, int, str, bool, str]:
    span = side.span
    where = ("", 0, 0) if span is None else (span.path, span.line, span.column)
    return (*where, side.thread, side.write, side.place)
