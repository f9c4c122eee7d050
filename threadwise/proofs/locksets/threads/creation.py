"""How a program starts and joins its threads: recognised in its commands (`threadwise.ir.pool`).

A *pool* of threads is supported if its shared cells are used as `spawn`, `begin`, `finish` and
`join` use them and in no other way: then a thread of the pool runs from the step that starts it to
the step that sets its status to finished, and each start is a new thread, however many slots the
pool has. The *first* thread of a program (the main thread) is the only one that exists initially;
a program in which several do has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from threadwise.analyses.components import all_components
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    SelfId,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, number, root
from threadwise.ir.pool_cells import FINISHED, STARTED, template_of_status
from threadwise.ir.program import (
    DefaultValue,
    Edge,
    EdgeId,
    LocId,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.writes import written
from threadwise.proofs.locksets.knowledge import MANY, Event, Knowledge
from threadwise.proofs.locksets.memory.contents import Unresolved


@dataclass(frozen=True)
class Threads:
    """Which threads run which procedures, and which threads start which."""

    program: Program

    # -- procedures ------------------------------------------------------------------------------

    @cached_property
    def calls(self) -> Mapping[str, frozenset[str]]:
        """The procedures that each procedure may call, directly or not."""
        direct = {
            procedure.name: {
                edge.action.procedure for edge in procedure.edges if isinstance(edge.action, Call)
            }
            for procedure in self.program.procedures
        }
        found: dict[str, frozenset[str]] = {}
        for name, called in direct.items():
            seen, pending = set(called), list(called)
            while pending:
                inner = pending.pop()
                more = found.get(inner, direct[inner]) - seen
                seen |= more
                if inner not in found:
                    pending += more
            found[name] = frozenset(seen)
        return found

    @cached_property
    def incoming(self) -> Mapping[LocId, list[Edge]]:
        """The edges that lead to each location."""
        found: dict[LocId, list[Edge]] = {here.id: [] for here in self.program.locations}
        for edge in self.program.edges:
            found[edge.target].append(edge)
        return found

    @cached_property
    def called(self) -> frozenset[str]:
        """The procedures that some procedure calls."""
        return frozenset(name for called in self.calls.values() for name in called)

    @cached_property
    def running(self) -> Mapping[str, tuple[str, ...]]:
        """The templates whose threads run each procedure."""
        found: dict[str, list[str]] = {p.name: [] for p in self.program.procedures}
        for template in self.program.templates:
            for name in (template.body, *sorted(self.calls[template.body])):
                if template.name not in found[name]:
                    found[name].append(template.name)
        return {name: tuple(templates) for name, templates in found.items()}

    def templates(self, knowledge: Knowledge, procedure: Procedure) -> tuple[str, ...]:
        """The templates whose threads may be in a procedure and know this."""
        runs = self.running[procedure.name]
        return tuple(name for name in runs if knowledge.template in (None, name))

    def only_template(self, knowledge: Knowledge, procedure: Procedure) -> str | None:
        """The template whose thread this is, if there is but one."""
        runs = self.templates(knowledge, procedure)
        return runs[0] if len(runs) == 1 else None

    def is_first_thread(self, knowledge: Knowledge, procedure: Procedure) -> bool:
        """Whether only the first thread can be in a procedure and know this."""
        name = self.only_template(knowledge, procedure)
        return name is not None and self.is_first(self.program.template[name])

    def is_first(self, template: Template) -> bool:
        """Whether a template is the first thread: all others are started, by it to begin with."""
        others = (t for t in self.program.templates if t.name != template.name)
        return self.is_single(template) and all(t.pool or t.count == 0 for t in others)

    def is_single(self, template: Template) -> bool:
        """Whether a template is one thread that exists initially."""
        return not template.pool and template.count == 1

    # -- starting --------------------------------------------------------------------------------

    @cached_property
    def starts(self) -> Mapping[EdgeId, str]:
        """The edges that start threads, with their templates; raises Unresolved."""
        found: dict[EdgeId, str] = {}
        for template in self.program.templates:
            if template.pool:
                for edge in self._pool(template):
                    found[edge] = template.name
        return found

    def _pool(self, template: Template) -> Iterator[EdgeId]:
        declared = {d.variable.name: d for d in self.program.globals}
        status, taken = (declared.get(f"{template.name}.{cell}") for cell in ("status", "next"))
        if status is None:
            raise Unresolved(f"how threads of {template.name} are started")
        cells = [each for each in (status, taken) if each is not None]  # no `next`: no start
        if not all(isinstance(d.initial, DefaultValue) for d in cells):
            raise Unresolved(f"threads of {template.name} that run from the start")
        begun = IndexPlace(VariablePlace(status.variable), SelfId())
        next_ = None if taken is None else Read(VariablePlace(taken.variable))
        more = None if next_ is None else Binary(BinaryOp.ADD, next_, number(1))
        slot = None if next_ is None else ThreadAt(template.name, next_)
        body = self.program.procedure[template.body]
        for edge in self.program.outgoing[body.entry]:
            waits = Binary(BinaryOp.EQ, Read(begun), STARTED)
            if waits not in conjuncts(edge.action.guard):
                raise Unresolved(f"threads of {template.name} that begin without being started")
        for variable in (each.variable for each in reversed(cells)):
            base = VariablePlace(variable)
            for edge, target, value in self._writers.get(base, ()):
                if variable != status.variable:
                    if value != more:
                        raise Unresolved(f"how threads of {template.name} are numbered")
                elif target == begun and value == FINISHED:
                    if self.program.outgoing[edge.target]:
                        raise Unresolved(f"threads of {template.name} that go on at the end")
                elif slot and target == IndexPlace(base, slot) and value == STARTED:
                    if next_ is None or (next_.place, more) not in written(edge):
                        raise Unresolved(f"how threads of {template.name} are numbered")
                    yield edge.id
                else:
                    raise Unresolved(f"how threads of {template.name} are started")

    @cached_property
    def _writers(self) -> Mapping[Place, Sequence[tuple[Edge, Place, Expr | None]]]:
        """What edges write to each variable."""
        found: dict[Place, list[tuple[Edge, Place, Expr | None]]] = {}
        for edge in self.program.edges:
            for target, value in written(edge):
                base = root(target)
                if isinstance(base, VariablePlace):
                    found.setdefault(base, []).append((edge, target, value))
        return found

    @cached_property
    def starters(self) -> Mapping[str, frozenset[str]]:
        """The templates whose threads start threads of each template."""
        found: dict[str, set[str]] = {t.name: set() for t in self.program.templates}
        for edge, started in self.starts.items():
            procedure = self.program.procedure_of[self.program.edges[edge].source]
            found[started] |= set(self.running[procedure.name])
        return {name: frozenset(starters) for name, starters in found.items()}

    @cached_property
    def arguments(self) -> Mapping[str, frozenset[str]]:
        """Per template, the cells per thread that only its starts write, for the new thread."""
        found: dict[str, set[str]] = {t.name: set() for t in self.program.templates}
        spoilt: set[str] = set()
        for edge in self.program.edges:
            template = self.starts.get(edge.id)
            for target, _ in written(edge):
                base = root(target)
                if not isinstance(base, VariablePlace) or template_of_status(base.variable):
                    continue  # how far a thread is says nothing about its arguments
                name = base.variable.name
                match target:
                    case IndexPlace(VariablePlace(), ThreadAt(new, _)) if new == template:
                        found[new].add(name)
                    case _:
                        spoilt.add(name)
        return {template: frozenset(names - spoilt) for template, names in found.items()}

    # -- who does not run ------------------------------------------------------------------------

    def never_started(self, template: str, me: str, knowledge: Knowledge) -> bool:
        """Whether no thread of a template was started so far, as the first thread `me` knows."""
        seen: set[str] = set()
        pending = [template]
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if not self.program.template[name].pool:
                return False
            for starter in self.starters[name]:
                if starter != me:
                    pending.append(starter)
                elif any(knowledge.started.get(edge, 0) for edge in self._edges(name)):
                    return False
        return True

    def is_absent(self, template: str, me: str, knowledge: Knowledge) -> bool:
        """Whether no thread of a template runs now, as the first thread `me` knows."""
        if self.never_started(template, me, knowledge):
            return True
        if not self.program.template[template].pool or self.starters[template] != {me}:
            return False
        edges = set(self._edges(template))
        return not any(event.edge in edges for event in knowledge.running)

    def is_over(self, template: str, me: str, knowledge: Knowledge, at: LocId) -> bool:
        """Whether no thread of a template runs now or will run any more."""
        if not self.is_absent(template, me, knowledge):
            return False
        pending, seen = [template], {template}
        reachable = self.reachable(at)
        while pending:
            name = pending.pop()
            if any(self.program.edges[edge].source in reachable for edge in self._edges(name)):
                return False
            for starter in self.starters[name] - {me} - seen:
                if not self.never_started(starter, me, knowledge):
                    return False
                seen.add(starter)
                pending.append(starter)
        return True

    def is_only(self, knowledge: Knowledge, procedure: Procedure) -> bool:
        """Whether a thread knows that no other one runs."""
        me = self.only_template(knowledge, procedure)
        if me is None or not self.is_first(self.program.template[me]):
            return False
        return all(
            self.is_absent(other.name, me, knowledge)
            for other in self.program.templates
            if other.name != me
        )

    def _edges(self, template: str) -> Iterator[EdgeId]:
        return (edge for edge, started in self.starts.items() if started == template)

    def reachable(self, at: LocId) -> frozenset[LocId]:
        """The locations that can follow one: in procedures that are called, and in callers."""
        if at not in self._reachable:
            self._reachable[at] = self._following(at)
        return self._reachable[at]

    @cached_property
    def _reachable(self) -> dict[LocId, frozenset[LocId]]:
        return {}

    def _following(self, at: LocId) -> frozenset[LocId]:
        found = {at}
        pending = [at]
        while pending:
            for edge in self.program.outgoing[pending.pop()]:
                for target in self._after(edge):
                    if target not in found:
                        found.add(target)
                        pending.append(target)
        return frozenset(found)

    def _after(self, edge: Edge) -> list[LocId]:
        """Where a thread may be next that takes an edge, or calls or returns with it."""
        following = [edge.target]
        if isinstance(edge.action, Call):
            following.append(self.program.procedure[edge.action.procedure].entry)
        elif isinstance(edge.action, Return):
            name = self.program.procedure_of[edge.source].name
            following += self._returns.get(name, ())
        return following

    def can_follow_itself(self, edge: Edge) -> bool:
        """Whether a thread may take an edge again: its source is reachable from its target.

        That is so if both are in one strongly connected component.
        """
        return self._component[edge.source] == self._component[edge.target]

    @cached_property
    def _component(self) -> Mapping[LocId, int]:
        after = {
            LocId(location): [target for edge in edges for target in self._after(edge)]
            for location, edges in enumerate(self.program.outgoing)
        }
        parts = all_components(after)
        return {location: number for number, part in enumerate(parts) for location in part}

    @cached_property
    def _returns(self) -> Mapping[str, tuple[LocId, ...]]:
        """Where the callers of each procedure go on."""
        found: dict[str, list[LocId]] = {}
        for edge in self.program.edges:
            if isinstance(edge.action, Call):
                found.setdefault(edge.action.procedure, []).append(edge.target)
        return {name: tuple(targets) for name, targets in found.items()}


def started(knowledge: Knowledge, edge: EdgeId) -> tuple[Knowledge, Event]:
    """What the first thread knows after it started another one, and which one that is."""
    times = knowledge.started.get(edge, 0)
    exact = times != MANY
    event = Event(edge, times if exact else MANY)
    running = knowledge.running | {event}
    handles = {place: e for place, e in knowledge.handles.items() if exact or e.edge != edge}
    counts = {**knowledge.started, edge: times + 1 if exact else MANY}
    return replace(knowledge, started=counts, running=running, handles=handles), event


def joined_threads(guard: Expr) -> Iterator[tuple[Expr, str]]:
    """The handles whose threads a guard says to have finished, with their template's name."""
    for part in conjuncts(guard):
        condition: Expr | None = None
        if isinstance(part, Binary) and part.op is BinaryOp.IMPLIES:
            condition, part = part.left, part.right
        match part:
            case Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(variable), handle)), value):
                template = template_of_status(variable)
                if value != FINISHED or template is None:
                    continue
                if condition in (None, IsInstance(handle, template)):
                    yield handle, template
            case _:
                pass
