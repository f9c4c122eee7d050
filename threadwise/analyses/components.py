"""The cycles of a graph: its strongly connected components."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def components(after: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """The strongly connected parts with at least one edge inside.

    `after` says where nodes lead; one that is missing leads nowhere.
    """
    every = all_components(after)
    return [part for part in every if len(part) > 1 or part[0] in after.get(part[0], ())]


def all_components(after: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """All strongly connected parts, those first that others lead to (Tarjan, without recursion).

    `after` says where nodes lead; one that is missing leads nowhere.
    """
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: list[N] = []
    on_stack: set[N] = set()
    found: list[list[N]] = []
    for start in after:
        if start in index:
            continue
        work = [(start, iter(after[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            target = next(rest, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part: list[N] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    found.append(part)
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(after.get(target, ()))))
            elif target in on_stack:
                low[node] = min(low[node], index[target])
    return found
