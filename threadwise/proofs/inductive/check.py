"""The checker of formula certificates: an inductive invariant with ghosts, by SMT.

The invariant is the conjunction of all conjuncts; a ghost is nothing but an abbreviation for what
it stands for, so this is a formula over the program of record. Obligations:

    (1) shape    tests, decisions and ghosts are about cells, threads and values of the program; a
                 conjunct reads the own cells of its threads only
    (2) alike    threads of the templates `alike` can be exchanged, by how the program is written
                 (`renaming.are_alike`); a conjunct names no thread of theirs besides its own
    (3) INIT     every conjunct holds in the initial states
    (4) STEP     a step of any thread from a state in which the conjuncts hold leads to a state in
                 which each conjunct holds
    (5) ERROR    no state in which the conjuncts hold violates a claimed property
    (6) LIMIT    nor has a thread at a limit of the model

In (4) and (5) conjuncts about further threads may be left out: that only makes the obligation
harder. A ghost of a thread that is left out is any truth value. With exchangeable threads the
invariant is closed under exchanging, and so are steps and errors: it is enough to consider one
tuple of threads, and one mover, up to exchanging. A state in which a thread has stopped has no
successors and violates no invariant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from threadwise.backends.smt.handle import Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, Quantified, Quantifier, ThreadAt
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import NONE, TidType
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.inductive.decisions import FormulaTerms, Names
from threadwise.proofs.inductive.merged_steps import MergedStep, MergedSteps
from threadwise.proofs.inductive.shape import check_shape
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.renaming import are_alike
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment, Environments
from threadwise.proofs.toolbox.smt.terms import Terms

TREATS = ALL - {Feature.ANY_NUMBER, Feature.CALLS, Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_formulas(
    program: Program, certificate: FormulaCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted, or Unsupported if the solver gives up."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "formulas with ghosts")
    if not all(isinstance(edge.action, Command) for edge in program.edges):
        raise Refuted("formulas with ghosts for a program with calls")
    return _Checker(program, certificate, tick).run()


@dataclass(frozen=True)
class _Step:
    """When a thread can take a step, and the constants it replaces, by their numbers."""

    condition: Term
    changes: dict[int, tuple[Term, Term]]


class _Checker:
    def __init__(
        self, program: Program, certificate: FormulaCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.logic = Terms()
        self.encoder = Encoder(Environments(program, self.logic))
        self.terms = FormulaTerms(program, certificate, self.encoder)
        self.numbers = self.terms.numbers
        self.solver = Solver(self.logic, Effort(tick=tick))
        self.walk = MergedSteps(program, self.encoder, self.solver)
        self._steps: dict[int, list[_Step]] = {}
        self._basic: dict[int, list[Term]] = {}
        self._typed = self.encoder.environments.typed(self.terms.shared)
        self.taken: set[EdgeId] = set()
        self._assumed = False
        """Whether the solver knows already that all conjuncts hold."""

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        check_shape(self.program, self.certificate, self.terms)  # (1)
        for name in self.certificate.alike:  # (2)
            template = self.program.template.get(name)
            if template is None or not are_alike(self.program, template):
                raise Refuted(f"the threads of `{name}` are not alike")
        for position in range(len(self.certificate.conjuncts)):
            self._check_initial(position)  # (3)
        if not self.certificate.alike:
            everybody = range(len(self.numbers.templates))
            self.solver.add(*self._known(everybody))
            self._assumed = True
        for threads, group in self._groups().items():
            for mover in self._movers(threads):
                self._check_step(threads, group, mover)  # (4)
        for checked in claimed:
            self._check_property(checked)  # (5)
        self._check_failures(None)  # (6)
        if not self.certificate.conjuncts:  # says nothing about where threads can be
            taken = frozenset(edge.id for edge in self.program.edges)
            return CheckedProof(self.certificate.properties, taken, frozenset())
        visited = self._visited()
        return CheckedProof(self.certificate.properties, frozenset(self.taken), visited)

    # -- threads up to exchanging -----------------------------------------------------------------

    def _is_alike(self, t: int) -> bool:
        return self.numbers.templates[t] in self.certificate.alike

    def _next(self, ids: Sequence[int], chosen: Sequence[int]) -> Iterator[int]:
        """The threads by which a tuple can be extended, up to exchanging those not in it."""
        fresh: set[str] = set()
        for t in ids:
            template = self.numbers.templates[t]
            if t in chosen or not self._is_alike(t):
                yield t
            elif template not in fresh:
                fresh.add(template)
                yield t

    def _movers(self, threads: Sequence[int]) -> Iterator[int]:
        return self._next(range(len(self.numbers.templates)), threads)

    def _instances(self, scope: Sequence[int]) -> Iterator[tuple[int, Names]]:
        """All conjuncts about some threads: positions, and how their threads are renamed."""
        inside = set(scope)
        for position, claimed in enumerate(self.certificate.conjuncts):
            fixed = [t for t in claimed.threads if not self._is_alike(t)]
            if not inside.issuperset(fixed):
                continue
            moving = [t for t in claimed.threads if self._is_alike(t)]
            images = [t for t in scope if self._is_alike(t)]
            for chosen in permutations(images, len(moving)):
                same = all(
                    self.numbers.templates[t] == self.numbers.templates[u]
                    for t, u in zip(moving, chosen, strict=True)
                )
                if same:
                    yield position, dict(zip(moving, chosen, strict=True))

    # -- what is known ----------------------------------------------------------------------------

    def _known(self, scope: Sequence[int]) -> list[Term]:
        """Values are of their types, ghosts mean what they mean, the conjuncts hold."""
        if self._assumed:
            return []
        parts = [self._typed]
        for t in scope:
            if t not in self._basic:
                typed = self.encoder.environments.typed(self.terms.thread(t).own)
                self._basic[t] = [typed, self._placed(t), *self.terms.defined_ghosts(t)]
            parts.extend(self._basic[t])
        found = self._instances(scope)
        parts.extend(self.terms.conjunct(position, names) for position, names in found)
        return parts

    def _placed(self, t: int) -> Term:
        """A thread is at a visible location of its body."""
        at = self.terms.thread(t).location
        body = self.program.procedure[self.program.template[self.numbers.templates[t]].body]
        return self.logic.disjunction(
            [
                self.logic.equal(at, self.logic.integer(location.id))
                for location in body.locations
                if not location.atomic
            ]
        )

    def _going(self, scope: Sequence[int]) -> list[Term]:
        """None of the threads has stopped."""
        parts: list[Term] = []
        for t in scope:
            at = self.terms.thread(t).location
            body = self.program.procedure[self.program.template[self.numbers.templates[t]].body]
            parts.extend(
                self.logic.negation(self.logic.equal(at, self.logic.integer(location.id)))
                for location in body.locations
                if location.failure is not None
            )
        return parts

    def _excluded(self, *formulas: Term) -> bool:
        """Whether formulas contradict each other."""
        formula = self.logic.conjunction(formulas)
        if self.logic.is_false(formula):
            return True
        self.tick()
        answer = self.solver.satisfiable(formula)
        if answer is Answer.UNKNOWN:
            reason = self.solver.reason
            raise Unsupported(f"an obligation that the solver cannot decide ({reason})")
        return answer is Answer.UNSATISFIABLE

    # -- (3) --------------------------------------------------------------------------------------

    def _check_initial(self, position: int) -> None:
        known, initial = self._initial
        support = self.terms.support(position)
        pairs = [pair for name, pair in initial.items() if name in support]
        holds = self.logic.substitute(self.terms.conjunct(position, {}), pairs)
        if not self._excluded(known, self.logic.negation(self.logic.simplify(holds))):
            raise Refuted(f"conjunct {position} does not hold initially")

    @cached_property
    def _initial(self) -> tuple[Term, dict[int, tuple[Term, Term]]]:
        """What holds of cells that start with any value; the other constants with their values."""
        environments = self.encoder.environments
        shared, known = environments.initial_shared()
        nobody = Environment(self.terms.shared, {}, self.logic.integer(-1), "")
        pairs = self.terms.changes(nobody, replace(nobody, shared=shared))
        for t, template in enumerate(self.numbers.templates):
            before = self.terms.thread(t)
            entry = self.program.procedure[self.program.template[template].body].entry
            start = replace(before, own=environments.initial_own(template), location=entry)
            pairs.extend(self.terms.changes(before, start))
            pairs.append((before.location, self.logic.integer(entry)))
            pairs.extend(
                (self.terms.ghost(t, k), self.logic.simplify(self.terms.meaning(start, t, k)))
                for k in self.terms.ghosts_of(t)
            )
        return known, _by_constant(pairs)

    # -- (4) --------------------------------------------------------------------------------------

    def _groups(self) -> dict[tuple[int, ...], list[int]]:
        """The conjuncts by the threads they are about; those of one group are asked together."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for position, claimed in enumerate(self.certificate.conjuncts):
            groups.setdefault(tuple(claimed.threads), []).append(position)
        return groups

    def _check_step(self, threads: tuple[int, ...], group: list[int], mover: int) -> None:
        scope = tuple(dict.fromkeys((*threads, mover)))
        cases: list[Term] = []
        for step in self._steps_of(mover):
            broken: list[Term] = []
            for position in group:
                support = self.terms.support(position)
                pairs = [step.changes[name] for name in step.changes if name in support]
                if pairs:
                    formula = self.terms.conjunct(position, {})
                    broken.append(self.logic.negation(self.logic.substitute(formula, pairs)))
            if broken:
                one = self.logic.disjunction(broken)
                cases.append(self.logic.conjunction([step.condition, one]))
        if not cases:
            return
        wrong = self.logic.disjunction(cases)
        if not self._excluded(*self._known(scope), *self._going(scope), wrong):
            names = ", ".join(self.numbers.name(t) for t in threads)
            name = self.numbers.name(mover)
            raise Refuted(f"what is claimed about {names} is not kept by the steps of {name}")

    def _steps_of(self, t: int) -> list[_Step]:
        """The steps of a thread from states in which the conjuncts about it hold."""
        if t not in self._steps:
            try:
                self._steps[t] = self._walked(t, self._own_known(t))
            except Unsupported:  # a loop that only ends where more is known
                self._steps[t] = self._walked(t, self._known((t,)))
        return self._steps[t]

    def _own_known(self, t: int) -> list[Term]:
        """What the conjuncts about a thread alone say about its own variables alone."""
        parts = [self.encoder.environments.typed(self.terms.thread(t).own)]
        for position, names in self._instances((t,)):
            if self.terms.is_own(position):
                parts.append(self.terms.conjunct(position, names))
        return parts

    def _walked(self, t: int, known: Sequence[Term]) -> list[_Step]:
        env = self.terms.thread(t)
        body = self.program.procedure[self.program.template[env.template].body]
        found: list[_Step] = []
        for location in body.locations:
            if location.atomic or location.failure is not None:
                continue
            here = self.logic.equal(env.location, self.logic.integer(location.id))
            at = self.logic.conjunction([*known, here])
            settled = self._settled(env, at)
            for step in self.walk.steps(location.id, settled, at):
                self.taken.update(step.edges)
                condition = self.logic.conjunction([here, step.condition])
                found.append(_Step(condition, self._changes(t, step)))
        return found

    def _settled(self, env: Environment, known: Term) -> Environment:
        """The thread with those own variables replaced by their value that can have one only.

        An index that is known means one cell instead of all of them.
        """
        plain = {v: term for v, term in env.own.items() if self.terms.is_cell(v)}
        values = self._some_values(known, list(plain.values())) if plain else None
        if values is None:
            return env
        own = dict(env.own)
        for (variable, term), value in zip(plain.items(), values, strict=True):
            other = self.logic.negation(self.logic.equal(term, value))
            if self._excluded(known, other):
                own[variable] = value
        return replace(env, own=own)

    def _some_values(self, known: Term, terms: Sequence[Term]) -> list[Term] | None:
        """Values that terms can have at the same time; None if there are none."""
        self.solver.push()
        try:
            self.solver.add(known)
            if self.solver.check() is not Answer.SATISFIABLE:
                return None
            model = self.solver.model()
            return [model.cell(term) for term in terms]
        finally:
            self.solver.pop()

    def _changes(self, t: int, step: MergedStep) -> dict[int, tuple[Term, Term]]:
        """What a step replaces, by the constants that it replaces."""
        before = self.terms.thread(t)
        after = self.terms.at(step.after, step.target)
        pairs = self.terms.changes(before, step.after)
        pairs.append((before.location, self.logic.integer(step.target)))
        for k in self.terms.ghosts_of(t):
            meaning = self.logic.simplify(self.terms.meaning(after, t, k))
            pairs.append((self.terms.ghost(t, k), meaning))
        return _by_constant(pairs)

    # -- (5), (6) ---------------------------------------------------------------------------------

    def _check_property(self, checked: Property) -> None:
        match checked:
            case FailureProperty():
                self._check_failures(checked)
            case InvariantProperty():
                self._check_invariant(checked)
            case RaceProperty() | DeadlockProperty():
                raise Refuted(f"formulas with ghosts say nothing about `{checked.name}`")

    def _check_failures(self, checked: FailureProperty | None) -> None:
        for t in self._movers(()):
            at = self.terms.thread(t).location
            body = self.program.procedure[self.program.template[self.numbers.templates[t]].body]
            wrong = [
                self.logic.equal(at, self.logic.integer(location.id))
                for location in body.locations
                if (failure := location.failure) is not None
                and (
                    failure.kind.is_limit if checked is None else failure.property == checked.name
                )
            ]
            if wrong:
                what = "a limit of the model" if checked is None else f"`{checked.name}`"
                self._exclude((t,), [self.logic.disjunction(wrong)], what)

    def _exclude(self, scope: Sequence[int], error: list[Term], what: str) -> None:
        if self._excluded(*self._known(scope), *error):
            return
        wider = self._widened(scope)
        if len(wider) > len(scope) and self._excluded(*self._known(wider), *error):
            return
        names = ", ".join(self.numbers.name(t) for t in scope)
        raise Refuted(f"{what} may be violated by {names}")

    def _widened(self, scope: Sequence[int]) -> tuple[int, ...]:
        """Threads beside which more conjuncts apply: all of them, up to exchanging."""
        wider = list(scope)
        most = max((len(c.threads) for c in self.certificate.conjuncts), default=0)
        for template, ids in self.numbers.ranges.items():
            further = [t for t in ids if t not in wider]
            wider.extend(further[: most - 1] if template in self.certificate.alike else further)
        return tuple(wider)

    def _check_invariant(self, checked: InvariantProperty) -> None:
        formula = checked.formula
        if self.certificate.alike and _tells_apart(checked):
            raise Refuted(f"`{checked.name}` tells threads apart that are claimed to be alike")
        match formula:
            case Quantified(Quantifier.FORALL, _, body) if not any(
                isinstance(part, Quantified) for part in subexpressions(body)
            ):
                self._check_instances(checked, formula)
                return
        if self.certificate.alike:
            raise Refuted(f"`{checked.name}` relates all threads")
        scope = range(len(self.numbers.templates))
        everyone = tuple(self.terms.thread(t) for t in scope)
        nobody = Environment(self.terms.shared, {}, self.logic.integer(-1), "", everyone=everyone)
        wrong = self.logic.negation(self.encoder.holds(formula, nobody))
        self._exclude(scope, [wrong, *self._going(scope)], f"`{checked.name}`")

    def _check_instances(self, checked: InvariantProperty, formula: Quantified) -> None:
        ranges = [self.numbers.ranges[v.template] for v in formula.variables]
        tuples: list[tuple[int, ...]] = [()]
        for ids in ranges:
            tuples = [(*chosen, t) for chosen in tuples for t in self._next(ids, chosen)]
        for chosen in tuples:
            scope = tuple(dict.fromkeys(chosen))
            others = {
                v.name: self.terms.thread(t)
                for v, t in zip(formula.variables, chosen, strict=True)
            }
            speaker = Environment(self.terms.shared, {}, self.logic.integer(-1), "", others=others)
            wrong = self.logic.negation(self.encoder.holds(formula.body, speaker))
            wrong = self.logic.simplify(wrong)
            if not self.logic.is_false(wrong):
                self._exclude(scope, [wrong, *self._going(scope)], f"`{checked.name}`")

    # -- what the proof reaches -------------------------------------------------------------------

    def _visited(self) -> frozenset[int]:
        """The locations that the invariant does not exclude, by some thread of each template."""
        found: set[int] = set()
        for template in self.program.templates:
            body = self.program.procedure[template.body]
            missing: list[LocId] = [loc.id for loc in body.locations if not loc.atomic]
            for t in self._next(self.numbers.ranges[template.name], ()):
                known = self._known((t,))
                at = self.terms.thread(t).location
                for place in list(missing):
                    here = self.logic.equal(at, self.logic.integer(place))
                    if not self._excluded(*known, here):
                        missing.remove(place)
                        found.add(place)
                if not missing:
                    break
        return frozenset(found)


def _by_constant(pairs: Sequence[tuple[Term, Term]]) -> dict[int, tuple[Term, Term]]:
    return {constant.get_id(): (constant, term) for constant, term in pairs}


def _tells_apart(checked: InvariantProperty) -> bool:
    for part in subexpressions(checked.formula):
        match part:
            case ThreadAt():
                return True
            case Const(value, TidType()) if value != NONE:
                return True
    return False
