"""The checker of proofs by locksets, by all rules: for what the kernel does not settle alone.

Obligations, for a claim M about memory, K about knowledge, and facts about starts:

    (1) what cells hold initially, and what any edge stores that K lets threads take, is in M
    (2) a thread that begins knows something in K: nothing, or how it was started
    (3) K is closed under the steps of every edge
    (4) what is claimed about starts holds at every edge that starts a thread
    (5) frozen cells are written by the first thread only, while no other thread runs, or in
        objects that have not escaped; mutexes that are not spoilt are only acquired and released,
        except by their owners; numbers that serve as locks begin and are used as such; indexed
        cells hold the numbers of their elements; a thread
        owns what it is given; objects that have homes are found through gates and links only
    (6) K reaches no limit but a pool without slots, and no failure of a claimed property; where
        behaviour may be undefined in C, the proof assumes that it is not, but nowhere is undefined
        behaviour all that may happen. A partial proof may reach such places: it is about the runs
        that do not get past them, which is listed. A more precise pass, if there is one, may show
        that failures are not reached (`threadwise.proofs.locksets.refined`); limits are checked
        without it
    (7) two accesses of different threads to one cell are apart, if absence of races is claimed;
        if it is claimed in part, those pairs that are not are listed as undecided. The locations
        and pairs are computed here, never read from the certificate
    (8) the resource invariants of locks hold, if some are claimed: all states of
        `threadwise.proofs.locksets.resources` are computed here

The rules are in `threadwise.proofs.locksets`. Because what a thread knows is stable under the
steps of others, by (2) and (3) it holds in every reachable state, for pools of any size. M and K
hold together, by induction over the steps of a run: K says which edges may come next, where M
holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from itertools import chain, combinations_with_replacement, islice, product

from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program
from threadwise.ir.properties import FailureProperty, PropertyKind, RaceProperty
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.base.locations import PAST, Location
from threadwise.proofs.locksets.accesses import (
    Access,
    Accesses,
    Population,
    Rules,
    alike,
    taken_along,
)
from threadwise.proofs.locksets.beyond import readable
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.entailment import implies
from threadwise.proofs.locksets.failures import ends_of_model
from threadwise.proofs.locksets.ground import ground_of
from threadwise.proofs.locksets.kernel.settling import Settlement
from threadwise.proofs.locksets.kernel_first import MEMORY
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.locations import CROWDED, Settled, locations_of
from threadwise.proofs.locksets.memory.cells import UNKNOWN, Target, is_site
from threadwise.proofs.locksets.memory.contents import Unresolved, includes
from threadwise.proofs.locksets.read_claims import ReadClaims, read_claims
from threadwise.proofs.locksets.refined.check import reached_by
from threadwise.proofs.locksets.refined.texts import read_second_look
from threadwise.proofs.locksets.resources.effects import Spoilt
from threadwise.proofs.locksets.resources.look import Look
from threadwise.proofs.locksets.resources.told import owned_variables
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.threads.starts import Starts

MOST_PAIRS = 2_000
"""So many undecided pairs of a cell are listed one by one."""


def check_by_all_rules(
    program: Program,
    certificate: LocksetCertificate,
    tick: Callable[[], object],
    settled: Settlement | None,
    claims: ReadClaims,
) -> CheckedProof:
    """Check a certificate, whose claims were read; raises Refuted.

    `settled` is what the kernel shows by itself.
    """
    try:
        return LocksetChecker(program, certificate, tick, settled, claims).run()
    except Unresolved as error:
        raise Refuted(f"the rules do not cover {error}") from error


class LocksetChecker:
    """The obligations of one certificate."""

    def __init__(
        self,
        program: Program,
        certificate: LocksetCertificate,
        tick: Callable[[], object],
        settled: Settlement | None = None,
        claims: ReadClaims | None = None,
    ) -> None:
        """`settled` is what the kernel shows by itself; claims are read if they are not given."""
        program = readable(program)
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.claimed = claimed_properties(program, certificate.properties)
        self.partial = claimed_properties(program, certificate.partial)
        ground = ground_of(program, certificate)
        self.memory = ground.memory
        self.threads = ground.threads
        self.steps = Steps(ground)
        self.accesses = Accesses(self.steps)
        self.starts = Starts(self.threads, self.steps.numbering)
        self.taken: set[EdgeId] = set()
        self.claims = read_claims(program, certificate) if claims is None else claims
        self.look: Look | None = None
        self.settled = settled

    def run(self) -> CheckedProof:
        """Check all of them; raises Refuted."""
        self._names()
        self._lists()
        self._entries()
        self._closed()
        self._memory()
        self._starts()
        self._unchanged()
        assumed = self._failures()
        self._resources()
        locations = self._races()
        assumptions: tuple[str, ...] = (MEMORY,) if assumed or uses_memory(self.program) else ()
        assumptions += tuple(f"{PAST}{end}" for end in self.ends)
        visited = frozenset(int(location) for location in self.claims.knowledge)
        properties, taken = self.certificate.properties, frozenset(self.taken)
        found = None if self.settled is None else self.settled.found
        return CheckedProof(properties, taken, visited, assumptions, locations, found=found)

    # -- (1) -------------------------------------------------------------------------------------

    def _names(self) -> None:
        """That claims are about threads and edges that there are."""
        claims = self.certificate
        pools = {template.name for template in self.program.templates if template.pool}
        exclusive = chain.from_iterable(claims.exclusive)
        named = claims.alone | claims.identified | claims.numbered | claims.given.keys()
        for name in (*named, *exclusive):
            if name not in pools:
                raise Refuted(f"{name} is no template whose threads are started")
        starts = self.threads.starts
        for knowledge in chain.from_iterable(self.claims.knowledge.values()):
            events = {event.edge for event in (*knowledge.running, *knowledge.handles.values())}
            edges = {*knowledge.started, *events, *(roster.edge for roster in knowledge.rosters)}
            if not edges <= starts.keys():
                raise Refuted("a claim about threads that no edge starts")
            if knowledge.template is not None and knowledge.template not in self.program.template:
                raise Refuted(f"there are no threads `{knowledge.template}`")

    def _memory(self) -> None:
        claims = self.memory.values
        for target, values in self.memory.initial():
            if not includes(claims.get(target, frozenset()), values):
                raise Refuted(f"{target.object} may begin with another value")
        for procedure in self.program.procedures:
            for edge in procedure.edges:
                self.tick()
                if not self._may_be_taken(edge, procedure):
                    continue
                for target, values in self.memory.stored(edge, procedure.name):
                    if not includes(claims.get(target, frozenset()), values):
                        raise Refuted(f"edge {edge.id} stores another value in {target.object}")

    def _may_be_taken(self, edge: Edge, procedure: Procedure) -> bool:
        passing = self.steps.guards.passing
        return any(
            any(passing(edge, knowledge, procedure.name))
            for knowledge in self.claims.knowledge.get(edge.source, ())
        )

    # -- (2) and (3) -----------------------------------------------------------------------------

    def _entries(self) -> None:
        for template in self.program.templates:
            entry = self.program.procedure[template.body].entry
            for knowledge in self.starts.beginnings(template, self.claims):
                self._expect(entry, knowledge)

    def _closed(self) -> None:
        for location, everything in self.claims.knowledge.items():
            procedure = self.program.procedure_of[location]
            for knowledge in everything:
                for edge in self.program.outgoing[location]:
                    self.tick()
                    for target, after in self.steps.after(edge, knowledge, procedure):
                        self.taken.add(edge.id)
                        self._expect(target, after)

    def _expect(self, location: LocId, knowledge: Knowledge) -> None:
        if not any(implies(knowledge, k) for k in self.claims.knowledge.get(location, ())):
            raise Refuted(f"location {location} is reached knowing less")

    # -- (4) -------------------------------------------------------------------------------------

    def _starts(self) -> None:
        found = self.starts.found(self.claims.knowledge)
        for one, other in self.certificate.exclusive:
            if not found.is_exclusive(one, other):
                raise Refuted(f"threads of {one} and {other} may run at the same time")
        for template in self.program.templates:
            if not template.pool:
                continue
            name = template.name
            if not self.certificate.absent.get(name, frozenset()) <= found.absent(name):
                raise Refuted(f"other threads may run when one of {name} begins")
            if name in self.certificate.identified and not found.is_identified(name):
                raise Refuted(f"two threads of {name} may get the same argument")
            if name in self.certificate.alone and not found.is_alone(name):
                raise Refuted(f"two threads of {name} may run at the same time")
            if name in self.certificate.numbered and found.spacing(name) is None:
                raise Refuted(f"two threads of {name} may have the same number")

    # -- (5) -------------------------------------------------------------------------------------

    def _unchanged(self) -> None:
        for target, values in self.memory.initial():
            kind = self.certificate.numbers.get(target)
            if kind is not None and not includes(kind.beginnings, values):
                raise Refuted(f"{target.object} does not begin as a lock does")
        for location, everything in self.claims.knowledge.items():
            procedure = self.program.procedure_of[location]
            for edge in self.program.outgoing[location]:
                for knowledge in everything:
                    for cell in self.starts.shared_writes(self.steps, edge, knowledge, procedure):
                        if cell in self.certificate.frozen:
                            raise Refuted(f"{cell.object} is written while others may see it")
                    spoilt = self.steps.locks.spoiling(edge, knowledge, procedure)
                    if not set(spoilt) <= self.certificate.spoilt:
                        raise Refuted(f"edge {edge.id} may take a mutex away from its owner")
                    for target in self.steps.misused(edge, knowledge, procedure):
                        raise Refuted(f"edge {edge.id} uses {target.object} not as a lock")
                    for target in self.steps.miscounted(edge, knowledge, procedure):
                        raise Refuted(f"edge {edge.id} gives {target.object} another number")
                    for name in self.steps.keeps(edge, knowledge, procedure):
                        raise Refuted(f"edge {edge.id} keeps what a thread of {name} gets")
                    for name in self.steps.strays(edge, knowledge, procedure):
                        raise Refuted(f"edge {edge.id} puts an object of {name} elsewhere")
                    for name in self.steps.mishandled(edge, knowledge, procedure):
                        raise Refuted(f"edge {edge.id} mishandles an object of {name}")

    def _lists(self) -> None:
        if not all(map(is_site, self.certificate.homed)):
            raise Refuted("only what is allocated has a home")
        if UNKNOWN in self.certificate.homed:
            raise Refuted("unknown functions put their objects anywhere")
        if any(gate.object in self.certificate.homed for gate in self.certificate.gates):
            raise Refuted("a gate is outside of what it leads to")
        if not all(site in self.memory.objects.types for site in self.certificate.handed):
            raise Refuted("only what is allocated is handed over")
        for site in self.steps.handover.unfit():
            raise Refuted(f"objects of {site} are found elsewhere than in containers")

    # -- (6) -------------------------------------------------------------------------------------

    def _failures(self) -> bool:
        """Whether the proof assumes something about failures."""
        names = {p.name for p in self.claimed if isinstance(p, FailureProperty)}
        assumed = False
        if self.ends and self.claimed:
            raise Refuted(f"the proof reaches a limit: {self.ends[0]}")
        reached = self._reached()
        for location in self.claims.knowledge:
            failure = self.program.locations[location].failure
            if failure is None:
                continue
            assumed |= failure.kind.has_no_meaning
            if failure.property in names and location in reached:
                raise Refuted(f"the proof reaches a failure of {failure.property}")
        for checked in self.claimed:
            if not isinstance(checked, FailureProperty | RaceProperty):
                raise Refuted("locksets prove races and failures only")
            if checked.kind is PropertyKind.MEMORY:
                raise Refuted("locksets assume that memory is used as the C standard requires")
        return assumed

    def _reached(self) -> Collection[LocId]:
        """The locations that threads may reach, also by the more precise pass."""
        if self.certificate.refinement is None:
            return self.claims.knowledge
        refinement = read_second_look(self.program, self.certificate.refinement)
        return reached_by(self.steps, self.claims.knowledge, refinement, self.tick)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The places behind which nothing is known."""
        return ends_of_model(self.program, self.claims.knowledge, self.steps.guards)

    # -- (8) -------------------------------------------------------------------------------------

    def _resources(self) -> None:
        """What threads own by separation logic, if that is claimed; all of it is computed here."""
        claim = self.certificate.resources
        if claim is None:
            return
        if not all(site in self.memory.objects.types for site in claim.sites):
            raise Refuted("only what is allocated is handed over")
        self.look = Look(self.steps, self.claims.knowledge, claim, self.tick)
        try:
            self.look.run()
        except Spoilt as spoilt:
            raise Refuted(f"resources: {spoilt}") from spoilt
        self.accesses = Accesses(self.steps, self.look)
        if not self.look.unreached <= claim.unreached:
            raise Refuted("resources: it is not said where nobody comes")
        if not taken_along(self.all_accesses, claim.sites) <= claim.taken:
            raise Refuted("resources: it is not said who has what")
        if owned_variables(self.look) != claim.owned:
            raise Refuted("resources: threads own something else than is said")

    # -- (7) -------------------------------------------------------------------------------------

    def _races(self) -> dict[str, tuple[Location, ...]]:
        """The shared locations, by the properties that are claimed of them."""
        if not all(isinstance(checked, RaceProperty) for checked in self.partial):
            raise Refuted("only freedom of races is proved in part")
        both = {checked.name: checked for checked in (*self.claimed, *self.partial)}
        races = [checked for checked in both.values() if isinstance(checked, RaceProperty)]
        whole = {checked.name for checked in self.claimed}
        return {
            checked.name: locations_of(
                self.program,
                self._concerned(checked, whole=checked.name in whole),
                () if self.settled is None else self.settled.cells,
            )
            for checked in races
        }

    def _concerned(self, checked: RaceProperty, *, whole: bool) -> Iterator[Settled]:
        """The pairs that a property is about; raises Refuted if one refutes a whole proof."""
        for cells, first, second, rule in self.pairs(checked):
            if rule is None and whole:
                raise Refuted(f"edges {first.edge} and {second.edge} may race")
            yield cells, first, second, rule

    def pairs(self, checked: RaceProperty | None = None) -> Iterator[Settled]:
        """All pairs of accesses to one cell, and the rules by which they are apart.

        Cells with the same accesses come together, and their pairs one after the other. Accesses
        that differ in the edge only are apart by the same rules: of pairs of these one stands for
        all, unless no rule keeps them apart. Where very many are not, the steps of a cell are
        listed one by one (`crowd`): any two of them may be such a pair.
        """
        rules = Rules(self.starts.population(self.claims))
        for every, accesses in alike(self.all_accesses):
            cells = tuple(c for c in every if checked is None or _concerns(checked, c))
            if not cells:
                continue
            numbered: dict[int, list[Access]] = {}
            for access in accesses:
                numbered.setdefault(rules.number(access), []).append(access)
            left = MOST_PAIRS
            for (m, one), (n, other) in combinations_with_replacement(numbered.items(), 2):
                self.tick()
                if left <= 0:
                    break
                rule = rules.apart(one[0], other[0], m, n)
                if rule is not None:
                    yield cells, one[0], other[0], rule
                    continue
                both = (
                    combinations_with_replacement(one, 2) if one is other else product(one, other)
                )
                for first, second in islice(both, left):
                    self.tick()
                    left -= 1
                    yield cells, first, second, None
            if left <= 0:
                yield from ((cells, access, access, CROWDED) for access in accesses)

    @cached_property
    def all_accesses(self) -> dict[Target, list[Access]]:
        """The different accesses to each cell."""
        found: defaultdict[Target, dict[Access, None]] = defaultdict(dict)
        for target, access in self._each_access(self.starts.population(self.claims)):
            found[target][access] = None
        return {target: list(accesses) for target, accesses in found.items()}

    def _each_access(self, population: Population) -> Iterator[tuple[Target, Access]]:
        for location, everything in self.claims.knowledge.items():
            procedure = self.program.procedure_of[location]
            for knowledge in everything:
                for edge in self.program.outgoing[location]:
                    self.tick()
                    yield from self.accesses.of(edge, knowledge, procedure, population)


def _concerns(checked: RaceProperty, target: Target) -> bool:
    return checked.variables is None or target.object in checked.variables
