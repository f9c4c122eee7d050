"""Guessed invariants: how integers compare, what locks protect, short disjunctions about κ.

Spacer counts a loop up to its bound, one round at a time, before it sees the bound. So it is told:
at each location the bounds that the text of a procedure gives its integers, and which integers are
never negative, equal or less than others, different in different threads (tickets, places in a
ring). And the proofs about a followed thread κ have a few shapes, "it was joined if the
loop has passed it" (`i <= κ || status == finished`), "what it sets is set when it has finished"
(`status != finished || slot`), "this was read elsewhere, or it is κ's" (`elsewhere || handle ==
thread(T, 0)`). An index is never negative; a loop that has not passed κ has not passed a negative
κ either, hence `i <= κ` stands for `i <= κ || κ < 0`.
Where there are locks, what they protect often holds while nobody has them (`m.owner != none || x
== y`) and is off by one for a while inside.
All these guesses are checked against the clauses, and what some step may break is dropped until
no step breaks any. What is left stands in the bodies of clauses as a solution does that was found
before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Effort, Model, Solver
from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.clauses import Clause
from threadwise.engines.horn.representatives import Representatives
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Read,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import LocId, Program, stated_values
from threadwise.ir.simplify.intervals import bounds_of_locals
from threadwise.ir.types import BoolType, EnumType, MachineType, MutexType, TidType, is_integer

Places = tuple[tuple[str, LocId], ...]
Literal = tuple[str, int, int]
"""`<=#`, `>=#`, `==#`: of which argument, which number; `is`: true or false; others: of two.

`until`: the first is at most the second, or that is negative; `next low high`: the second comes
after the first, with wrap-around."""
Guess = tuple[Literal, ...]
"""A disjunction."""
MOST_NUMBERS = 2
MOST_CONSTANTS = 6
MOST_COMPARED = 8
"""Integers that are compared with each other, at most."""
NEXT = "next "
NOBODY_THERE: Guess = ()


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
        self.constants = _constants(threads.program)
        self._terms: dict[tuple[Guess, tuple[int, ...]], tuple[Term, Sequence[Term]]] = {}
        self._actual: dict[tuple[int, ...], list[Term]] = {}
        self._heads: dict[int, list[Term]] = {}
        self._held: dict[tuple[Places, int], tuple[list[Guess], Term, Sequence[Term]]] = {}
        """What `holds` said, about which list of guesses."""
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
            self.guesses[places] = _without_implied(left)
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

    def _goal(self, clause: Clause, places: Places, after: list[Term]) -> Term:
        """The guesses that a step may break: if others take it, those about what it changes."""
        left = self.guesses[places]
        if self.threads.k > 1 or len(clause.present) < 2 or NOBODY_THERE in left:
            return self.holds(places, after)
        key = places, id(after)
        known = self._held.get(key)
        if known is None or known[0] is not left:
            before = self.values(clause.present[:1])
            same = {k for k, term in enumerate(after) if term.eq(before[k])}
            broken = [g for g in left if not all(_arguments(each) <= same for each in g)]
            known = self._held[key] = left, self.conjunction(broken, after), after
        return known[1]

    def _after(self, clause: Clause) -> list[Term]:
        """The arguments of the head of a clause."""
        assert clause.head is not None
        if id(clause) not in self._heads:  # the clauses are kept
            head = [clause.head.arg(k) for k in range(clause.head.num_args())]
            self._heads[id(clause)] = head
        return self._heads[id(clause)]

    def assumed(self, present: Sequence[Environment]) -> list[Term]:
        """The guesses about the threads of a body."""
        found: list[Term] = []
        for chosen in combinations(present, self.threads.k) if present else ():
            ordered = self.threads.ordered(chosen)
            found.append(self.holds(places_of(ordered), self.values(ordered)))
        return found

    def values(self, ordered: Sequence[Environment]) -> list[Term]:
        """The arguments of some threads of a body."""
        key = tuple(map(id, ordered))
        if key not in self._actual:
            told = self.threads.arguments(self.threads.shared, ordered)
            self._actual[key] = [argument.term for argument in told]
        return self._actual[key]

    def holds(self, places: Places, values: Sequence[Term]) -> Term:
        """The guesses about some places, of arguments."""
        left = self.guesses[places]
        if NOBODY_THERE in left:  # the others follow, and are many
            return self.logic.false
        key = places, id(values)  # the entry keeps the list, so no other one gets its id
        known = self._held.get(key)
        if known is None or known[0] is not left:
            known = self._held[key] = left, self.conjunction(left, values), values
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
            case _:
                low, high = _wraps_to(kind)
                after = self.logic.choice(
                    values[i] == high, self.logic.integer(low), values[i] + 1
                )
                return self.logic.equal(after, values[j])

    def _shapes(
        self, arguments: Sequence[Argument], threads: Sequence[Environment]
    ) -> Iterator[Guess]:
        """That nobody is there, bounds of threads' own integers, and comparisons."""
        yield NOBODY_THERE
        if any(_is_kappa(argument.meaning) for argument in arguments):
            yield from self._about_kappa(arguments)
        else:
            yield from _about_numbers(arguments)
        yield from _about_locks(arguments, self.constants)
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
            (kind, i, kappa) for kappa in kappas for i in own for kind in ("until", "!=")
        ]
        yield from ((unlike,) for unlike in passed if unlike[0] == "!=")
        yield from (((">=#", i, 0),) for i in (*own, *shared))
        passed += [("is", i, 1) for i, a in enumerate(arguments) if _is_elsewhere(a.meaning)]
        before: list[Literal] = [
            ("is", i, 0) for i, a in enumerate(arguments) if _is_member(a.meaning)
        ]
        equal: list[Literal] = [("==", i, kappa) for kappa in kappas for i in (*own, *shared)]
        for sign in signs:
            yield (sign,)
            yield from ((first, sign) for first in passed if first[1] != sign[1])
            told = _cell(arguments[sign[1]].meaning)
            yield from ((b, sign) for b in before if _cell(arguments[b[1]].meaning) != told)
        yield from ((other,) for other in before)
        yield from ((same,) for same in equal)
        yield from ((first, same) for first in before for same in equal)
        for i in own:
            yield from ((("==", i, j),) for j in (*own, *shared) if i != j)
            yield from ((("+1==", i, j),) for j in shared)
            yield from (((kind, i, j),) for j in own if i != j for kind in ("<=", "<"))


def _about_numbers(arguments: Sequence[Argument]) -> Iterator[Guess]:
    """How integers of threads compare with shared ones and with each other's."""
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)]
    shared = [i for i, a in enumerate(arguments) if _is_number(a, Read)]
    if len(shared) > MOST_COMPARED:
        shared = [i for i in shared if not _is_element(arguments[i].meaning)][:MOST_COMPARED]
    for i in (*own, *shared):
        yield ((">=#", i, 0),)
    for i in own:
        for j in shared:
            yield from (((kind, i, j),) for kind in ("==", "!=", "<", "<="))
            yield (("<=", j, i),)
    for i, j in combinations(own, 2):
        left, right = arguments[i].meaning, arguments[j].meaning
        assert isinstance(left, ThreadRead)
        assert isinstance(right, ThreadRead)
        if left.place == right.place and left.thread != right.thread:
            yield (("!=", i, j),)
    for i, j in combinations(shared, 2):
        yield from (((kind, a, b),) for kind in ("==", "<=") for a, b in ((i, j), (j, i)))


def _about_locks(arguments: Sequence[Argument], constants: Sequence[int]) -> Iterator[Guess]:
    """Who holds locks, and what holds of shared integers: always, or while a lock is free."""
    holding = [i for i, a in enumerate(arguments) if _is_holder(a.meaning)]
    if not holding:
        return
    yield from ((("is", i, told),) for i in holding for told in (0, 1))
    shared = [i for i, a in enumerate(arguments) if _is_variable(a)][:MOST_COMPARED]
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)][:MOST_COMPARED]
    counters = [i for i, a in enumerate(arguments) if _is_number(a, Read) and _is_sync(a.meaning)]
    claims = [*_about_constants(shared, constants), *_about_pairs(arguments, shared, shared)]
    yield from ((claim,) for claim in (*claims, *_about_constants(counters, constants)))
    for i in holding:
        if _is_nobody(arguments[i].meaning):
            yield from ((("is", i, 0), claim) for claim in claims)
    yield from ((claim,) for claim in _about_constants(own, constants))
    yield from ((claim,) for claim in _about_pairs(arguments, own, shared))


def _about_constants(integers: Sequence[int], constants: Sequence[int]) -> Iterator[Literal]:
    for i in integers:
        yield from ((kind, i, n) for n in constants for kind in ("==#", "<=#", ">=#"))


def _about_pairs(
    arguments: Sequence[Argument], left: Sequence[int], right: Sequence[int]
) -> Iterator[Literal]:
    for i in left:
        for j in right:
            if i != j:
                yield from ((kind, i, j) for kind in ("==", "<=", "+1=="))
                following = _successor(arguments[i], arguments[j])
                if following is not None:
                    yield following, i, j
                    yield following, j, i


def _successor(left: Argument, right: Argument) -> str | None:
    """The literal that says that one machine integer comes after another of its type."""
    held = left.meaning.type if left.meaning is not None else None
    if not isinstance(held, MachineType) or right.meaning is None or right.meaning.type != held:
        return None
    return f"{NEXT}{held.low} {held.high}"


def _wraps_to(kind: str) -> tuple[int, int]:
    """The bounds of the type in a literal about successors."""
    low, high = kind.removeprefix(NEXT).split()
    return int(low), int(high)


def places_of(threads: Sequence[Environment]) -> Places:
    """The templates and locations of threads."""
    return tuple((t.template, LocId(int(str(t.location)))) for t in threads)


def _value(model: Model, term: Term, argument: Argument) -> int:
    """What an argument is; nothing is guessed about whole tables."""
    if argument.meaning is None:
        return 0
    return int(model.boolean(term)) if _is_formula(argument) else model.integer(term)


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


def _is_variable(argument: Argument) -> bool:
    """Whether it is a shared integer that locks may protect: data, no element of an array."""
    match argument.meaning:
        case Read(VariablePlace(variable) | FieldPlace(VariablePlace(variable)) as place):
            return is_integer(place.type) and not variable.sync
        case _:
            return False


def _is_sync(meaning: Expr | None) -> bool:
    match meaning:
        case Read(VariablePlace(variable)):
            return variable.sync and not _is_kappa(meaning)
        case _:
            return False


def _is_element(meaning: Expr | None) -> bool:
    return isinstance(meaning, Read) and isinstance(meaning.place, IndexPlace)


def _is_member(meaning: Expr | None) -> bool:
    """Whether it says that something is a member of an enumeration."""
    return isinstance(meaning, Binary) and isinstance(meaning.left.type, EnumType)


def _is_holder(meaning: Expr | None) -> bool:
    """Whether it compares the owner of a lock."""
    match meaning:
        case Binary(BinaryOp.EQ, Read(FieldPlace(base, "owner")), _):
            return isinstance(base.type, MutexType)
        case _:
            return False


def _is_nobody(meaning: Expr | None) -> bool:
    return isinstance(meaning, Binary) and meaning.right == NOBODY


def _cell(meaning: Expr | None) -> Expr | None:
    """What is compared with a member, if it is that; otherwise what is told."""
    return meaning.left if isinstance(meaning, Binary) else meaning


def _is_kappa(meaning: Expr | None) -> bool:
    match meaning:
        case Read(VariablePlace(variable)):
            return variable.name.endswith(".kappa")
        case _:
            return False


def _is_elsewhere(meaning: Expr | None) -> bool:
    match meaning:
        case ThreadRead(_, VariablePlace(variable)):
            return variable.name.endswith(".elsewhere")
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


def _constants(program: Program) -> list[int]:
    """A few numbers that the program starts with, assigns or compares with."""
    found: dict[int, None] = {0: None}
    for declaration in program.globals:
        if is_integer(declaration.variable.type):
            found.update((v, None) for v in stated_values(declaration.initial) if type(v) is int)
    for edge in program.edges:
        for expr in action_expressions(edge.action):
            for part in subexpressions(expr):
                if isinstance(part, Const) and type(part.value) is int and is_integer(part.type):
                    found[part.value] = None
    return list(found)[:MOST_CONSTANTS]


def _without_implied(guesses: list[Guess]) -> list[Guess]:
    """Without what others say already."""
    if NOBODY_THERE in guesses:
        return [NOBODY_THERE]
    sure = {guess[0] for guess in guesses if len(guess) == 1}
    for kind, i, j in list(sure):
        if kind in ("==", "<"):
            sure -= {("<=", i, j), ("<=", j, i)} if kind == "==" else {("<=", i, j)}
        if kind == "<":
            sure -= {("!=", i, j), ("!=", j, i)}
    return [g for g in guesses if (g[0] in sure if len(g) == 1 else not sure & set(g))]


def _arguments(literal: Literal) -> set[int]:
    """What a literal is about."""
    kind, i, j = literal
    return {i} if kind == "is" or kind.endswith("#") else {i, j}


def _is_true(guess: Guess, values: Sequence[int]) -> bool:
    return any(_holds(literal, values) for literal in guess)


def _holds(literal: Literal, values: Sequence[int]) -> bool:
    kind, i, j = literal
    match kind:
        case "<=":
            return values[i] <= values[j]
        case "until":
            return values[i] <= values[j] or values[j] < 0
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
        case "==#" | "is":
            return values[i] == j
        case _:
            low, high = _wraps_to(kind)
            return values[j] == (low if values[i] == high else values[i] + 1)
