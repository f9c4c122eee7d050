"""Formulas of certificates as terms: tests, decisions, ghosts.

Every ghost of every thread is a constant of the logic. What it stands for is a separate term, so
that a formula has one term, whether the thread of a ghost is considered or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from threadwise.backends.smt.handle import Term
from threadwise.ir.expr import Const as Literal
from threadwise.ir.expr import Expr, FieldPlace, IndexPlace, Place, Read, Variable, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.layout import ThreadNumbers, extent_of
from threadwise.ir.program import Declaration, LocId, Program
from threadwise.ir.types import (
    TID,
    ArrayType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    Value,
    fields_of,
    is_scalar,
)
from threadwise.proofs.inductive.certificate import CellTest, Conjunct, FormulaCertificate
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.values import terms_of

Names = Mapping[int, int]
"""A renaming of threads."""


def cell_places(declarations: Sequence[Declaration], numbers: ThreadNumbers) -> list[Place]:
    """The places of all cells, in memory order."""

    def parts(place: Place, held: Type) -> Iterator[Place]:
        match held:
            case ArrayType():
                first: int | None = None
                if isinstance(held.extent, PerThread):
                    first = numbers.ranges[held.extent.template].start
                for position in range(extent_of(held, numbers)):
                    index: Expr = (
                        number(position)
                        if first is None
                        else Literal(value=first + position, type=TID)
                    )
                    yield from parts(IndexPlace(place, index), held.element)
            case RecordType() | MutexType():
                for name, part in fields_of(held):
                    yield from parts(FieldPlace(place, name), part)
            case _:
                yield place

    return [
        cell
        for declaration in declarations
        for cell in parts(VariablePlace(declaration.variable), declaration.variable.type)
    ]


class FormulaTerms:
    """The terms of one certificate."""

    def __init__(
        self, program: Program, certificate: FormulaCertificate, encoder: Encoder
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.encoder = encoder
        self.logic = encoder.logic
        self.numbers = ThreadNumbers.of(program)
        self.shared = encoder.environments.shared()
        self._threads: dict[int, Environment] = {}
        self._shared_places = cell_places(program.globals, self.numbers)
        self._own_places = {
            template.name: cell_places(
                (*template.variables, *program.procedure[template.body].locals), self.numbers
            )
            for template in program.templates
        }
        self._conjuncts: dict[tuple[int, tuple[int, ...]], Term] = {}
        self._support: dict[int, set[int]] = {}
        self._tests: dict[int, Term] = {}
        """The tests as they are, without renaming."""

    # -- threads ----------------------------------------------------------------------------------

    def thread(self, t: int) -> Environment:
        """A thread, its location and own cells being constants."""
        if t not in self._threads:
            template = self.numbers.templates[t]
            environments = self.encoder.environments
            own = environments.own(template, None, f"t{t}.")
            at = self.logic.constant(f"t{t}.@", self.logic.integer_sort)
            me = self.logic.integer(t)
            self._threads[t] = Environment(self.shared, own, me, template, at)
        return self._threads[t]

    def own_cell(self, env: Environment, slot: int) -> Term:
        """An own cell of a thread."""
        place = self._own_places[env.template][slot]
        return self.encoder.value(Read(place), env)

    def ghost(self, t: int, k: int) -> Term:
        """The constant for a ghost of a thread."""
        return self.logic.constant(f"ghost{k}[{t}]", self.logic.boolean_sort)

    def meaning(self, env: Environment, t: int, k: int) -> Term:
        """What a ghost of a thread stands for."""
        ghost = self.certificate.ghosts[k]
        value = ghost.values[t - self.numbers.ranges[ghost.template].start]
        if value is None:
            return self.logic.false
        if ghost.cell is None:
            return self._equals(env.location, value)
        return self._equals(self.own_cell(env, ghost.cell), value)

    def ghosts_of(self, t: int) -> list[int]:
        """The ghosts that a thread has."""
        template = self.numbers.templates[t]
        return [k for k, g in enumerate(self.certificate.ghosts) if g.template == template]

    def defined_ghosts(self, t: int) -> list[Term]:
        """The ghosts of a thread are what they stand for."""
        env = self.thread(t)
        return [
            self.logic.equal(self.ghost(t, k), self.meaning(env, t, k)) for k in self.ghosts_of(t)
        ]

    def _equals(self, term: Term | LocId | None, value: Value) -> Term:
        if isinstance(term, int):
            return self.logic.boolean(term == value)
        if isinstance(value, bool):
            return term if value else self.logic.negation(term)
        assert isinstance(value, int)
        return self.logic.equal(term, self.logic.integer(value))

    # -- formulas ---------------------------------------------------------------------------------

    def conjunct(self, position: int, names: Names) -> Term:
        """A conjunct, its threads renamed."""
        claimed = self.certificate.conjuncts[position]
        image = tuple(names.get(t, t) for t in claimed.threads)
        key = (position, image)
        if key not in self._conjuncts:
            self._conjuncts[key] = self._node(claimed, names)
        return self._conjuncts[key]

    def _node(self, claimed: Conjunct, names: Names) -> Term:
        moved = {t: names[t] for t in claimed.threads if names.get(t, t) != t}
        terms: dict[int, Term] = {0: self.logic.false, 1: self.logic.true}
        for node in sorted(self.reachable(claimed.root)):
            decision = self.certificate.decisions[node - 2]
            test = self._test(decision.test, moved)
            terms[node] = self._choice(test, terms[decision.then], terms[decision.otherwise])
        return terms[claimed.root]

    def _test(self, number: int, names: Names) -> Term:
        if names:
            return self._tested(self.certificate.tests[number], names)
        if number not in self._tests:
            self._tests[number] = self._tested(self.certificate.tests[number], {})
        return self._tests[number]

    def support(self, position: int) -> set[int]:
        """The numbers of the constants that a conjunct reads."""
        if position not in self._support:
            self._support[position] = {
                constant.get_id()
                for number in self.tests_of(position)
                for constant in self.logic.constants(self._test(number, {}))
            }
        return self._support[position]

    def tests_of(self, position: int) -> list[int]:
        """The numbers of the tests of a conjunct."""
        root = self.certificate.conjuncts[position].root
        decisions = self.certificate.decisions
        return sorted({decisions[node - 2].test for node in self.reachable(root)})

    def is_own(self, position: int) -> bool:
        """Whether a conjunct reads nothing but locations and own cells."""
        kinds = {self.certificate.tests[number].kind for number in self.tests_of(position)}
        return kinds <= {"location", "own"}

    def is_cell(self, variable: Variable) -> bool:
        """Whether a variable is a single cell."""
        return is_scalar(variable.type)

    def reachable(self, root: int) -> set[int]:
        """The decisions that a formula consists of."""
        found: set[int] = set()
        pending = [root]
        while pending:
            node = pending.pop()
            if node > 1 and node not in found:
                found.add(node)
                decision = self.certificate.decisions[node - 2]
                pending.extend((decision.then, decision.otherwise))
        return found

    def _choice(self, test: Term, then: Term, otherwise: Term) -> Term:
        logic = self.logic
        if logic.is_true(then):
            return logic.disjunction([test, otherwise])
        if logic.is_false(then):
            return logic.conjunction([logic.negation(test), otherwise])
        if logic.is_true(otherwise):
            return logic.disjunction([logic.negation(test), then])
        if logic.is_false(otherwise):
            return logic.conjunction([test, then])
        return logic.choice(test, then, otherwise)

    def _tested(self, test: CellTest, names: Names) -> Term:
        t = names.get(test.thread, test.thread)
        match test.kind:
            case "ghost":
                ghost = self.ghost(t, test.slot)
                return ghost if test.value else self.logic.negation(ghost)
            case "location":
                return self._equals(self.thread(t).location, test.value)
            case "own":
                cell = self.own_cell(self.thread(t), test.slot)
                return self._equals(cell, self._renamed(test, names))
            case _:
                place = self._shared_places[test.slot]
                nobody = Environment(self.shared, {}, self.logic.integer(-1), "")
                cell = self.encoder.value(Read(place), nobody)
                return self._equals(cell, self._renamed(test, names))

    def _renamed(self, test: CellTest, names: Names) -> Value:
        if self.cell_type(test) == TID and isinstance(test.value, int):
            return names.get(test.value, test.value)
        return test.value

    def cell_type(self, test: CellTest) -> Type:
        """The type of the cell that a test of kind `own` or `shared` reads."""
        if test.kind == "own":
            return self._own_places[self.numbers.templates[test.thread]][test.slot].type
        return self._shared_places[test.slot].type

    def cell_counts(self, template: str) -> int:
        """How many own cells the threads of a template have."""
        return len(self._own_places[template])

    @property
    def shared_count(self) -> int:
        """How many shared cells there are."""
        return len(self._shared_places)

    # -- substitution -----------------------------------------------------------------------------

    def changes(self, before: Environment, after: Environment) -> list[tuple[Term, Term]]:
        """What a step replaces: constants before by terms after."""
        pairs: list[tuple[Term, Term]] = []
        for old, new in ((before.shared, after.shared), (before.own, after.own)):
            for variable, value in new.items():
                if value is not old[variable]:
                    both = zip(terms_of(old[variable]), terms_of(value), strict=True)
                    pairs.extend((a, b) for a, b in both if not a.eq(b))
        return pairs

    def at(self, env: Environment, place: LocId) -> Environment:
        """A thread at a location."""
        return replace(env, location=place)
