"""What a proof by locksets claims, tested in runs.

The table defines what each claim of `LocksetCertificate` means in a run; a monitor raises `Broken`
where it does not hold. *Runs*: was started and has not ended. *Found by others* (escaped):
pointers lead there from shared memory, or from the variables of another thread that runs.

    memory       every value in the store is among those claimed for its folded cell
    knowledge    for each thread that runs one of the cases of its location holds, also between
                 the edges of a region; a location without cases is not reached. Of a case:
      held       the thread is the owner of the mutex, or took the number and has not given it back
      fresh      the other locks were held before the step began in which the thread is
      known      the values are the values
      facts      the conditions hold
      owned      the variable points to an object of the site that is not found by others; until
                 it is published no other thread accesses it
      lost       of the thread's variables, only these point to what it gave to a new thread
      started    the first thread took these edges so often, and no others that start threads
      running    the threads that the first thread started and that run are among these
      handles    the variable holds the id of the thread that was started then
      absent     no thread of the template runs, nor takes a step before this thread ends
      identity   the thread was started with this argument (without any: with its status)
      rosters    the threads that were started by the edge and run can be given different numbers
                 below the stop, so that argument and id are those of the number; except `late`
      ended      no thread of the template runs whose id is in one of the elements
      copies     the variable holds what the element holds
      homes      the object has this lock as its home, or has none and leads to no other; or it is
                 none of a homed site, or null
      clean      the object points to no object that has a home, or leads to one
      template   the thread is one of the template
      taken      the object is in no container, and no other variable that is taken points to it;
                 while that is so no other thread accesses it
      whole      nor is what it leads to in a container
      lent       the object is in the container of this lock; or null
      same       the place holds what the cell holds
    absent       when a thread is started, no thread of these templates runs or will take a step
    identified   no two threads of the template are started with one argument
    alone        no two threads of the template run at the same time
    exclusive    nor do two threads of such a pair of templates
    frozen       it is written by the first thread while no other runs, or its object is not found
                 by others; that the object ends is no write
    spoilt       owners of all other mutexes change from none to the writer, or back, except
                 mutexes that are not found by others, and those that the first thread writes
                 while no other owns them
    numbers      begin with 0 (semaphores: or 1), and change as `tokens` says: a thread gives back
                 only what it has taken; a number is set anew only while no thread has taken it;
                 while a thread reads, none takes the mutex beside
    guards       a thread that writes such a flag holds its mutex, or runs alone, or its object is
                 not found by others
    indexed      what is written there is the number of the innermost element of a variable that
                 the cell is in; who is started with the address of an element finds it there
    given        a started thread gets one object of the site; from then on no other thread
                 accesses it, and no shared cell but the argument points to it
    numbered     threads of the template that run at the same time have different arguments; where
                 these are no numbers, several may be null, which leads to no object
    homed        shared cells that point to objects of these sites are gates, or in such objects
    gates        what is found from a gate, link by link, is found from no gate with another lock,
                 ever
    handed       shared cells that point to objects of these sites are slots, or in such objects;
                 what is found from slots, link by link, is found once; elements of arrays are
                 objects, too
    refinement   each thread that runs is at a location with a state. Of a state:
      locks      mutexes that the thread owns are among these, or `left`
      ranges     the values are in these ranges
      copies     the variable holds what the cell holds
      late       flags with another than an early value are among these
      tokens     if the first thread alone runs, a count that is neither here, nor among `locks`
                 or `left`, is 0
      limits     the values of these cells are in the ranges
    resources    what the slots of these lead to, link by link, is alive and found once while their
                 locks are free and several threads run; a list ends where its tail says; no thread
                 is in a case that is claimed unreachable. A slot is written as `slots` says below
      owned      the object that the variable points to is alive, in no container whose lock is
                 free, and no other thread owns it, or reads it by a lock that it holds for reading
      taken      nor is an object that a thread accesses as its sole owner, frees, or whose links
                 it writes, in such a container, or owned by another thread
    slots        a thread that writes one holds its lock, or runs alone, or its object is not found
                 by others
    kernel       what the kernel makes of all this (`auditing.kernel`)
    properties   in no state two threads can access one cell, one of them writing and one plainly;
                 no failure of a claimed property is reached. This is tested in every state of
                 every run by `threadwise.proofs.base.auditing`, not by the monitor; which does
                 test that conflicting accesses of a run are ordered (`auditing.ordered`)

What *can* not be seen in a run: that a claim holds for pools of more threads than were tried. The
lock of a home is not demanded at each access (another rule may exclude the race): where that
matters the state is a race. A name that leads through an object that was freed says nothing.
Runs that reach a limit, or undefined behaviour of C, end there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import Place
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.always import Always
from threadwise.proofs.locksets.auditing.cases import Before, Cases
from threadwise.proofs.locksets.auditing.containers import Containers
from threadwise.proofs.locksets.auditing.ghosts import Ghosts
from threadwise.proofs.locksets.auditing.kernel import KernelMeaning
from threadwise.proofs.locksets.auditing.lists import Lists
from threadwise.proofs.locksets.auditing.memory import MemoryMeaning
from threadwise.proofs.locksets.auditing.ordered import Ordered
from threadwise.proofs.locksets.auditing.refinement import SecondLook
from threadwise.proofs.locksets.auditing.replaying import Micro, Replay
from threadwise.proofs.locksets.auditing.resources import Share, Units
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel.found import KernelFound
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.refined.texts import read_second_look
from threadwise.proofs.locksets.texts import Reader
from threadwise.proofs.locksets.translated import translated
from threadwise.semantics.evaluate import Region
from threadwise.semantics.state import GlobalStore, Move, State

MOST_KEPT = 20_000
"""So many steps are remembered, so that common prefixes of runs are not evaluated again."""


@dataclass
class Past:
    """A run so far: its last state, and the state of the monitor."""

    moment: Moment
    named: int
    """How many names of objects there are."""
    ghosts: Ghosts = field(default_factory=Ghosts)
    holding: dict[int, dict[int, Knowledge]] = field(default_factory=dict)
    """Per thread that runs the cases that hold, by their numbers."""
    shares: dict[int, Share] = field(default_factory=dict)
    """Per thread that runs what it owns, by separation logic."""
    private: frozenset[int] = frozenset()
    """The objects that some thread owns, by what it knows."""
    banned: dict[int, frozenset[str]] = field(default_factory=dict)
    """Per thread the templates that must not run before it ends."""
    futures: dict[Move, Past] = field(default_factory=dict)
    """How it went on, in runs that were watched before."""

    def copy(self) -> Past:
        """The same, to go on with."""
        return Past(
            self.moment,
            self.named,
            self.ghosts.copy(),
            self.holding,
            self.shares,
            self.private,
            dict(self.banned),
        )

    def key(self) -> Hashable:
        """What is equal for runs that go on alike: their monitors are in the same state."""
        banned = frozenset(self.banned.items())
        names = (self.moment.names, self.named) if self.ghosts.mention_objects else None
        return self.moment.state, names, self.ghosts.key(), banned


def audit_locksets(program: Program, certificate: LocksetCertificate) -> LocksetMonitor:
    """The monitor of a certificate, for a program with a fixed number of threads."""
    return LocksetMonitor(program, certificate)


class LocksetMonitor:
    """Tests the claims of a lockset proof in runs."""

    def __init__(self, program: Program, certificate: LocksetCertificate) -> None:
        self._translated = translated(program)
        program = self._translated.program
        self.program = program
        self.certificate = certificate
        self.evaluated: Counter[str] = Counter(dict.fromkeys(_names(certificate), 0))
        self.world = World(program)
        self._bodies = tuple(program.template[name].body for name in self.world.templates)
        if self.world.has_mutexes:
            self.evaluated["spoilt"] = 0
        self.replay = Replay(self.world)
        self.memory = MemoryMeaning(self.world, dict(certificate.memory), self.evaluated)
        self.lists = Lists(self.world, certificate.homed, certificate.gates, self.evaluated)
        handed = certificate.handed, certificate.slots
        self.containers = Containers(self.world, *handed, self.evaluated)
        looks = self.lists, self.containers, self.evaluated
        self.cases = Cases(self.world, certificate.numbers, *looks)
        self.always = Always(self.world, certificate, self.evaluated, self.containers)
        text = certificate.refinement
        claim = None if text is None else read_second_look(self.program, text)
        self.second = SecondLook(self.world, claim, self.evaluated)
        self.units = Units(self.world, certificate, self.evaluated, self._place)
        races = (p for p in program.properties if isinstance(p, RaceProperty))
        self.ordered = Ordered(self.world, [p for p in races if p.name in certificate.properties])
        self.kernel: KernelMeaning | None = None
        self._read: dict[LocId, list[Knowledge]] = {}
        self._readers: dict[str, Reader] = {}
        self._pasts: dict[State, Past] = {}
        self._alike: dict[Hashable, Past] = {}
        self._kept = 0
        self._past = Past(Moment(State(GlobalStore(()), (), ()), ()), 0)

    def learn(self, found: object) -> None:
        """What the kernel claims, if it has rules for the program."""
        if isinstance(found, KernelFound):
            self.kernel = KernelMeaning(self.world, self.certificate, found, self.evaluated)

    # -- a run -----------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """A run begins; raises Broken."""
        state = self._translated.state(state, self._bodies)
        self.ordered.start(state)
        known = self._pasts.get(state)
        if known is not None:
            self._past = known
            return
        self._past = Past(self.replay.begin(state), self.replay.named)
        self.always.begin(self.moment)
        self.memory.everything(self.moment)
        if self.kernel is not None:
            self.kernel.begin(self.moment)
        self._look()
        self._pasts[state] = self._past

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step; raises Broken."""
        before = self._translated.state(before, self._bodies)
        after = self._translated.state(after, self._bodies)
        move = self._translated.move(move, self._bodies)
        assert before == self.moment.state
        self._go_on(move, after)
        self.ordered.step(move, after)

    def _go_on(self, move: Move, after: State) -> None:
        """Evaluate claims after a step; what is equal for two runs is evaluated once."""
        past = self._past
        if move in past.futures:
            self._past = past.futures[move]
            return
        self._past = past.copy()
        self.replay.named = past.named
        self._step(move, after)
        self._past.named = self.replay.named
        key = self._past.key()
        if key in self._alike:
            self._past = self._alike[key]
        else:
            self._look()
        if self._kept < MOST_KEPT:
            self._kept += 1
            past.futures[move] = self._alike[key] = self._past

    def _step(self, move: Move, after: State) -> None:
        tokens = {cell: tuple(threads) for cell, threads in self.ghosts.tokens.items()}
        begun = Before(self.moment, tokens)
        self._banned(move.thread)
        last = self.moment
        for micro in self.replay.edges(self.moment, move):
            self._owned(micro)
            self.always.edge(micro, self.ghosts)
            self.units.edge(micro, self.ghosts, self._past.shares, self._past.private)
            self.memory.changed(micro)
            if self.kernel is not None:
                self.kernel.edge(micro, self.ghosts)
            last = micro.after
            if self.program.locations[last.state.locals[move.thread].pc].atomic:
                self.lists.look(last, self.ghosts)
                self.containers.look(last)
                cases = self._knows(move.thread, last, begun)
                share = self.units.share(move.thread, cases, last)
                told = self.ghosts, self._past.shares, self._past.private
                self.units.inner(move.thread, share, last, *told)
                if self.kernel is not None:
                    self.kernel.knows(move.thread, last, self.ghosts, begun)
        self._past.moment = self.replay.settled(last, after)

    @property
    def moment(self) -> Moment:
        """The state that the run is in."""
        return self._past.moment

    @property
    def ghosts(self) -> Ghosts:
        """The history of the run so far."""
        return self._past.ghosts

    def _look(self) -> None:
        """What holds in a state."""
        self.lists.look(self.moment, self.ghosts)
        self.containers.look(self.moment)
        past = self._past
        past.holding = {
            thread: self._knows(thread, self.moment, None)
            for thread in self.world.running(self.moment.state)
        }
        for thread, cases in past.holding.items():
            if cases:
                absent = frozenset.intersection(*(case.absent for case in cases.values()))
                past.banned[thread] = past.banned.get(thread, frozenset()) | absent
        if self.certificate.resources is not None:
            self._divided(past)
        if self.kernel is not None:
            self.kernel.look(self.moment, self.ghosts)

    def _divided(self, past: Past) -> None:
        """Who owns what, by separation logic."""
        moment, cases = past.moment, past.holding.items()
        past.shares = {thread: self.units.share(thread, found, moment) for thread, found in cases}
        past.private = frozenset[int]().union(
            *(
                self.cases.owned(case, thread, moment)
                for thread, found in cases
                for case in found.values()
            )
        )
        self.units.look(moment, past.ghosts, past.shares, past.private)

    # -- knowledge -------------------------------------------------------------------------------

    def _knows(self, thread: int, moment: Moment, begun: Before | None) -> dict[int, Knowledge]:
        """The cases that hold for a thread, by their numbers; raises Broken if there is none."""
        pc = moment.state.locals[thread].pc
        failure = self.program.locations[pc].failure
        if failure is not None and failure.kind.is_limit:
            return {}
        self.evaluated[f"location {pc}"] += 1
        wrong: list[str] = []
        found: dict[int, Knowledge] = {}
        for number, case in enumerate(self._cases(pc)):
            reason = self.cases.wrong(case, thread, moment, self.ghosts, begun)
            if reason is None:
                found[number] = case
            else:
                wrong.append(reason)
        if not found:
            said = ", ".join(dict.fromkeys(wrong)) or "no thread gets there"
            name = self.world.layout.numbers.name(thread)
            raise Broken(f"knowledge: {name} at location {pc}: {said}")
        if failure is None:
            self.units.case(pc, found)
        self.second.look(thread, moment)
        return found

    def _cases(self, location: LocId) -> list[Knowledge]:
        if location not in self._read:
            texts = self.certificate.knowledge.get(location, ())
            self._read[location] = [self._reader(location).read(text) for text in texts]
        return self._read[location]

    def _reader(self, location: LocId) -> Reader:
        procedure = self.program.procedure_of[location]
        if procedure.name not in self._readers:
            self._readers[procedure.name] = Reader(self.program, procedure)
        return self._readers[procedure.name]

    def _place(self, location: LocId, text: str) -> Place:
        return self._reader(location).place(text)

    # -- obligations -----------------------------------------------------------------------------

    def _banned(self, thread: int) -> None:
        """No thread steps that another thread, which still runs, knew to be absent."""
        template = self.world.templates[thread]
        for other, templates in self._past.banned.items():
            if template in templates and self.world.runs(self.moment.state, other):
                name = self.world.layout.numbers.name(other)
                raise Broken(f"absent: {template} takes a step, which {name} knew to be over")

    def _owned(self, micro: Micro) -> None:
        """No thread accesses what another thread certainly owns."""
        used = {
            micro.after.names[access.cell.number]
            for access in micro.accesses
            if access.cell.region is Region.HEAP
        }
        if not used:
            return
        for thread, cases in self._past.holding.items():
            if thread != micro.thread and cases:
                held = cases.values()
                owned = (self.cases.owned(case, thread, self.moment) for case in held)
                if used & frozenset.intersection(*owned):
                    name = self.world.layout.numbers.name(thread)
                    raise Broken(f"owned: another thread uses what {name} owns")


def _names(certificate: LocksetCertificate) -> list[str]:
    """The claims, by the names under which they are counted."""
    found = ["memory"]
    found += [f"location {location}" for location in certificate.knowledge]
    for texts in certificate.knowledge.values():
        found += [name for text in texts for name, part in text._asdict().items() if part]
    for name in (
        "frozen",
        "numbers",
        "guards",
        "indexed",
        "homed",
        "handed",
        "slots",
        "resources",
        "exclusive",
    ):
        found += [name] if getattr(certificate, name) else []
    for name in ("alone", "identified", "numbered", "given", "absent"):
        found += [f"{name} {template}" for template in sorted(getattr(certificate, name))]
    empty = {f"absent {template}" for template, over in certificate.absent.items() if not over}
    return [name for name in found if name not in empty]
