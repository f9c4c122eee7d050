"""Satisfiability with limits that do not depend on the machine.

Effort is bounded by the solver's own resource counter, never by milliseconds, so the same question
has the same answer everywhere; when it runs out the answer is UNKNOWN. The counter also pays for
the steps of the engine's `Meter`. Ctrl-C during a query stops the query and is passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import z3

from threadwise.backends.smt import raw
from threadwise.backends.smt.handle import Handle, Term
from threadwise.core.errors import InternalError
from threadwise.core.statistics import Name, Statistics

DEFAULT_LIMIT = 20_000_000
"""Units of the solver's resource counter for one query: some seconds."""

UNITS_PER_STEP = 200
"""How much of it counts as one step of a meter."""


class Answer(Enum):
    """What a solver says about a formula."""

    SATISFIABLE = "sat"
    UNSATISFIABLE = "unsat"
    UNKNOWN = "unknown"


def _nothing() -> None:
    pass


@dataclass
class Effort:
    """What queries may cost, and where they are counted."""

    statistics: Statistics = field(default_factory=Statistics)
    tick: Callable[[], object] = _nothing
    """Called once per step's worth of work; may raise to stop."""
    limit: int = DEFAULT_LIMIT


class Model:
    """Values of constants that satisfy a formula."""

    def __init__(self, model: Term) -> None:
        self._model = model

    def integer(self, term: Term) -> int:
        """The value of an integer term."""
        found = self._model.eval(term, model_completion=True)
        if not z3.is_int_value(found):
            raise InternalError(f"a model without a value for {term}")
        return raw.numeral(found)

    def boolean(self, term: Term) -> bool:
        """The value of a formula."""
        found = self._model.eval(term, model_completion=True)
        if not z3.is_true(found) and not z3.is_false(found):
            raise InternalError(f"a model without a value for {term}")
        return bool(z3.is_true(found))

    def cell(self, term: Term) -> Term:
        """The value of any term, as a term."""
        return self._model.eval(term, model_completion=True)


class Solver:
    """Incremental queries in one context."""

    def __init__(self, logic: Handle, effort: Effort | None = None) -> None:
        self.logic = logic
        self.effort = effort or Effort()
        self._solver = raw.simple_solver(logic.context)
        self._solver.set("rlimit", self.effort.limit, "random_seed", 0)
        self._cache: dict[int, tuple[Term, Answer]] = {}
        self.reason = ""
        """Why the last answer was UNKNOWN."""

    # -- incremental ------------------------------------------------------------------------------

    def push(self) -> None:
        """Start a scope."""
        self._solver.push()

    def pop(self) -> None:
        """Forget what was added in the last scope."""
        self._solver.pop()

    def add(self, *formulas: Term) -> None:
        """Assume formulas until the scope ends."""
        self._solver.add(*formulas)

    def check(self, assumptions: Sequence[Term] = ()) -> Answer:
        """Whether everything added is satisfiable together with some literals."""
        self.effort.statistics.add(Name.SOLVER_QUERIES)
        try:
            found = raw.check(self._solver, assumptions)
        except z3.Z3Exception as error:
            self._count()
            if _interrupted(str(error)):
                raise KeyboardInterrupt from error
            self.reason = str(error)
            return Answer.UNKNOWN
        self._count()
        if found == z3.sat:
            return Answer.SATISFIABLE
        if found == z3.unsat:
            return Answer.UNSATISFIABLE
        self.reason = str(self._solver.reason_unknown())
        if _interrupted(self.reason):
            raise KeyboardInterrupt
        return Answer.UNKNOWN

    def _count(self) -> None:
        """Pay for the last query in steps."""
        used = raw.spent(self._solver)
        if used is None:
            return
        for _ in range(1 + max(0, used - self.logic.spent) // UNITS_PER_STEP):
            self.effort.tick()
        self.logic.spent = used

    def model(self) -> Model:
        """Values for the last question, which was satisfiable."""
        return Model(self._solver.model())

    def core(self) -> list[Term]:
        """Those of the last assumptions that cannot hold together."""
        return list(self._solver.unsat_core())

    # -- single questions -------------------------------------------------------------------------

    def satisfiable(self, formula: Term) -> Answer:
        """Whether a formula is satisfiable together with everything added; answers are kept."""
        known = self._cache.get(formula.get_id()) if not self._solver.num_scopes() else None
        if known is not None:
            self.effort.statistics.add("solver_cache_hits")
            return known[1]
        scopes = self._solver.num_scopes()
        self._solver.push()
        try:
            self._solver.add(formula)
            answer = self.check()
        finally:
            self._solver.pop()
        if not scopes and answer is not Answer.UNKNOWN:
            self._cache[formula.get_id()] = formula, answer
        return answer

    def valid(self, formula: Term) -> Answer:
        """Whether a formula holds always: UNSATISFIABLE says that its negation never does."""
        return self.satisfiable(self.logic.negation(formula))


def _interrupted(reason: str) -> bool:
    return "interrupted" in reason
