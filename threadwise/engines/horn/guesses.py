"""Guessed invariants: bounds of threads' own integers, and short disjunctions about κ.

Spacer counts a loop up to its bound, one round at a time, before it sees the bound. So it is told:
at each location the bounds that the text of a procedure gives its integers. And the proofs about
a followed thread κ have a few shapes, "it was joined if the loop has passed it" (`i <= κ ||
status == finished`), "what it sets is set when it has finished" (`status != finished || slot`).
All these guesses are checked against the clauses, and what some step may break is dropped until
no step breaks any. What is left stands in the bodies of clauses as a solution does that was found
before.
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
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    VariablePlace,
)
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import LocId, Program
from threadwise.ir.simplify.intervals import bounds_of_locals
from threadwise.ir.types import BoolType, EnumType, TidType, is_integer

Places = tuple[tuple[str, LocId], ...]
Literal = tuple[str, int, int]
"""`<=#`, `>=#`, `==#`: of which argument, which number; `is`: true or false; others: of two."""
Guess = tuple[Literal, ...]
"""A disjunction."""
MOST_NUMBERS = 2


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
        self.numbers = _numbers(threads.program)
        self._terms: dict[tuple[Guess, tuple[int, ...]], tuple[Term, Sequence[Term]]] = {}
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
        for places, left in self.guesses.items():
            sure = {guess[0] for guess in left if len(guess) == 1}
            self.guesses[places] = [g for g in left if len(g) == 1 or not sure & set(g)]
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
        key = tuple(value.get_id() for value in values)
        parts = [self._guess(guess, key, values) for guess in self.guesses[places]]
        return self.logic.conjunction(parts)

    def _guess(self, guess: Guess, key: tuple[int, ...], values: Sequence[Term]) -> Term:
        if (guess, key) not in self._terms:
            literals = [self._literal(literal, values) for literal in guess]
            self._terms[guess, key] = self.logic.disjunction(literals), values
        return self._terms[guess, key][0]

    def _literal(self, literal: Literal, values: Sequence[Term]) -> Term:
        kind, i, j = literal
        match kind:
            case "is":
                return values[i] if j else self.logic.negation(values[i])
            case "<=":
                return values[i] <= values[j]
            case "<":
                return values[i] < values[j]
            case "==":
                return self.logic.equal(values[i], values[j])
            case "!=":
                return self.logic.negation(self.logic.equal(values[i], values[j]))
            case "+1==":
                return self.logic.equal(values[i] + 1, values[j])
            case "<=#":
                return values[i] <= j
            case ">=#":
                return values[i] >= j
            case _:
                return values[i] == j

    def _shapes(
        self, arguments: Sequence[Argument], threads: Sequence[Environment]
    ) -> Iterator[Guess]:
        """The bounds of threads' own integers, and disjunctions about κ."""
        yield from self._about_kappa(arguments)
        for thread in threads:
            name = ThreadVariable(self.threads.name_of(thread), thread.template)
            known = self.bounds[thread.template].get(places_of([thread])[0][1], {})
            for i, (_, meaning) in enumerate(arguments):
                match meaning:
                    case ThreadRead(owner, VariablePlace(variable)) if owner == name:
                        low, high = known.get(variable.name, (None, None))
                        if low is not None:
                            yield ((">=#", i, low),)
                        if high is not None:
                            yield (("<=#", i, high),)

    def _about_kappa(self, arguments: Sequence[Argument]) -> Iterator[Guess]:
        kappas = [i for i, a in enumerate(arguments) if _is_kappa(a.meaning)]
        if not kappas:
            return
        signs: list[Literal] = [
            ("is", i, 1) for i, a in enumerate(arguments) if _is_formula(a) and _is_telling(a)
        ]
        signs += [
            ("==#", i, number)
            for i, a in enumerate(arguments)
            for number in self.numbers
            if isinstance(a.meaning, Read) and is_integer(a.meaning.type) and i not in kappas
        ]
        own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)]
        shared = [i for i, a in enumerate(arguments) if _is_number(a, Read) and i not in kappas]
        passed: list[Literal] = [
            (kind, i, kappa) for kappa in kappas for i in own for kind in ("<=", "!=")
        ]
        before: list[Literal] = [
            ("is", i, 0) for i, a in enumerate(arguments) if _is_member(a.meaning)
        ]
        equal: list[Literal] = [("==", i, kappa) for kappa in kappas for i in (*own, *shared)]
        for sign in signs:
            yield (sign,)
            yield from ((first, sign) for first in (*passed, *before) if first[1] != sign[1])
        yield from ((same,) for same in equal)
        yield from ((first, same) for first in before for same in equal)
        for i in own:
            yield from ((("==", i, j),) for j in (*own, *shared) if i != j)
            yield from ((("+1==", i, j),) for j in shared)
            yield from (((kind, i, j),) for j in own if i != j for kind in ("<=", "<"))


def places_of(threads: Sequence[Environment]) -> Places:
    """The templates and locations of threads."""
    return tuple((t.template, LocId(int(str(t.location)))) for t in threads)


def _is_formula(argument: Argument) -> bool:
    return argument.meaning is not None and isinstance(argument.meaning.type, BoolType)


def _is_telling(argument: Argument) -> bool:
    """Not a comparison of ids, unless with a thread that the program names."""
    meaning = argument.meaning
    if isinstance(meaning, Binary) and isinstance(meaning.left.type, TidType):
        return isinstance(meaning.right, ThreadAt)
    return True


def _is_number(argument: Argument, kind: type) -> bool:
    meaning = argument.meaning
    return meaning is not None and isinstance(meaning, kind) and is_integer(meaning.type)


def _is_member(meaning: Expr | None) -> bool:
    """Whether it says that something is a member of an enumeration."""
    return isinstance(meaning, Binary) and isinstance(meaning.left.type, EnumType)


def _is_kappa(meaning: Expr | None) -> bool:
    match meaning:
        case Read(VariablePlace(variable)):
            return variable.name.endswith(".kappa")
        case _:
            return False


def _numbers(program: Program) -> list[int]:
    """A few numbers other than 0 that the program compares with."""
    found: dict[int, None] = {}
    for edge in program.edges:
        for part in subexpressions(edge.action.guard):
            match part:
                case Binary(BinaryOp.EQ | BinaryOp.NE, _, Const(value, _)):
                    if type(value) is int and value and is_integer(part.left.type):
                        found[value] = None
                case _:
                    pass
    return list(found)[:MOST_NUMBERS]


def _is_true(guess: Guess, values: Sequence[int]) -> bool:
    return any(_holds(literal, values) for literal in guess)


def _holds(literal: Literal, values: Sequence[int]) -> bool:
    kind, i, j = literal
    match kind:
        case "<=":
            return values[i] <= values[j]
        case "<":
            return values[i] < values[j]
        case "==":
            return values[i] == values[j]
        case "!=":
            return values[i] != values[j]
        case "+1==":
            return values[i] + 1 == values[j]
        case "<=#":
            return values[i] <= j
        case ">=#":
            return values[i] >= j
        case _:
            return values[i] == j
