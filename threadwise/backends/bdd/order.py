"""The order of variables, computed from the program.

Shared cells come first, then thread by thread its location and own cells. A shared cell that only
one thread writes stands before that thread, and so does a cell of an array with an element per
thread; one that two threads write (a fork) stands between them if they are neighbours and before
the first of them otherwise. Bits of one field stay together: most fields are compared with
constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.space import Space

FEW = 2
"""A cell that more threads write than this belongs to everybody."""


def variable_order(space: Space, writers: Mapping[str, Iterable[int]]) -> list[Field]:
    """All fields, in order; `writers` are the threads that write a shared field."""
    common: list[Field] = []
    beside: dict[int, list[Field]] = {thread.thread: [] for thread in space.threads}
    for slot, field in enumerate(space.shared):
        owner = space.owner.get(slot)
        threads = sorted(writers.get(field.name, ()))
        if owner is not None:
            beside[owner].append(field)
        elif len(threads) == 1:
            beside[threads[0]].append(field)
        elif len(threads) == FEW:
            neighbours = threads[1] == threads[0] + 1
            beside[threads[1] if neighbours else threads[0]].append(field)
        else:
            common.append(field)
    order = common
    for thread in space.threads:
        order.extend(beside[thread.thread])
        order.extend(thread.all)
    return order
