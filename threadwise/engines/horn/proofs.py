"""Proofs with k representatives, one property after the other: what is proved helps the next.

First the limits of the model are excluded, then properties, the quick ones first. A solution R is
kept: it holds of all k threads in every reachable state, so it may stand in the bodies of later
clauses, and the certificate of a later property is the conjunction. A property that is not solved
within a small effort waits until others have been; then the effort grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from threadwise.analyses.regions import thread_locations
from threadwise.analyses.unbounded import has_wide_data
from threadwise.backends.smt.decode import Decoder
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.horn import HornClauses
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import UNITS_PER_STEP, Answer, Effort, Solver
from threadwise.core.errors import Unsupported
from threadwise.core.identity import Same
from threadwise.engines.api import Proved, Task
from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.calls import Frame
from threadwise.engines.horn.clauses import Clause, Clauses
from threadwise.engines.horn.guesses import Guesses, Places, places_of
from threadwise.engines.horn.representatives import Representatives
from threadwise.engines.horn.resting_states import Suggestions
from threadwise.engines.horn.slicing import Slice
from threadwise.engines.horn.tidy import tidy
from threadwise.ir.commands import Call
from threadwise.ir.expr import FALSE, TRUE, Binary, BinaryOp, Expr
from threadwise.ir.program import LocId
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.thread_formulas import formula_text, representatives
from threadwise.proofs.representatives.certificate import (
    ContextCall,
    RepresentativesCertificate,
    RepresentativesFormula,
)

SHARE = 2
"""Solving clauses gets so many times the steps that are left: one try decides."""
MOST_EFFORT = 60_000_000
"""Units of the solver's resource counter for one system of clauses."""
FIRST_EFFORT = 3_000_000
MOST_RULES = 600
"""With more clauses than this guessing takes longer than it saves, unless it is about κ."""
GROWTH = 4


@dataclass(frozen=True)
class Solution:
    """What was found: per places of k threads a formula over the arguments of R."""

    formulas: dict[Places, tuple[list[Term], Term]]
    meanings: dict[Places, Expr]
    frames: dict[Frame, Expr] = field(default_factory=dict)
    """Per call, what holds of the caller's locals while it waits."""


class Proofs:
    """Solves the clauses of a program for one k.

    Without patience, limits of the model that are not excluded at once are given up, and with
    them all properties: there are other ways to prove them.
    """

    def __init__(
        self,
        task: Task,
        k: int,
        facts: tuple[LinearInvariant, ...],
        *,
        narrow: bool,
        patient: bool = True,
        suggested: Suggestions | None = None,
    ) -> None:
        self.task = task
        self.patient = patient
        self.k = k
        self.facts = facts
        self.narrow = narrow
        self.logic = Logic()
        self.threads = Representatives(task.program, k, self.logic, narrow=narrow)
        self.clauses = Clauses(self.threads, facts, task.meter.check)
        limit = task.options.solver_limit(MOST_EFFORT)
        self.effort = Effort(task.statistics, task.meter.check, limit)
        self.solver = Solver(self.logic, self.effort)
        self.rules = list(self.clauses.rules())
        self.solutions: list[Solution] = []
        self.refuted: set[str] = set()
        """Properties and limits that k representatives do not suffice for."""
        self.derived: set[str] = set()
        """Those of them whose violation the clauses derive."""
        self.reasons: dict[str, str] = {}
        self._known: dict[tuple[Same, ...], list[Term]] = {}
        self.guesses: Guesses | None = None
        few = has_wide_data(task.program) and len(self.rules) <= MOST_RULES
        if (narrow or few or suggested is not None) and self.clauses.calls is None:
            self._guess(suggested)

    def by_guesses(self, properties: Sequence[Property]) -> Proved | None:
        """What is excluded by guesses alone, if limits are, or a small effort excludes these."""
        proved = tuple(
            checked.name
            for checked in properties
            if all(self._is_excluded(clause) for clause in self.clauses.errors(checked))
        )
        limits = list(self.clauses.limits())
        if not proved or not self._solve("limits", limits, min(FIRST_EFFORT, self._most())):
            return None
        return Proved(proved, self._certificate(proved))

    def run(self, properties: Sequence[Property]) -> Iterator[Proved]:
        """Prove properties, all that one effort suffices for with one certificate."""
        limits = self._limits()
        together = [clause for clauses in limits.values() for clause in clauses]
        if self._solve("limits", together, min(FIRST_EFFORT, self._most())):
            limits = {}
        waiting = {checked.name: list(self.clauses.errors(checked)) for checked in properties}
        effort = FIRST_EFFORT
        while waiting:
            effort = min(effort, self._most())
            self._round(limits, effort)
            if not limits:
                clauses = dict(waiting)
                proved = self._round(waiting, effort)
                if proved and not waiting:
                    excluded = [clause for name in proved for clause in clauses[name]]
                    self._slice([*together, *excluded])
                if proved:
                    yield Proved(proved, self._certificate(proved))
            open_ = [*limits] or [*waiting]
            hopeless = any(name in self.refuted or not self.patient for name in limits)
            if hopeless or effort >= self._most() or self.refuted.issuperset(open_):
                break
            effort *= GROWTH
        for name in waiting:
            for limit in limits:
                if limit in self.reasons:
                    self.reasons.setdefault(name, self.reasons[limit])

    def _limits(self) -> dict[str, list[Clause]]:
        """What excludes limits of the model, by the places where they are reached."""
        found: dict[str, list[Clause]] = {}
        for clause in self.clauses.limits():
            found.setdefault(f"a limit at {places_of(clause.present[:1])}", []).append(clause)
        return found

    def _round(self, waiting: dict[str, list[Clause]], effort: int) -> tuple[str, ...]:
        """Take out what can be excluded with an effort, as long as something can."""
        proved: list[str] = []
        tried = -1
        while tried != len(proved):
            tried = len(proved)
            for name in [name for name in waiting if name not in self.refuted]:
                if self._solve(name, waiting[name], effort):
                    del waiting[name]
                    proved.append(name)
        return tuple(proved)

    def _most(self) -> int:
        """What a system of clauses may cost: no more than the steps that are left."""
        budget = self.task.meter.budget.steps
        most = self.task.options.solver_limit(MOST_EFFORT)
        if budget is None:
            return most
        left = budget - self.task.meter.steps
        return max(1, min(most, SHARE * left * UNITS_PER_STEP))

    def _guess(self, suggested: Suggestions | None) -> None:
        """Begin with what guessing finds."""
        self.guesses = Guesses(self.threads, self.rules, self.effort, suggested)
        self.guesses.run()
        self.solutions.append(self._guessed(self.guesses))

    def _guessed(self, guesses: Guesses) -> Solution:
        formulas: dict[Places, tuple[list[Term], Term]] = {}
        meanings: dict[Places, Expr] = {}
        for members in self.threads.everywhere():
            places = places_of(self.threads.ordered(members))
            formals = self._formals(guesses.arguments[places])
            formula = guesses.holds(places, formals)
            formulas[places] = formals, formula
            meanings[places_of(members)] = self._meaning(members, formula)
        return Solution(formulas, meanings)

    def _slice(self, errors: Sequence[Clause]) -> None:
        """Forget guesses that are not needed, if nothing but guesses is; those about κ are."""
        if self.guesses is None or self.narrow or len(self.solutions) != 1:
            return
        if Slice(self.guesses, self.effort).run(errors):
            self.solutions = [self._guessed(self.guesses)]
            self._known.clear()

    def _formals(self, arguments: Sequence[Argument]) -> list[Term]:
        """Constants for arguments; a table stands for itself."""
        return [
            term if meaning is None else self.logic.constant(f"argument {number}", term.sort())
            for number, (term, meaning) in enumerate(arguments)
        ]

    def _meaning(self, members: Sequence[Environment], formula: Term) -> Expr:
        """A formula over formals, in the program's own words."""
        decoder = Decoder()
        for member in members:
            decoder.environment(member)  # for tables, which are arguments as a whole
        arguments = self.threads.arguments(self.threads.shared, self.threads.ordered(members))
        for formal, (_, meaning) in zip(self._formals(arguments), arguments, strict=True):
            if meaning is not None:
                decoder.name(formal, meaning)
        return tidy(decoder.expression(self.logic.simplify(formula)))

    # -- solving ----------------------------------------------------------------------------------

    def _solve(self, name: str, errors: list[Clause], limit: int) -> bool:
        """Exclude the violations of a property (or limits), beside what is excluded already."""
        errors = [clause for clause in errors if not self._is_excluded(clause)]
        if not errors:
            return True
        system = HornClauses(self.logic, self.effort, limit, eager=False)
        spent = system.steps
        for clause in (*self.rules, *errors):
            head = self.logic.false if clause.head is None else clause.head
            system.add((*clause.body, *self._proved(clause.present)), head)
        match system.solve():
            case Answer.SATISFIABLE:
                try:
                    self.solutions.append(self._solution(system))
                    self._known.clear()
                    return True
                except Unsupported as refusal:
                    self.reasons[name] = f"the proof cannot be written down: {refusal}"
                    self.refuted.add(name)
            case Answer.UNSATISFIABLE:
                told = f"{self.k} representatives do not suffice for a proof, or there is none"
                self.reasons[name] = told
                self.refuted.add(name)
                self.derived.add(name)
            case Answer.UNKNOWN:
                told = f"no proof with {self.k} representatives within the limits"
                self.reasons[name] = f"{told} ({system.reason})"
        for _ in range(system.steps - spent):
            self.task.meter.check()
        return False

    def _is_excluded(self, error: Clause) -> bool:
        """Whether earlier solutions exclude a violation already."""
        known = self._proved(error.present)
        if not known:
            return False
        body = self.logic.conjunction([*error.body, *known])
        return self.solver.satisfiable(body) is Answer.UNSATISFIABLE

    def _proved(self, present: Sequence[Environment]) -> list[Term]:
        """What earlier solutions say about the threads in a body."""
        if not self.solutions or not present:
            return []
        key = tuple(map(Same, present))
        if key not in self._known:
            found: list[Term] = []
            for chosen in combinations(present, self.k):
                ordered = self.threads.ordered(chosen)
                actual = [a.term for a in self.threads.arguments(self.threads.shared, ordered)]
                for solution in self.solutions:
                    formals, formula = solution.formulas[places_of(ordered)]
                    pairs = list(zip(formals, actual, strict=True))
                    found.append(self.logic.substitute(formula, pairs))
            self._known[key] = found
        return self._known[key]

    def _solution(self, system: HornClauses) -> Solution:
        formulas: dict[Places, tuple[list[Term], Term]] = {}
        meanings: dict[Places, Expr] = {}
        for members in self.threads.everywhere():
            ordered = self.threads.ordered(members)
            arguments = self.threads.arguments(self.threads.shared, ordered)
            formals = self._formals(arguments)
            relation = self.threads.atom(self.threads.shared, members).decl()
            formula = system.formula(relation(*formals))
            meanings[places_of(members)] = self._meaning(members, formula)
            formulas[places_of(ordered)] = formals, formula
        return Solution(formulas, meanings, dict(self._frames(system)))

    def _frames(self, system: HornClauses) -> Iterator[tuple[Frame, Expr]]:
        """What was found for the callers that wait."""
        calls = self.clauses.calls
        for frame in () if calls is None else calls.frames:
            assert calls is not None
            caller = calls.waiting(frame)
            arguments = calls.arguments(frame, caller)
            formals = self._formals(arguments)
            formula = system.formula(calls.applied(frame, formals))
            decoder = Decoder()
            decoder.environment(caller)
            for formal, (_, meaning) in zip(formals, arguments, strict=True):
                if meaning is not None:
                    decoder.name(formal, meaning)
            yield frame, tidy(decoder.expression(self.logic.simplify(formula)))

    # -- certificates -----------------------------------------------------------------------------

    def _certificate(self, names: tuple[str, ...]) -> RepresentativesCertificate:
        program = self.task.program
        formulas: list[RepresentativesFormula] = []
        for members in self.threads.everywhere():
            places = places_of(members)
            parts = [solution.meanings[places] for solution in self.solutions]
            if FALSE in parts:
                continue
            formulas.append(self._formula(places, _conjunction(parts)))
        formulas.extend(self._failed(names))
        return RepresentativesCertificate(
            program_hash(program),
            names,
            self.k,
            tuple(formulas),
            self.facts,
            tuple(self._listed({(f.templates[0], f.context) for f in formulas})),
        )

    def _formula(self, places: Places, formula: Expr) -> RepresentativesFormula:
        """A formula as the certificate has it; where there are calls, a procedure is a context."""
        program = self.task.program
        templates = tuple(template for template, _ in places)
        located = tuple(location for _, location in places)
        if self.clauses.calls is None:
            text = formula_text(program, formula, representatives(templates))
            return RepresentativesFormula(templates, located, text)
        name, context = self._context(located[0])
        text = formula_text(program, formula, representatives(templates), name)
        return RepresentativesFormula(templates, located, text, context)

    def _context(self, location: LocId) -> tuple[str, int]:
        procedure = self.task.program.procedure_of[location]
        return procedure.name, self.task.program.procedures.index(procedure)

    def _listed(self, contexts: set[tuple[str, int]]) -> Iterator[ContextCall]:
        """The calls that may be taken, between contexts in which a thread may be."""
        calls = self.clauses.calls
        for frame in () if calls is None else calls.frames:
            action = frame.call.action
            assert isinstance(action, Call)
            name, caller = self._context(frame.call.source)
            _, callee = self._context(self.task.program.procedure[action.procedure].entry)
            parts = [s.frames[frame] for s in self.solutions if frame in s.frames]
            reached = {(frame.template, caller), (frame.template, callee)} <= contexts
            if FALSE not in parts and reached:
                threads = representatives((frame.template,))
                text = formula_text(self.task.program, _conjunction(parts), threads, name)
                yield ContextCall(frame.template, caller, frame.call.id, callee, text)

    def _failed(self, names: tuple[str, ...]) -> Iterator[RepresentativesFormula]:
        """Nothing is claimed where a thread has failed in a way that is not to be excluded.

        Nor beside threads that do not exclude it: failures are excluded in one combination.
        """
        program = self.task.program
        for chosen in self.threads.combinations:
            for position, template in enumerate(chosen):
                for location in thread_locations(program, template):
                    failure = program.locations[location].failure
                    if failure is None:
                        continue
                    excluded = failure.kind.is_limit or failure.property in names
                    if excluded and chosen == self.threads.beside(template):
                        continue
                    if self.clauses.calls is not None:
                        yield self._formula(((template, location),), TRUE)
                        continue
                    places: list[LocId | None] = [None] * self.k
                    places[position] = location
                    text = formula_text(program, TRUE, representatives(chosen))
                    yield RepresentativesFormula(chosen, tuple(places), text)


def _conjunction(parts: Sequence[Expr]) -> Expr:
    result: Expr = TRUE
    for part in dict.fromkeys(parts):
        if part != TRUE:
            result = part if result == TRUE else Binary(BinaryOp.AND, result, part)
    return result
