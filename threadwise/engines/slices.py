"""What races on a variable depend on: slices of programs.

Whether two threads can access a variable at the same time depends on the conditions under which
they come to do so, and on what these are about, and so on. Everything else is projected away
(`threadwise.transforms.forget`), and the rest simplified again. How much is kept is a question of
levels: conditions in front of the accesses first, then those in front of steps that write what
they read, and so on. Whatever is kept, the slice has at least the races of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeVar

from threadwise.analyses.worklist import reached
from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.digest import closed_loss, few_values, variables_of
from threadwise.ir.commands import Command, OperationKind
from threadwise.ir.expr import Expr, Place, Read, Scope, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    place_expressions,
    read_places,
    root,
)
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program
from threadwise.ir.types import MutexType
from threadwise.transforms.forget import forgettable, variable_key

T = TypeVar("T")

AGAIN = (
    "constants",
    "bounds",
    "unused",
    "unmentioned",
    "silent steps",
    "skips",
    "joined statements",
    "threaded jumps",
    "unmentioned",
    "dead values",
)
"""The passes that simplify a slice."""
MOST_LEVELS = 4
"""So far conditions of conditions are followed."""
FEW_LOCKS = 4
"""So many locks are kept if need be, whether they seem to matter or not."""


class Loss(NamedTuple):
    """What to project away."""

    names: tuple[str, ...]
    flags_only: bool
    """Whether what is left has few values, so that predicates would not say more."""


@dataclass(frozen=True)
class _Uses:
    """Which edges use which variables, and what values are made of."""

    touching: Mapping[str, frozenset[EdgeId]]
    writing: Mapping[str, frozenset[EdgeId]]
    sources: Mapping[str, frozenset[str]]
    """What is assigned to a variable is made of these."""


class Slicer:
    """Slices of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.variables = variables_of(program)
        self._known: dict[EdgeId, tuple[str, ...]] = {}

    def losses(self, name: str) -> Iterator[Loss]:
        """What to project away for races on a shared variable, most of all first.

        Flags alone are kept first, with the locks that are held where they are used, then all
        data. Raises Unsupported.
        """
        told: set[tuple[str, ...]] = set()
        for data, locks, flags_only in self._kept(name):
            left = {*data, *locks}
            lost = closed_loss(self.program, (k for k in self._erasable if k not in left))
            if lost and lost not in told:
                told.add(lost)
                yield Loss(lost, flags_only)

    def _kept(self, name: str) -> Iterator[tuple[set[str], Iterable[str], bool]]:
        """What may be worth keeping, data and locks, the least first."""
        levels = list(islice(self._levels(name), MOST_LEVELS))
        for kept in levels:
            flags = {key for key in kept if self._few.get(key) is not None}
            yield flags, self._held_with(name, flags), True
        if len(self._locks) <= FEW_LOCKS:
            yield flags, self._locks, True
        for kept in levels:
            yield kept, self._held_with(name, kept), False

    def _levels(self, name: str) -> Iterator[set[str]]:
        """What accesses to a variable depend on, near conditions first."""
        kept = self._close(self._conditions(self._uses.touching.get(name, frozenset())))
        while True:
            yield kept
            writes = (self._uses.writing.get(key, frozenset()) for key in kept & self._data.keys())
            more = kept | self._close(self._conditions(frozenset().union(*writes)))
            if more == kept:
                return
            kept = more

    @cached_property
    def _few(self) -> Mapping[str, object]:
        """The values of variables that have few; None for others."""
        return few_values(self.program, self.variables)

    @cached_property
    def _erasable(self) -> list[str]:
        return [*self._data, *self._locks]

    @cached_property
    def _locks(self) -> frozenset[str]:
        """The mutexes."""
        return frozenset(k for k, v in self.variables.items() if isinstance(v.type, MutexType))

    def _held_with(self, name: str, flags: Iterable[str]) -> set[str]:
        """The locks that threads hold where they use a variable or some flags."""
        shared = {name, *(key for key in flags if self.variables[key].scope is Scope.GLOBAL)}
        edges = set[EdgeId]().union(*(self._uses.touching.get(key, ()) for key in shared))
        return {
            lock
            for edge in edges
            for lock in self._held.get(self.program.edges[edge].source, frozenset())
        }

    @cached_property
    def _held(self) -> dict[LocId, frozenset[str]]:
        """The locks that are certainly held at each location, by control flow alone."""
        held: dict[LocId, frozenset[str]] = {}
        for procedure in self.program.procedures:
            held[procedure.entry] = frozenset()
            waiting = [procedure.entry]
            while waiting:
                here = waiting.pop()
                for edge in self.program.outgoing[here]:
                    after = _after(held[here], edge)
                    before = held.get(edge.target)
                    joined = after if before is None else before & after
                    if joined != before:
                        held[edge.target] = joined
                        waiting.append(edge.target)
        return held

    @cached_property
    def _data(self) -> dict[str, None]:
        """The variables that can be projected away."""
        return {
            key: None
            for key, variable in self.variables.items()
            if not variable.sync and forgettable(variable.type)
        }

    @cached_property
    def _uses(self) -> _Uses:
        touching: dict[str, set[EdgeId]] = {}
        writing: dict[str, set[EdgeId]] = {}
        sources: dict[str, set[str]] = {}
        for procedure in self.program.procedures:
            for edge in procedure.edges:
                places = [*action_places(edge.action)]
                for expr in action_expressions(edge.action):
                    places += read_places(expr)
                for place in places:
                    touching.setdefault(_key(place, procedure), set()).add(edge.id)
                if isinstance(edge.action, Command):
                    for assignment in edge.action.assignments:
                        target = _key(assignment.target, procedure)
                        writing.setdefault(target, set()).add(edge.id)
                        made = [assignment.value, *place_expressions(assignment.target)]
                        sources.setdefault(target, set()).update(_read(made, procedure))
                    for place in edge.action.havocs:
                        writing.setdefault(_key(place, procedure), set()).add(edge.id)
        return _Uses(*(_frozen(each) for each in (touching, writing, sources)))

    def _close(self, names: Iterable[str]) -> set[str]:
        """Some variables, and what their values are made of."""
        return set(reached(names, lambda key: self._uses.sources.get(key, ())))

    def _conditions(self, targets: Iterable[EdgeId]) -> Iterator[str]:
        """What decides whether a thread takes each of these edges."""
        for target in sorted(targets):
            yield from self._conditions_of(target)

    def _conditions_of(self, target: EdgeId) -> Iterable[str]:
        """What is read at locations from where some edges lead to an edge, and others do not.

        Going back around a loop does not lead there, and failures are no way to avoid it.
        """
        if target not in self._known:
            program = self.program
            edge = program.edges[target]
            leading = reached([edge.source], lambda here: self._before.get(here, ()))
            found: dict[str, None] = {}
            for here in leading:
                ways = program.outgoing[here]
                others = (
                    way
                    for way in ways
                    if way.id != target
                    and (way.id in self._back or way.target not in leading)
                    and program.locations[way.target].failure is None
                )
                if any(True for _ in others):
                    procedure = program.procedure_of[here]
                    found.update(dict.fromkeys(_read((w.action.guard for w in ways), procedure)))
            self._known[target] = tuple(found)
        return self._known[target]

    @cached_property
    def _back(self) -> frozenset[EdgeId]:
        """The edges that go back around loops."""
        return frozenset().union(*map(_going_back, self.program.procedures))

    @cached_property
    def _before(self) -> dict[LocId, list[LocId]]:
        """From where edges lead to a location without going back."""
        found: dict[LocId, list[LocId]] = {}
        for edge in self.program.edges:
            if edge.id not in self._back:
                found.setdefault(edge.target, []).append(edge.source)
        return found


def _going_back(procedure: Procedure) -> set[EdgeId]:
    """The edges to locations that a search from the entry has not left yet."""
    outgoing: dict[LocId, list[Edge]] = {here.id: [] for here in procedure.locations}
    for edge in procedure.edges:
        outgoing[edge.source].append(edge)
    back: set[EdgeId] = set()
    open_, seen = {procedure.entry}, {procedure.entry}
    stack = [(procedure.entry, iter(outgoing[procedure.entry]))]
    while stack:
        here, edges = stack[-1]
        for edge in edges:
            if edge.target in open_:
                back.add(edge.id)
            elif edge.target not in seen:
                open_.add(edge.target)
                seen.add(edge.target)
                stack.append((edge.target, iter(outgoing[edge.target])))
                break
        else:
            open_.discard(here)
            stack.pop()
    return back


def _after(held: frozenset[str], edge: Edge) -> frozenset[str]:
    """The locks that are held after an edge."""
    operation = edge.operation
    if operation is None or not isinstance(operation.subject, Read):
        return held
    base = root(operation.subject.place)
    if not isinstance(base, VariablePlace):
        return held
    if operation.kind is OperationKind.ACQUIRE:
        return held | {base.variable.name}
    return held - {base.variable.name} if operation.kind is OperationKind.RELEASE else held


def _frozen(found: Mapping[str, set[T]]) -> dict[str, frozenset[T]]:
    return {key: frozenset(values) for key, values in found.items()}


def _read(expressions: Iterable[Expr], procedure: Procedure) -> Iterator[str]:
    for expr in expressions:
        for place in read_places(expr):
            yield _key(place, procedure)


def _key(place: Place, procedure: Procedure) -> str:
    base = root(place)
    assert isinstance(base, VariablePlace)
    return variable_key(base.variable, procedure.name)
