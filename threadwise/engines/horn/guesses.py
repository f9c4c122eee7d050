"""Guessed invariants: how integers compare, what locks protect, short disjunctions about κ.

Spacer unrolls a loop round by round before it sees the bound. So these candidates are added first:
at each location the bounds that the text of a procedure gives its integers, and which integers are
never negative, equal or less than others, different in different threads (tickets, places in a
ring). And the proofs about a followed thread κ have a few shapes, "it was joined if the
loop has passed it" (`i <= κ || status == finished`), "what it sets is set when it has finished"
(`status != finished || slot`), "this was read elsewhere, or it is κ's" (`elsewhere || handle ==
thread(T, 0)`). An index is never negative; a loop that has not passed κ has not passed a negative
κ either, hence `i <= κ` stands for `i <= κ || κ < 0`.
Where there are locks, what they protect often holds while they are free (`m.owner != none || x
== y`) and is off by one for a while inside.
All these guesses are checked against the clauses, and what some step may break is dropped until
no step breaks any (as in Houdini: Flanagan & Leino 2001). What is left is assumed in the bodies of
clauses, as a solution that was found before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Effort, Model, Solver
from threadwise.core.identity import Same
from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.clauses import Clause
from threadwise.engines.horn.literals import (
    APART,
    DISTANCE,
    NOBODY_THERE,
    SUM,
    Guess,
    Literal,
    Sum,
    arguments_of,
    distance_of,
    is_true,
    sums,
    without_implied,
    wraps_to,
)
from threadwise.engines.horn.relations import Walks, relations
from threadwise.engines.horn.representatives import Representatives
from threadwise.engines.horn.resting_states import Suggestions
from threadwise.engines.horn.shapes import (
    Gate,
    compared_numbers,
    constants_of,
    distances_of,
    gates_of,
    is_formula,
    is_integer_argument,
    shapes,
)
from threadwise.engines.horn.suggested import guesses_from
from threadwise.ir.expr import (
    Expr,
    Read,
    ThreadRead,
    ThreadVariable,
    VariablePlace,
)
from threadwise.ir.program import LocId
from threadwise.transforms.simplify.intervals import bounds_of_locals

Place = tuple[str, LocId]
Places = tuple[Place, ...]
Shared = tuple[tuple[tuple[Expr | None, int], ...], int]
MOST_SHARED = 8
STEPS = (1, -1)
"""By how much a relation between shared integers may be off while they are being changed."""
MOST_RELATED = 10
"""Integers between which relations are looked for, at most."""


@dataclass(frozen=True)
class Guessed:
    """Per places of k threads the formals, and what is left of the guesses about them."""

    arguments: dict[Places, list[Argument]]
    guesses: dict[Places, list[Guess]]


class Guesses:
    """Finds the inductive ones among the guesses about the threads of some clauses."""

    def __init__(
        self,
        threads: Representatives,
        rules: Sequence[Clause],
        effort: Effort,
        suggested: Suggestions | None = None,
    ) -> None:
        self.threads = threads
        self.logic: Logic = threads.logic
        self.rules = rules
        self.solver = Solver(self.logic, effort)
        self.arguments: dict[Places, list[Argument]] = {}
        self.guesses: dict[Places, list[Guess]] = {}
        self._terms: dict[tuple[Guess, tuple[int, ...]], tuple[Term, Sequence[Term]]] = {}
        self._actual: dict[tuple[Same, ...], list[Term]] = {}
        self._heads: dict[Same, list[Term]] = {}
        self._held: dict[tuple[Places, Same], tuple[list[Guess], Term]] = {}
        """What `holds` said, about which list of guesses."""
        for members in threads.everywhere():
            ordered = threads.ordered(members)
            arguments = threads.arguments(threads.shared, ordered)
            self.arguments[places_of(ordered)] = arguments
        if suggested is None:
            self._invent()
        else:
            for places, arguments in self.arguments.items():
                self.guesses[places] = guesses_from(suggested.get(places[0], []), arguments)
        self._by_name = {
            threads.atom(threads.shared, members).decl().name(): places_of(
                threads.ordered(members)
            )
            for members in threads.everywhere()
        }

    def _invent(self) -> None:
        """Begin with what has the usual shapes, and was so in a few runs."""
        threads = self.threads
        self.bounds = {
            template.name: bounds_of_locals(threads.program.procedure[template.body])
            for template in threads.program.templates
        }
        self.numbers = compared_numbers(threads.program)
        self.constants = constants_of(threads.program)
        self.distances = distances_of(threads.program)
        self.walks = Walks(threads.program)
        self.shared: dict[Shared, None] = {}
        """Relations between shared integers that hold at some place: they may elsewhere, too."""
        for members in threads.everywhere():
            ordered = threads.ordered(members)
            arguments = self.arguments[places_of(ordered)]
            self._share(arguments, self._seen(arguments, ordered))
        for members in threads.everywhere():
            ordered = threads.ordered(members)
            arguments = self.arguments[places_of(ordered)]
            self.guesses[places_of(ordered)] = list(self._shapes(arguments, ordered))

    def run(self) -> Guessed:
        """Drop what some step breaks until nothing is dropped."""
        pending = dict.fromkeys(range(len(self.rules)))
        alone = dict.fromkeys(n for n in pending if len(self.rules[n].present) <= self.threads.k)
        """Steps that threads take themselves come before those of others."""
        users: dict[Places, list[int]] = {}
        for number, clause in enumerate(self.rules):
            for places in self._assumed_places(clause):
                users.setdefault(places, []).append(number)
        own = set(alone)
        while pending:
            number = next(iter(alone or pending))
            alone.pop(number, None)
            del pending[number]
            clause = self.rules[number]
            if self._drop(clause):
                again = users.get(self.head(clause), ())
                pending.update(dict.fromkeys(again))
                alone.update(dict.fromkeys(n for n in again if n in own))
        for places, left in self.guesses.items():
            self.guesses[places] = without_implied(left)
        return Guessed(self.arguments, self.guesses)

    def head(self, clause: Clause) -> Places:
        """What places a clause leads to."""
        assert clause.head is not None
        return self._by_name[clause.head.decl().name()]

    def _assumed_places(self, clause: Clause) -> Iterator[Places]:
        """Of what places guesses stand in the body of a clause."""
        for chosen in combinations(clause.present, self.threads.k) if clause.present else ():
            yield places_of(self.threads.ordered(chosen))

    def _drop(self, clause: Clause) -> bool:
        """Drop what a step may break; whether there was something."""
        assert clause.head is not None
        places = self.head(clause)
        if not self.guesses[places]:
            return False
        after = self._after(clause)
        self.solver.push()
        self.solver.add(*clause.body, *self.assumed(clause.present))
        dropped = False
        while self.guesses[places]:
            goal = self._goal(clause, places, after)
            if self.logic.is_true(goal):
                break
            self.solver.push()
            self.solver.add(self.logic.negation(goal))
            answer = self.solver.check()
            if answer is Answer.SATISFIABLE:
                model = self.solver.model()
                values = [
                    _value(model, term, argument)
                    for term, argument in zip(after, self.arguments[places], strict=True)
                ]
                self.guesses[places] = [g for g in self.guesses[places] if is_true(g, values)]
                dropped = True
            elif answer is Answer.UNKNOWN:
                self.guesses[places] = []
                dropped = True
            self.solver.pop()
            if answer is not Answer.SATISFIABLE:
                break
        self.solver.pop()
        return dropped

    def _goal(self, clause: Clause, places: Places, after: list[Term]) -> Term:
        """The guesses that a step may break: if others take it, those about what it changes."""
        left = self.guesses[places]
        if self.threads.k > 1 or len(clause.present) < 2 or NOBODY_THERE in left:
            return self.holds(places, after)
        key = places, Same(after)
        known = self._held.get(key)
        if known is None or known[0] is not left:
            before = self.values(clause.present[:1])
            same = {k for k, term in enumerate(after) if term.eq(before[k])}
            broken = [g for g in left if not all(arguments_of(each) <= same for each in g)]
            known = self._held[key] = left, self.conjunction(broken, after)
        return known[1]

    def _after(self, clause: Clause) -> list[Term]:
        """The arguments of the head of a clause."""
        assert clause.head is not None
        key = Same(clause)
        if key not in self._heads:
            self._heads[key] = [clause.head.arg(k) for k in range(clause.head.num_args())]
        return self._heads[key]

    def assumed(self, present: Sequence[Environment]) -> list[Term]:
        """The guesses about the threads of a body."""
        found: list[Term] = []
        for chosen in combinations(present, self.threads.k) if present else ():
            ordered = self.threads.ordered(chosen)
            found.append(self.holds(places_of(ordered), self.values(ordered)))
        return found

    def values(self, ordered: Sequence[Environment]) -> list[Term]:
        """The arguments of some threads of a body."""
        key = tuple(map(Same, ordered))
        if key not in self._actual:
            told = self.threads.arguments(self.threads.shared, ordered)
            self._actual[key] = [argument.term for argument in told]
        return self._actual[key]

    def holds(self, places: Places, values: Sequence[Term]) -> Term:
        """The guesses about some places, of arguments."""
        left = self.guesses[places]
        if NOBODY_THERE in left:  # the others follow, and are many
            return self.logic.false
        key = places, Same(values)
        known = self._held.get(key)
        if known is None or known[0] is not left:
            known = self._held[key] = left, self.conjunction(left, values)
        return known[1]

    def conjunction(self, guesses: Iterable[Guess], values: Sequence[Term]) -> Term:
        """Some guesses, of arguments."""
        key = tuple(value.get_id() for value in values)
        return self.logic.conjunction([self._guess(guess, key, values) for guess in guesses])

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
            case "until":
                return self.logic.disjunction([values[i] <= values[j], values[j] < 0])
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
            case "==#":
                return values[i] == j
            case _ if kind.startswith(SUM):
                return self._sum(Sum.of(kind), values)
            case _ if kind.startswith(APART):
                return values[i] - values[j] <= int(kind.removeprefix(APART))
            case _ if kind.startswith(DISTANCE):
                high, bound = distance_of(kind)
                apart = values[i] - values[j]
                return self.logic.choice(apart < 0, apart + (high + 1), apart) <= bound
            case _:
                low, high = wraps_to(kind)
                after = self.logic.choice(
                    values[i] == high, self.logic.integer(low), values[i] + 1
                )
                return self.logic.equal(after, values[j])

    def _sum(self, told: Sum, values: Sequence[Term]) -> Term:
        total = self.logic.integer(0)
        for i, coefficient in told.terms:
            total = total + coefficient * values[i]
        return self.logic.disjunction([total == number for number in told.numbers])

    def _share(self, arguments: Sequence[Argument], rows: Sequence[Sequence[int]]) -> None:
        """Note the relations between shared integers that held at a place."""
        for _, terms, number in self._relations(arguments, rows):
            meanings = [(arguments[i].meaning, c) for i, c in terms.items()]
            if all(isinstance(meaning, Read) for meaning, _ in meanings):
                self.shared[tuple(meanings), number] = None

    def _relations(
        self, arguments: Sequence[Argument], rows: Sequence[Sequence[int]]
    ) -> Iterator[tuple[Gate | None, dict[int, int], int]]:
        """Linear relations that held whenever a thread was seen at a place, a lock being free."""
        integers = [i for i, a in enumerate(arguments) if is_integer_argument(a)][:MOST_RELATED]
        for gate in (None, *gates_of(arguments)):
            where = [
                [row[i] for i in integers]
                for row in rows
                if gate is None or row[gate.argument] == gate.free
            ]
            for terms, number in relations(where):
                yield gate, {integers[i]: c for i, c in terms.items()}, number

    def _related(
        self, arguments: Sequence[Argument], rows: Sequence[Sequence[int]]
    ) -> Iterator[Guess]:
        """Guesses about linear relations: of this place, and of others."""
        found = list(self._relations(arguments, rows))
        position = {a.meaning: i for i, a in enumerate(arguments)}
        for meanings, number in list(self.shared)[:MOST_SHARED]:
            if all(meaning in position for meaning, _ in meanings):
                terms = {position[meaning]: c for meaning, c in meanings}
                found += [(gate, terms, number) for gate in (None, *gates_of(arguments))]
                found += [(None, terms, number + step) for step in STEPS]
        for gate, terms, number in found:
            for literal in sums(arguments, terms, number):
                yield (literal,) if gate is None else (gate.shut, literal)

    def _seen(
        self, arguments: Sequence[Argument], threads: Sequence[Environment]
    ) -> list[list[int]]:
        """What the arguments were in some runs, if they are about one thread."""
        if len(threads) != 1:
            return []
        name = self.threads.name_of(threads[0])
        return self.walks.values(places_of(threads)[0], [a.meaning for a in arguments], name)

    def _shapes(
        self, arguments: Sequence[Argument], threads: Sequence[Environment]
    ) -> Iterator[Guess]:
        """What is worth guessing, and the bounds of threads' own integers."""
        rows = self._seen(arguments, threads)
        found = dict.fromkeys(shapes(arguments, self.numbers, self.constants, self.distances))
        found.update(dict.fromkeys(self._related(arguments, rows)))
        yield from (guess for guess in found if all(is_true(guess, row) for row in rows))
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


def places_of(threads: Sequence[Environment]) -> Places:
    """The templates and locations of threads."""
    return tuple((t.template, LocId(int(str(t.location)))) for t in threads)


def _value(model: Model, term: Term, argument: Argument) -> int:
    """What an argument is; nothing is guessed about whole tables."""
    if argument.meaning is None:
        return 0
    return int(model.boolean(term)) if is_formula(argument) else model.integer(term)
