"""From a certificate to a proof for the kernel: what that cannot show is dropped.

Nothing here is trusted: `threadwise.proofs.locksets.kernel.check` verifies what it makes. The
claims of a certificate are candidates. Where a step does not show a claim, the claim goes (as in
Houdini, Flanagan and Leino 2001); points-to claims grow instead. What is left is inductive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import threadwise.proofs.locksets.kernel.claims as said
from threadwise.core.quick_dataclass import replace
from threadwise.ir.beyond import BEYOND
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import Binary, BinaryOp, FieldPlace, Read, SelfId, VariablePlace
from threadwise.ir.fold import conjuncts, root
from threadwise.ir.program import LocId, Program
from threadwise.ir.types import UNSET, Address, MutexType, Value, is_scalar
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel.check import LIMITS, Kernel
from threadwise.proofs.locksets.kernel.claims import Case, Cell, Claim, Claims, Fact, Holds
from threadwise.proofs.locksets.kernel.ground import Ground, is_sayable, parts
from threadwise.proofs.locksets.kernel.guards import is_possible
from threadwise.proofs.locksets.kernel.names import is_own, reads
from threadwise.proofs.locksets.kernel.points_to import NOWHERE, written
from threadwise.proofs.locksets.kernel.rules import Step, beginning
from threadwise.proofs.locksets.knowledge import MANY, Event, Knowledge
from threadwise.proofs.locksets.memory.cells import Target, pointed

FEW = 8
"""Of cells with more values it is not claimed what they hold."""

Knowing = Mapping[LocId, Sequence[Knowledge]]


def weakened(
    program: Program,
    certificate: LocksetCertificate,
    knowledge: Knowing,
    tick: Callable[[], object],
) -> Claims:
    """A proof for the kernel, made of a certificate; raises Refused where there is no rule."""
    bodies = {template.body for template in program.templates}
    if any(procedure.name not in bodies for procedure in program.procedures):
        raise said.Refused("a call")
    return Weakening(program, candidates(program, certificate, knowledge), tick).run()


class Weakening:
    """The largest part of some candidates that is inductive, as far as it is found."""

    def __init__(self, program: Program, claims: Claims, tick: Callable[[], object]) -> None:
        self.program = program
        self.tick = tick
        self.claims = claims
        self.cases = {location: _weakest(cases) for location, cases in claims.cases.items()}
        self.spare: dict[LocId, list[Case]] = {}
        """Cases that no step was found to lead to so far."""
        self.ground = Ground(program, claims)

    def run(self) -> Claims:
        """Weaken until nothing has to be dropped."""
        while True:
            self._grow()
            self._shrink()
            changed = self._relied()
            if changed is None and not self._memory():
                return self._now()
            self.claims = self.claims if changed is None else changed
            self.ground = self._ground()

    def _ground(self) -> Ground:
        """For other claims about the same program."""
        found = Ground(self.program, self._now())
        vars(found).update(objects=self.ground.objects, threads=self.ground.threads)
        return found

    def _now(self) -> Claims:
        cases = {location: tuple(cases) for location, cases in self.cases.items()}
        return replace(self.claims, cases=cases)

    # -- points-to -------------------------------------------------------------------------------

    def _grow(self) -> None:
        while more := self._memory():
            memory, constants = dict(self.claims.memory), dict(self.claims.constants)
            for cell, led in more:
                if led is None:
                    constants.pop(cell, None)
                else:
                    memory[cell] = memory.get(cell, NOWHERE) | led
            self.claims = replace(self.claims, memory=memory, constants=constants)
            self.ground = self._ground()

    def _memory(self) -> list[tuple[Cell, frozenset[Cell] | None]]:
        """What cells may hold that is not claimed."""
        found = list(self.ground.memory.broken(None))
        for location, cases in self.cases.items():
            for edge in self.program.outgoing[location]:
                self.tick()
                views = map(self.ground.view, cases)
                if any(is_possible(self.ground, edge, view) for view in views):
                    found += self.ground.memory.broken(edge)
        return found

    # -- cases -----------------------------------------------------------------------------------

    def _shrink(self) -> None:
        """Follow all steps from where threads begin; of what nobody reaches nothing is claimed."""
        self.spare, self.cases = self.cases, {}
        pending: deque[tuple[LocId, Case]] = deque()
        for template in self.program.templates:
            pending += self._reach(beginning(self.ground, template))
        while pending:
            location, case = pending.popleft()
            if case not in self.cases[location]:
                continue
            view = self.ground.view(case)
            for edge in self.program.outgoing[location]:
                self.tick()
                if is_possible(self.ground, edge, view):
                    effects = self.ground.effects(edge, view)
                    pending += self._reach(Step(self.ground, view, edge.target, edge, effects))

    def _reach(self, step: Step) -> list[tuple[LocId, Case]]:
        """See to it that a case holds after a step: weaken one if none does. What is new."""
        failure = self.program.locations[step.target].failure
        if failure is not None and failure.kind in LIMITS:
            raise said.Refused(f"a limit of the model: {failure.message}")
        cases = self.cases.setdefault(step.target, [])
        spare = self.spare.setdefault(step.target, [])
        best: tuple[int, Case] | None = None
        for case in (*cases, *spare):
            lost = sum(not step.admits(claim) for claim in case)
            if not lost and case in cases:
                return []
            if best is None or lost < best[0]:
                best = lost, case
        claims: Iterable[Claim] = () if best is None else best[1]
        if best is None or (best[1] in spare and self.program.locations[step.target].atomic):
            claims = {*claims, *step.view.case, *_taken(step)}
        found = frozenset(filter(step.admits, claims))
        for each in (cases, spare):
            each[:] = [case for case in each if best is None or case != best[1]]
        cases.append(found)
        cases[:] = _weakest(cases)
        return [(step.target, found)]

    # -- what others rely on ---------------------------------------------------------------------

    def _relied(self) -> Claims | None:
        """The claims about everything without those that a step breaks; None: all are kept."""
        kernel = Kernel(self.program, self._now(), self.tick)
        kernel.ground = self.ground
        frozen, spoilt = set(self.claims.frozen), set(self.claims.spoilt)
        alone = set(self.claims.alone)
        for location, cases in self.cases.items():
            procedure = self.program.procedure_of[location].name
            for edge in self.program.outgoing[location]:
                for view in map(self.ground.view, cases):
                    self.tick()
                    if not is_possible(self.ground, edge, view):
                        continue
                    for place, _ in written(edge.action):
                        if not is_own(place) and not kernel.is_kept(edge, place, view):
                            cells = self.ground.memory.cells(place, procedure)
                            frozen -= cells
                            spoilt |= {c for c in cells if self.ground.objects.leaf(c).owner}
                    template = self.ground.threads.spawns.get(edge.id, "")
                    if not self.ground.threads.absent(template, view, procedure):
                        alone.discard(template)
        later = replace(
            self.claims,
            frozen=frozenset(frozen),
            spoilt=frozenset(spoilt),
            alone=frozenset(alone),
        )
        return None if later == self.claims else later


def _taken(step: Step) -> Iterator[Claim]:
    """What a step may show that was not known before."""
    for target, value in step.writes:
        if value == SelfId() and isinstance(target, FieldPlace):
            yield Holds(target.base)
        elif value is not None and is_own(target):
            yield Fact(Binary(BinaryOp.EQ, Read(target), value))
    if step.edge is not None:
        yield from map(Fact, conjuncts(step.edge.action.guard))
    for claim in step.view.case:
        if isinstance(claim, Holds):
            yield said.Entered(claim.mutex)


def _weakest(cases: Iterable[Case]) -> list[Case]:
    """Cases without those that another one includes."""
    found: list[Case] = []
    for case in dict.fromkeys(cases):
        if not any(other <= case for other in found):
            found = [other for other in found if not case <= other] + [case]
    return found


# -- certificates --------------------------------------------------------------------------------


def sites(program: Program) -> dict[str, str]:
    """What certificates call allocation sites, and what the kernel calls them."""
    actions = (edge.action for edge in program.edges)
    named = dict.fromkeys(action.site for action in actions if isinstance(action, Allocate))
    return {f"new {number}": f"new {site}" for number, site in enumerate(named)}


def candidates(program: Program, certificate: LocksetCertificate, knowledge: Knowing) -> Claims:
    """What the kernel may be able to show of the claims of a certificate."""
    named = sites(program)
    bare = Ground(program, Claims({}, {}, {}))
    shapes = bare.objects.shapes

    def cell(target: Target) -> Cell:
        return Cell(named.get(target.object, target.object), target.cell)

    memory: dict[Cell, frozenset[Cell]] = {}
    constants: dict[Cell, frozenset[Value]] = {}
    addresses = dict(_addresses(program))
    for target, values in certificate.memory:
        if cell(target).object not in shapes or target.cell < 0:
            continue
        if values is None:  # anything
            continue
        leads = (pointed(value) for value in values if isinstance(value, Target))
        led = (cell(v) for v in leads if v.cell >= 0)
        memory[cell(target)] = frozenset(each for each in led if each.object in shapes)
        known = {addresses.get(v, UNSET) if isinstance(v, Target) else v for v in values}
        if len(known) <= FEW and UNSET not in known:
            constants[cell(target)] = frozenset(known)
    if BEYOND.name in shapes:
        constants[Cell(BEYOND.name, 0)] = frozenset({0})
    cases = {
        location: tuple(frozenset(_claims(bare, location, each)) for each in everything)
        for location, everything in knowledge.items()
    }
    frozen = frozenset(c for c in map(cell, certificate.frozen) if c.object in shapes)
    pools = frozenset(template.name for template in program.templates if template.pool)
    return Claims(
        memory, constants, cases, frozen, frozenset(map(cell, certificate.spoilt)), pools
    )


def _addresses(program: Program) -> Iterator[tuple[Target, Address]]:
    """Where variables of one cell are."""
    for number, declaration in enumerate(program.globals):
        if is_scalar(declaration.variable.type):
            yield Target(declaration.variable.name, 0), Address(number, 0)


def _claims(ground: Ground, location: LocId, knowledge: Knowledge) -> Iterator[Claim]:
    """Those claims that the kernel has rules for."""
    locks = [m for m in knowledge.held if isinstance(m.type, MutexType)]
    found: list[Claim] = [Holds(m) for m in locks]
    if ground.program.locations[location].atomic:
        found += [said.Entered(m) for m in locks if m not in knowledge.fresh]
    known = knowledge.known.items()
    found += [Fact(Binary(BinaryOp.EQ, Read(place), value)) for place, value in known]
    found += [Fact(fact) for fact in knowledge.facts]
    found += [said.Owns(Read(place)) for place in knowledge.owned]
    found += [said.Handle(place, *event) for place, event in knowledge.handles.items()]
    procedure = ground.program.procedure_of[location].name
    for claim in filter(is_sayable, found):  # certificates may be about other variables
        roots = map(root, reads(parts(claim)))
        variables = (base.variable for base in roots if isinstance(base, VariablePlace))
        if all(ground.objects.of(v, procedure) in ground.objects.shapes for v in variables):
            yield claim
    yield from _spawned(ground, location, knowledge)


def _spawned(ground: Ground, location: LocId, knowledge: Knowledge) -> Iterator[Claim]:
    """What the first thread knows of those that it spawned."""
    threads = ground.threads
    if threads.first not in threads.running[ground.program.procedure_of[location].name]:
        return
    for edge in threads.spawns:
        times = knowledge.started.get(edge, 0)
        if times == MANY:
            continue
        yield said.Count(edge, times)
        if Event(edge, MANY) not in knowledge.running:
            for time in range(times):
                if Event(edge, time) not in knowledge.running:
                    yield said.Over(edge, time)
