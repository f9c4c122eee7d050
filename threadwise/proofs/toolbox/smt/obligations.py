"""Threads as symbolic environments, and obligations discharged by solvers.

What the checker of formula certificates asks of the logic, without knowing what it proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from threadwise.backends.smt.handle import Term
from threadwise.backends.smt.second import is_available, second_opinion
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.core.errors import InternalError, Unsupported
from threadwise.core.identity import Same
from threadwise.ir.expr import Expr
from threadwise.ir.layout import ThreadNumbers, cells_of, initial_choices
from threadwise.ir.program import Declaration, LocId, Program
from threadwise.ir.types import ArrayType, PerThread, TidType, Value
from threadwise.proofs.toolbox.smt.edges import Firing, SharedAccess, Steps, SymbolicStep
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment, Environments, Store
from threadwise.proofs.toolbox.smt.terms import Terms
from threadwise.proofs.toolbox.smt.values import Table, terms_of


@dataclass(frozen=True)
class Slot:
    """A thread, different from those in other slots, at a location."""

    template: str
    location: LocId
    env: Environment


class Obligations:
    """Formulas about threads of one program, and whether they hold."""

    def __init__(
        self, program: Program, tick: Callable[[], object], *, second: bool = False
    ) -> None:
        if second and not is_available():
            raise Unsupported("a second solver: cvc5 is not installed")
        self.program = program
        self.logic = Terms()
        self.environments = Environments(program, self.logic)
        self.encoder = Encoder(self.environments)
        self.walk = Steps(Firing(self.encoder))
        self.solver = Solver(self.logic, Effort(tick=tick))
        self.second = second
        self._shared = self.environments.shared()
        self._slots: dict[tuple[int, str, LocId], Slot] = {}
        self._steps: dict[tuple[Same, str, LocId], list[SymbolicStep]] = {}
        self._accesses: dict[Same, list[SharedAccess]] = {}
        self._known_types: dict[Same, Term] = {}
        self._encoded: dict[tuple[object, ...], tuple[Term, list[Any]]] = {}
        """Formulas in the constants of slots: encoding is slow, replacing constants is not."""

    # -- threads ----------------------------------------------------------------------------------

    def slot(self, number: int, template: str, location: LocId) -> Slot:
        """The thread in a slot: any thread of the template, at the location."""
        key = number, template, location
        if key not in self._slots:
            procedure = self.program.procedure_of[location].name
            body = procedure == self.program.template[template].body
            inside = template if body else f"{template}:{procedure}"
            me = self.logic.constant(f"t{number + 1}", self.logic.integer_sort)
            own = self.environments.own(template, procedure, f"t{number + 1}:{inside}.")
            env = Environment(self._shared, own, me, template, location)
            self._slots[key] = Slot(template, location, env)
        return self._slots[key]

    def initial(self, templates: Sequence[str]) -> tuple[list[Slot], Term]:
        """Threads at their entries in an initial store, and what is known of them."""
        shared, known = self.environments.initial_shared()
        slots = []
        for number, template in enumerate(templates):
            entry = self.program.procedure[self.program.template[template].body].entry
            slot = self.slot(number, template, entry)
            own = self.environments.initial_own(template)
            slots.append(replace(slot, env=replace(slot.env, shared=shared, own=own)))
        return slots, self.logic.conjunction([known, self._ids(slots)])

    def _ids(self, slots: Sequence[Slot]) -> Term:
        """Threads are different, and each is one of its template."""
        parts = [self.environments.is_thread(slot.env.me, slot.template) for slot in slots]
        different = self.logic.distinct([slot.env.me for slot in slots])
        return self.logic.conjunction([self.environments.natural, *parts, different])

    def known(self, slots: Sequence[Slot]) -> Term:
        """What holds of threads whatever they do: ids, and values that are of their types."""
        shared = slots[0].env.shared
        stores = [shared, *(slot.env.own for slot in slots)]
        elements = [part for slot in slots for part in self._elements(shared, slot)]
        return self.logic.conjunction([self._ids(slots), *map(self._typed, stores), *elements])

    def _elements(self, shared: Store, slot: Slot) -> Iterator[Term]:
        """That the cells a thread has in arrays of the solver hold values of their types."""
        for variable, value in shared.items():
            held = variable.type
            if not isinstance(held, ArrayType) or not isinstance(value, Table):
                continue
            if held.extent == PerThread(slot.template):
                cell = self.environments.values.read(value, [slot.env.me])
                yield from self.environments.in_type(held.element, cell)

    def _typed(self, store: Store) -> Term:
        key = Same(store)
        if key not in self._known_types:
            self._known_types[key] = self.environments.typed(store)
        return self._known_types[key]

    def id_parts(self, declaration: Declaration) -> Iterator[Value]:
        """The thread ids that a variable of a fixed size starts with."""
        numbers = self.environments.numbers
        if numbers is None:
            fixed = {t.name: 1 for t in self.program.templates if t.count is None}
            numbers = ThreadNumbers.of(self.program.with_counts(fixed))
        cells = cells_of(declaration.variable, numbers)
        for cell, values in zip(cells, initial_choices(declaration, numbers), strict=False):
            if isinstance(cell.type, TidType) and values is not None:
                yield values[0]

    # -- steps ------------------------------------------------------------------------------------

    def steps(self, slot: Slot) -> list[SymbolicStep]:
        """The steps of a thread in a slot."""
        key = Same(slot.env.me), slot.template, slot.location
        if key not in self._steps:
            self._steps[key] = list(self.walk.from_location(slot.location, slot.env))
        return self._steps[key]

    def accesses(self, step: SymbolicStep) -> list[SharedAccess]:
        """The accesses to shared cells that a step makes."""
        key = Same(step)
        if key not in self._accesses:
            self._accesses[key] = self.walk.accesses(step)
        return self._accesses[key]

    def moved(self, slots: Sequence[Slot], mover: int, step: SymbolicStep) -> list[Slot]:
        """The threads after a step of one of them."""
        seen = self.seen_by(slots, step)
        seen[mover] = Slot(slots[mover].template, step.path.target, step.after)
        return seen

    def is_seen(self, step: SymbolicStep) -> bool:
        """Whether a step may change a shared variable."""
        after = step.after.shared
        return any(after[variable] is not value for variable, value in self._shared.items())

    def seen_by(self, slots: Sequence[Slot], step: SymbolicStep) -> list[Slot]:
        """The threads after a step of another thread."""
        shared = step.after.shared
        return [replace(slot, env=replace(slot.env, shared=shared)) for slot in slots]

    # -- formulas ---------------------------------------------------------------------------------

    def formula(
        self, formula: Expr, shared: Environment, named: Mapping[str, Environment]
    ) -> Term:
        """Whether a formula about named threads has a value, and it is true."""
        places = tuple((name, env.template, env.location) for name, env in named.items())
        key = (Same(formula), places)
        if key not in self._encoded:
            general = {
                name: self.slot(number, env.template, env.location).env  # type: ignore[arg-type]  # a thread of a certificate has a location
                for number, (name, env) in enumerate(named.items())
            }
            env = next(iter(general.values()), shared)
            term = self.encoder.holds(formula, replace(env, others=general))
            self._encoded[key] = term, [self._shared, *general.values()]
        term, known = self._encoded[key]
        return self.logic.substitute(term, list(self._pairs(known, shared, named)))

    def _pairs(
        self, known: Sequence[Any], shared: Environment, named: Mapping[str, Environment]
    ) -> Iterator[tuple[Term, Term]]:
        """What to put for the constants a formula was encoded with."""
        stores = [(known[0], shared.shared)]
        for general, env in zip(known[1:], named.values(), strict=True):
            if general.me is not env.me:
                yield general.me, env.me
            stores.append((general.own, env.own))
        for general_store, store in stores:
            for variable, value in general_store.items():
                if store[variable] is not value:
                    yield from zip(terms_of(value), terms_of(store[variable]), strict=True)

    def follows(self, premise: Term, goal: Term) -> bool:
        """Whether one formula implies another."""
        return self.contradict(self.logic.conjunction([premise, self.logic.negation(goal)]))

    def contradict(self, formula: Term) -> bool:
        """Whether a formula has no model; Unsupported if a solver does not know."""
        if self.logic.is_false(formula):
            return True
        answer = self.solver.satisfiable(formula)
        if answer is Answer.UNKNOWN:
            raise Unsupported(f"an obligation the solver cannot decide ({self.solver.reason})")
        if answer is Answer.UNSATISFIABLE and self.second:
            self._ask_again(formula)
        return answer is Answer.UNSATISFIABLE

    def _ask_again(self, formula: Term) -> None:
        match second_opinion(self.logic, formula):
            case Answer.SATISFIABLE:
                raise InternalError("the solvers disagree about an obligation")
            case Answer.UNKNOWN:
                raise Unsupported("an obligation the second solver cannot decide")
            case Answer.UNSATISFIABLE:
                pass
