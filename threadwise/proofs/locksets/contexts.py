"""Procedures that several kinds of threads call, one for each kind.

    void step(struct conn *c) { c->state++; }        called by main with c = conns[i],
                                                     and by each worker with its own conn

What a parameter may hold is claimed once for a procedure (`threadwise.proofs.locksets.memory`), so
a worker in `step` would write to what main has. Here `step` becomes two procedures, of which one
is called by main, and by what main calls, and the other by workers. A *context* is the body that a
thread began with; it never changes. The locations and edges of the program keep their numbers, and
those of further procedures come behind them. A thread at a location of the program is at the one
that belongs to its context, with the same values, and takes edges that do the same: all runs, and
all races, are as before (call-string contexts of length one, Sharir & Pnueli 1981, by threads).

Contexts that would make a program more than twice as large are put together with the first one.
"""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Call
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program
from threadwise.semantics.state import State

_CONTEXTS = "contexts"
MOST = 12_000
"""So many edges may come in addition in any case."""


@dataclass(frozen=True)
class Contexts:
    """A program, and the same with procedures for each context."""

    before: Program
    program: Program
    locations: tuple[LocId, ...]
    """The location of the program before, by location."""
    edges: tuple[EdgeId, ...]
    """The edge of the program before, by edge."""
    places: Mapping[str, Mapping[LocId, LocId]]
    """Per body that threads begin with where they are, of locations that have other numbers."""
    steps: Mapping[str, Mapping[EdgeId, EdgeId]]
    """The same of edges."""

    def state(self, state: State, bodies: tuple[str, ...]) -> State:
        """The state that a state of the program before stands for; threads begin with bodies."""
        if self.program is self.before:
            return state
        return state._replace(
            locals=tuple(
                own._replace(pc=self.places[body].get(own.pc, own.pc))
                for own, body in zip(state.locals, bodies, strict=True)
            ),
            stacks=tuple(
                tuple(
                    frame._replace(call=self.steps[body].get(frame.call, frame.call))
                    for frame in stack
                )
                for stack, body in zip(state.stacks, bodies, strict=True)
            ),
        )


def in_contexts(program: Program) -> Contexts:
    """The program with procedures for each context; kept with the program."""
    known = program.__dict__.get(_CONTEXTS)
    if known is None:
        known = program.__dict__[_CONTEXTS] = _Making(program).made()
    assert isinstance(known, Contexts)
    return known


class _Making:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.bodies = tuple(dict.fromkeys(template.body for template in program.templates))
        self.called = {body: self._reached(body) for body in self.bodies}
        self.versions: dict[tuple[str, str], str] = {}
        """The names of procedures in contexts."""

    def made(self) -> Contexts:
        """The program in contexts."""
        contexts = self._contexts()
        copies: list[tuple[Procedure, str]] = []
        first: dict[str, str] = {}
        for body in self.bodies:
            context = contexts[body]
            for name in self.called[body]:
                if first.setdefault(name, context) == context:
                    self.versions[name, context] = name
                elif (name, context) not in self.versions:
                    self.versions[name, context] = f"{name}${context}"
                    copies.append((self.program.procedure[name], context))
        names = set(self.program.procedure)
        if not copies or any(f"{old.name}${context}" in names for old, context in copies):
            return _unchanged(self.program, self.bodies)
        return self._with(copies, first, contexts)

    def _contexts(self) -> dict[str, str]:
        """The context of each body: itself, as long as the program does not get too large."""
        sizes = {name: len(p.edges) for name, p in self.program.procedure.items()}
        most = max(MOST, len(self.program.edges))
        taken = set(self.called[self.bodies[0]]) if self.bodies else set()
        found = dict.fromkeys(self.bodies, self.bodies[0])
        rest = sorted(
            self.bodies[1:], key=lambda body: sum(sizes[name] for name in self.called[body])
        )
        for body in rest:
            more = sum(sizes[name] for name in self.called[body] if name in taken)
            if more <= most:
                found[body] = body
                most -= more
            taken |= set(self.called[body])
        return found

    def _reached(self, body: str) -> dict[str, None]:
        """The procedures that a thread may call that begins with a body."""
        found: dict[str, None] = {}
        pending = [body]
        while pending:
            for edge in self.program.procedure[pending.pop()].edges:
                match edge.action:
                    case Call(name) if name not in found:
                        found[name] = None
                        pending.append(name)
                    case _:
                        pass
        return found

    def _with(
        self,
        copies: list[tuple[Procedure, str]],
        first: Mapping[str, str],
        contexts: Mapping[str, str],
    ) -> Contexts:
        of_body = {body: contexts[body] for body in self.bodies}
        procedures = [
            self._calling(p, of_body.get(p.name, first.get(p.name, "")))
            for p in self.program.procedures
        ]
        locations = list(range(len(self.program.locations)))
        edges = list(range(len(self.program.edges)))
        places: dict[str, dict[LocId, LocId]] = {context: {} for context in contexts.values()}
        steps: dict[str, dict[EdgeId, EdgeId]] = {context: {} for context in contexts.values()}
        for old, context in copies:
            here, there = places[context], steps[context]
            here.update(
                (each.id, LocId(len(locations) + n)) for n, each in enumerate(old.locations)
            )
            there.update((edge.id, EdgeId(len(edges) + n)) for n, edge in enumerate(old.edges))
            locations += (each.id for each in old.locations)
            edges += (edge.id for edge in old.edges)
            procedures.append(self._copy(old, context, here, there))
        program = replace(self.program, procedures=tuple(procedures))
        return Contexts(
            self.program,
            program,
            tuple(map(LocId, locations)),
            tuple(map(EdgeId, edges)),
            {body: places[contexts[body]] for body in self.bodies},
            {body: steps[contexts[body]] for body in self.bodies},
        )

    def _copy(
        self,
        old: Procedure,
        context: str,
        places: Mapping[LocId, LocId],
        steps: Mapping[EdgeId, EdgeId],
    ) -> Procedure:
        edges = tuple(
            replace(
                edge, id=steps[edge.id], source=places[edge.source], target=places[edge.target]
            )
            for edge in self._calling(old, context).edges
        )
        return replace(
            old,
            name=self.versions[old.name, context],
            entry=places[old.entry],
            locations=tuple(replace(each, id=places[each.id]) for each in old.locations),
            edges=edges,
        )

    def _calling(self, procedure: Procedure, context: str) -> Procedure:
        """A procedure that calls those of a context."""
        edges = tuple(self._call(edge, context) for edge in procedure.edges)
        return procedure if edges == procedure.edges else replace(procedure, edges=edges)

    def _call(self, edge: Edge, context: str) -> Edge:
        match edge.action:
            case Call(name) as action if self.versions.get((name, context), name) != name:
                return replace(
                    edge, action=replace(action, procedure=self.versions[name, context])
                )
            case _:
                return edge


def _unchanged(program: Program, bodies: tuple[str, ...]) -> Contexts:
    return Contexts(
        program,
        program,
        tuple(LocId(n) for n in range(len(program.locations))),
        tuple(EdgeId(n) for n in range(len(program.edges))),
        {body: {} for body in bodies},
        {body: {} for body in bodies},
    )
