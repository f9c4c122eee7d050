"""The checker of state-set certificates, in the reference semantics.

Obligations, for a set S of states:

    (1) every element of S is a state of the program: cells fit their types, locations exist
    (2) every initial state is in S
    (3) every successor of a state in S is in S
    (4) no state in S violates a property the certificate claims
    (5) no state in S is at a limit of the model

(2) and (3) make S contain every reachable state, so (4) proves the properties. Successors of a
thread depend on its own stores and the shared one only, hence they are computed once per pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from threadwise.evidence.certificate import StateSetCertificate
from threadwise.ir.commands import Call
from threadwise.ir.layout import Layout
from threadwise.ir.printer import program_hash
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.types import TidType, contains
from threadwise.semantics.memory import canonical
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Cells, Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter

Stack = tuple[Frame, ...]
Moved = tuple[GlobalStore, LocalStore, Stack]


class Refuted(Exception):  # noqa: N818 - the answer of a checker, not a fault
    """A certificate that does not prove what it claims."""


@dataclass(frozen=True)
class CheckedProof:
    """What the checker learnt: the properties proved, and the edges some state can take."""

    properties: tuple[str, ...]
    taken_edges: frozenset[EdgeId]
    visited_locations: frozenset[int]


def check_state_set(
    program: Program, certificate: StateSetCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called once per state."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    if program.has_any_number:
        raise Refuted("a set of states proves nothing about any number of threads")
    return _StateSetChecker(program, certificate, tick).run()


class _StateSetChecker:
    def __init__(
        self, program: Program, certificate: StateSetCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.checker = PropertyChecker(self.interpreter)
        self.states = set(certificate.states)
        self.taken: set[EdgeId] = set()
        self._moves: dict[tuple[int, GlobalStore, LocalStore, Stack], list[Moved]] = {}

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        by_name = {checked.name: checked for checked in self.program.properties}
        unknown = [name for name in self.certificate.properties if name not in by_name]
        if unknown:
            raise Refuted(f"the program has no property `{unknown[0]}`")
        claimed = [by_name[name] for name in self.certificate.properties]
        for state in self.certificate.states:  # (1)
            self._check_shape(state)
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
            for g, l, stack in self._moves_of(state, thread):
                after = State(
                    g,
                    (*state.locals[:thread], l, *state.locals[thread + 1 :]),
                    (*state.stacks[:thread], stack, *state.stacks[thread + 1 :]),
                )
                if canonical(after, len(self.program.globals)) not in self.states:
                    name = self.layout.numbers.name(thread)
                    raise Refuted(f"a step of {name} leaves the set of states")

    def _moves_of(self, state: State, thread: int) -> list[Moved]:
        key = (thread, state.g, state.locals[thread], state.stacks[thread])
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = []
            for move, after in self.interpreter.thread_successors(state, thread):
                self.taken.update(choice.edge for choice in move.choices)
                known.append((after.g, after.locals[thread], after.stacks[thread]))
        return known

    # -- (1) -------------------------------------------------------------------------------------

    def _check_shape(self, state: State) -> None:
        count = len(self.interpreter.threads)
        if len(state.locals) != count or len(state.stacks) != count:
            raise Refuted("a state has the wrong number of threads")
        self._check_cells(self.layout.globals, state.g.cells)
        for thread, (l, stack) in enumerate(zip(state.locals, state.stacks, strict=True)):
            template = self.layout.numbers.templates[thread]
            if not 0 <= l.pc < len(self.program.locations):
                raise Refuted("a thread is nowhere in the program")
            self._check_cells(self.layout.thread[template], l.thread)
            current = self.program.procedure_of[l.pc].name
            self._check_cells(self.layout.local[current], l.locals)
            for frame in reversed(stack):
                current = self._check_frame(frame, current)
            if current != self.program.template[template].body:
                raise Refuted("a stack does not start in the body of its thread")

    def _check_frame(self, frame: Frame, callee: str) -> str:
        if not 0 <= frame.call < len(self.program.edges):
            raise Refuted("a frame returns to no call")
        edge = self.program.edges[frame.call]
        if not isinstance(edge.action, Call) or edge.action.procedure != callee:
            raise Refuted("a frame does not fit the procedure above it")
        caller = self.program.procedure_of[edge.source].name
        self._check_cells(self.layout.local[caller], frame.locals)
        return caller

    def _check_cells(self, layout: Layout, cells: Cells) -> None:
        if len(cells) != len(layout.cells):
            raise Refuted("a store has the wrong number of cells")
        for cell, value in zip(layout.cells, cells, strict=True):
            if not contains(cell.type, value) or (
                isinstance(cell.type, TidType) and value not in self._thread_ids
            ):
                raise Refuted(f"{value!r} is no value of {cell.name}")

    @property
    def _thread_ids(self) -> range:
        return range(-1, len(self.interpreter.threads))
