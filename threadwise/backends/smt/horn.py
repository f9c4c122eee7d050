"""Horn clauses over integers, booleans and tables, solved by Spacer.

A clause says: if the body holds for some values of its constants, so does the head. Either false
can be derived, or there are formulas for the relations that satisfy every clause. Without
recursion the formulas are interpolants: one for each relation, over its arguments alone. Nothing
is inlined before solving: what is inlined comes back as the strongest formula, not a useful one.
"""Constrained Horn clauses, solved by Spacer; and formulas as text.

A clause says that its body implies its head, for all values of the constants in it. Relations
are unknown: the solver looks for formulas that make all clauses true. UNSATISFIABLE says that
there are none, SATISFIABLE that it has found some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping, Sequence

import z3

from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Effort
from threadwise.core.statistics import Name

HORN_LIMIT = 40_000_000
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

from threadwise.backends.smt.solver import UNITS_PER_STEP, Answer, Effort
from threadwise.core.statistics import Name


class HornClauses:
    """A system of clauses in one logic."""

    def __init__(self, logic: Logic, effort: Effort, limit: int = HORN_LIMIT) -> None:
        self.logic = logic
        self.effort = effort
        self._solver = z3.SolverFor("HORN", ctx=logic.context)
        for option in _PLAIN:
            self._solver.set(option, False)
        self._solver.set("rlimit", limit)

    def add(self, body: Sequence[Term], head: Term) -> None:
        """If all of the body, then the head; for all values of the constants in them."""
        whole = z3.Implies(self.logic.conjunction(body), head)
        self._solver.add(self.logic.for_all(self.logic.constants(whole), whole))

    def solve(self) -> Answer:
        """SATISFIABLE: there are formulas for the relations. UNSATISFIABLE: false is derivable."""
        self.effort.statistics.add(Name.SOLVER_QUERIES)
        self.effort.statistics.add("horn_queries")
        self.effort.tick()
    def __init__(self, logic: Logic, effort: Effort) -> None:
        self.logic = logic
        self.effort = effort
        self._solver = z3.SolverFor("HORN", ctx=logic.context)
        self._solver.set("rlimit", effort.limit)
        self._solver.set("fp.spacer.eq_prop", False)
        self._solver.set("fp.xform.inline_eager", False)  # would put quantifiers into solutions
        self._solver.set("fp.xform.inline_linear", False)
        self._model: Term = None
        self.reason = ""
        """Why the last answer was UNKNOWN."""

    def add(self, body: Sequence[Term], head: Term) -> None:
        """The body implies the head; the head is an atom, or false."""
        clause = self.logic.implication(self.logic.conjunction(body), head)
        self._solver.add(self.logic.for_all(self.logic.constants(clause), clause))

    def solve(self) -> Answer:
        """Look for a solution; its cost is paid in steps."""
        self.effort.statistics.add(Name.SOLVER_QUERIES)
        try:
            found = self._solver.check()
        except z3.Z3Exception as error:
            if "interrupted" in str(error):
                raise KeyboardInterrupt from error
            return Answer.UNKNOWN
        if found == z3.unknown and "interrupted" in str(self._solver.reason_unknown()):
            raise KeyboardInterrupt
        if found == z3.sat:
            return Answer.SATISFIABLE
        return Answer.UNSATISFIABLE if found == z3.unsat else Answer.UNKNOWN

    def formula(self, relation: Term) -> Term:
        """The formula for a relation applied to its arguments."""
        return z3.simplify(self._solver.model().eval(relation))


def atoms(term: Term) -> Iterator[Term]:
    """The parts of a formula below its connectives, each once."""
    seen: set[int] = set()
    pending = [term]
    while pending:
        current = pending.pop()
        if current.get_id() in seen or z3.is_true(current) or z3.is_false(current):
            continue
        seen.add(current.get_id())
        if z3.is_quantifier(current):
            continue
        kind = current.decl().kind()
        boolean = current.num_args() and z3.is_bool(current.arg(0))
        if kind in _CONNECTIVES or (boolean and kind in (z3.Z3_OP_EQ, z3.Z3_OP_ITE)):
            pending.extend(reversed(current.children()))
        else:
            yield current


def comparison(atom: Term) -> tuple[str, int] | None:
    """For a comparison with a numeral, what is compared, and the numeral."""
    if atom.num_args() != 2:
        return None
    left, right = atom.arg(0), atom.arg(1)
    if z3.is_int_value(left):
        left, right = right, left
    if not z3.is_int_value(right) or z3.is_int_value(left):
        return None
    return left.sexpr(), int(right.as_long())
            self.reason = str(error)
            return Answer.UNKNOWN
        statistics = self._solver.statistics()
        if "rlimit count" in statistics.keys():  # noqa: SIM118 - not a mapping
            used = int(statistics.get_key_value("rlimit count"))
            for _ in range(1 + used // UNITS_PER_STEP):
                self.effort.tick()
        if found == z3.sat:
            self._model = self._solver.model()
            return Answer.SATISFIABLE
        if found == z3.unsat:
            return Answer.UNSATISFIABLE
        self.reason = str(self._solver.reason_unknown())
        if "interrupted" in self.reason:
            raise KeyboardInterrupt
        return Answer.UNKNOWN

    def solution(self, atom: Term, arguments: Sequence[Term]) -> Term:
        """The formula found for the relation of an atom, over constants for its arguments."""
        found = self._model[atom.decl()]
        if found is None:
            return self.logic.true
        body = found if atom.num_args() == 0 else found.else_value()
        return self.logic.simplify(z3.substitute_vars(body, *arguments))


def formula_text(formula: Term) -> str:
    """A formula in SMT-LIB, on one line."""
    return " ".join(formula.sexpr().split())


def read_formula(logic: Logic, text: str, constants: Mapping[str, Term]) -> Term:
    """The formula of a text over known constants; ValueError if it is not one."""
    try:
        parsed = z3.parse_smt2_string(f"(assert {text})", decls=dict(constants), ctx=logic.context)
    except z3.Z3Exception as error:
        raise ValueError(f"not a formula: {error}") from error
    if len(parsed) != 1:
        raise ValueError("not one formula")
    return parsed[0]
