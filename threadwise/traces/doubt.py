"""Whether a run depends on values that the model does not compute.

Where the front end does not compute a value (floating point, the text a format makes), any value
stands for it, and a run of the program of record may be none of the source's. It is one all the
same if none of these values decided anything. So values are followed along a trace:

    a value chosen where any stands for one   is *doubtful*, and so is all memory written there
    x := e                                    x is doubtful iff something that e reads is
    a guard, an index, a pointer              must read nothing doubtful, or the run is in doubt

Memory is followed by variables: what is doubtful about one cell is about the whole variable, and
whatever is written through a pointer is written anywhere where the type is that it points to: a
step that takes memory for another type is a limit of the model, so no trace has one. A choice
between edges without guards is a chosen value, too: the other edges of the same place in the
source may write as well. All this is quickly done; a run that may be in doubt by it is checked
once more, cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import DerefPlace, Expr, IsWritten, Place, Read, Scope
from threadwise.ir.fold import action_places, root, subexpressions
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import MachineType, Type, parts_of
from threadwise.traces.doubtful_cells import doubtful_cell, located_by
from threadwise.traces.trace import Trace

Name = tuple[str, str] | Type
"""A variable: of the program, or of a procedure and a thread. A type: all memory of that type that
pointers lead to."""


def doubtful_place(program: Program, trace: Trace, standing: frozenset[Span]) -> Span | None:
    """Where a value that stands for others decided something; None if none did."""
    if not standing:
        return None
    may_decide = _Following(program, standing).run(trace) is not None
    return doubtful_cell(program, trace, standing) if may_decide else None


@dataclass
class _Following:
    program: Program
    standing: frozenset[Span]
    doubtful: set[Name] = field(default_factory=set)
    last: Span | None = None
    """Where the last value was chosen that stands for others."""

    def run(self, trace: Trace) -> Span | None:
        reached: dict[int, LocId] = {}
        for move in trace.moves:
            for choice in move.choices:
                edge = self.program.edges[choice.edge]
                if not self._follow(edge, move.thread):
                    return self.last
                reached[move.thread] = edge.target
        ends = [
            (location, f"{thread} {self.program.procedure_of[location].name}")
            for thread, location in reached.items()
        ]
        ends += [(self.program.procedure[t.body].entry, "") for t in self.program.templates]
        for location, owner in ends:
            for edge in self.program.outgoing[location]:
                if any(self._reads(part, owner) for part in _deciding(edge)):
                    return self.last
        return None

    def _follow(self, edge: Edge, thread: int) -> bool:
        """Take an edge; answers whether it decides by nothing doubtful."""
        owner = f"{thread} {self.program.procedure_of[edge.source].name}"
        if any(self._reads(part, owner) for part in _deciding(edge)):
            return False
        stands = edge.span in self.standing
        if stands:
            self.last = edge.span
            self.doubtful |= self._written_there(edge, owner)
        match edge.action:
            case Command(_, assignments, havocs):
                results = [
                    (self._name(a.target, owner), self._reads(a.value, owner)) for a in assignments
                ]
                results += [(self._name(place, owner), stands) for place in havocs]
                chosen = stands and len(self.program.outgoing[edge.source]) > 1
                for (name, whole), is_doubtful in results:
                    if is_doubtful or chosen:
                        self.doubtful.add(name)
                    elif whole:
                        self.doubtful.discard(name)
            case Call(procedure, arguments, _, _):
                called = self.program.procedure[procedure]
                for parameter, argument in zip(called.parameters, arguments, strict=True):
                    if self._reads(argument, owner):
                        self.doubtful.add((f"{thread} {called.name}", parameter.name))
            case Return(value, _):
                return value is None or not self._reads(value, owner)
            case _:
                pass
        return True

    def _written_there(self, edge: Edge, owner: str) -> set[Name]:
        """All memory that is written at the place in the source that an edge comes from."""
        found: set[Name] = set()
        for other in self.program.edges:
            if other.span == edge.span and not other.sync:
                for place in action_places(other.action):
                    found.add(self._name(place, owner)[0])
        return found

    def _name(self, place: Place, owner: str) -> tuple[Name, bool]:
        """What a place is part of, and whether it is all of it."""
        base = root(place)
        if isinstance(base, DerefPlace):
            return base.type, False
        variable = base.variable
        if variable.scope is Scope.GLOBAL:
            return ("", variable.name), place == base
        thread = owner.split(" ", maxsplit=1)[0]
        scope = owner if variable.scope is Scope.LOCAL else thread
        return (scope, variable.name), place == base

    def _reads(self, expr: Expr, owner: str) -> bool:
        """Whether an expression reads something doubtful."""
        for part in subexpressions(expr):
            if not isinstance(part, Read | IsWritten):
                continue
            name, _ = self._name(part.place, owner)
            if name in self.doubtful:
                return True
            if any(self._may_overlap(name, other) for other in self.doubtful):
                return True
        return False

    def _may_overlap(self, name: Name, other: Name) -> bool:
        """Whether a pointer may lead from one to the other: there are numbers of one type."""
        if isinstance(name, tuple) and isinstance(other, tuple):
            return False
        return not self._scalars(name).isdisjoint(self._scalars(other))

    def _scalars(self, name: Name) -> frozenset[Type]:
        """The types of what a pointer may find there; none in a thread's own variable."""
        if isinstance(name, tuple):
            scope, variable = name
            return frozenset() if scope else _scalars(self._globals[variable])
        return _scalars(name)

    @cached_property
    def _globals(self) -> dict[str, Type]:
        return {d.variable.name: d.variable.type for d in self.program.globals}


@cache
def _scalars(held: Type) -> frozenset[Type]:
    """The types of the cells; numbers of one width may be the same with and without a sign."""
    return frozenset(
        MachineType(part.width, signed=False) if isinstance(part, MachineType) else part
        for part in parts_of(held)
    )


def _deciding(edge: Edge) -> Iterator[Expr]:
    """What decides whether an edge is taken, and what it accesses."""
    yield edge.action.guard
    yield from located_by(edge)
