"""Guessed invariants: bounds of threads' own integers, from an analysis with intervals.

Spacer counts a loop up to its bound, one round at a time, before it sees the bound. So it is told:
at each location the bounds that the text of a procedure gives its integers. They are checked
against the clauses, and what some step may break is dropped until no step breaks any. What is left
stands in the bodies of clauses as a solution does that was found before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.clauses import Clause
from threadwise.engines.horn.representatives import Representatives
from threadwise.ir.expr import ThreadRead, ThreadVariable, VariablePlace
from threadwise.ir.program import LocId
from threadwise.ir.simplify.intervals import bounds_of_locals
from threadwise.ir.types import BoolType

Places = tuple[tuple[str, LocId], ...]
Guess = tuple[str, int, int]
"""`<=` or `>=`, of which argument, which number."""


@dataclass(frozen=True)
class Guessed:
    """Per places of k threads the formals, and what is left of the guesses about them."""

    arguments: dict[Places, list[Argument]]
    guesses: dict[Places, list[Guess]]


class Guesses:
    """Finds the inductive ones among the guesses about the threads of some clauses."""

    def __init__(self, threads: Representatives, rules: Sequence[Clause], effort: Effort) -> None:
        self.threads = threads
        self.logic: Logic = threads.logic
        self.rules = rules
        self.solver = Solver(self.logic, effort)
        self.bounds = {
            template.name: bounds_of_locals(threads.program.procedure[template.body])
            for template in threads.program.templates
        }
        self.arguments: dict[Places, list[Argument]] = {}
        self.guesses: dict[Places, list[Guess]] = {}
        self._actual: dict[tuple[int, ...], list[Term]] = {}
        for members in threads.everywhere():
            ordered = threads.ordered(members)
            arguments = threads.arguments(threads.shared, ordered)
            self.arguments[places_of(ordered)] = arguments
            self.guesses[places_of(ordered)] = list(self._shapes(arguments, ordered))
        self._by_name = {
            threads.atom(threads.shared, members).decl().name(): places_of(
                threads.ordered(members)
            )
            for members in threads.everywhere()
        }

    def run(self) -> Guessed:
        """Drop what some step breaks until nothing is dropped."""
        changed = True
        while changed:
            changed = False
            for clause in self.rules:
                changed |= self._drop(clause)
        return Guessed(self.arguments, self.guesses)

    def _drop(self, clause: Clause) -> bool:
        """Drop what a step may break; whether there was something."""
        assert clause.head is not None
        places = self._by_name[clause.head.decl().name()]
        if not self.guesses[places]:
            return False
        after = [clause.head.arg(k) for k in range(clause.head.num_args())]
        self.solver.push()
        self.solver.add(*clause.body, *self.assumed(clause.present))
        dropped = False
        while self.guesses[places]:
            goal = self.holds(places, after)
            self.solver.push()
            self.solver.add(self.logic.negation(goal))
            answer = self.solver.check()
            if answer is Answer.SATISFIABLE:
                model = self.solver.model()
                values = [
                    int(model.boolean(term)) if _is_formula(argument) else model.integer(term)
                    for term, argument in zip(after, self.arguments[places], strict=True)
                ]
                self.guesses[places] = [g for g in self.guesses[places] if _is_true(g, values)]
                dropped = True
            elif answer is Answer.UNKNOWN:
                self.guesses[places] = []
                dropped = True
            self.solver.pop()
            if answer is not Answer.SATISFIABLE:
                break
        self.solver.pop()
        return dropped

    def assumed(self, present: Sequence[Environment]) -> list[Term]:
        """The guesses about the threads of a body."""
        found: list[Term] = []
        for chosen in combinations(present, self.threads.k) if present else ():
            ordered = self.threads.ordered(chosen)
            key = tuple(map(id, ordered))
            if key not in self._actual:
                told = self.threads.arguments(self.threads.shared, ordered)
                self._actual[key] = [argument.term for argument in told]
            found.append(self.holds(places_of(ordered), self._actual[key]))
        return found

    def holds(self, places: Places, values: Sequence[Term]) -> Term:
        """The guesses about some places, of arguments."""
        parts = [
            values[i] <= number if kind == "<=" else values[i] >= number
            for kind, i, number in self.guesses[places]
        ]
        return self.logic.conjunction(parts)

    def _shapes(
        self, arguments: Sequence[Argument], threads: Sequence[Environment]
    ) -> Iterator[Guess]:
        """The bounds of what R is told about threads' own integers."""
        for thread in threads:
            name = ThreadVariable(self.threads.name_of(thread), thread.template)
            known = self.bounds[thread.template].get(places_of([thread])[0][1], {})
            for i, (_, meaning) in enumerate(arguments):
                match meaning:
                    case ThreadRead(owner, VariablePlace(variable)) if owner == name:
                        low, high = known.get(variable.name, (None, None))
                        if low is not None:
                            yield ">=", i, low
                        if high is not None:
                            yield "<=", i, high


def places_of(threads: Sequence[Environment]) -> Places:
    """The templates and locations of threads."""
    return tuple((t.template, LocId(int(str(t.location)))) for t in threads)


def _is_formula(argument: Argument) -> bool:
    return argument.meaning is not None and isinstance(argument.meaning.type, BoolType)


def _is_true(guess: Guess, values: Sequence[int]) -> bool:
    kind, i, number = guess
    return values[i] <= number if kind == "<=" else values[i] >= number
