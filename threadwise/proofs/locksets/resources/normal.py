"""Symbolic heaps in a normal form, so that loops terminate.

What no variable points to is folded: a node whose links lead to trees is a tree, and two parts of
a chain with nothing else pointing to where they meet are one chain. What nothing leads to any more
is forgotten, and names are numbered in the order in which they are found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator

from threadwise.proofs.locksets.knowledge import spelled
from threadwise.proofs.locksets.resources.heap import Chain, Count, Heap, Known, Pointer, Value


def normal(heap: Heap, links: frozenset[int]) -> Heap:
    """The same, or less, of a heap, which is changed."""
    _fold(heap, links)
    return _renamed(heap)


def key_of(heap: Heap) -> Hashable:
    """What is equal for equal heaps."""
    return (
        frozenset(heap.store.items()),
        frozenset((name, frozenset(values.items())) for name, values in heap.nodes.items()),
        frozenset(heap.trees),
        frozenset(heap.chains.items()),
        frozenset((name, frozenset(sites)) for name, sites in heap.sites.items()),
        frozenset(heap.some),
        frozenset(heap.borrowed.items()),
        frozenset((which, frozenset(values.items())) for which, values in heap.opened.items()),
        frozenset(heap.shared),
        heap.alone,
        frozenset(heap.receipts),
        frozenset(heap.marked.items()),
        frozenset(heap.shares.items()),
        frozenset(heap.inside.items()),
        frozenset(heap.others.items()),
    )


def _names(values: Iterable[Value]) -> Iterator[int]:
    for value in values:
        if isinstance(value, Pointer):
            yield value.name


def _fold(heap: Heap, links: frozenset[int]) -> None:
    held = set(_names(heap.store.values()))
    for which, values in heap.opened.items():  # the last object of a list stays one
        held |= set(_names([values[which.unit.tail]] if which.unit.tail is not None else []))
    slots = set(_names(v for each in heap.opened.values() for v in each.values()))
    changed = True
    while changed:
        inner = Counter(_names(v for each in heap.nodes.values() for v in each.values()))
        inner.update(chain.end for chain in heap.chains.values())

        def met(name: int, inner: Counter[int] = inner) -> bool:
            return name not in held and name not in slots and inner[name] == 1

        changed = any(
            _is_tree(heap, name, met) or _is_chain(heap, name, met, links)
            for name in (*heap.nodes, *heap.chains)
            if name not in held
        )


def _is_tree(heap: Heap, name: int, met: Callable[[int], bool]) -> bool:
    """Whether a node was folded to a tree."""
    values = heap.nodes.get(name)
    if values is None or heap.count_of(name) is not None:
        return False
    if not _are_trees(heap, name, values.values(), met):
        return False
    for child in _names(values.values()):
        _drop(heap, child)
    del heap.nodes[name]
    heap.trees.add(name)
    heap.some.add(name)
    return True


def _are_trees(heap: Heap, name: int, values: Iterable[Value], met: Callable[[int], bool]) -> bool:
    for value in values:
        match value:
            case Known():
                pass
            case int(flag) if flag == 0:
                pass
            case Pointer(child, 0) if child in heap.trees and met(child):
                if heap.borrowed.get(child) != heap.borrowed.get(name):
                    return False
            case _:
                return False
    return True


def _is_chain(heap: Heap, name: int, met: Callable[[int], bool], links: frozenset[int]) -> bool:
    """Whether two parts were folded to a chain."""
    for link in links:
        middle = _next(heap, name, link, met)
        if middle is None or not met(middle) or middle == name:
            continue
        end = _next(heap, middle, link, met)
        if end is None or heap.borrowed.get(name) != heap.borrowed.get(middle):
            continue
        for part in (name, middle):
            for cell, value in heap.nodes.pop(part, {}).items():
                if cell != link:
                    for child in _names([value]):
                        _drop(heap, child)
            heap.chains.pop(part, None)
        _drop(heap, middle)
        heap.some.add(name)
        heap.chains[name] = Chain(end, link)
        return True
    return False


def _next(heap: Heap, name: int, link: int, met: Callable[[int], bool]) -> int | None:
    """Where a part leads by a link, if that is all of it that is not a tree."""
    chain = heap.chains.get(name)
    if chain is not None:
        return chain.end if chain.link == link else None
    values = heap.nodes.get(name)
    if values is None or link not in values or heap.count_of(name) is not None:
        return None
    others = [value for cell, value in values.items() if cell != link]
    following = values[link]
    if not isinstance(following, Pointer) or following.cell != 0:
        return None
    return following.name if _are_trees(heap, name, others, met) else None


def _drop(heap: Heap, name: int) -> None:
    """A name that nothing leads to any more."""
    heap.trees.discard(name)
    heap.forget(name)


def _renamed(heap: Heap) -> Heap:
    order: dict[int, int] = {}
    leading = [place for place, value in heap.store.items() if isinstance(value, Pointer)]
    pending = list(_names(heap.store[place] for place in sorted(leading, key=spelled)))
    for opened in sorted(heap.opened, key=str):
        slots = heap.opened[opened]
        pending += _names(slots[key] for key in sorted(slots))
    pending.reverse()
    while pending:
        name = pending.pop()
        if name in order:
            continue
        order[name] = len(order) + 1
        values = heap.nodes.get(name, {})
        following = list(_names(values[cell] for cell in sorted(values)))
        if name in heap.chains:
            following.append(heap.chains[name].end)
        pending += reversed(following)

    def new(value: Value) -> Value:
        match value:
            case Pointer(name, _):
                return value._replace(name=order[name])
            case Count(name, _, _):
                return value._replace(name=order[name]) if name in order else None
            case _:
                return value

    return Heap(
        {place: new(value) for place, value in heap.store.items()},
        {
            order[name]: {cell: new(value) for cell, value in values.items()}
            for name, values in heap.nodes.items()
            if name in order
        },
        {order[name] for name in heap.trees if name in order},
        {
            order[name]: chain._replace(end=order[chain.end])
            for name, chain in heap.chains.items()
            if name in order
        },
        {order[name]: sites for name, sites in heap.sites.items() if name in order},
        {order[n] for n in heap.some if n in order and n not in heap.nodes},
        {order[name]: lock for name, lock in heap.borrowed.items() if name in order},
        {which: {k: new(v) for k, v in slots.items()} for which, slots in heap.opened.items()},
        set(heap.shared),
        heap.alone,
        {order[name] for name in heap.receipts if name in order},
        {order[name]: lock for name, lock in heap.marked.items() if name in order},
        {},
        {order[name]: times for name, times in heap.shares.items() if name in order},
        {order[n]: order[m] for n, m in heap.inside.items() if n in order and m in order},
        {order[name]: lock for name, lock in heap.others.items() if name in order},
        heap.plan,
    )
