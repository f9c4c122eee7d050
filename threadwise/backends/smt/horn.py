"""Horn clauses over integers, booleans and tables, solved by Spacer.

A clause says: if the body holds for some values of its constants, so does the head. Either false
can be derived, or there are formulas for the relations that satisfy every clause. Without
recursion the formulas are interpolants: one for each relation, over its arguments alone. Nothing
is inlined before solving: what is inlined comes back as the strongest formula, not a useful one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import z3

from threadwise.backends.smt import raw
from threadwise.backends.smt.logic import Logic, Term, subterms
from threadwise.backends.smt.solver import UNITS_PER_STEP, Answer, Effort, Solver
from threadwise.core.statistics import Name

HORN_LIMIT = 4_000_000
"""Units of the solver's resource counter for one system of clauses."""

_PLAIN = (
    "fp.xform.slice",
    "fp.xform.inline_linear",
    "fp.xform.inline_eager",
)
_CONNECTIVES = (
    z3.Z3_OP_AND,
    z3.Z3_OP_OR,
    z3.Z3_OP_NOT,
    z3.Z3_OP_IMPLIES,
    z3.Z3_OP_XOR,
)


class HornClauses:
    """A system of clauses in one logic.

    With `eager` the solver is eager to use equalities in what it generalises: good for deep
    arithmetic, bad for loops over a few counters. With `again`, clauses it gives up on are tried
    once more without instantiating what it has to prove: better where there are tables.
    """

    def __init__(
        self,
        logic: Logic,
        effort: Effort,
        limit: int = HORN_LIMIT,
        *,
        eager: bool = True,
        again: bool = False,
    ) -> None:
        self.logic = logic
        self.effort = effort
        self.limit = min(limit, effort.limit)
        self.eager = eager
        self.again = again
        self._clauses: list[Term] = []
        self._rules: list[tuple[Term, Term]] = []
        """Body and head of each clause."""
        self._empty: dict[str, bool] = {}
        self._solver = self._make(ground=True)
        self.reason = ""
        """Why the last answer was UNKNOWN."""

    def _make(self, *, ground: bool) -> Any:
        solver = raw.horn_solver(self.logic.context)
        plain = [part for option in _PLAIN for part in (option, False)]
        spacer = ["fp.spacer.eq_prop", self.eager, "fp.spacer.ground_pobs", ground]
        solver.set(*plain, "rlimit", self.limit, *spacer)
        return solver

    def add(self, body: Sequence[Term], head: Term) -> None:
        """If all of the body, then the head; for all values of the constants in them."""
        premise = self.logic.conjunction(body)
        whole = self.logic.implication(premise, head)
        constants = {
            constant.ast.value: constant
            for part in (*body, head)
            for constant in self.logic.constants(part)
        }
        clause = self.logic.for_all(list(constants.values()), whole)
        self._clauses.append(clause)
        self._rules.append((premise, head))
        self._solver.add(clause)

    def solve(self) -> Answer:
        """SATISFIABLE: there are formulas for the relations. UNSATISFIABLE: false is derivable."""
        answer = self._solve()
        if answer is Answer.UNKNOWN and self.again:
            self._solver = self._make(ground=False)
            self._solver.add(*self._clauses)
            answer = self._solve()
        return answer

    def _solve(self) -> Answer:
        self.effort.statistics.add(Name.SOLVER_QUERIES)
        self.effort.statistics.add("horn_queries")
        self.effort.tick()
        try:
            found = self._solver.check()
        except z3.Z3Exception as error:
            if "interrupted" in str(error):
                raise KeyboardInterrupt from error
            self.reason = str(error)
            return Answer.UNKNOWN
        self.reason = str(self._solver.reason_unknown()) if found == z3.unknown else ""
        if "interrupted" in self.reason:
            raise KeyboardInterrupt
        if found == z3.sat:
            return Answer.SATISFIABLE
        return Answer.UNSATISFIABLE if found == z3.unsat else Answer.UNKNOWN

    @property
    def steps(self) -> int:
        """What solving has cost, in steps of a meter."""
        statistics = self._solver.statistics()
        if "rlimit count" not in statistics.keys():  # noqa: SIM118 - not a mapping
            return 0
        return int(statistics.get_key_value("rlimit count")) // UNITS_PER_STEP

    def formula(self, relation: Term) -> Term:
        """The formula for a relation applied to its arguments.

        The solver says nothing about a relation when it sees beforehand that no clause can
        derive it: then the formula is false.
        """
        found = z3.simplify(self._solver.model().eval(relation))
        return self.logic.false if self._is_left_out(found) and self._is_empty(found) else found

    def _is_left_out(self, part: Term) -> bool:
        """Whether a part of an answer is a relation without a formula."""
        return bool(
            z3.is_app(part) and part.num_args() and part.decl().kind() == z3.Z3_OP_UNINTERPRETED
        )

    def _is_empty(self, relation: Term) -> bool:
        """Whether no clause derives a relation, if those that are left out are all empty."""
        name = relation.decl().name()
        if name not in self._empty:
            model = self._solver.model()
            bodies = [
                self._without_left_out(z3.simplify(model.eval(body)))
                for body, head in self._rules
                if z3.is_app(head) and head.decl().name() == name
            ]
            answer = Solver(self.logic, self.effort).satisfiable(self.logic.disjunction(bodies))
            self._empty[name] = answer is Answer.UNSATISFIABLE
        return self._empty[name]

    def _without_left_out(self, body: Term) -> Term:
        pairs = [(part, self.logic.false) for part in subterms(body) if self._is_left_out(part)]
        return self.logic.substitute(body, pairs)


def atoms(term: Term, instances: Sequence[Term] = ()) -> Iterator[Term]:
    """The parts of a formula below its connectives, each once.

    What is said of all values is taken as said of some: `instances`.
    """
    seen: set[int] = set()
    pending = [term]
    while pending:
        current = pending.pop()
        if current.get_id() in seen or z3.is_true(current) or z3.is_false(current):
            continue
        seen.add(current.get_id())
        if z3.is_quantifier(current):
            pending.extend(_instantiated(current, instances))
            continue
        kind = current.decl().kind()
        boolean = current.num_args() and z3.is_bool(current.arg(0))
        if kind in _CONNECTIVES or (boolean and kind in (z3.Z3_OP_EQ, z3.Z3_OP_ITE)):
            pending.extend(reversed(current.children()))
        else:
            yield current


def _instantiated(quantified: Term, instances: Sequence[Term]) -> Iterator[Term]:
    """The body of a formula about one value, for each instance of its sort."""
    if quantified.num_vars() == 1:
        for instance in instances:
            if instance.sort() == quantified.var_sort(0):
                yield z3.substitute_vars(quantified.body(), instance)


def comparison(atom: Term) -> tuple[str, int] | None:
    """For a comparison with a numeral, what is compared, and the numeral."""
    if atom.num_args() != 2:
        return None
    left, right = atom.arg(0), atom.arg(1)
    if z3.is_int_value(left):
        left, right = right, left
    if not z3.is_int_value(right) or z3.is_int_value(left):
        return None
    return left.sexpr(), raw.numeral(right)
