"""Whether the steps of an edge commute with those of other threads: what an annotation claims.

For t in l taking an edge, u ≠ t in m, and g with (g, l) in R_t and (g, m) in R_u, where a step
that fails leaves the shared store alone, and →t is a step of t, →u one of u by the same edge:

    right   (g, l) →t (g1, l'), (g1, m) →u (g2, m')  ==>  (g, m) →u (h, m'), (h, l) →t (g2, l')
                                                          for some h
    left    (g, m) →u (g1, m'), (g1, l) →t (g2, l')  ==>  (g, l) →t (h, l'), (h, m) →u (g2, m')
                                                          for some h
    apart   (g, m) →u (g1, m'), (g, l) →t (h, l')    ==>  (h, m) →u (g2, m'), (g1, l) →t (g2, l')
                                                          for some g2

A right mover has `right`, a left mover `left` and `apart`. QRR §4 has the first two. The third is
needed to complete transactions (C3): what t can do now it can still do after the step of u, with
the same effect. Without it a step that others can disable would be a left mover whenever they do.

Two increments commute although both write x, so this goes beyond the rules of `classify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from threadwise.ir.program import EdgeId
from threadwise.systems.api import ReachedPairs, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local

Reached = ReachedPairs[Global, Local]


class _Reach(NamedTuple):
    edge: EdgeId
    g: Global
    l: Local


@dataclass(frozen=True)
class Clash:
    """A step of another thread with which an edge does not commute."""

    thread: Role
    edge: EdgeId


class Commutation:
    """Looks for steps that do not commute, in the pairs of R."""

    def __init__(self, system: ConcreteSystem, reached: Reached) -> None:
        self.system = system
        self.reached = reached

    def right(self, t: Role, l: Local, edge: EdgeId) -> Clash | None:
        """What keeps an edge from being a right mover."""
        for g, u, m in self._meetings(t, l):
            before = set(self._steps(u, g, m))
            for first in self._own(t, g, l, edge):
                for second in self._steps(u, first.g, m):
                    if not any(
                        _Reach(edge, second.g, first.l) in self._own(t, other.g, l, edge)
                        for other in before
                        if (other.edge, other.l) == (second.edge, second.l)
                    ):
                        return Clash(u, second.edge)
        return None

    def left(self, t: Role, l: Local, edge: EdgeId) -> Clash | None:
        """What keeps an edge from being a left mover."""
        for g, u, m in self._meetings(t, l):
            mine = set(self._own(t, g, l, edge))
            for first in self._steps(u, g, m):
                after = set(self._own(t, first.g, l, edge))
                for second in after:  # left
                    if not any(
                        _Reach(first.edge, second.g, first.l) in self._steps(u, other.g, m)
                        for other in mine
                        if other.l == second.l
                    ):
                        return Clash(u, first.edge)
                for other in mine:  # apart
                    if not any(
                        _Reach(edge, late.g, other.l) in after
                        for late in self._steps(u, other.g, m)
                        if (late.edge, late.l) == (first.edge, first.l)
                    ):
                        return Clash(u, first.edge)
        return None

    def _meetings(self, t: Role, l: Local) -> Iterator[tuple[Global, Role, Local]]:
        """Where another thread can be while t is in l."""
        for g, stores in self.reached.by_global.items():
            if (g, l) in self.reached.pairs[t]:
                for u in self.system.roles:
                    for m in stores[u] if u != t else ():
                        yield g, u, m

    def _own(self, t: Role, g: Global, l: Local, edge: EdgeId) -> list[_Reach]:
        return [step for step in self._steps(t, g, l) if step.edge == edge]

    def _steps(self, t: Role, g: Global, l: Local) -> list[_Reach]:
        if self.system.is_stopped(l):
            return []
        return [
            _Reach(step.choices[0].edge, g if self.system.is_stopped(step.l) else step.g, step.l)
            for step in self.system.step(t, g, l)
        ]
