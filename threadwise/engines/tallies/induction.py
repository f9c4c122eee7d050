"""Which candidates are inductive together: what some step may break is dropped, until nothing is.

The rules are those of `representatives` for one thread: INIT, STEP and ENV (Houdini; Flanagan &
Leino 2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.backends.smt.steps import SymbolicStep
from threadwise.backends.smt.values import terms_of
from threadwise.core.identity import Same
from threadwise.engines.horn.errors import Violation, Violations
from threadwise.engines.horn.representatives import Representatives
from threadwise.engines.tallies.candidates import Candidates, Place
from threadwise.ir.expr import FALSE, Expr, Read, Variable, VariablePlace
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.systems.facts.symbolic import SymbolicFacts


@dataclass(frozen=True)
class _Step:
    """A step of a thread, seen by itself or by another one."""

    of: Environment
    """The thread whose formulas have to hold after it."""
    beside: Environment | None
    """The thread that takes it, if that is another one."""
    step: SymbolicStep
    changed: frozenset[Variable]
    """The shared variables that it writes."""

    @property
    def target(self) -> Place:
        """Whose formulas have to hold."""
        place = self.of.location if self.beside is not None else self.step.path.target
        return self.of.template, LocId(int(str(place)))


class _Marked(NamedTuple):
    """Formulas behind marks."""

    marks: list[tuple[Term, Expr]]
    meaning: Term
    thread: Environment


class Induction:
    """The candidates of a program that are left."""

    def __init__(
        self,
        program: Program,
        found: Candidates,
        effort: Effort,
        lemmas: Sequence[LinearInvariant] = (),
    ) -> None:
        self.program = program
        self.logic = Logic()
        self.effort = effort
        self.threads = Representatives(program, 1, self.logic)
        self.solver = Solver(self.logic, effort)
        self.lemmas = SymbolicFacts(self.threads.encoder, lemmas)
        self.left = {place: list(formulas) for place, formulas in found.items()}
        self._shared = {
            formula: frozenset(_shared(formula))
            for formulas in found.values()
            for formula in formulas
        }
        self._marks: dict[Same, _Marked] = {}
        self._encoded: dict[tuple[Expr, str], Term] = {}
        self._changes: dict[
            tuple[Same, Same, Same], tuple[list[tuple[Term, Term]], Environment]
        ] = {}

    def run(self) -> None:
        """Drop what is not inductive."""
        self._initial()
        steps = self.steps = [*self._own_steps(), *self._steps_of_others()]
        users: dict[Place, list[int]] = {}
        for k, each in enumerate(steps):
            for env in (each.of, each.beside):
                if env is not None:
                    users.setdefault(_place(env), []).append(k)
        pending = dict.fromkeys(range(len(steps)))
        while pending:
            first = min(pending)
            del pending[first]
            if self._drop(steps[first]):
                pending.update(dict.fromkeys(users.get(steps[first].target, ())))

    def excludes(self, violations: Iterable[Violation]) -> bool:
        """Whether what is left excludes all of some violations."""
        for violation in violations:
            known = self._known(violation.threads)
            held = [term for env in violation.threads for term in self._held(env)]
            whole = self.logic.conjunction([*known, *held, violation.condition])
            if self.solver.satisfiable(whole) is not Answer.UNSATISFIABLE:
                return False
        return True

    def needed(self, violations: Iterable[Violation]) -> Candidates:
        """Candidates that exclude violations and are inductive without the others."""
        found: dict[Place, dict[Expr, None]] = {}
        fresh: dict[Place, dict[Expr, None]] = {}

        def need(pairs: Iterable[tuple[Place, Expr]]) -> None:
            nonlocal fresh
            for place, formula in pairs:
                if formula not in found.setdefault(place, {}):
                    found[place][formula] = None
                    fresh.setdefault(place, {})[formula] = None

        for violation in violations:
            known = self._known(violation.threads)
            need(self._core([*known, violation.condition], violation.threads))
        into: dict[Place, list[_Step]] = {}
        for each in self.steps:
            into.setdefault(each.target, []).append(each)
        while fresh:
            new, fresh = fresh, {}
            for place, formulas in new.items():
                for each in into.get(place, ()):
                    own = each.beside is None
                    goals = [f for f in formulas if own or self._shared[f] & each.changed]
                    if goals:
                        need(self._reason(each, goals))
        return {place: list(formulas) for place, formulas in found.items()}

    def _reason(self, each: _Step, goals: Sequence[Expr]) -> list[tuple[Place, Expr]]:
        """What is used where a step leads to formulas."""
        present = [each.of] if each.beside is None else [each.of, each.beside]
        after = self._seen(each)
        goal = self.logic.conjunction([self._holds(formula, after) for formula in goals])
        if self.logic.is_true(goal):
            return []
        known = self._known(present)
        return self._core([*known, each.step.condition, self.logic.negation(goal)], present)

    def _core(
        self, premises: Sequence[Term], present: Sequence[Environment]
    ) -> list[tuple[Place, Expr]]:
        """Which formulas about some threads contradict what is assumed."""
        told = [self._marked(env) for env in present]
        marks = [mark for each in told for mark, _ in each.marks]
        self.solver.push()
        self.solver.add(*premises, *(each.meaning for each in told))
        known = marks
        if self.solver.check(marks) is Answer.UNSATISFIABLE:
            known = self.solver.core()
        self.solver.pop()
        used = {mark.get_id() for mark in known}
        return [
            (_place(env), formula)
            for env, each in zip(present, told, strict=True)
            for mark, formula in each.marks
            if mark.get_id() in used
        ]

    def _known(self, present: Sequence[Environment]) -> list[Term]:
        """What holds of threads anyway: by types, and by the lemmas."""
        shared = self.threads.shared
        return [*self.threads.known(shared, present), *self.lemmas.about(shared, present)]

    def _marked(self, thread: Environment) -> _Marked:
        """The formulas about a thread, each behind a mark."""
        key = Same(thread)
        if key not in self._marks:
            marks: list[tuple[Term, Expr]] = []
            parts: list[Term] = []
            for formula in self.left.get(_place(thread), ()):
                name = f"used {len(self._marks)} {len(marks)}"
                mark = self.logic.constant(name, self.logic.boolean_sort)
                parts.append(self.logic.implication(mark, self._holds(formula, thread)))
                marks.append((mark, formula))
            self._marks[key] = _Marked(marks, self.logic.conjunction(parts), thread)
        return self._marks[key]

    def _seen(self, each: _Step) -> Environment:
        """The thread whose formulas have to hold, after a step."""
        if each.beside is None:
            return each.step.after
        return replace(each.of, shared=each.step.after.shared)

    def violations(self, checked: Property) -> Iterable[Violation]:
        """What would violate a property."""
        return Violations(self.threads).of(checked)

    def limits(self) -> Iterable[Violation]:
        """What would reach a limit of the model."""
        return Violations(self.threads).limits()

    # -- steps -----------------------------------------------------------------------------------

    def _places(self) -> list[Place]:
        return [
            (template.name, location)
            for template in self.program.templates
            for location in self.threads.places(template.name)
        ]

    def _taken(self, thread: Environment) -> list[tuple[SymbolicStep, frozenset[Variable]]]:
        found = []
        for step in self.threads.steps.from_location(LocId(int(str(thread.location))), thread):
            if self.program.locations[step.path.target].failure is not None:
                continue
            condition = self.logic.simplify(step.condition)
            if self.logic.is_false(condition):
                continue
            changed = frozenset(
                variable
                for variable, value in step.after.shared.items()
                if value is not thread.shared[variable]
            )
            found.append((replace(step, condition=condition), changed))
        return found

    def _own_steps(self) -> Iterable[_Step]:
        for template, location in self._places():
            thread = self.threads.thread(template, 0, location)
            for step, changed in self._taken(thread):
                yield _Step(thread, None, step, changed)

    def _steps_of_others(self) -> Iterable[_Step]:
        for other, there in self._places():
            mover = self.threads.thread(other, 1, there)
            for step, changed in self._taken(mover):
                if not changed:
                    continue
                for template, location in self._places():
                    if self.threads.is_possible((template, other)):
                        thread = self.threads.thread(template, 0, location)
                        yield _Step(thread, mover, step, changed)

    # -- dropping --------------------------------------------------------------------------------

    def _initial(self) -> None:
        shared, known = self.threads.environments.initial_shared()
        for template in self.program.templates:
            body = self.program.procedure[template.body]
            own = self.threads.environments.initial_own(template.name)
            start = Environment(shared, own, self.threads.ids[0], template.name, body.entry)
            premises = [known, *self.threads.known(shared, [start])]
            place = template.name, body.entry
            self._keep(place, premises, start, self.left.get(place, []))

    def _drop(self, each: _Step) -> bool:
        """Drop what a step may break; whether there was something."""
        place = each.target
        goals = self.left.get(place, [])
        if each.beside is not None:
            goals = [formula for formula in goals if self._shared[formula] & each.changed]
        if not goals:
            return False
        present = [each.of] if each.beside is None else [each.of, each.beside]
        if any(FALSE in self.left.get(_place(env), ()) for env in present):
            return False
        premises = [*self._known(present), each.step.condition]
        premises += [term for env in present for term in self._held(env)]
        return self._keep(place, premises, self._seen(each), goals)

    def _keep(
        self, place: Place, premises: Sequence[Term], after: Environment, goals: Sequence[Expr]
    ) -> bool:
        """Keep the goals that follow; whether some do not."""
        if not goals:
            return False
        terms = {formula: self._holds(formula, after) for formula in goals}
        open_ = [f for f, term in terms.items() if not self.logic.is_true(term)]
        gone: set[Expr] = set()
        self.solver.push()
        self.solver.add(*premises)
        while open_:
            goal = self.logic.conjunction([terms[formula] for formula in open_])
            self.solver.push()
            self.solver.add(self.logic.negation(goal))
            answer = self.solver.check()
            broken: set[Expr] = set()
            if answer is Answer.SATISFIABLE:
                model = self.solver.model()
                broken = {f for f in open_ if not model.boolean(terms[f])}
            elif answer is Answer.UNKNOWN:
                broken = set(open_)
            self.solver.pop()
            if not broken:
                break
            gone |= broken
            open_ = [f for f in open_ if f not in broken]
        self.solver.pop()
        if gone:
            self.left[place] = [f for f in self.left[place] if f not in gone]
        return bool(gone)

    def _held(self, thread: Environment) -> list[Term]:
        """What is assumed of a thread that has not moved."""
        return [self._holds(formula, thread) for formula in self.left.get(_place(thread), ())]

    def _holds(self, formula: Expr, thread: Environment) -> Term:
        """A formula about a thread: encoded once, then with other terms for its constants."""
        start = self._formals(thread)
        key = formula, thread.template
        if key not in self._encoded:
            nobody = self.logic.integer(-1)
            speaker = Environment(start.shared, {}, nobody, "", others={"t1": start})
            term = self.logic.simplify(self.threads.encoder.holds(formula, speaker))
            self._encoded[key] = term
        pairs = self._pairs(start, thread)
        if not pairs:
            return self._encoded[key]
        return self.logic.substitute(self._encoded[key], pairs)

    def _formals(self, thread: Environment) -> Environment:
        body = self.program.template[thread.template].body
        entry = self.program.procedure[body].entry
        return self.threads.thread(thread.template, 0, entry)

    def _pairs(self, start: Environment, thread: Environment) -> list[tuple[Term, Term]]:
        """The constants of a thread, and what they are in another state."""
        key = Same(thread.shared), Same(thread.own), Same(thread.me)
        if key not in self._changes:
            pairs: list[tuple[Term, Term]] = []
            for before, after in ((start.shared, thread.shared), (start.own, thread.own)):
                for variable, value in before.items():
                    if after[variable] is not value:
                        pairs += zip(terms_of(value), terms_of(after[variable]), strict=True)
            pairs.append((start.me, thread.me))
            self._changes[key] = [pair for pair in pairs if not pair[0].eq(pair[1])], thread
        return self._changes[key][0]


def _place(thread: Environment) -> Place:
    return thread.template, LocId(int(str(thread.location)))


def _shared(formula: Expr) -> Iterable[Variable]:
    for part in subexpressions(formula):
        if isinstance(part, Read):
            base = root(part.place)
            if isinstance(base, VariablePlace):
                yield base.variable
