"""The checker of formula certificates: k representatives, for any number of threads.

R is a formula over the shared variables and k different threads t1 … tk, one for each combination
of templates that the program has threads for, and of locations. Write R(T) for what it says about
k threads T, in every order that lists them by template. The obligations:

    (1) the formulas are formulas about such threads; with any number of threads there may be fewer
        of them than representatives, and since ids are only compared (checked), such an instance
        behaves as a larger one does in which the other threads are never scheduled
    (2) INIT   R holds of k threads at their entries in every initial store
    (3) STEP   R(T) and a step of a thread in T lead to R(T)
    (4) ENV    R of all k threads among T and one more, m, and a step of m lead to R(T), unless m
        fails by it: then the run is over, and (5) asks about threads among which m is
    (5) the threads a claimed property relates cannot violate it where R holds of all k among them
        (or of them and some others, if there are fewer than k; these have not failed, since the
        first failure ends the program and only failures are violations after it)
    (6) no thread is at a limit of the model, if a property is claimed
    (7) equations between numbers of threads and shared cells, if the proof uses some, hold in
        every reachable state without a failure (`threadwise.proofs.counting.check`);
        so they may be assumed wherever R is, with T among the threads that are counted
    (8) PUSH and POP, if the program has calls: then k = 1, R is split by contexts, and (3) and (4)
        are about each context alone (`threadwise.proofs.representatives.contexts`)
    (9) if the proof has ghosts, the program is taken with them: new variables that are written
        and never read (`threadwise.proofs.representatives.ghosts`)

(2) to (4) make R hold of all k threads in every reachable state, however many threads there are:
the counts of templates with any number are constants of the logic. A failure ends the program, so
steps start where no thread has failed. Each obligation is a formula that must have no model; they
are discharged by one solver, or by two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, NamedTuple

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import InputError, Unsupported
from threadwise.ir.expr import Const, Expr, ThreadAt
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import EdgeId, FillValue, ListedValues, LocId, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.thread_formulas import FormulaReader, representatives
from threadwise.ir.types import NONE, TID
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.representatives.contexts import ContextCalls
from threadwise.proofs.representatives.ghosts import check_ghosts
from threadwise.proofs.representatives.related_threads import RelatedThreads
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.paths import has_calls, thread_locations
from threadwise.proofs.toolbox.smt.edges import SymbolicStep
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations, Slot
from threadwise.transforms.ghosts import with_ghosts

if TYPE_CHECKING:
    from threadwise.proofs.counting.counted import CountedThreads

MOST_REPRESENTATIVES = 4


class _Entry(NamedTuple):
    """A formula of the certificate."""

    locations: tuple[LocId | None, ...]
    formula: Expr
    context: int


TREATS = ALL - {Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_representatives(
    program: Program,
    certificate: RepresentativesCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted, or Unsupported where a solver cannot decide."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "formulas about threads")
    if has_calls(program) and (certificate.k != 1 or certificate.lemmas):
        raise Refuted("formulas about several threads of a program with calls")
    if not 1 <= certificate.k <= MOST_REPRESENTATIVES:
        raise Refuted(f"a proof with {certificate.k} representatives")
    if certificate.ghosts:
        try:
            ghostly = with_ghosts(program, certificate.ghosts)
        except Unsupported as error:
            raise Refuted(str(error)) from error
        check_ghosts(program, ghostly)  # (9)
        program = ghostly
    return _Checker(program, certificate, tick, second=second_solver).run()


class _Checker:
    def __init__(
        self,
        program: Program,
        certificate: RepresentativesCertificate,
        tick: Callable[[], object],
        *,
        second: bool,
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.k = certificate.k
        self.tick = tick
        self.counted: CountedThreads | None = None
        self.obligations = Obligations(program, tick, second=second)
        self.logic = self.obligations.logic
        self.order = {template.name: i for i, template in enumerate(program.templates)}
        self.entries: dict[tuple[str, ...], list[_Entry]] = {}
        self.taken: set[EdgeId] = set()

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        self._read()  # (1)
        self._check_counts()
        self._check_lemmas()  # (7)
        self._check_initial()  # (2)
        for combination in self.combinations(self.k):
            for slots in self.placed(combination):
                for context in self._contexts(slots):
                    before = self.holds(slots, context)
                    if not self.logic.is_false(before):
                        self._check_steps(slots, before, context)  # (3)
                        self._check_interference(slots, before, context)  # (4)
        self.taken |= ContextCalls(self.obligations, self.certificate, self).check()  # (8)
        related = RelatedThreads(self.obligations, self)
        for checked in claimed:  # (5)
            reason = related.violation(checked)
            if reason is not None:
                raise Refuted(f"`{checked.name}` may be violated: {reason}")
        if claimed:  # (6)
            reason = related.limit()
            if reason is not None:
                raise Refuted(f"a thread may reach a limit: {reason}")
        return CheckedProof(self.certificate.properties, frozenset(self.taken), self._visited())

    def _visited(self) -> frozenset[int]:
        places: set[int] = set()
        for templates, entries in self.entries.items():
            for entry in entries:
                for name, location in zip(templates, entry.locations, strict=True):
                    known = [location] if location is not None else self._locations(name)
                    places.update(known)
        return frozenset(places)

    # -- (1) --------------------------------------------------------------------------------------

    def _read(self) -> None:
        readers: dict[str | None, FormulaReader] = {}
        for templates, locations, text, context in self.certificate.formulas:
            if len(templates) != self.k or len(locations) != self.k:
                raise Refuted("a formula about another number of threads")
            if not self._is_combination(templates):
                raise Refuted("a formula about threads that the program does not have")
            for name, location in zip(templates, locations, strict=True):
                if location is not None and location not in self._locations(name):
                    raise Refuted(f"a formula about a location where no `{name}` can be")
            procedure = self._procedure(locations)
            if procedure not in readers:
                readers[procedure] = FormulaReader(self.program, procedure)
            try:
                formula = readers[procedure].read(text, representatives(templates))
            except InputError as error:
                raise Refuted(f"a formula that is none: {error}") from error
            entry = _Entry(locations, formula, context)
            self.entries.setdefault(templates, []).append(entry)

    def _procedure(self, locations: Sequence[LocId | None]) -> str | None:
        """In a program with calls, the procedure a formula is about."""
        if not has_calls(self.program):
            return None
        (location,) = locations
        if location is None:
            raise Refuted("a formula about all procedures of a program")
        return self.program.procedure_of[location].name

    def _is_combination(self, templates: Sequence[str]) -> bool:
        if any(name not in self.order for name in templates):
            return False
        ordered = sorted(templates, key=lambda name: self.order[name])
        return list(templates) == ordered and self._enough(templates)

    def _enough(self, templates: Sequence[str]) -> bool:
        """Whether the program has that many threads of each template, or may have."""
        for template in self.program.templates:
            wanted = sum(name == template.name for name in templates)
            if template.count is not None and wanted > template.count:
                return False
        return True

    def _locations(self, template: str) -> tuple[LocId, ...]:
        return thread_locations(self.program, template)

    def _check_counts(self) -> None:
        if self.program.has_any_number:
            if any(map(self._is_absolute, self._expressions())) or self._starts_with_ids():
                raise Refuted("any number of threads, and ids are not only compared")
        elif sum(template.count or 0 for template in self.program.templates) < self.k:
            raise Refuted("the program has fewer threads than the proof has representatives")

    def _is_absolute(self, part: Expr) -> bool:
        """Whether an expression changes its meaning when there are more threads."""
        if isinstance(part, ThreadAt):
            return self.program.template[part.template].count is None
        return isinstance(part, Const) and part.type == TID and part.value != NONE

    def _expressions(self) -> Iterator[Expr]:
        for edge in self.program.edges:
            for whole in action_expressions(edge.action):
                yield from subexpressions(whole)
        for checked in self.program.properties:
            if isinstance(checked, InvariantProperty):
                yield from subexpressions(checked.formula)

    def _starts_with_ids(self) -> bool:
        return any(
            part != NONE
            for declaration in self.program.globals
            if isinstance(declaration.initial, FillValue | ListedValues)
            for part in self.obligations.id_parts(declaration)
        )

    # -- (7) --------------------------------------------------------------------------------------

    def _check_lemmas(self) -> None:
        if self.certificate.lemmas:
            from threadwise.proofs.counting.check import check_equations
            from threadwise.proofs.counting.counted import CountedThreads

            check_equations(self.program, self.certificate.lemmas, self.tick)
            self.counted = CountedThreads(self.obligations.encoder, self.certificate.lemmas)

    # -- threads and what holds of them -----------------------------------------------------------

    def combinations(self, size: int) -> Iterator[tuple[str, ...]]:
        """The combinations of templates that the program can have threads for."""
        for names in combinations_with_replacement(self.order, size):
            if self._enough(names):
                yield names

    def placed(self, templates: Sequence[str], first: int = 0) -> Iterator[tuple[Slot, ...]]:
        """Different threads of the templates, at all their locations."""
        places = [self._locations(name) for name in templates]
        for chosen in product(*places):
            yield tuple(
                self.obligations.slot(first + i, name, location)
                for i, (name, location) in enumerate(zip(templates, chosen, strict=True))
            )

    def _contexts(self, slots: Sequence[Slot]) -> Sequence[int | None]:
        """The contexts that threads may be in, one by one where there are calls."""
        if not has_calls(self.program):
            return [None]
        (slot,) = slots
        entries = self.entries.get((slot.template,), ())
        return list(dict.fromkeys(e.context for e in entries if e.locations == (slot.location,)))

    def ordered(
        self, slots: Sequence[Slot], shared: Environment, context: int | None = None
    ) -> Term:
        """What R says about k threads in this order, with these shared variables."""
        names = tuple(slot.template for slot in slots)
        places = tuple(slot.location for slot in slots)
        named = {
            thread.name: slot.env
            for thread, slot in zip(representatives(names), slots, strict=True)
        }
        found = [
            self.obligations.formula(entry.formula, shared, named)
            for entry in self.entries.get(names, ())
            if all(a is None or a == b for a, b in zip(entry.locations, places, strict=True))
            and context in (None, entry.context)
        ]
        return self.logic.disjunction(found)

    def holds(self, slots: Sequence[Slot], context: int | None = None) -> Term:
        """R of all k threads among some, in all orders; with what holds of all threads."""
        shared = slots[0].env
        found: list[Term] = []
        for chosen in combinations(slots, self.k):
            for order in permutations(chosen):
                ranks = [self.order[slot.template] for slot in order]
                if ranks == sorted(ranks):
                    term = self.ordered(order, shared, context)
                    if self.logic.is_false(term):
                        return term
                    found.append(term)
        if self.counted is not None and not any(map(self._has_failed, slots)):
            found.append(self.counted.among([slot.env for slot in slots]))
        return self.logic.conjunction([*found, self.obligations.known(slots)])

    # -- (2), (3), (4) ----------------------------------------------------------------------------

    def _check_initial(self) -> None:
        for combination in self.combinations(self.k):
            slots, known = self.obligations.initial(combination)
            goal = self.ordered(slots, slots[0].env)
            if not self.obligations.follows(known, goal):
                raise Refuted(f"INIT: the formula does not hold at the start of {_list(slots)}")

    def _check_steps(self, slots: tuple[Slot, ...], before: Term, context: int | None) -> None:
        if any(self._has_failed(slot) for slot in slots):
            return
        for i, slot in enumerate(slots):
            for step in self.obligations.steps(slot):
                self.taken.update(edge.id for edge in step.path.edges)
                moved = self.obligations.moved(slots, i, step)
                goal = self.ordered(moved, moved[0].env, context)
                premise = self.logic.conjunction([before, step.condition])
                if not self.obligations.follows(premise, goal):
                    raise Refuted(f"STEP: a step of {_list([slot])} leaves the formula")

    def _check_interference(
        self, slots: tuple[Slot, ...], before: Term, context: int | None
    ) -> None:
        if any(self._has_failed(slot) for slot in slots):
            return
        unchanged = self.ordered(slots, slots[0].env, context)
        names = [slot.template for slot in slots]
        for template in self.order:
            if not self._enough([*names, template]):
                continue
            for (mover,) in self.placed([template], self.k):
                beside: Term = None
                for step in self.obligations.steps(mover):
                    if not self.obligations.is_seen(step) or self._fails(step):
                        continue
                    seen = self.obligations.seen_by(slots, step)
                    goal = self.ordered(seen, seen[0].env, context)
                    if goal.eq(unchanged):
                        continue
                    if beside is None:
                        beside = self.logic.conjunction([before, self.holds([*slots, mover])])
                    premise = self.logic.conjunction([beside, step.condition])
                    if not self.obligations.follows(premise, goal):
                        raise Refuted(
                            f"ENV: a step of another {_list([mover])} makes the formula of "
                            f"{_list(slots)} false"
                        )

    def _fails(self, step: SymbolicStep) -> bool:
        return self.program.locations[step.path.target].failure is not None

    def _has_failed(self, slot: Slot) -> bool:
        return self.program.locations[slot.location].failure is not None

    # -- what properties need ---------------------------------------------------------------------

    def impossible(self, slots: Sequence[Slot], violation: Term) -> bool:
        """Whether R excludes a violation by some threads, alone or beside some others."""
        if self.logic.is_false(violation):
            return True
        missing = self.k - len(slots)
        if missing <= 0:
            premise = self.holds(slots)
            return self.obligations.contradict(self.logic.conjunction([premise, violation]))
        names = [slot.template for slot in slots]
        for others in combinations_with_replacement(self.order, missing):
            if self._enough([*names, *others]) and all(
                self.obligations.contradict(
                    self.logic.conjunction([self.holds([*slots, *beside]), violation])
                )
                for beside in self.placed(others, len(slots))
                if not any(map(self._has_failed, beside))
            ):
                return True
        return False


def _list(slots: Sequence[Slot]) -> str:
    return ", ".join(f"`{slot.template}` at {slot.location}" for slot in slots)
