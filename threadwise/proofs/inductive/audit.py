"""What inductive formulas with ghosts mean in a state: every conjunct is true.

A ghost of a thread is true where its cell, or its location, has the value it stands for. Where
threads are claimed to be alike, what a conjunct says about some of them holds of any others of the
same templates: it is evaluated with its threads exchanged in every way. Of threads that are the
same in a state (`threadwise.proofs.base.alike`) not all have to be tried: their local stores are
equal, ghosts stand for the same, and no cell holds their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product

from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import TidType, Value
from threadwise.proofs.base.alike import some_of_each
from threadwise.proofs.base.audit import Broken, StateMonitor
from threadwise.proofs.inductive.certificate import CellTest, Conjunct, FormulaCertificate
from threadwise.semantics.state import State

Names = Mapping[int, int]
"""Which thread takes the place of which."""


class InductiveMonitor(StateMonitor):
    """Evaluates every conjunct in every state."""

    def __init__(self, program: Program, certificate: FormulaCertificate) -> None:
        super().__init__()
        self.program = program
        self.certificate = certificate
        self.layout = ProgramLayout.of(program)
        self.numbers = self.layout.numbers
        self.evaluated: Counter[str] = Counter(
            {_name(number): 0 for number in range(len(certificate.conjuncts))}
        )
        self._most = max((len(c.threads) for c in certificate.conjuncts), default=0)
        self._shown = [tuple(self._stands_for(t)) for t in range(len(self.numbers.templates))]
        self._ids = _id_cells(self.layout.globals.cells)
        self._own_ids = {t.name: _id_cells(self._own_cells(t.name)) for t in program.templates}

    def _stands_for(self, thread: int) -> Iterator[Value | None]:
        """What the ghosts of a thread's template stand for, of this thread."""
        template = self.numbers.templates[thread]
        for ghost in self.certificate.ghosts:
            if ghost.template == template:
                yield ghost.values[thread - self.numbers.ranges[template].start]

    def _exchanged(
        self, conjunct: Conjunct, candidates: Mapping[str, Sequence[int]]
    ) -> Iterator[Names]:
        templates = [self.numbers.templates[t] for t in conjunct.threads]
        choices = [
            candidates.get(template, (t,))
            for t, template in zip(conjunct.threads, templates, strict=True)
        ]
        for chosen in product(*choices):
            if len(set(chosen)) == len(chosen):
                yield dict(zip(conjunct.threads, chosen, strict=True))

    def evaluate(self, state: State) -> None:
        """Evaluate the claims in a state; raises Broken."""
        failures = [self.program.locations[l.pc].failure for l in state.locals]
        if any(failure is not None and failure.kind.is_limit for failure in failures):
            return
        candidates = self._candidates(state)
        for number, conjunct in enumerate(self.certificate.conjuncts):
            for names in self._exchanged(conjunct, candidates):
                self.evaluated[_name(number)] += 1
                if not self._holds(conjunct, names, state):
                    about = ", ".join(map(self.numbers.name, names.values()))
                    told = f" of {about}" if about else ""
                    raise Broken(f"{_name(number)} does not hold{told}")

    def _candidates(self, state: State) -> dict[str, Sequence[int]]:
        """Of each template whose threads are alike, those that may take a conjunct's places."""
        if not self.certificate.alike:
            return {}
        named = {state.g.cells[slot] for slot in self._ids}
        for t, template in enumerate(self.numbers.templates):
            named.update(self._own(state, t, slot) for slot in self._own_ids[template])

        def looks(t: int) -> Hashable:
            return t if t in named else (state.locals[t], self._shown[t])

        return {
            template: some_of_each(self.numbers.ranges[template], self._most, looks)
            for template in self.certificate.alike
        }

    def _holds(self, conjunct: Conjunct, names: Names, state: State) -> bool:
        node = conjunct.root
        while node > 1:
            decision = self.certificate.decisions[node - 2]
            passed = self._passes(self.certificate.tests[decision.test], names, state)
            node = decision.then if passed else decision.otherwise
        return node == 1

    def _passes(self, test: CellTest, names: Names, state: State) -> bool:
        thread = names.get(test.thread, test.thread)
        match test.kind:
            case "shared":
                held = self.layout.globals.cells[test.slot].type
                wanted = _renamed(test.value, names) if held == TidType() else test.value
                return state.g.cells[test.slot] == wanted
            case "location":
                return state.locals[thread].pc == test.value
            case "own":
                held = self._own_cells(self.numbers.templates[thread])[test.slot].type
                wanted = _renamed(test.value, names) if held == TidType() else test.value
                return self._own(state, thread, test.slot) == wanted
            case _:
                return self._ghost(state, thread, test.slot) == test.value

    def _own_cells(self, template: str) -> Sequence[Cell]:
        body = self.layout.local[self.program.template[template].body]
        return (*self.layout.thread[template].cells, *body.cells)

    def _own(self, state: State, thread: int, slot: int) -> Value:
        l = state.locals[thread]
        return (*l.thread, *l.locals)[slot]

    def _ghost(self, state: State, thread: int, number: int) -> bool:
        """Whether what a ghost of a thread stands for is so."""
        ghost = self.certificate.ghosts[number]
        value = ghost.values[thread - self.numbers.ranges[ghost.template].start]
        if value is None:
            return False
        if ghost.cell is None:
            return state.locals[thread].pc == value
        return self._own(state, thread, ghost.cell) == value


def _id_cells(cells: Sequence[Cell]) -> tuple[int, ...]:
    return tuple(slot for slot, cell in enumerate(cells) if cell.type == TidType())


def _renamed(value: Value, names: Names) -> Value:
    return names.get(value, value) if isinstance(value, int) else value


def _name(number: int) -> str:
    return f"conjunct {number + 1}"


def audit_inductive(program: Program, certificate: FormulaCertificate) -> InductiveMonitor:
    """The monitor of a proof by inductive formulas."""
    return InductiveMonitor(program, certificate)
