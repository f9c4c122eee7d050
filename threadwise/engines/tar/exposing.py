"""Going on where a program is not safe in a thread-modular way: facts, then ghosts.

Facts are the equations of `counting` between shared cells and numbers of threads. With them,
refinement starts again: what threads can do is restricted to states in which they hold
(`threadwise.systems.facts`), and the certificate lists them for its checker to check first. Not
where there are procedures: its proofs have none then.

Ghosts are auxiliary variables that record which thread did what. A derivation that is possible
thread by thread, although no interleaving follows it, combines states of threads that never occur
together. Ghosts (`threadwise.transforms.ghosts`) distinguish them: they put a part of a thread's
history into the shared store, where predicates such as `wrote_m == self` can refer to it. First
those of the variables that these threads wrote,

    wrote_x := self    with every write to x

then those of the locations they were at,

    at_p := self       with every step to p        at_p := none    with every step away from it

and refinement starts again on the program with ghosts. The ids in them work for any number of
threads. As long as new derivations bring up new ghosts, there is another round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from threadwise.analyses.regions import has_calls
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.counting.facts import useful_facts
from threadwise.engines.tar.derivation import Derivation
from threadwise.engines.tar.loop import Environment, RefinementLoop
from threadwise.ir.commands import Command
from threadwise.ir.expr import Scope, VariablePlace
from threadwise.ir.fold import action_places, root
from threadwise.ir.layout import ThreadNumbers, cells_of
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.quantities import LinearInvariant
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import MutexType, TidType
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.traces.trace import Trace
from threadwise.transforms.ghosts import IdGhost, with_ghosts

MOST_ROUNDS = 4
MOST_LOCATIONS = 4
"""That are exposed in one round."""


class Exposing:
    """Refinement with facts, and with more and more ghosts."""

    def __init__(self, task: Task, environment: type[Environment], name: str) -> None:
        self.task = task
        self.environment = environment
        self.name = name
        self.facts: tuple[LinearInvariant, ...] | None = None
        """None until they are first needed."""
        self.ghosts: list[IdGhost] = []
        self.left: dict[str, Undecided] = {}
        """What is not safe in a thread-modular way so far, and why."""

    def run(self) -> Iterator[Finding]:
        """Refine, find help, refine again."""
        open_ = self.task.properties
        for _ in range(2 + MOST_ROUNDS):
            program = with_ghosts(self.task.program, self.ghosts)
            part = replace(self.task, program=program, properties=open_)
            loop = RefinementLoop(part, self.environment, self.name, self.facts or ())
            self.left.clear()
            for finding in loop.run():
                yield from self._told(finding, loop)
            if not self.left or not (self._count() or self._expose(loop)):
                break
            open_ = tuple(p for p in open_ if p.name in self.left)
        yield from self.left.values()

    def _count(self) -> bool:
        """Take facts, if there are some that were not taken yet."""
        if not self.task.options.facts or self.facts is not None:
            return False
        self.facts = () if has_calls(self.task.program) else useful_facts(self.task)
        if self.facts:
            self.task.details.append(f"facts: {len(self.facts)} equations of counting")
        return bool(self.facts)

    def _expose(self, loop: RefinementLoop) -> bool:
        """Add ghosts, if there are new ones."""
        new = self._new_ghosts(list(loop.confused.values())) if self.task.options.expose else []
        if new:
            self.ghosts += new
            names = ", ".join(ghost.name for ghost in new)
            self.task.details.append(f"exposed: {names}")
            self.task.notes.append(f"exposed: {names}")
        return bool(new)

    def _told(self, finding: Finding, loop: RefinementLoop) -> Iterator[Finding]:
        """A finding about the program without ghosts; what may still be decided is kept back."""
        match finding:
            case Proved(names, RepresentativesCertificate() as proof):
                whole = program_hash(self.task.program)
                ghosts = tuple(self.ghosts)
                yield Proved(names, replace(proof, program_hash=whole, ghosts=ghosts))
            case Violated(trace):
                yield Violated(hidden(self.task.program, trace))
            case Undecided((name,)) if name in loop.confused:
                self.left[name] = finding
            case _:
                yield finding

    # -- ghosts -----------------------------------------------------------------------------------

    def _new_ghosts(self, derivations: Sequence[Derivation]) -> list[IdGhost]:
        known = {ghost.name for ghost in self.ghosts}
        writers = [g for d in derivations for g in self._writers(d) if g.name not in known]
        if writers:
            return list(dict.fromkeys(writers))
        places = [g for d in derivations for g in self._places(d) if g.name not in known]
        return list(dict.fromkeys(places))[:MOST_LOCATIONS]

    def _writers(self, derivation: Derivation) -> Iterator[IdGhost]:
        """Ghosts for the last writers of the variables that a derivation writes."""
        for node in derivation.nodes:
            for edge in node.edges:
                for name in _written(edge):
                    edges = [e.id for e in self.task.program.edges if name in _written(e)]
                    yield IdGhost(f"$wrote_{name}", tuple(edges))

    def _places(self, derivation: Derivation) -> Iterator[IdGhost]:
        """Ghosts for the threads at the locations of a derivation."""
        locations = [root.view.l.location for root in derivation.roots]
        for node in derivation.nodes:
            if node.other is not None:
                locations.append(node.other.view.l.location)
        for location in dict.fromkeys(locations):
            coming, going = self._edges(location)
            yield IdGhost(f"$at_{location}", coming, going)

    def _edges(self, location: LocId) -> tuple[tuple[EdgeId, ...], tuple[EdgeId, ...]]:
        moving = [
            e
            for e in self.task.program.edges
            if e.source != e.target and isinstance(e.action, Command)
        ]
        coming = tuple(e.id for e in moving if e.target == location)
        return coming, tuple(e.id for e in moving if e.source == location)


def _written(edge: Edge) -> list[str]:
    """The shared variables an edge writes, without those that say themselves who wrote them."""
    if not isinstance(edge.action, Command):
        return []
    bases = [root(place) for place in action_places(edge.action)]
    return [
        base.variable.name
        for base in bases
        if isinstance(base, VariablePlace)
        and base.variable.scope is Scope.GLOBAL
        and not isinstance(base.variable.type, TidType | MutexType)
    ]


def hidden(program: Program, trace: Trace) -> Trace:
    """A trace of the program with ghosts as one of the program without."""
    numbers = ThreadNumbers.of(program.with_counts(dict(trace.counts)))
    cells = sum(1 for d in program.globals for _ in cells_of(d.variable, numbers))
    whole = program_hash(program)
    return replace(trace, program_hash=whole, initial=trace.initial[:cells])
