"""The checker of state-set certificates, in the reference semantics.

Obligations, for a set S of states:

    (1) every element of S is a state of the program: cells fit their types, locations exist
    (2) every initial state is in S
    (3) every successor of a state in S is in S
    (4) no state in S violates a property the certificate claims
    (5) no state in S is at a limit of the model

(2) and (3) make S contain every reachable state, so (4) proves the properties. Successors of a
thread depend on its own stores and the shared one only, hence they are computed once per pair.

Many states are checked together (`threadwise.proofs.state_set.check_table`) if they fit a table.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from threadwise.core.errors import Unsupported
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.toolbox.cached_properties import CachedPropertyChecker
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.proofs.toolbox.thread_moves import ThreadMove, successors_by, thread_moves
from threadwise.semantics.memory import canonical
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter

Stack = tuple[Frame, ...]
MANY_STATES = 500
"""From so many states on, states are checked in batches."""


TREATS = ALL - {Feature.ANY_NUMBER}
"""The features of programs that this checker treats."""


def check_state_set(
    program: Program, certificate: StateSetCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called again and again."""
    _check_scope(program, certificate)
    if len(certificate.states) >= MANY_STATES:
        from threadwise.proofs.state_set.check_table import StateTableChecker

        with suppress(Unsupported, OverflowError):
            return StateTableChecker(program, certificate, tick).run()
    return check_state_by_state(program, certificate, tick)


def check_state_by_state(
    program: Program, certificate: StateSetCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate in the reference semantics alone."""
    _check_scope(program, certificate)
    return _StateSetChecker(program, certificate, tick).run()


def _check_scope(program: Program, certificate: StateSetCertificate) -> None:
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "a set of states")


class _StateSetChecker:
    def __init__(
        self, program: Program, certificate: StateSetCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.checker = CachedPropertyChecker(self.interpreter)
        self.states = set(certificate.states)
        self.taken: set[EdgeId] = set()
        self._moves: dict[tuple[int, GlobalStore, LocalStore, Stack], list[ThreadMove]] = {}

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        shapes = ShapeChecker(self.interpreter)
        for state in self.certificate.states:  # (1)
            shapes.check_state(state)
        for state in self.interpreter.initial_states():  # (2)
            if state not in self.states:
                raise Refuted("an initial state is missing")
        for state in self.certificate.states:
            self.tick()
            self._check_closed(state)  # (3)
            for checked in claimed:  # (4)
                if self.checker.violated(checked, state):
                    raise Refuted(f"a state violates `{checked.name}`")
            limit = self.checker.limit(state)
            if limit is not None:  # (5)
                raise Refuted(f"a state is at a limit of the model: {limit}")
        visited = frozenset(int(l.pc) for state in self.states for l in state.locals)
        return CheckedProof(self.certificate.properties, frozenset(self.taken), visited)

    def _check_closed(self, state: State) -> None:
        if self.interpreter.is_stopped(state):
            return
        for thread in self.interpreter.threads:
            for after in successors_by(state, thread, self._moves_of(state, thread)):
                if canonical(after, len(self.program.globals)) not in self.states:
                    name = self.layout.numbers.name(thread)
                    raise Refuted(f"a step of {name} leaves the set of states")

    def _moves_of(self, state: State, thread: int) -> list[ThreadMove]:
        key = (thread, state.g, state.locals[thread], state.stacks[thread])
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = list(thread_moves(self.interpreter, state, thread))
            self.taken.update(edge for move in known for edge in move.edges)
        return known
