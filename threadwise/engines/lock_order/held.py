"""What threads hold: how it changes inside procedures, and how procedures are entered.

Changes are relative to where a procedure begins, so they are the same for all callers, and one
fixpoint over all procedures finds them. Entries of a procedure are distinguished by what is held
there, as long as they are few; then they become one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heappop, heappush

from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.proofs.lock_order.certificate import Change, Entry
from threadwise.proofs.lock_order.facts import change_of
from threadwise.proofs.lock_order.locks import Locks

MOST_ENTRIES = 4
"""So many entries of a procedure are distinguished."""


class Changes:
    """By procedure and location, what may have changed since the procedure began."""

    def __init__(self, program: Program, locks: Locks, tick: Callable[[], object]) -> None:
        self.program = program
        self.at: dict[str, dict[int, Change]] = {}
        self._callers: dict[str, dict[EdgeId, tuple[str, Edge]]] = {}
        self._rank = {name: rank for rank, name in enumerate(_callees_first(program))}
        self._pending: list[tuple[int, LocId]] = []
        self._waiting: set[LocId] = set()
        self._along = {
            edge.id: change_of(edge, locks)
            for edge in program.edges
            if not isinstance(edge.action, Call | Return)
        }
        for template in program.templates:
            self._enter(template.body)
        names = list(self._rank)
        while self._pending:
            tick()
            rank, location = heappop(self._pending)
            self._waiting.discard(location)
            self._follow(names[rank], location)

    def _enter(self, procedure: str) -> None:
        if procedure not in self.at:
            self.at[procedure] = {}
            self._reach(procedure, self.program.procedure[procedure].entry, Change())

    def _reach(self, procedure: str, location: LocId, change: Change) -> None:
        known = self.at[procedure].get(location)
        after = change if known is None else known.either(change)
        if after != known:
            self.at[procedure][location] = after
            if location not in self._waiting:
                self._waiting.add(location)
                heappush(self._pending, (self._rank[procedure], location))

    def _follow(self, procedure: str, location: LocId) -> None:
        change = self.at[procedure][location]
        for edge in self.program.outgoing[location]:
            match edge.action:
                case Call(callee):
                    self._enter(callee)
                    self._callers.setdefault(callee, {})[edge.id] = (procedure, edge)
                    for inner in self._returned(callee):
                        self._reach(procedure, edge.target, change.then(inner))
                case Return():
                    for caller, call in self._callers.get(procedure, {}).values():
                        before = self.at[caller][call.source]
                        self._reach(caller, call.target, before.then(change))
                case _:
                    self._reach(procedure, edge.target, change.then(self._along[edge.id]))

    def _returned(self, procedure: str) -> Iterator[Change]:
        at = self.at[procedure]
        for edge in self.program.procedure[procedure].edges:
            if isinstance(edge.action, Return) and edge.source in at:
                yield at[edge.source]


def _callees_first(program: Program) -> list[str]:
    """The procedures, each after those that it calls, where calls do not go round in a cycle."""
    called = {
        procedure.name: [e.action.procedure for e in procedure.edges if isinstance(e.action, Call)]
        for procedure in program.procedures
    }
    found: dict[str, None] = {}
    seen: set[str] = set()
    for first in called:
        pending = [first]
        while pending:
            name = pending[-1]
            new = [callee for callee in called[name] if callee not in seen]
            if name in seen or not new:
                seen.add(name)
                found.setdefault(pending.pop())
            else:
                seen.add(name)
                pending += new
    return list(found)


class Entries:
    """How procedures are entered."""

    def __init__(
        self,
        program: Program,
        at: Mapping[str, Mapping[int, Change]],
        tick: Callable[[], object],
    ) -> None:
        self.at = at
        self.calls = {
            name: [
                (changes[edge.source], edge.action.procedure)
                for edge in program.procedure[name].edges
                if isinstance(edge.action, Call) and edge.source in changes
            ]
            for name, changes in at.items()
        }
        self.of: dict[str, list[Entry]] = {}
        self.merged: set[str] = set()
        self.pending: list[Entry] = []
        for template in program.templates:
            self._enter(Entry(template.body))
        while self.pending:
            tick()
            for inside in self._inside(self.pending.pop()):
                self._enter(inside)

    def all(self) -> Iterator[Entry]:
        """All of them."""
        for entries in self.of.values():
            yield from entries

    def reached(self, body: str) -> list[Entry]:
        """Those that a thread gets to which begins with nothing."""
        found = [self._allowing(Entry(body))]
        known = set(found)
        for entry in found:  # which grow
            for inside in map(self._allowing, self._inside(entry)):
                if inside not in known:
                    known.add(inside)
                    found.append(inside)
        return found

    def _inside(self, entry: Entry) -> Iterator[Entry]:
        for change, callee in self.calls[entry.procedure]:
            yield Entry(callee, change.may(entry.may), change.surely(entry.surely))

    def _allowing(self, wanted: Entry) -> Entry:
        return next(entry for entry in self.of[wanted.procedure] if allows(entry, wanted))

    def _enter(self, entry: Entry) -> None:
        known = self.of.setdefault(entry.procedure, [])
        if any(allows(other, entry) for other in known):
            return
        if len(known) >= MOST_ENTRIES or entry.procedure in self.merged:
            self.merged.add(entry.procedure)
            may = entry.may.union(*(other.may for other in known))
            surely = entry.surely.intersection(*(other.surely for other in known))
            entry = Entry(entry.procedure, may, surely)
            known.clear()
        known.append(entry)
        self.pending.append(entry)


def allows(entry: Entry, wanted: Entry) -> bool:
    """Whether what one entry says covers another one."""
    return wanted.may <= entry.may and wanted.surely >= entry.surely
