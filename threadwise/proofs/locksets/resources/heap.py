"""What one thread owns: a symbolic heap (Berdine, Calcagno, O'Hearn 2005).

A *name* stands for an address. Three kinds of parts, each of objects of its own:

    node      one object, with the values of its links
    tree      nothing if the name is null or of no tracked object; else the object, and a tree for
              each of its links
    chain     `x ~> y`: nothing if x is y; else the object x, trees for its other links, and a
              chain from its link to y

What is *opened* are units (`threadwise.proofs.locksets.resources.claims`) that the thread may
change at the moment; the values of their slots are known. Parts that came from a lock that is held
for reading are *borrowed*: they may only be read.

Whoever allocates an object has its *receipt*, once and for all. Of objects with a flag that says
that they are back, or with a count of references, that number is among the links. An object that
is counted may be *shared*: then a thread has some of its references, and a tree is one.

Everything is conjoined by `*`: parts have no object in common. To forget a part, a value or that a
name is not null is always right; `cases` says what a part may be, `close` what it is a part of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import Place
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.containers.handover import Custody
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.claims import Shape, Unit


class Known(Enum):
    """Pointers that are no names."""

    NULL = "null"
    OTHER = "other"
    """Null, or to no object of the tracked sites."""


class Pointer(NamedTuple):
    """To a folded cell of the object that a name stands for; None: to any of its cells."""

    name: int
    cell: int | None


class SlotAddress(NamedTuple):
    """To a slot: that with this key which goes with a lock."""

    lock: Place
    key: Key
    element: Place | None = None
    """Its name, if there are several."""


class Hold(NamedTuple):
    """How a thread has an object."""

    custody: Custody | None
    receipt: bool
    """Whether it is the thread that has allocated it."""


class AtLeast(NamedTuple):
    """A number that is not less than this one."""

    least: int


class Count(NamedTuple):
    """The number of references to a shared object, and some more."""

    name: int
    more: int
    lock: Place | None
    """While the thread holds it, that does not change otherwise; None: within an atomic region."""


class Plan(NamedTuple):
    """What a claim says about numbers of objects."""

    counts: Mapping[str, int] = {}
    """The counts of references, by site."""
    loose: frozenset[Target] = frozenset()
    """Links that say nothing while an object is shared."""


NO_PLAN = Plan()
Value = Known | Pointer | SlotAddress | Count | AtLeast | int | None
"""Numbers are what variables were set to; None: not known."""
Sites = frozenset[str]
"""Where an object may be from; ELSEWHERE is among them if it may be of no tracked site."""
ELSEWHERE = ""
COUNT = -1
"""In place of the links of objects that are counted."""
Layout = Callable[[Sites], Mapping[Sites, Mapping[int, Sites | None]]]
"""The links of objects, and the sites these lead to, for sites with the same links together; None
for the flag, which is no link."""


class Chain(NamedTuple):
    """From a name to another, by a link."""

    end: int
    link: int


class Opened(NamedTuple):
    """A unit of the container of a lock."""

    lock: Place
    unit: Unit
    element: Place | None = None
    """The name of its slot, if there are several; only one of them is open at a time."""

    def other(self, lock: Place, element: Place | None) -> Opened:
        """The same by other names."""
        return Opened(lock, self.unit, element)


class Split(Exception):  # noqa: N818 - no error
    """There are several cases; each has to be considered."""

    def __init__(self, cases: list[Heap]) -> None:
        super().__init__()
        self.cases = cases


class Nowhere(Exception):  # noqa: N818 - no error
    """No run comes here: C gives it no meaning, or what is known contradicts itself."""


@dataclass
class Heap:
    """What a thread has, and where its variables point to."""

    store: dict[Place, Value] = field(default_factory=dict)
    nodes: dict[int, dict[int, Value]] = field(default_factory=dict)
    trees: set[int] = field(default_factory=set)
    chains: dict[int, Chain] = field(default_factory=dict)
    sites: dict[int, Sites] = field(default_factory=dict)
    some: set[int] = field(default_factory=set)
    """The names that are not null."""
    borrowed: dict[int, Place] = field(default_factory=dict)
    """Parts that are there for reading, with their locks."""
    opened: dict[Opened, dict[Key, Value]] = field(default_factory=dict)
    shared: set[Opened] = field(default_factory=set)
    """Those that are open for reading."""
    alone: bool = False
    """Whether this is the first thread, and it started no other one so far."""
    receipts: set[int] = field(default_factory=set)
    """The names of objects that this thread has allocated."""
    marked: dict[int, Place | None] = field(default_factory=dict)
    """Objects that it gives back when it gives back this lock; None: at the end of the step."""
    seen: dict[int, int] = field(default_factory=dict)
    """Within a step: the flags of objects that it does not have, and whether a count becomes 0."""
    shares: dict[int, int] = field(default_factory=dict)
    """How many references to shared objects it holds."""
    inside: dict[int, int] = field(default_factory=dict)
    """What shared objects lead to."""
    others: dict[int, Place | None] = field(default_factory=dict)
    """Shared objects to which others have references while this lock is held (see `Count`)."""
    plan: Plan = NO_PLAN

    def copy(self) -> Heap:
        """The same, to be changed."""
        return Heap(
            dict(self.store),
            {name: dict(links) for name, links in self.nodes.items()},
            set(self.trees),
            dict(self.chains),
            dict(self.sites),
            set(self.some),
            dict(self.borrowed),
            {unit: dict(slots) for unit, slots in self.opened.items()},
            set(self.shared),
            self.alone,
            set(self.receipts),
            dict(self.marked),
            dict(self.seen),
            dict(self.shares),
            dict(self.inside),
            dict(self.others),
            self.plan,
        )

    def fresh(self, sites: Sites) -> int:
        """A new name."""
        name = max(self.sites, default=0) + 1
        self.sites[name] = sites
        return name

    def has(self, name: int) -> bool:
        """Whether the thread has what a name stands for."""
        return name in self.nodes or name in self.trees or name in self.chains

    def custody(self, name: int) -> Custody | None:
        """How the thread has the object that a name stands for, if it stands for one."""
        if name in self.shares or name in self.others or self.inside.get(name) in self.shares:
            return Custody.COUNTED
        shared = name in self.borrowed
        while name in self.chains:  # which may be empty: then the end is meant
            name = self.chains[name].end
            shared |= name in self.borrowed
        if not self.has(name):
            return None
        if name not in self.nodes and not self.sites[name].isdisjoint(self.plan.counts):
            return Custody.COUNTED
        return Custody.SHARED if shared else Custody.TAKEN

    # -- names -----------------------------------------------------------------------------------

    def become(self, name: int, value: Value) -> None:
        """A name turns out to be null, or the same as another; raises Nowhere."""
        if value is Known.OTHER:
            if name in self.nodes:
                raise Nowhere
            self.trees.discard(name)
            self._replace(name, Known.OTHER)
            return
        if value is Known.NULL:
            if name in self.nodes or name in self.some:
                raise Nowhere
            self.trees.discard(name)
            chain = self.chains.pop(name, None)
            self._replace(name, Known.NULL)
            if chain is not None:
                self.become(chain.end, Known.NULL)
            return
        assert isinstance(value, Pointer)
        self._unite(name, value)

    def _unite(self, name: int, value: Pointer) -> None:
        """A name turns out to be the same as another; raises Nowhere."""
        other = value.name
        if name in self.nodes and other in self.nodes:
            raise Nowhere
        mine, its = (self.has(each) or each in self.shares for each in (name, other))
        if mine and its and not (name in self.shares and other in self.shares):
            return  # one of them is of no object, but which one is not said
        if name in self.inside or other in self.inside:
            return
        if name in self.shares:
            self.shares[other] = self.shares.get(other, 0) + self.shares.pop(name)
        if name in self.trees:
            self.trees.add(other)
        if name in self.nodes:
            self.nodes[other] = self.nodes.pop(name)
        if name in self.chains:
            self.chains[other] = self.chains.pop(name)
        if name in self.borrowed:
            self.borrowed[other] = self.borrowed[name]
        if name in self.some:
            self.some.add(other)
        if name in self.receipts:
            self.receipts.add(other)
        if name in self.marked:
            self.marked[other] = self.marked[name]
        self.trees.discard(name)
        self.sites[other] &= self.sites[name]
        self._replace(name, value)

    def _replace(self, name: int, value: Value) -> None:
        def new(old: Value) -> Value:
            if isinstance(old, Count) and old.name == name:
                return old._replace(name=value.name) if isinstance(value, Pointer) else None
            if not isinstance(old, Pointer) or old.name != name:
                return old
            return old._replace(name=value.name) if isinstance(value, Pointer) else value

        self._change(new)
        if isinstance(value, Pointer):
            for start, chain in self.chains.items():
                if chain.end == name:
                    self.chains[start] = chain._replace(end=value.name)
        else:
            for start, chain in list(self.chains.items()):
                if chain.end == name:  # a chain to null is a tree
                    del self.chains[start]
                    self.trees.add(start)
        self.forget(name)

    def forget(self, name: int) -> None:
        """A name stands for nothing any more."""
        self.some.discard(name)
        self.receipts.discard(name)
        self.marked.pop(name, None)
        self.borrowed.pop(name, None)
        self.shares.pop(name, None)
        self.inside.pop(name, None)
        self.others.pop(name, None)
        self.sites.pop(name, None)

    def _change(self, change: Callable[[Value], Value]) -> None:
        """Change all values."""
        self.store = {place: change(value) for place, value in self.store.items()}
        for links in self.nodes.values():
            links.update({cell: change(value) for cell, value in links.items()})
        for slots in self.opened.values():
            slots.update({key: change(value) for key, value in slots.items()})

    # -- what a part may be ----------------------------------------------------------------------

    def node(self, name: int, layout: Layout) -> dict[int, Value] | None:
        """The links of an object that the thread has; None if it has not; raises Split."""
        if name in self.nodes:
            return self.nodes[name]
        if self.has(name):
            raise Split(list(self.cases(name, layout)))
        return None

    def cases(self, name: int, layout: Layout) -> Iterator[Heap]:
        """What a tree or chain may be at its beginning."""
        chain = self.chains.get(name)
        empty = self.copy()
        try:
            if chain is None:
                other = ELSEWHERE in self.sites[name]
                empty.become(name, Known.OTHER if other else Known.NULL)
            else:
                del empty.chains[name]
                empty.become(name, Pointer(chain.end, 0))
        except Nowhere:
            pass
        else:
            yield empty
        for sites, links in layout(self.sites[name] - {ELSEWHERE}).items():
            found = self.copy()
            found.trees.discard(name)
            found.chains.pop(name, None)
            found.sites[name] = sites
            found.some.add(name)
            if COUNT in links:
                if chain is None:
                    found.shares[name] = 1
                    yield found
                continue
            found.nodes[name] = {}
            for cell, leads in links.items():
                if leads is None:  # what is in containers is not back
                    found.nodes[name][cell] = 0
                    continue
                following = found.fresh(leads)
                found.nodes[name][cell] = Pointer(following, 0)
                if name in found.borrowed:
                    found.borrowed[following] = found.borrowed[name]
                if chain is not None and cell == chain.link:
                    found.chains[following] = chain
                else:
                    found.trees.add(following)
            if chain is None or chain.link in links:
                yield found

    # -- references ------------------------------------------------------------------------------

    def count_of(self, name: int) -> int | None:
        """The cell with the number of references to an object, if it is counted."""
        found = {self.plan.counts.get(site) for site in self.sites[name]}
        return found.pop() if len(found) == 1 else None

    def share(self, name: int) -> bool:
        """Whether an object that the thread has may be shared: all references are its own then."""
        cell, links = self.count_of(name), self.nodes.pop(name)
        times = None if cell is None else links.pop(cell)
        if not isinstance(times, int) or times < 1 or name in self.borrowed:
            return False
        sites = self.sites[name]
        firm = [
            value
            for link, value in links.items()
            if not all(Target(site, link) in self.plan.loose for site in sites)
        ]
        self.shares[name] = times
        return all(map(self.take_tree, firm))

    def give_share(self, name: int) -> bool:
        """Whether the thread has a reference to an object, which is taken away."""
        if name in self.nodes and self.count_of(name) is not None and not self.share(name):
            return False
        if name not in self.shares or name in self.borrowed:
            return False
        self.shares[name] -= 1
        self._keep_shares(name)
        return True

    def _keep_shares(self, name: int) -> None:
        """Without references to an object, what it leads to may change."""
        if not self.shares[name]:
            del self.shares[name]
            self.inside = {part: whole for part, whole in self.inside.items() if whole != name}

    def forget_counts(self) -> None:
        """What is known of counts does not last."""
        self.store = {p: v for p, v in self.store.items() if not isinstance(v, Count)}
        self.others.clear()

    def recount(self, name: int, by: int, links: Mapping[int, Sites | None] | None) -> None:
        """A reference is made or dropped; with links: the last one, the object is its own then."""

        def told(value: Value) -> Value:
            if not isinstance(value, Count):
                return value
            if value.name != name:  # it may be the same object
                return None
            if links is not None:
                return 1 + value.more
            return AtLeast((1 if by > 0 else 2) + value.more)

        self._change(told)
        self.others.clear()
        self.shares[name] += by
        self._keep_shares(name)
        if links is None:
            return
        self.nodes[name] = {}
        for cell, leads in links.items():
            if leads is None:
                self.nodes[name][cell] = None
                continue
            following = self.fresh(leads)
            self.nodes[name][cell] = Pointer(following, 0)
            self.trees.add(following)

    # -- what it is a part of --------------------------------------------------------------------

    def take_tree(self, value: Value) -> bool:
        """Whether what a pointer leads to is there as a tree, which is taken away."""
        while True:
            match value:
                case Known():
                    return True
                case int(flag):
                    return flag == 0
                case Pointer(name, 0) if name not in self.borrowed:
                    if name in self.shares or (
                        name in self.nodes and self.count_of(name) is not None
                    ):
                        return self.give_share(name)
                    if name in self.trees:
                        self.trees.discard(name)
                        return True
                    if name in self.chains:
                        value = Pointer(self.chains.pop(name).end, 0)
                        continue
                    links = self.nodes.pop(name, None)
                    return links is not None and all(map(self.take_tree, links.values()))
                case _:
                    return False

    def take_list(self, first: Value, last: int, link: int) -> bool:
        """Whether a chain to an object without successor is there, which is taken away.

        Objects that are counted are in no lists with tails.
        """
        while first != Pointer(last, 0):
            if not isinstance(first, Pointer) or first.cell != 0 or first.name in self.borrowed:
                return False
            chain = self.chains.get(first.name)
            if chain is not None:
                if chain.link != link:
                    return False
                del self.chains[first.name]
                first = Pointer(chain.end, 0)
                continue
            links = self.nodes.pop(first.name, None)
            if links is None or link not in links or self.count_of(first.name) is not None:
                return False
            others = [value for cell, value in links.items() if cell != link]
            if not all(map(self.take_tree, others)):
                return False
            first = links[link]
        links = None if self.count_of(last) is not None else self.nodes.get(last)
        if links is None or links.get(link) is not Known.NULL:
            return False
        return self.take_tree(first)

    def close(self, which: Opened) -> bool:
        """Whether a unit is as claimed; then it is given back."""
        slots = self.opened.pop(which)
        if which in self.shared:
            self.shared.discard(which)
            if not any(other.lock == which.lock for other in self.shared):
                self._return(which.lock)
            return True
        unit = which.unit
        head = slots[unit.head]
        if unit.tail is None:
            return self.take_tree(head)
        tail = slots[unit.tail]
        if head is Known.NULL:
            match unit.shape:
                case Shape.CLEARED:
                    return tail is Known.NULL
                case Shape.STALE:
                    return True
                case Shape.LINK:
                    return tail == SlotAddress(which.lock, unit.head, which.element)
        if not isinstance(tail, Pointer):
            return False
        if tail.cell != (unit.link if unit.shape is Shape.LINK else 0):
            return False
        return self.take_list(head, tail.name, unit.link)

    def _return(self, lock: Place) -> None:
        """What was borrowed by a lock is forgotten."""
        names = {name for name, by in self.borrowed.items() if by == lock}
        for name in names:
            self.nodes.pop(name, None)
            self.trees.discard(name)
            self.chains.pop(name, None)
            self.shares.pop(name, None)
            del self.borrowed[name]

    def rename(self, old: Opened, new: Opened) -> None:
        """A unit gets another name: its lock, or its slot."""

        def told(value: Value) -> Value:
            if not isinstance(value, SlotAddress) or value[::2] != old[::2]:
                return value
            return SlotAddress(new.lock, value.key, new.element)

        self._change(told)
        self.opened = {new if w == old else w: slots for w, slots in self.opened.items()}
        self.shared = {new if which == old else which for which in self.shared}
        self.borrowed = {
            n: new.lock if lock == old.lock else lock for n, lock in self.borrowed.items()
        }

    def forget_names(self, changes: Callable[[Place], bool]) -> None:
        """Addresses of slots are dropped whose locks, or names, are others from now on."""

        def kept(value: Value) -> Value:
            if isinstance(value, Count):
                return None if value.lock is not None and changes(value.lock) else value
            if not isinstance(value, SlotAddress):
                return value
            changed = changes(value.lock) or (value.element is not None and changes(value.element))
            return None if changed else value

        self._change(kept)
        self.others = {
            name: lock for name, lock in self.others.items() if lock is None or not changes(lock)
        }
