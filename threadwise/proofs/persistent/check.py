"""The checker of persistent-set certificates, in the reference semantics.

Obligations, for a list S of states with a chosen thread (or none) for each, and claimed futures F:

    (1) every element of S is a state of the program
    (2) every initial state is in S
    (3) F is what it says: for every edge e from l to l', F(t, l) contains what t may touch by e,
        and F(t, l'), and F(t, entry of f) if e calls f
    (4) at a state without chosen thread, every successor is in S
    (5) at a state with chosen thread t: its successors by t are in S, and one of them comes later
        in the list; none of them is stopped; and what the next step of t may touch conflicts with
        no future of a thread that may move before t, or at least what it touches at this state
        with nothing that such a thread can get to from there (`threadwise.semantics.footprints`)
    (6) no state in S violates a property the certificate claims, none of them an invariant
    (7) no state in S is at a limit of the model

Who may move before t: every other thread that can step now, and every other one that waits for
something that one already found may still write. If the certificate claims a deadlock
property, threads that wait count in any case, so that what they wait for is left as it is, and
only futures count.

Why this proves the properties is argued in docs/theory/persistent.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from threadwise.analyses.touches import Masks, Touches
from threadwise.ir.commands import Call, OperationKind, Return
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.properties import DeadlockProperty, InvariantProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.toolbox.cached_properties import CachedPropertyChecker
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.proofs.toolbox.thread_moves import ThreadMove, successors_by, thread_moves
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.footprints import Footprints, FootprintsAt
from threadwise.semantics.memory import canonical
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter

Stack = tuple[Frame, ...]


TREATS = ALL - {Feature.ANY_NUMBER}
"""The features of programs that this checker treats."""


def check_persistent(
    program: Program, certificate: PersistentCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called once per state."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "a set of states")
    return PersistentChecker(program, certificate, tick).run()


class PersistentChecker:
    """The obligations for one certificate."""

    def __init__(
        self, program: Program, certificate: PersistentCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.touches = Touches.regions(program, self.layout.numbers)
        self.footprints = Footprints(self.interpreter, self.touches)
        self.checker = CachedPropertyChecker(self.interpreter)
        self.places = {state: place for place, state in enumerate(certificate.states)}
        self.cycles = False
        self.taken: set[EdgeId] = set()
        self._moves: dict[tuple[int, GlobalStore, LocalStore, Stack], list[ThreadMove]] = {}
        self._next: dict[tuple[int, LocId], Masks] = {}

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        certificate = self.certificate
        claimed = claimed_properties(self.program, certificate.properties)
        if any(isinstance(checked, InvariantProperty) for checked in claimed):
            raise Refuted("persistent sets do not preserve invariants")
        self.cycles = any(isinstance(checked, DeadlockProperty) for checked in claimed)
        if len(certificate.chosen) != len(certificate.states):
            raise Refuted("not one chosen thread per state")
        shapes = ShapeChecker(self.interpreter)
        for state in certificate.states:  # (1)
            shapes.check_state(state)
        for state in self.interpreter.initial_states():  # (2)
            if state not in self.places:
                raise Refuted("an initial state is missing")
        self._check_futures()  # (3)
        for place, state in enumerate(certificate.states):
            self.tick()
            self._check_closed(state, place)  # (4), (5)
            for checked in claimed:  # (6)
                if self.checker.violated(checked, state):
                    raise Refuted(f"a state violates `{checked.name}`")
            limit = self.checker.limit(state)
            if limit is not None:  # (7)
                raise Refuted(f"a state is at a limit of the model: {limit}")
        visited = frozenset(int(l.pc) for state in self.places for l in state.locals)
        return CheckedProof(certificate.properties, frozenset(self.taken), visited)

    # -- (3) -------------------------------------------------------------------------------------

    def _check_futures(self) -> None:
        count = len(self.program.locations)
        if len(self.certificate.futures) != len(self.interpreter.threads):
            raise Refuted("not every thread has a future")
        for thread, rows in enumerate(self.certificate.futures):
            if len(rows) != count:
                raise Refuted("not every location has a future")
            for edge in self.program.edges:
                needed = [self.touches.of(edge, thread)]
                if not isinstance(edge.action, Return):
                    needed.append(Masks(*rows[edge.target]))
                if isinstance(edge.action, Call):
                    entry = self.program.procedure[edge.action.procedure].entry
                    needed.append(Masks(*rows[entry]))
                read, written = rows[edge.source]
                if any(mask.read & ~read or mask.written & ~written for mask in needed):
                    raise Refuted(f"edge {edge.id} touches more than its future")

    # -- (4), (5) --------------------------------------------------------------------------------

    def _check_closed(self, state: State, place: int) -> None:
        if self.interpreter.is_stopped(state):
            return
        chosen = self.certificate.chosen[place]
        if chosen == -1:
            for thread in self.interpreter.threads:
                self._places_after(state, thread)
            return
        if chosen not in self.interpreter.threads:
            raise Refuted("the chosen thread does not exist")
        if all(after <= place for after in self._places_after(state, chosen)):
            raise Refuted("no step of the chosen thread leads on in the list")
        self.check_choice(state, chosen)

    def check_choice(self, state: State, chosen: int) -> None:
        """Raise Refuted unless the steps of one thread may stand for all at a state (5)."""
        for move in self._moves_of(state, chosen):
            if self.program.locations[move.l.pc].failure is not None:
                raise Refuted("a step of the chosen thread stops the others")
        mine = self._next_touches(chosen, state.locals[chosen].pc)
        futures = [self._future(state, thread) for thread in self.interpreter.threads]
        closer = self.footprints.at(state, chosen, futures)
        for other in self._may_move_first(state, chosen, futures, closer):
            if mine.conflicts(futures[other]) and (self.cycles or not closer.is_apart(other)):
                raise Refuted("what the chosen thread does next depends on the others")

    def _may_move_first(
        self, state: State, chosen: int, futures: Sequence[Masks], closer: FootprintsAt
    ) -> Iterator[int]:
        found: list[int] = []
        waiting: list[int] = []
        for thread in self.interpreter.threads:
            if thread != chosen:
                free = bool(self._moves_of(state, thread))
                if free or (self.cycles and self._waits(state, thread)):
                    found.append(thread)
                else:
                    waiting.append(thread)
        for thread in found:
            yield thread
            written = futures[thread].written
            for other in list(waiting):
                if self._awaits(state, other) & written and (
                    self.cycles or closer.may_wake(other, thread)
                ):
                    waiting.remove(other)
                    found.append(other)

    def _waits(self, state: State, thread: int) -> bool:
        """Whether a thread that cannot move may be in a deadlock."""
        return not self.program.locations[state.locals[thread].pc].final

    def _awaits(self, state: State, thread: int) -> int:
        """The regions whose change may let a thread move that cannot move now."""
        l = state.locals[thread]
        found = 0
        for edge in self.program.outgoing[l.pc]:
            handle = self._handle(state, thread, edge)
            if handle is None:
                found |= self._next_touches(thread, l.pc).read
            else:
                found |= self.touches.waiting(edge, thread, handle)
        return found

    def _handle(self, state: State, thread: int, edge: Edge) -> int | None:
        """The thread that is waited for, if the edge is nothing but a join of a known thread."""
        operation = edge.operation
        if operation is None or operation.kind is not OperationKind.JOIN:
            return None
        if operation.subject is None or self.program.locations[edge.target].atomic:
            return None
        view = View(self.program, self.layout, thread, state.g, state.locals[thread])
        try:
            return view.integer(operation.subject)
        except Undefined:
            return None

    def _future(self, state: State, thread: int) -> Masks:
        rows = self.certificate.futures[thread]
        found = Masks(*rows[state.locals[thread].pc])
        for frame in state.stacks[thread]:
            found |= Masks(*rows[self.program.edges[frame.call].target])
        return found

    def _next_touches(self, thread: int, here: LocId) -> Masks:
        known = self._next.get((thread, here))
        if known is None:
            known = Masks(0, 0)
            seen = {here}
            pending = [here]
            while pending:
                for edge in self.program.outgoing[pending.pop()]:
                    known |= self.touches.of(edge, thread)
                    if self.program.locations[edge.target].atomic and edge.target not in seen:
                        seen.add(edge.target)
                        pending.append(edge.target)
            self._next[thread, here] = known
        return known

    def _places_after(self, state: State, thread: int) -> list[int]:
        """Where in the list the states are that a thread leads to."""
        found: list[int] = []
        for after in successors_by(state, thread, self._moves_of(state, thread)):
            place = self.places.get(canonical(after, len(self.program.globals)))
            if place is None:
                name = self.layout.numbers.name(thread)
                raise Refuted(f"a step of {name} leaves the set of states")
            found.append(place)
        return found

    def _moves_of(self, state: State, thread: int) -> list[ThreadMove]:
        key = (thread, state.g, state.locals[thread], state.stacks[thread])
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = list(thread_moves(self.interpreter, state, thread))
            self.taken.update(edge for move in known for edge in move.edges)
        return known
