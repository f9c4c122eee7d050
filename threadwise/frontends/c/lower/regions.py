"""Atomic regions that the program begins and ends at arbitrary places.

`__tw_atomic_begin` and `__tw_atomic_end` may stand on some paths only: what matters is how many
regions a path has begun. So a node stands for as many points of the program as there are numbers
of regions with which it can be reached; inside some region it is atomic, and what it does is
synchronisation. Ending what was not begun, regions in regions without bound, calls inside regions,
and threads that end inside are limits.
"""

from __future__ import annotations

from threadwise.core.quick_dataclass import replace
from threadwise.frontends.c.lower.graph import Arc, Graph, Point
from threadwise.ir.commands import Call, Command, Return

_DEEPEST = 16


def settle_regions(graph: Graph) -> None:
    """Make the nodes inside regions atomic, and copies of those that are inside and outside."""
    if graph.marks:
        _Settling(graph).run()


class _Settling:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.arcs: list[Arc] = []
        self.jumps: list[tuple[int, int]] = []
        self.copies: dict[tuple[int, int], int] = {}
        self.used: set[int] = set()
        self.pending: list[tuple[int, int]] = []

    def run(self) -> None:
        graph = self.graph
        leaving: dict[int, list[Arc | int]] = {}
        for arc in graph.arcs:
            leaving.setdefault(arc.source, []).append(arc)
        for source, target in graph.jumps:
            leaving.setdefault(source, []).append(target)
        self._copy(0, 0)
        while self.pending:
            node, depth = self.pending.pop()
            here = self.copies[node, depth]
            for way in leaving.get(node, ()):
                if isinstance(way, Arc):
                    self._arc(way, here, depth)
                else:
                    self._jump(node, way, here, depth)
        graph.arcs, graph.jumps = self.arcs, self.jumps

    def _arc(self, arc: Arc, here: int, depth: int) -> None:
        if depth and isinstance(arc.action, Call | Return):
            self._stop(here, self.graph.call_limit, arc)
            return
        if depth and self._is_end(arc.target):
            self._stop(here, self.graph.end_limit, arc)
            return
        target = arc.target if isinstance(arc.action, Return) else self._copy(arc.target, depth)
        sync = arc.sync or depth > 0
        if (here, target, sync) != (arc.source, arc.target, arc.sync):
            arc = replace(arc, source=here, target=target, sync=sync)
        self.arcs.append(arc)

    def _jump(self, node: int, target: int, here: int, depth: int) -> None:
        change, limit = self.graph.marks.get((node, target), (0, 0))
        if depth and self._is_end(target):
            self._stop(here, self.graph.end_limit, None)
        elif 0 <= depth + change <= _DEEPEST:
            self.jumps.append((here, self._copy(target, depth + change)))
        else:
            self._stop(here, limit, None)

    def _is_end(self, node: int) -> bool:
        """Whether a thread has ended at a node; where it waits to be started there is a way on."""
        return self.graph.points[node].final and node != 0

    def _stop(self, here: int, limit: int, arc: Arc | None) -> None:
        span, text = (None, "") if arc is None else (arc.span, arc.text)
        self.arcs.append(Arc(here, limit, Command(), span, None, True, text))

    def _copy(self, node: int, depth: int) -> int:
        point = self.graph.points[node]
        if point.failure is not None:
            return node
        key = (node, depth)
        if key not in self.copies:
            if node in self.used:
                self.graph.points.append(_inside(point, depth))
                self.copies[key] = len(self.graph.points) - 1
            else:
                self.used.add(node)
                if point.atomic != (point.structured or depth > 0):
                    self.graph.points[node] = _inside(point, depth)
                self.copies[key] = node
            self.pending.append(key)
        return self.copies[key]


def _inside(point: Point, depth: int) -> Point:
    """A copy of a point, inside so many regions."""
    return replace(point, atomic=point.structured or depth > 0, labels=list(point.labels))
