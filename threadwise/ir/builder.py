"""The constructor of programs: by hand from Python, and under every front end.

A `ProcedureBuilder` collects *nodes* and edges. Besides ordinary edges it takes *jumps*, which
cost no step: `build` removes them, so that

    a ─jump─▶ b, nothing else leaves a      a and b become one location
    a ─jump─▶ b, a ─jump─▶ c                a offers the first edges of b and of c

and a cycle of nothing but jumps becomes a location that skips to itself (a thread that spins for
ever without doing anything). A location that could jump to the end of a thread (or to a failure)
*or* do something else gets an explicit skip there; so does one inside an atomic region that could
jump out of it. A location before an atomic region stays apart from the region's own first
location, because loops inside the region come back to the latter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NewType

from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.core.source import Span
from threadwise.ir.commands import Action, Command, Operation, Return
from threadwise.ir.expr import TRUE, Expr, Place, Scope, Variable
from threadwise.ir.fold import conjunction, negation
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    EdgeId,
    Failure,
    Initial,
    Location,
    LocId,
    MoverClaim,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.properties import Property
from threadwise.ir.types import EnumType, Type

Node = NewType("Node", int)


@dataclass(slots=True)
class _NodeData:
    labels: list[str]
    span: Span | None
    atomic: bool
    final: bool
    failure: Failure | None
    indeterminate: tuple[Place, ...] = ()


@dataclass(slots=True)
class _EdgeData:
    source: Node
    target: Node
    action: Action
    span: Span | None
    operation: Operation | None
    sync: bool
    text: str
    mover: MoverClaim | None = None


@dataclass
class ProcedureBuilder:
    """One procedure under construction."""

    name: str
    parameters: tuple[Variable, ...] = ()
    result: Type | None = None
    span: Span | None = None
    mover: MoverClaim | None = None
    """What the user says about the edges that come next."""
    _locals: list[Declaration] = field(default_factory=list)
    _nodes: list[_NodeData] = field(default_factory=list)
    _edges: list[_EdgeData] = field(default_factory=list)
    _jumps: dict[Node, list[Node]] = field(default_factory=dict)
    _failures: dict[tuple[Failure, Span | None], Node] = field(default_factory=dict)
    entry: Node | None = None
    indeterminate: dict[LocId, tuple[Place, ...]] = field(default_factory=dict)
    """Where local variables have no value that may be read: known when the procedure is built."""

    def local(self, name: str, held: Type, initial: Initial = DEFAULT) -> Variable:
        """Declare a local variable."""
        variable = Variable(name, held, Scope.LOCAL)
        self._locals.append(Declaration(variable, initial))
        return variable

    def node(
        self,
        *,
        span: Span | None = None,
        labels: Iterable[str] = (),
        atomic: bool = False,
        final: bool = False,
        indeterminate: tuple[Place, ...] = (),
    ) -> Node:
        """A new location; the first one is the entry unless `entry` is set."""
        return self._new(_NodeData(list(labels), span, atomic, final, None, indeterminate))

    def failure(self, failure: Failure, span: Span | None) -> Node:
        """The location for a failure of the statement at `span`."""
        key = (failure, span)
        if key not in self._failures:
            self._failures[key] = self._new(
                _NodeData([], span, atomic=False, final=False, failure=failure)
            )
        return self._failures[key]

    def label(self, node: Node, name: str) -> None:
        """Name a location."""
        self._nodes[node].labels.append(name)

    def place_at(self, node: Node, span: Span | None) -> None:
        """Say which statement starts at a location, unless it is known already."""
        if self._nodes[node].span is None:
            self._nodes[node].span = span

    def edge(
        self,
        source: Node,
        target: Node,
        action: Action,
        *,
        span: Span | None = None,
        operation: Operation | None = None,
        sync: bool = False,
        text: str = "",
    ) -> None:
        """One step from a location to another."""
        self._edges.append(
            _EdgeData(source, target, action, span, operation, sync, text, self.mover)
        )

    def checked_edge(
        self,
        source: Node,
        target: Node,
        action: Action,
        checks: Sequence[tuple[Expr, Failure]],
        *,
        span: Span | None = None,
        operation: Operation | None = None,
        sync: bool = False,
        text: str = "",
    ) -> None:
        """One step that fails unless the checks hold, tried in order before the guard."""
        passed: list[Expr] = []
        for check, failure in checks:
            if check == TRUE:
                continue
            guard = conjunction((*passed, negation(check)))
            self.edge(
                source,
                self.failure(failure, span),
                Command(guard),
                span=span,
                operation=operation,
                sync=sync,
                text=text,
            )
            passed.append(check)
        guarded = action
        if passed:
            guarded = replace(action, guard=conjunction((*passed, action.guard)))
        self.edge(source, target, guarded, span=span, operation=operation, sync=sync, text=text)

    def jump(self, source: Node, target: Node) -> None:
        """Continue at another location without a step."""
        self._jumps.setdefault(source, []).append(target)

    def _new(self, data: _NodeData) -> Node:
        node = Node(len(self._nodes))
        self._nodes.append(data)
        if self.entry is None:
            self.entry = node
        return node

    def build(self, first_location: int, first_edge: int) -> Procedure:
        """Remove the jumps and number what is left."""
        if self.entry is None:
            raise ValueError(f"procedure {self.name} has no location")
        return _Assembly(self, first_location, first_edge).procedure()


class _Assembly:
    """Jump elimination and numbering for one procedure."""

    def __init__(self, source: ProcedureBuilder, first_location: int, first_edge: int) -> None:
        self.source = source
        self.first_location = first_location
        self.first_edge = first_edge
        self.outgoing: dict[Node, list[_EdgeData]] = {}
        for edge in source._edges:
            self.outgoing.setdefault(edge.source, []).append(edge)
        self.merged = self._merge()

    def _merge(self) -> dict[Node, Node]:
        """Map each node to the one it becomes: through single jumps to their end."""
        merged: dict[Node, Node] = {}
        for start in map(Node, range(len(self.source._nodes))):
            path: dict[Node, None] = {}
            node = start
            while node not in merged and node not in path:
                path[node] = None
                targets = self.source._jumps.get(node, [])
                if len(targets) != 1 or node in self.outgoing or self._enters(node, targets[0]):
                    break
                node = targets[0]
            end = merged.get(node, node)
            for passed in path:
                merged[passed] = end
        return merged

    def procedure(self) -> Procedure:
        """The finished graph."""
        source = self.source
        edges: dict[Node, list[_EdgeData]] = {}
        offered: set[Node] = set()
        labels: dict[Node, list[str]] = {}
        unknown: dict[Node, dict[Place, None]] = {}
        for node in map(Node, range(len(source._nodes))):
            data = source._nodes[node]
            labels.setdefault(self.merged[node], []).extend(data.labels)
            unknown.setdefault(self.merged[node], {}).update(dict.fromkeys(data.indeterminate))
        kept = [n for n in map(Node, range(len(source._nodes))) if self.merged[n] == n]
        for node in kept:
            members, skipped = self._closure(node)
            offered.update(members[1:])
            edges[node] = self._first_edges(node, members, skipped)
            for other in members[1:]:
                labels[node].extend(name for name in labels[other] if name not in labels[node])
                unknown[node].update(unknown[other])
        assert source.entry is not None
        entry = self.merged[source.entry]
        targets = {
            self.merged[edge.target]
            for out in edges.values()
            for edge in out
            if not isinstance(edge.action, Return)
        }
        kept = [n for n in kept if n not in offered or n in targets or n == entry]
        ids = {node: LocId(self.first_location + i) for i, node in enumerate(kept)}
        source.indeterminate = {ids[node]: tuple(unknown[node]) for node in kept if unknown[node]}
        return self._number(ids, edges, labels, entry)

    def _enters(self, source: Node, target: Node) -> bool:
        """Whether a jump leads into an atomic region."""
        return self.source._nodes[target].atomic and not self.source._nodes[source].atomic

    def _closure(self, node: Node) -> tuple[list[Node], list[Node]]:
        """Where jumps lead: nodes whose edges are offered, and nodes that take a skip to reach."""
        offered = dict.fromkeys([node])
        skipped: dict[Node, None] = {}
        pending = [(node, iter(self.source._jumps.get(node, [])))]
        while pending:
            origin, targets = pending[-1]
            target = next(targets, None)
            if target is None:
                pending.pop()
                continue
            end = self.merged[target]
            data = self.source._nodes[end]
            leaves = self.source._nodes[origin].atomic and not data.atomic
            rests = data.failure is not None or (data.final and end not in self.outgoing)
            if leaves or rests:
                skipped[end] = None
            elif end not in offered:
                offered[end] = None
                pending.append((end, iter(self.source._jumps.get(end, []))))
        return list(offered), list(skipped)

    def _first_edges(
        self, node: Node, offered: Sequence[Node], skipped: Sequence[Node]
    ) -> list[_EdgeData]:
        """The edges a location offers, with a skip where jumping alone would end or spin."""
        span = self.source._nodes[node].span
        found = [edge for member in offered for edge in self.outgoing.get(member, [])]
        found.extend(self._skip(node, target, span) for target in skipped)
        found.extend(self._skip(node, other, span) for other in self._cycles(node, offered))
        if node in self.source._jumps and not found:
            found.append(self._skip(node, node, span))
        return [edge if edge.source == node else replace(edge, source=node) for edge in found]

    def _cycles(self, node: Node, offered: Sequence[Node]) -> list[Node]:
        """Cycles of jumps that are entered from a location but lie apart from it.

        They are choices among others, or lie in an atomic region, which then never ends.
        """
        spins = self._spins(node)
        found: dict[bool, Node] = {}
        for other in offered[1:]:
            atomic = self.source._nodes[other].atomic
            apart = not spins or (atomic and not self.source._nodes[node].atomic)
            if apart and self._spins(other):
                found.setdefault(atomic, other)
        return list(found.values())

    def _spins(self, node: Node) -> bool:
        """Whether a location leads to nothing but jumps in a cycle."""
        if node not in self.source._jumps or node in self.outgoing:
            return False
        offered, skipped = self._closure(node)
        return not skipped and not any(member in self.outgoing for member in offered)

    @staticmethod
    def _skip(source: Node, target: Node, span: Span | None) -> _EdgeData:
        return _EdgeData(source, target, Command(), span, None, False, "skip")

    def _number(
        self,
        ids: dict[Node, LocId],
        edges: dict[Node, list[_EdgeData]],
        labels: dict[Node, list[str]],
        entry: Node,
    ) -> Procedure:
        locations: list[Location] = []
        numbered: list[Edge] = []
        for node in ids:
            data = self.source._nodes[node]
            out = edges[node]
            span = data.span or next((edge.span for edge in out), None)
            locations.append(
                Location(
                    ids[node],
                    tuple(dict.fromkeys(labels[node])),
                    span,
                    data.atomic,
                    data.final,
                    data.failure,
                )
            )
            for edge in out:
                returns = isinstance(edge.action, Return)
                numbered.append(
                    Edge(
                        EdgeId(self.first_edge + len(numbered)),
                        ids[node],
                        ids[node] if returns else ids[self.merged[edge.target]],
                        edge.action,
                        edge.span,
                        edge.operation,
                        edge.sync,
                        edge.text,
                        None if data.atomic else edge.mover,
                    )
                )
        source = self.source
        return Procedure(
            source.name,
            source.parameters,
            source.result,
            tuple(source._locals),
            ids[entry],
            tuple(locations),
            tuple(numbered),
            source.span,
        )


@dataclass
class ProgramBuilder:
    """A program under construction."""

    name: str
    _enums: list[EnumType] = field(default_factory=list)
    _globals: list[Declaration] = field(default_factory=list)
    _procedures: list[ProcedureBuilder] = field(default_factory=list)
    _templates: list[Template] = field(default_factory=list)
    _properties: list[Property] = field(default_factory=list)

    def enum(self, enum: EnumType) -> EnumType:
        """Declare an enumeration."""
        self._enums.append(enum)
        return enum

    def shared(
        self, name: str, held: Type, initial: Initial = DEFAULT, *, sync: bool = False
    ) -> Variable:
        """Declare a global variable."""
        variable = Variable(name, held, Scope.GLOBAL, sync)
        self._globals.append(Declaration(variable, initial))
        return variable

    def declare(self, declarations: Iterable[Declaration]) -> None:
        """Add ready-made global declarations."""
        self._globals.extend(declarations)

    def procedure(
        self,
        name: str,
        parameters: Sequence[Variable] = (),
        result: Type | None = None,
        span: Span | None = None,
    ) -> ProcedureBuilder:
        """Begin a procedure."""
        procedure = ProcedureBuilder(name, tuple(parameters), result, span)
        self._procedures.append(procedure)
        return procedure

    def template(self, template: Template) -> None:
        """Add a thread template; its body is a procedure of this program."""
        self._templates.append(template)

    def property(self, checked: Property) -> None:
        """Add a property."""
        self._properties.append(checked)

    def indeterminate(self) -> dict[LocId, tuple[Place, ...]]:
        """Where local variables have no value that may be read: known when all is built."""
        return {at: places for p in self._procedures for at, places in p.indeterminate.items()}

    def build(self) -> Program:
        """The finished program; see `threadwise.ir.check.validate` for what makes it well
        formed."""
        procedures: list[Procedure] = []
        locations = edges = 0
        for builder in self._procedures:
            procedure = builder.build(locations, edges)
            locations += len(procedure.locations)
            edges += len(procedure.edges)
            procedures.append(procedure)
        return Program(
            self.name,
            tuple(self._enums),
            tuple(self._globals),
            tuple(procedures),
            tuple(self._templates),
            tuple(self._properties),
        )
