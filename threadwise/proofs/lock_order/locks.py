"""Lock classes: sets of mutexes that an order does not distinguish.

A mutex that is always used by its name, with constant indices, is a class of its own. Others are
classified by where they are in memory, as in lockdep:

    accounts[i].lock            accounts[].lock         all elements of an array are one class
    (*p).lock, p to a struct s  struct s.lock           wherever the record is
    *p, p to a mutex            pthread_mutex_t         may be any mutex of this type

A mutex has a *chain*: the records that it is in, from the innermost one on, with the members that
lead to it. Who uses it behind a pointer sees the beginning of its chain. The class of a mutex is
the shortest beginning that is used so anywhere in the program; so all uses of a mutex agree. That
a pointer to one kind of record does not lead to another kind is what C demands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Const,
    DerefPlace,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Edge, Program
from threadwise.ir.text.printer import print_place
from threadwise.ir.types import MutexType, RecordType
from threadwise.proofs.base.answer import Refuted

Chain = tuple[tuple[str, str], ...]
"""Records and members, from the mutex outwards."""


class _Use(NamedTuple):
    """How a mutex is got at."""

    chain: Chain
    erased: str | None
    """Its place in a variable, without indices; None behind a pointer."""
    indexed: bool
    """Whether an index is no constant."""


class Locks:
    """The classes of the mutexes of a program."""

    def __init__(self, program: Program) -> None:
        self._behind: set[Chain] = set()
        self._spread: set[str] = set()
        self._reset: set[str] = set()
        uses = [(place, _use(place)) for edge in program.edges for place in mutexes_of(edge)]
        for _, use in uses:
            if use.erased is None:
                self._behind.add(use.chain)
            elif use.indexed:
                self._spread.add(use.erased)
        for edge in program.edges:
            for place in _freed_plainly(edge):
                self._reset.add(self.of(place))

    def of(self, mutex: Place) -> str:
        """The class of a mutex."""
        use = _use(mutex)
        for length in range(len(use.chain) + 1):
            if use.chain[:length] in self._behind:
                return _told(use.chain[:length])
        assert use.erased is not None
        return use.erased if use.erased in self._spread else print_place(mutex)

    def is_one(self, mutex: Place) -> bool:
        """Whether the class of a mutex has no other members."""
        use = _use(mutex)
        beginnings = (use.chain[:length] for length in range(len(use.chain) + 1))
        return use.erased not in self._spread and not any(b in self._behind for b in beginnings)

    def may_be_gate(self, mutex: Place) -> bool:
        """Whether who has taken a mutex has it until it gives it back itself."""
        return self.is_one(mutex) and self.of(mutex) not in self._reset


def is_owner(place: Place) -> bool:
    """Whether a place is the owner of a mutex."""
    return (
        isinstance(place, FieldPlace)
        and place.field == "owner"
        and isinstance(place.base.type, MutexType)
    )


def mutexes_of(edge: Edge) -> Iterator[Place]:
    """The mutexes that an edge is about, or whose owner it writes."""
    subject = None if edge.operation is None else edge.operation.subject
    if isinstance(subject, Read) and is_owner(subject.place):
        assert isinstance(subject.place, FieldPlace)
        yield subject.place.base
    if isinstance(edge.action, Command):
        for each in edge.action.assignments:
            if is_owner(each.target):
                assert isinstance(each.target, FieldPlace)
                yield each.target.base


def _freed_plainly(edge: Edge) -> Iterator[Place]:
    """Mutexes whose owner an edge erases that is no operation on them: `memset`."""
    if edge.operation is None and isinstance(edge.action, Command):
        for each in edge.action.assignments:
            if is_owner(each.target) and each.value == NOBODY:
                assert isinstance(each.target, FieldPlace)
                yield each.target.base


def _use(mutex: Place) -> _Use:
    chain: list[tuple[str, str]] = []
    inside: list[str] = []
    indexed = False
    place = mutex
    while True:
        match place:
            case FieldPlace(base, field):
                assert isinstance(base.type, RecordType)
                chain.append((base.type.name, field))
                inside.append(f".{field}")
            case IndexPlace(base, index):
                indexed |= not isinstance(index, Const)
                inside.append("[]")
            case DerefPlace():
                return _Use(tuple(chain), None, indexed)
            case VariablePlace(variable):
                if variable.scope is not Scope.GLOBAL:
                    raise Refuted(f"the lock {print_place(mutex)}, which is no shared one")
                erased = "".join([variable.name, *reversed(inside)])
                return _Use(tuple(chain), erased, indexed)
        place = base


def _told(chain: Chain) -> str:
    """A class by the beginning of a chain: the outermost record there, and the members."""
    if not chain:
        return "any mutex"
    return ".".join([chain[-1][0], *(field for _, field in reversed(chain))])
