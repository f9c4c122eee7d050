"""A control-flow graph under construction.

Like the builder's, with nodes, edges and jumps that take no step; but it may still be changed:
`liveness` analyses and rewrites it before `emit` hands it to the builder of the procedure.
"""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.analyses.components import components
from threadwise.core.errors import InternalError
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.core.source import Span
from threadwise.ir.builder import Node, ProcedureBuilder
from threadwise.ir.commands import Action, Operation, Return
from threadwise.ir.expr import Place
from threadwise.ir.program import Failure


@dataclass(slots=True)
class Point:
    """A node."""

    span: Span | None = None
    atomic: bool = False
    final: bool = False
    structured: bool = False
    """Whether it is atomic for another reason than regions of the program's own."""
    failure: Failure | None = None
    labels: list[str] = field(default_factory=list)
    reached: bool = False
    """Whether something that was lowered leads here, from the entry; or may still do so."""
    indeterminate: tuple[Place, ...] = ()
    """What has no value here that any path reads (`ir.check.indeterminate` verifies that)."""


@dataclass(slots=True)
class Arc:
    """An edge."""

    source: int
    target: int
    action: Action
    span: Span | None
    operation: Operation | None
    sync: bool
    text: str
    declares: bool = False
    """Whether it only gives a fresh variable its undefined value."""


@dataclass(frozen=True, slots=True)
class Access:
    """An atomic access that is lowered, with its memory order; None: that is not known."""

    order: int | None
    failing: int | None
    """That of a compare-and-exchange that fails."""
    before: int = 0
    begin: int = 0


@dataclass(frozen=True, slots=True)
class Region:
    """An atomic access: the first and the last node inside, and the one before."""

    before: int
    begin: int
    end: int
    span: Span | None
    text: str


class Graph:
    """Nodes, arcs and jumps of one procedure; node 0 is the entry."""

    def __init__(self) -> None:
        self.points: list[Point] = [Point(reached=True)]
        self.arcs: list[Arc] = []
        self.jumps: list[tuple[int, int]] = []
        self.marks: dict[tuple[int, int], tuple[int, int]] = {}
        """Jumps into a region (1) or out of it (-1), and where they lead if that cannot be."""
        self.ordered: set[int] = set()
        """Nodes that no later store can be moved before (`lower.early`)."""
        self.weak: list[Region] = []
        """Stores with an order weaker than release."""
        self.call_limit = 0
        self.end_limit = 0
        self._failures: dict[tuple[Failure, Span | None], int] = {}

    def node(self, *, atomic: bool = False, final: bool = False) -> int:
        """A new node."""
        self.points.append(Point(atomic=atomic, final=final, structured=atomic))
        return len(self.points) - 1

    def failure(self, failure: Failure, span: Span | None) -> int:
        """The node of a failure."""
        key = (failure, span)
        if key not in self._failures:
            self.points.append(Point(span=span, failure=failure))
            self._failures[key] = len(self.points) - 1
        return self._failures[key]

    def jump(self, source: int, target: int) -> None:
        """Go on elsewhere without a step."""
        self.jumps.append((source, target))
        self.points[target].reached |= self.points[source].reached

    def successors(self) -> dict[int, list[int]]:
        """Where each node leads."""
        found: dict[int, list[int]] = {}
        for arc in self.arcs:
            if not isinstance(arc.action, Return):
                found.setdefault(arc.source, []).append(arc.target)
        for source, target in self.jumps:
            found.setdefault(source, []).append(target)
        return found

    def reachable(self) -> set[int]:
        """The nodes that paths lead to."""
        after = self.successors()
        seen = {0}
        pending = [0]
        while pending:
            for target in after.get(pending.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return seen

    def prune(self) -> None:
        """Forget what no path leads to; nothing was left out elsewhere."""
        seen = self.reachable()
        points = map(self.points.__getitem__, seen)
        if not all(point.reached or point.failure is not None for point in points):
            raise InternalError("code was left out that a path leads to")
        self.arcs = [arc for arc in self.arcs if arc.source in seen]
        self.jumps = [(a, b) for a, b in self.jumps if a in seen]

    def in_cycle(self) -> set[int]:
        """The nodes on some cycle."""
        return {node for component in components(self.successors()) for node in component}

    def emit(self, builder: ProcedureBuilder, names: Mapping[str, str]) -> None:
        """Hand everything reachable to a builder; `names` maps the keys of failed properties."""
        seen = self.reachable()
        nodes: dict[int, Node] = {}
        for number, point in enumerate(self.points):
            if number not in seen:
                continue
            if point.failure is not None:
                known = names.get(point.failure.property, point.failure.property)
                nodes[number] = builder.failure(replace(point.failure, property=known), point.span)
            else:
                nodes[number] = builder.node(
                    span=point.span,
                    labels=point.labels,
                    atomic=point.atomic,
                    final=point.final,
                    indeterminate=point.indeterminate,
                )
        for arc in self.arcs:
            if arc.source in seen:
                returns = isinstance(arc.action, Return)
                builder.edge(
                    nodes[arc.source],
                    nodes[arc.source if returns else arc.target],
                    arc.action,
                    span=arc.span,
                    operation=arc.operation,
                    sync=arc.sync,
                    text=arc.text,
                )
        for source, target in self.jumps:
            if source in seen:
                builder.jump(nodes[source], nodes[target])
