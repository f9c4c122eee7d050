"""Proofs by locksets: `threadwise.proofs.locksets` has the rules, this finds what they prove.

First the memory, then what the first threads know, then what those know that they start. Answers
SAFE or UNKNOWN; with UNKNOWN comes a proof for those locations whose accesses cannot race.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import combinations, combinations_with_replacement, islice
from typing import NamedTuple

from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.locksets.fixpoints import (
    Reached,
    frozen_of,
    given_of,
    indexed_of,
    numbered_of,
    numbers_of,
)
from threadwise.engines.locksets.going_on import Changes, with_memory_of
from threadwise.engines.locksets.lists import (
    NO_GUARDS,
    NO_LISTS,
    Guards,
    Lists,
    containers_of,
    guards_of,
    lists_of,
)
from threadwise.engines.locksets.needed import Least, Lives, Needed
from threadwise.engines.locksets.points_to import Search, memory_of
from threadwise.engines.locksets.refining import refined
from threadwise.engines.locksets.resources import Way, resources_of
from threadwise.ir.expr import Place
from threadwise.ir.program import EdgeId, LocId, Template
from threadwise.ir.properties import FailureProperty, Property, PropertyKind, RaceProperty
from threadwise.ir.text.printer import print_place, program_hash
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.locksets.accesses import Access, Accesses, Rules, alike, taken_along
from threadwise.proofs.locksets.beyond import readable
from threadwise.proofs.locksets.certificate import Discipline, LocksetCertificate
from threadwise.proofs.locksets.containers.handover import Handover
from threadwise.proofs.locksets.failures import ends_of_model
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.memory.contents import Memory, Unresolved, includes
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.texts import RefinementText, write_refinement
from threadwise.proofs.locksets.resources.claims import Resources
from threadwise.proofs.locksets.resources.look import Look
from threadwise.proofs.locksets.resources.told import owned_variables
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.threads.creation import Threads
from threadwise.proofs.locksets.threads.starts import Starts
from threadwise.proofs.locksets.writing import Writer
from threadwise.results.blockers import Nearness

ROUNDS = (0, 4, 16)
"""How often loops that start or join threads are followed round by round: not at all first."""
QUICK = -1
"""In place of rounds: a quick first pass, with only those facts that locks and objects need."""
LARGE = 4_000
"""Programs with so many edges get one, if the other takes long."""
PATIENCE = 3
"""That is so many steps for each edge."""
FEW_CASES = 4
"""How many cases it distinguishes at a location."""
LONG = 25_000
"""After so many steps, results are reported before more is tried."""
REASON = "locks, ownership and the order of threads do not exclude it"


@dataclass
class _Claims:
    knowledge: Mapping[LocId, Sequence[Knowledge]] = field(default_factory=dict)
    absent: dict[str, frozenset[str]] = field(default_factory=dict)
    identified: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    exclusive: frozenset[tuple[str, str]] = frozenset()


class _Refuted(NamedTuple):
    """What steps do that claims do not allow."""

    written: frozenset[Target]
    """Cells that are written while others may see them, so that they are not frozen."""
    spoilt: frozenset[Target]
    """Mutexes that may be taken away from their owners."""
    misused: frozenset[Target]
    """Numbers that are not used as locks."""
    kept: frozenset[str]
    """Templates whose threads are given objects that are used by others."""
    strays: frozenset[str]
    """Sites whose objects are put elsewhere than in lists with their lock."""
    mishandled: frozenset[str]
    """Sites whose objects are not handed over by the rules."""
    miscounted: frozenset[Target]
    """Cells that may hold another number than that of their element."""
    unnumbered: frozenset[str]
    """Templates whose threads may have the same numbers."""


class _More(NamedTuple):
    """What may hold beyond what is claimed at first."""

    lists: Lists = NO_LISTS
    containers: Lists = NO_LISTS
    guards: Guards = NO_GUARDS
    indexed: frozenset[Target] = frozenset()


NOTHING_MORE = _More()


class LocksetEngine:
    """Claims about memory and knowledge, and what follows from them."""

    name = "locksets"

    def run(self, task: Task) -> Iterator[Finding]:
        """Prove what the rules prove."""
        kept = tuple(p for p in task.properties if _is_covered(p))
        left = tuple(p.name for p in task.properties if p not in kept)
        if left:
            yield Undecided(left, "locksets say nothing about it", applies=False)
        if not kept:
            return
        read = replace(task, program=readable(task.program))
        named = program_hash(task.program)
        try:
            for finding in self._found(read, kept):
                yield _about(finding, named)
        except Unresolved as error:
            raise Unsupported(str(error)) from error

    def _found(self, task: Task, kept: Sequence[Property]) -> Iterator[Finding]:
        """The outcome that proves most locations; also if there is no time for further passes.

        If a pass took long, what it proves is reported at once, because the next one may take
        even longer.
        """
        best: _Outcome | None = None
        told: _Outcome | None = None
        done: set[str] = set()
        try:
            for outcome in self._outcomes(task, kept):
                if best is None or outcome.open < best.open:
                    best = outcome
                if not best.open:
                    break
                if best is not told and task.meter.steps > LONG:
                    yield from _findings(best, done)
                    told = best
        except BudgetExhausted:
            if best is not told:
                yield from _findings(best, done)
            raise
        if best is not told:
            yield from _findings(best, done)

    def _outcomes(self, task: Task, kept: Sequence[Property]) -> Iterator[_Outcome]:
        """What is proved; with less and less that memory may hold, and more rounds."""
        work = _Work(task)
        memory = work.memory()
        begun = _Analysis(work, _first_claims(memory, work.threads), ROUNDS[0])
        steps, size = begun.steps_taken(), len(task.program.edges)
        if size > LARGE and not _end_within(PATIENCE * size, steps):
            analysis = _settled(work, QUICK, memory)
            if analysis.is_covered:
                with suppress(Unresolved):
                    yield analysis.outcome(kept)
        _end_within(None, steps)
        memory, analysis = _narrowed(work, memory, begun)
        limit: Unresolved | None = None
        found = False
        lists: Lists | None = None
        containers: Lists | None = None
        start: Ground | None = None
        guards: Guards | None = None
        indexed: frozenset[Target] = frozenset()
        attempts = [*ROUNDS]
        while attempts:
            rounds = attempts.pop(0)
            if rounds != ROUNDS[0] or lists is not None or guards is not None:
                more = _More(lists or NO_LISTS, containers or NO_LISTS, guards or {}, indexed)
                analysis = _settled(work, rounds, memory, more, start)
                guards = None if guards is None else analysis.ground.guards
                indexed = analysis.ground.indexed
                start = None
            if not analysis.is_covered:
                continue
            try:
                outcome = analysis.outcome(kept)
            except Unresolved as error:
                limit = error
                continue
            yield outcome
            found = True
            if guards is None and outcome.undecided:
                held = analysis.ground.numbers
                guards = guards_of(task.program, memory, analysis.accesses, held)
                indexed = indexed_of(memory, work.threads)
                if guards or indexed:
                    attempts, start = [rounds, *attempts], analysis.ground
                    continue
            if lists is None:
                lists = lists_of(memory, analysis.accesses)
                if lists[0]:
                    attempts, start = [rounds, *attempts], analysis.ground
                    continue
            if containers is None:
                containers = containers_of(memory, analysis.accesses, outcome.undecided)
                if containers[0]:
                    attempts, start = [rounds, *attempts], analysis.ground
        if not found and limit is not None:
            raise limit


def _findings(outcome: _Outcome | None, done: set[str]) -> Iterator[Finding]:
    """What an outcome proves; what was reported before is not proved again."""
    if outcome is not None:
        yield from outcome.findings(tuple(done))
        done |= set(outcome.proved)


def _about(finding: Finding, named: str) -> Finding:
    """A finding with a certificate that names the program of record."""
    match finding:
        case Proved(certificate=LocksetCertificate() as certificate):
            return replace(finding, certificate=replace(certificate, program_hash=named))
        case Undecided(certificate=LocksetCertificate() as certificate):
            return replace(finding, certificate=replace(certificate, program_hash=named))
        case _:
            return finding


def _is_covered(checked: Property) -> bool:
    """Whether the rules are about a property; correct use of memory is assumed."""
    known = isinstance(checked, RaceProperty | FailureProperty)
    return known and checked.kind is not PropertyKind.MEMORY


class _Work:
    """A task, with what is the same in all passes over its program."""

    def __init__(self, task: Task) -> None:
        self.program = task.program
        self.tick = task.meter.check
        self.threads = Threads(task.program)
        self.lives = Lives(task.program)
        self._narrower: Search | None = None

    def memory(self, taken: frozenset[EdgeId] | None = None) -> Memory:
        """What every cell may hold; if edges are given, if threads take these and no others.

        If they took some of them when it was asked last, that is where it goes on.
        """
        if taken is None:
            return memory_of(self.program, self.tick, None, self.threads)
        search = self._narrower
        if search is None or not search.taken <= taken:
            search = self._narrower = Search(self.program, self.tick, self.threads)
        search.take(taken)
        return search.found()


def _first_claims(memory: Memory, threads: Threads) -> Ground:
    """What may hold for all time, to begin with."""
    frozen, given = frozen_of(memory, threads), given_of(memory, threads)
    claims = frozen, frozenset[Target](), numbers_of(memory), given, numbered_of(memory, threads)
    return Ground(memory, threads, *claims)


def _end_within(most: int | None, steps: Iterator[None]) -> bool:
    """Take steps, but not more than so many; whether there were less."""
    return sum(1 for _ in islice(steps, most)) != most


def _narrowed(work: _Work, memory: Memory, first: _Analysis) -> tuple[Memory, _Analysis]:
    """What memory may hold if threads take only the edges that they may by what they know.

    The first pass assumes all claims that may hold, whether they do or not: with what it lets
    threads take, memory may hold too little. Then it is computed again with what they take more.
    """
    begun: _Analysis | None = first
    taken, melted = first.taken, first.refuted().written
    analysis: _Analysis | None = None
    while True:
        other = work.memory(taken)
        if other.values != memory.values:
            memory, begun = other, None
        elif analysis is not None:
            return memory, analysis
        if analysis is not None and _goes_on(work, memory, analysis.ground):
            start = replace(analysis.ground, memory=memory)
            analysis = _settled(work, ROUNDS[0], memory, start=start, before=analysis)
        else:
            analysis = _settled(work, ROUNDS[0], memory, melted=melted, begun=begun)
        if analysis.is_covered:
            return memory, analysis
        taken, begun = taken | analysis.taken, None


def _goes_on(work: _Work, memory: Memory, ground: Ground) -> bool:
    """Whether memory may hold more than where claims were found, and no more may be claimed."""
    grown = all(
        includes(memory.values.get(c, frozenset()), v) for c, v in ground.memory.values.items()
    )
    if not grown:
        return False
    now, then = (_first_claims(each, work.threads) for each in (memory, ground.memory))
    return (
        now.frozen <= then.frozen
        and now.numbered <= then.numbered
        and now.numbers.items() <= then.numbers.items()
        and now.given.items() <= then.given.items()
    )


def _settled(
    work: _Work,
    rounds: int,
    memory: Memory,
    more: _More = NOTHING_MORE,
    start: Ground | None = None,
    melted: frozenset[Target] = frozenset(),
    begun: _Analysis | None = None,
    before: _Analysis | None = None,
) -> _Analysis:
    """The claims with as many frozen cells as there can be, or as there were with less known.

    Cells that `melted` when memory was less known are taken not to be frozen at first, and to be
    so later if nothing speaks against it. If the first pass was `begun` elsewhere, it is not
    repeated. With fewer claims threads know less than before: what they knew is where the next
    pass begins; `before` says this of the first one.
    """
    (homed, gates), (handed, slots), guards, indexed = more
    first = start or _first_claims(memory, work.threads)
    melted = frozenset() if begun is not None else first.frozen & melted
    frozen, spoilt, numbered = first.frozen - melted, first.spoilt, first.numbered
    flags = dict.fromkeys(guards, Discipline.FLAG)
    numbers, given = {**flags, **first.numbers}, dict(first.given)
    while True:
        if begun is not None:
            analysis, begun = begun, None
        else:
            claims = frozen, spoilt, numbers, given, numbered, homed, gates
            guarded = {cell: key for cell, key in guards.items() if cell in numbers}
            ground = _fit(Ground(memory, first.threads, *claims, handed, slots, guarded, indexed))
            handed, slots = ground.handed, ground.slots
            analysis = _Analysis(work, ground, rounds)
            if before is not None:
                analysis.go_on(before)
            _end_within(None, analysis.steps_taken())
        refuted = analysis.refuted()
        if before is not None and not analysis.is_broken(refuted) and analysis.looks_again():
            refuted = analysis.refuted()
        written, taken, misused, kept, strays, mishandled, miscounted, unnumbered = refuted
        if not analysis.is_broken(refuted):
            if melted <= written:
                return analysis
            frozen |= melted - written
            melted, before = frozenset(), None
            continue
        weaker = rounds <= 0 and not strays and not mishandled
        before = analysis if weaker and (not kept or given.keys() <= kept) else None
        homed -= strays
        handed -= mishandled
        indexed -= miscounted
        numbered -= unnumbered
        given = {name: site for name, site in given.items() if name not in kept}
        frozen -= written
        spoilt |= taken
        numbers = {cell: kind for cell, kind in numbers.items() if cell not in misused}


def _fit(ground: Ground) -> Ground:
    """The same without sites that cannot be handed over, as memory says."""
    while unfit := Handover(ground).unfit():
        ground = replace(ground, handed=ground.handed - unfit)
    return ground if ground.handed else replace(ground, slots={})


class _Analysis:
    def __init__(self, work: _Work, ground: Ground, rounds: int) -> None:
        self.program = work.program
        self._tick = work.tick
        self.ground = ground
        self.threads = ground.threads
        self.memory = ground.memory
        self.steps = Steps(ground)
        self.starts = Starts(self.threads, self.steps.numbering)
        sites = ground.given.values()
        kind = Least if rounds == QUICK else Needed
        needed = kind(self.program, sites, work.lives)
        self.reached = Reached(self.program, self.steps, self._tick, max(0, rounds), needed=needed)
        if rounds == QUICK:
            self.reached.most = FEW_CASES
        self.claims = _Claims()
        self.refinement: Refinement | None = None
        """The more precise pass over failures, if one was needed."""
        self.look: Look | None = None
        """What threads own by separation logic, if that was asked for."""
        self._known_groups: (
            tuple[object, Sequence[tuple[tuple[Target, ...], list[Access]]], Rules] | None
        ) = None
        """What was made of the accesses, with these."""

    def go_on(self, before: _Analysis) -> None:
        """Begin with what threads knew by stronger claims."""
        same = self.memory is before.memory
        changes = Changes(before.ground, with_memory_of(self.ground, before.ground))
        self.reached.go_on(before.reached, changes if same else None)

    def looks_again(self) -> bool:
        """Take all steps again, from what is known now; whether a thread knows less then."""
        self.reached.look_again()
        _end_within(None, self.steps_taken())
        return self.reached.weakened

    def steps_taken(self) -> Iterator[None]:
        """Find the claims, step by step.

        Those of templates that start others come before those that are started.
        """
        waiting = self._in_order()
        while waiting:
            begun: list[Template] = []
            for template in waiting:
                if template.pool:
                    self._claim(template)
                entry = self.program.procedure[template.body].entry
                for knowledge in self.starts.beginnings(template, self.claims):
                    begun.append(template)
                    yield from self.reached.begin(entry, knowledge)
                self.claims.knowledge = self.reached.result()
            waiting = [t for t in waiting if t not in begun] if begun else []
        self._claim_who_runs()

    def _in_order(self) -> list[Template]:
        """Templates that are not started by threads, then those started by them, and so on."""
        ordered = [t for t in self.program.templates if not t.pool]
        rest = [t for t in self.program.templates if t.pool]
        while rest:
            done = {t.name for t in ordered}
            ready = [t for t in rest if self.threads.starters[t.name] <= done]
            taken = ready or rest[:1]
            ordered += taken
            rest = [t for t in rest if t not in taken]
        return ordered

    def _claim(self, template: Template) -> None:
        name = template.name
        first = {t.name for t in self.program.templates if self.threads.is_first(t)}
        if not self.threads.starters[name] <= first:
            self.claims.absent[name] = frozenset()
            return
        found = self.starts.found(self.claims.knowledge)
        self.claims.absent[name] = found.absent(name)
        if found.is_identified(name) and found.arguments(name):
            self.claims.identified |= {name}

    def _claim_who_runs(self) -> None:
        """Which threads never run at the same time."""
        found = self.starts.found(self.claims.knowledge)
        pools = sorted(t.name for t in self.program.templates if t.pool)
        self.claims.alone = frozenset(name for name in pools if found.is_alone(name))
        both = combinations(pools, 2)
        self.claims.exclusive = frozenset(pair for pair in both if found.is_exclusive(*pair))

    def refuted(self) -> _Refuted:
        """What the claims do not allow."""
        melted: set[Target] = set()
        spoilt: set[Target] = set()
        misused: set[Target] = set()
        kept: set[str] = set()
        strays: set[str] = set()
        mishandled: set[str] = set()
        miscounted: set[Target] = set()
        for location, everything in self.claims.knowledge.items():
            procedure = self.program.procedure_of[location]
            for edge in self.program.outgoing[location]:
                for knowledge in everything:
                    written = self.starts.shared_writes(self.steps, edge, knowledge, procedure)
                    melted |= set(written)
                    spoilt |= set(self.steps.locks.spoiling(edge, knowledge, procedure))
                    misused |= set(self.steps.misused(edge, knowledge, procedure))
                    kept |= set(self.steps.keeps(edge, knowledge, procedure))
                    strays |= set(self.steps.strays(edge, knowledge, procedure))
                    mishandled |= set(self.steps.mishandled(edge, knowledge, procedure))
                    miscounted |= set(self.steps.miscounted(edge, knowledge, procedure))
        cells = frozenset(melted), frozenset(spoilt), frozenset(misused)
        names = frozenset(kept), frozenset(strays), frozenset(mishandled)
        # which arguments are owned depends on what threads are given
        unnumbered = frozenset[str]() if kept else self._unnumbered()
        return _Refuted(*cells, *names, frozenset(miscounted), unnumbered)

    def is_broken(self, refuted: _Refuted) -> bool:
        """Whether that is something that is claimed."""
        written, spoilt, *others = refuted
        claimed = self.ground
        return (
            bool(claimed.frozen & written)
            or not spoilt <= claimed.spoilt
            or any(map(bool, others))
        )

    @cached_property
    def taken(self) -> frozenset[EdgeId]:
        """The edges that threads may take, as far as they know, once the claims are final."""
        found: set[EdgeId] = set()
        for location, everything in self.claims.knowledge.items():
            name = self.program.procedure_of[location].name
            for edge in self.program.outgoing[location]:
                passing = self.steps.guards.passing
                if any(any(passing(edge, knowledge, name)) for knowledge in everything):
                    found.add(edge.id)
        return frozenset(found)

    @cached_property
    def is_covered(self) -> bool:
        """Whether memory may hold what edges store that threads may take."""
        values = self.memory.values
        return all(
            includes(values.get(target, frozenset()), stored)
            for edge in sorted(self.taken)
            for target, stored in self.memory.stored(
                self.program.edges[edge],
                self.program.procedure_of[self.program.edges[edge].source].name,
            )
        )

    def _unnumbered(self) -> frozenset[str]:
        """Templates whose threads may have the same numbers."""
        found = self.starts.found(self.claims.knowledge)
        return frozenset(name for name in self.ground.numbered if found.spacing(name) is None)

    # -- results ---------------------------------------------------------------------------------

    def outcome(self, properties: Sequence[Property]) -> _Outcome:
        """What the claims prove; raises Unresolved if nothing can be said of any location."""
        ends = ends_of_model(self.program, self.claims.knowledge, self.steps.guards)
        if ends and not any(isinstance(checked, RaceProperty) for checked in properties):
            raise Unresolved(ends[0])
        failing = self._failing(self.claims.knowledge)
        if not ends and any(p.name in failing for p in properties):
            self.refinement = refined(self.steps, self.claims.knowledge, self._tick)
            if self.refinement is not None:
                failing = self._failing(self.refinement.states)
        outcome = _Outcome(self, len(ends), end=ends[0] if ends else None)
        for checked in properties:
            if isinstance(checked, RaceProperty):
                pairs = list(self._races(checked))
                if pairs and self.look is None:
                    pairs = self._looked(checked, pairs)
                outcome.undecided |= {target for target, _, _ in pairs}
                if pairs or ends:
                    outcome.open += len(pairs)
                    outcome.partial[checked.name] = self._told(*pairs[0]) if pairs else ()
                    continue
            elif checked.name in failing or ends:
                outcome.open += 1
                outcome.failing.append(checked.name)
                continue
            outcome.proved.append(checked.name)
        return outcome

    def _looked(
        self, checked: RaceProperty, pairs: list[tuple[Target, Access, Access]]
    ) -> list[tuple[Target, Access, Access]]:
        """The pairs that are left with what threads have, if that helps."""
        undecided = {target for target, _, _ in pairs}
        plain = self.accesses
        for way in Way:
            look = resources_of(
                self.steps,
                self.claims.knowledge,
                plain,
                undecided,
                self._tick,
                way,
            )
            if look is None:
                continue
            before = self.accesses, self.look
            self.look = look
            del self.accesses
            left = list(self._races(checked))
            if len(left) < len(pairs):
                pairs = left
            else:
                self.accesses, self.look = before
            if not pairs:
                break
        return pairs

    def _failing(self, reached: Iterable[LocId]) -> frozenset[str]:
        """The properties that fail at one of some locations."""
        failures = (self.program.locations[location].failure for location in reached)
        return frozenset(failure.property for failure in failures if failure is not None)

    @cached_property
    def accesses(self) -> dict[Target, list[Access]]:
        """The different accesses to each cell, once the claims are final."""
        accesses = Accesses(self.steps, self.look)
        found: defaultdict[Target, dict[Access, None]] = defaultdict(dict)
        population = self.starts.population(self.claims)
        for location, everything in self.claims.knowledge.items():
            procedure = self.program.procedure_of[location]
            for knowledge in everything:
                for edge in self.program.outgoing[location]:
                    self._tick()
                    for target, access in accesses.of(edge, knowledge, procedure, population):
                        found[target][access] = None
        return {target: list(each) for target, each in found.items()}

    def _races(self, checked: RaceProperty) -> Iterator[tuple[Target, Access, Access]]:
        """The cells with accesses that may race, with the first such pair."""
        grouped, rules = self._grouped()
        for every, each in grouped:
            concerned = [
                t for t in every if checked.variables is None or t.object in checked.variables
            ]
            if not concerned:
                continue
            different = {rules.number(access): access for access in reversed(each)}
            ordered = list(reversed(different.items()))
            for (m, first), (n, second) in combinations_with_replacement(ordered, 2):
                self._tick()
                if rules.apart(first, second, m, n) is None:
                    yield from ((target, first, second) for target in concerned)
                    break

    def _grouped(self) -> tuple[Sequence[tuple[tuple[Target, ...], list[Access]]], Rules]:
        """The accesses to cells, those with the same ones together, and what is known of pairs:
        the same for all properties, of which there may be one per variable."""
        if self._known_groups is None or self._known_groups[0] is not self.accesses:
            rules = Rules(self.starts.population(self.claims))
            self._known_groups = self.accesses, list(alike(self.accesses)), rules
        return self._known_groups[1:]

    def _told(self, target: Target, first: Access, second: Access) -> tuple[str, ...]:
        return (
            f"nothing keeps these accesses to {target.object} apart:",
            *(self._access_told(access) for access in (first, second)),
        )

    def _access_told(self, access: Access) -> str:
        edge = self.program.edges[access.edge]
        where = "" if edge.span is None else f"{edge.span.path}:{edge.span.line}: "
        what = "write" if access.write else "read"
        locks = ", ".join(sorted(map(print_place, access.locks))) or "no lock"
        return (
            f"  {where}{access.template}: {what} of {print_place(access.place)}, holding {locks}"
        )

    def certificate(self, names: tuple[str, ...], partial: tuple[str, ...]) -> LocksetCertificate:
        """The claims, as a proof of some properties, and of parts of others."""
        writers = {p.name: Writer(self.program, p) for p in self.program.procedures}
        return LocksetCertificate(
            "",
            names,
            sorted(self.memory.values.items(), key=lambda item: item[0]),
            {
                location: [
                    writers[self.program.procedure_of[location].name].write(knowledge)
                    for knowledge in everything
                ]
                for location, everything in self.claims.knowledge.items()
            },
            self.claims.absent,
            self.claims.identified,
            self.claims.alone,
            self.ground.frozen,
            self.ground.spoilt,
            self.ground.numbers,
            self.ground.given,
            self.ground.numbered,
            self.ground.homed,
            self.ground.gates,
            partial,
            self.ground.handed,
            self.ground.slots,
            None if self.refinement is None else self._second_look(self.refinement, writers),
            None if self.look is None else self._resources(self.look),
            self.claims.exclusive,
            self.ground.guards,
            self.ground.indexed,
        )

    def _resources(self, look: Look) -> Resources:
        """What is claimed of memory that locks hand over, with what follows from it."""
        taken = taken_along(self.accesses, look.claim.sites)
        owned = owned_variables(look)
        return replace(look.claim, unreached=look.unreached, taken=taken, owned=owned)

    def _second_look(
        self, refinement: Refinement, writers: Mapping[str, Writer]
    ) -> RefinementText:
        def words(location: LocId, place: Place) -> str:
            return writers[self.program.procedure_of[location].name].place(place)

        return write_refinement(refinement, words)


@dataclass
class _Outcome:
    """What an analysis proves."""

    analysis: _Analysis
    open: int = 0
    """How many locations and properties are not proved."""
    proved: list[str] = field(default_factory=list)
    partial: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Race properties that are not proved of all locations, with two accesses to one of them."""
    failing: list[str] = field(default_factory=list)
    undecided: set[Target] = field(default_factory=set)
    """Cells with accesses that may race."""
    end: str | None = None
    """A place behind which nothing is known."""

    def findings(self, before: Sequence[str] = ()) -> Iterator[Finding]:
        """The same for the driver; one certificate is for everything."""
        partial = tuple(self.partial)
        proved = tuple(name for name in self.proved if name not in before)
        certificate = self.analysis.certificate(proved, partial)
        if proved:
            yield Proved(proved, certificate)
        for name, told in self.partial.items():
            given = None if proved or name != partial[0] else certificate
            yield self._undecided((name,), told, given)
        if self.failing:
            yield self._undecided(tuple(self.failing), (), None)

    def _undecided(
        self, names: tuple[str, ...], told: tuple[str, ...], certificate: Certificate | None
    ) -> Undecided:
        if self.end is None:
            return Undecided(names, REASON, explanation=told, certificate=certificate)
        possible = Nearness.POSSIBLE
        return Undecided(
            names, self.end, explanation=told, certificate=certificate, nearness=possible
        )
