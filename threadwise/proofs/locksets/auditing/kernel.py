"""What the kernel claims, tested in runs.

The kernel has claims of its own: it weakens those of a certificate, and adds what it finds out
(which threads are alone, which values cells have). Their meaning in a run, as the package
`threadwise.proofs.locksets.kernel` states it:

    memory       a cell with a pointer leads to one of the folded cells claimed for it
    constants    the value of a cell is among those claimed for it
    cases        for each thread that runs all claims of one of the cases of its location hold,
                 also between the edges of a region; a location without cases is not reached.
                 `Owns`: no pointer leads to the object from global variables or other threads
    frozen       it is written by the first thread while no other runs, or its object is not found
                 by others
    spoilt       owners of all other mutexes change from none to the writer, or back, except
                 mutexes that are not found by others
    alone        no two threads of the template run at the same time
    taken        edges that are taken are among those that the kernel lets threads take

Which accesses are apart is not looked at here: two that are not are a race, which is what
`threadwise.proofs.base.auditing` looks for in every state, and `ordered` in the run as a whole.
That a site is confined follows from memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import threadwise.proofs.locksets.kernel.claims as said
from threadwise.ir.commands import Free
from threadwise.ir.expr import FieldPlace, Place, Read
from threadwise.ir.program import EdgeId
from threadwise.ir.types import INTEGER_OBJECT, UNSET, Address, Value
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.always import Always
from threadwise.proofs.locksets.auditing.cases import Before
from threadwise.proofs.locksets.auditing.containers import Containers
from threadwise.proofs.locksets.auditing.ghosts import Ghosts, Start
from threadwise.proofs.locksets.auditing.memory import MemoryMeaning
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel.claims import Cell, Claim, Claims
from threadwise.proofs.locksets.kernel.found import KernelFound
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.evaluate import Region, Undefined
from threadwise.semantics.state import State

NAMES = {
    said.Fact: "kernel: facts",
    said.Holds: "kernel: held",
    said.Entered: "kernel: entered",
    said.Owns: "kernel: owned",
    said.Count: "kernel: counts",
    said.Handle: "kernel: handles",
    said.Over: "kernel: over",
}


class KernelMeaning:
    """The claims that the kernel makes of a certificate."""

    def __init__(
        self,
        world: World,
        certificate: LocksetCertificate,
        found: KernelFound,
        evaluated: Counter[str],
    ) -> None:
        self.world = world
        self.claims = claims = found.claims
        self.taken = found.taken
        self.evaluated = evaluated
        everything = (c for cases in claims.cases.values() for case in cases for c in case)
        evaluated.update(dict.fromkeys((NAMES[type(claim)] for claim in everything), 0))
        evaluated.update({"kernel: memory": 0, "kernel: frozen": 0, "kernel: spoilt": 0})
        self.memory = _Memory(world, claims, evaluated)
        self.always = _always(world, certificate, claims, evaluated)

    def begin(self, moment: Moment) -> None:
        """A run begins; raises Broken."""
        self.memory.everything(moment)

    def edge(self, micro: Micro, ghosts: Ghosts) -> None:
        """An edge is taken; raises Broken."""
        if micro.edge.id not in self.taken:
            raise Broken(f"kernel: edge {micro.edge.id} is taken")
        self.memory.changed(micro)
        self.always.edge(micro, ghosts)

    def look(self, moment: Moment, ghosts: Ghosts) -> None:
        """What holds in a state; raises Broken."""
        running = list(self.world.running(moment.state))
        for template in sorted(self.claims.alone):
            self.evaluated[f"kernel: alone {template}"] += 1
            if sum(self.world.templates[thread] == template for thread in running) > 1:
                raise Broken(f"kernel: two threads of {template} run")
        for thread in running:
            self.knows(thread, moment, ghosts, None)

    def knows(self, thread: int, moment: Moment, ghosts: Ghosts, begun: Before | None) -> None:
        """Raises Broken unless all claims of some case hold; `begun`: inside of a region."""
        pc = moment.state.locals[thread].pc
        failure = self.world.program.locations[pc].failure
        if failure is not None and failure.kind.is_limit:
            return
        one = _Thread(self.world, thread, moment, ghosts, begun)
        wrong: dict[str, None] = {}
        for case in self.claims.cases.get(pc, ()):
            reason = next((name for name in self._failing(one, case)), None)
            if reason is None:
                return
            wrong[reason] = None
        name = self.world.layout.numbers.name(thread)
        raise Broken(f"{name} at location {pc}: {', '.join(wrong) or 'kernel: nobody gets there'}")

    def _failing(self, one: _Thread, case: said.Case) -> Iterator[str]:
        for claim in case:
            name = NAMES[type(claim)]
            self.evaluated[name] += 1
            try:
                holds = one.holds(claim)
            except Undefined:  # a name that leads through what was freed says nothing
                continue
            if not holds:
                yield name


class _Memory(MemoryMeaning):
    """Where pointers lead to, and constants."""

    def __init__(self, world: World, claims: Claims, evaluated: Counter[str]) -> None:
        named = _named(world)
        led = {
            _target(named, cell): frozenset(_target(named, to) for to in cells)
            for cell, cells in claims.memory.items()
        }
        super().__init__(world, led, evaluated)
        self.constants = {_target(named, c): values for c, values in claims.constants.items()}

    def _expect(self, target: Target, value: Value, state: State) -> None:
        self.evaluated["kernel: memory"] += 1
        leads = isinstance(value, Address) and value.number != INTEGER_OBJECT
        if leads and not self._covers(self.claimed.get(target, frozenset()), value, state):
            raise Broken(f"kernel: {target.object} (cell {target.cell}) leads to {value}")
        if value != UNSET and value not in self.constants.get(target, {value}):
            raise Broken(f"kernel: {target.object} (cell {target.cell}) holds {value}")


class _Always(Always):
    """Frozen cells and mutexes: these claims mean the same for the kernel."""

    def edge(self, micro: Micro, ghosts: Ghosts) -> None:
        """An edge is taken; raises Broken."""
        if isinstance(micro.edge.action, Free):  # which leaves the cells as they are
            return
        for access in micro.accesses:
            if access.write and not self.is_alone(micro):
                self._frozen(micro, access.cell, ghosts)
                self._spoilt(micro, access.cell, ghosts)


def _always(
    world: World, certificate: LocksetCertificate, claims: Claims, evaluated: Counter[str]
) -> _Always:
    named = _named(world)
    ours = replace(
        certificate,
        frozen=frozenset(_target(named, cell) for cell in claims.frozen),
        spoilt=frozenset(_target(named, cell) for cell in claims.spoilt),
        numbers={},
    )
    containers = Containers(world, frozenset(), {}, Counter())
    return _Always(world, ours, evaluated, containers, "kernel: ")


def _named(world: World) -> Mapping[str, str]:
    """What the kernel calls allocation sites, and what monitors do."""
    return {f"new {site}": name for site, (name, _) in world.sites.items()}


def _target(named: Mapping[str, str], cell: Cell) -> Target:
    return Target(named.get(cell.object, cell.object), cell.cell)


class _Thread:
    """The claims about one thread in one moment."""

    def __init__(
        self, world: World, thread: int, moment: Moment, ghosts: Ghosts, begun: Before | None
    ) -> None:
        self.world = world
        self.thread = thread
        self.moment = moment
        self.ghosts = ghosts
        self.begun = begun
        self.view = world.view(moment, thread)

    def holds(self, claim: Claim) -> bool:
        """Whether a claim is true; raises Undefined."""
        match claim:
            case said.Fact(condition):
                return self.view.holds(condition)
            case said.Holds(mutex):
                return self._owner(mutex, self.moment) == self.thread
            case said.Entered(mutex):
                return self.begun is not None and self._entered(mutex, self.begun.moment)
            case said.Owns(pointer):
                number = self.world.heap_number(self.view.evaluate(pointer))
                others = self.world.found_by_others(self.moment, self.thread, (), frozenset())
                return number not in others
            case said.Count(edge, times):
                return self.ghosts.counts[self.thread, edge] == times
            case said.Handle(variable, edge, time):
                start = self._start(edge, time)
                return start is not None and start.thread == self.view.evaluate(Read(variable))
            case said.Over(edge, time):
                start = self._start(edge, time)
                return start is not None and not self.world.runs(self.moment.state, start.thread)

    def _owner(self, mutex: Place, moment: Moment) -> Value:
        return moment.content_for(self.thread, self.view.resolve(FieldPlace(mutex, "owner")))

    def _entered(self, mutex: Place, begun: Moment) -> bool:
        cell = self.view.resolve(FieldPlace(mutex, "owner"))
        if cell.region is Region.HEAP and cell.number >= len(begun.names):
            return False
        return self._owner(mutex, begun) == self.thread

    def _start(self, edge: EdgeId, time: int) -> Start | None:
        found = (
            s for s in self.ghosts.starts if (s.by, s.edge, s.time) == (self.thread, edge, time)
        )
        return next(found, None)
