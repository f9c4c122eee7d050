"""Truth values of predicates, asked of a solver.

A context knows a step (or an initial store, or a way to violate a property) as a formula, and
predicates before and after it as switches. `outcomes` says which truth values switches can have:

    cartesian   one answer: each switch true, false or open (None) on its own
    boolean     all combinations of the open ones

Both cover every concrete outcome. When the solver gives up, a value is open.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.systems.predicate.predicates import Predicate
from threadwise.systems.predicate.symbols import Symbols

Valuation = tuple[bool | None, ...]
Literal = tuple[int, bool]
"""The number of a predicate, and its truth value."""

MOST_COMBINATIONS = 128
"""Where there are more combinations of truth values than this, they are not distinguished."""


class Context:
    """One formula, and predicates before and after it."""

    def __init__(self, symbols: Symbols, effort: Effort, conditions: Sequence[Term]) -> None:
        self.symbols = symbols
        self.logic = symbols.logic
        self.solver = Solver(symbols.logic, effort)
        self.solver.add(*conditions)
        self.conditions = tuple(conditions)
        """Kept, so that the addresses of these terms stay theirs."""
        self._switches: dict[tuple[str, int], tuple[Term, Term]] = {}
        """Per place and predicate, its switch and the opposite."""
        self._known: dict[tuple[object, ...], list[Valuation]] = {}

    def switch(self, place: str, predicate: Predicate, env: Environment) -> Term:
        """A constant that is true iff the predicate holds in the environment of that name."""
        key = (place, predicate.number)
        if key not in self._switches:
            sort = self.logic.boolean_sort
            switch = self.logic.constant(f"{place}?{predicate.number}", sort)
            self.solver.add(self.logic.equal(switch, self.symbols.formula(predicate, env)))
            self._switches[key] = switch, self.logic.negation(switch)
        return self._switches[key][0]

    def literal(self, place: str, predicate: Predicate, env: Environment, value: bool) -> Term:
        """The switch or its opposite."""
        self.switch(place, predicate, env)
        return self._switches[place, predicate.number][0 if value else 1]

    def outcomes(
        self, assumed: Sequence[Term], asked: Sequence[Term], *, boolean: bool
    ) -> list[Valuation]:
        """The truth values that switches can have together with some literals; [] if none."""
        names = frozenset([term.ast.value for term in assumed])
        key = (names, tuple([term.ast.value for term in asked]), boolean)
        if key not in self._known:
            self._known[key] = self._outcomes(list(assumed), asked, boolean=boolean)
        return self._known[key]

    def _outcomes(
        self, assumed: list[Term], asked: Sequence[Term], *, boolean: bool
    ) -> list[Valuation]:
        answer = self.solver.check(assumed)
        if answer is Answer.UNSATISFIABLE:
            return []
        if not asked or answer is Answer.UNKNOWN:
            return [(None,) * len(asked)]
        seen: list[set[bool]] = [set() for _ in asked]
        self._note(seen, asked)
        values: list[bool | None] = []
        for position, switch in enumerate(asked):
            values.append(self._forced(assumed, asked, seen, position, switch))
        open_ = [k for k, value in enumerate(values) if value is None]
        if boolean and open_:
            return self._combinations(assumed, asked, values, open_)
        return [tuple(values)]

    def _note(self, seen: list[set[bool]], asked: Sequence[Term]) -> None:
        model = self.solver.model()
        for values, switch in zip(seen, asked, strict=True):
            values.add(model.boolean(switch))

    def _forced(
        self,
        assumed: list[Term],
        asked: Sequence[Term],
        seen: list[set[bool]],
        position: int,
        switch: Term,
    ) -> bool | None:
        """The only truth value a switch can have; None if it can have both, or is not known."""
        if len(seen[position]) == 2:
            return None
        (value,) = seen[position]
        opposite = self.logic.negation(switch) if value else switch
        answer = self.solver.check([*assumed, opposite])
        if answer is Answer.SATISFIABLE:
            self._note(seen, asked)
        return value if answer is Answer.UNSATISFIABLE else None

    def _combinations(
        self,
        assumed: list[Term],
        asked: Sequence[Term],
        values: list[bool | None],
        open_: list[int],
    ) -> list[Valuation]:
        found: list[Valuation] = []
        self.solver.push()
        try:
            while len(found) < MOST_COMBINATIONS:
                answer = self.solver.check(assumed)
                if answer is Answer.UNSATISFIABLE:
                    return found
                if answer is Answer.UNKNOWN:
                    break
                model = self.solver.model()
                chosen = {k: model.boolean(asked[k]) for k in open_}
                found.append(tuple(chosen.get(k, value) for k, value in enumerate(values)))
                self.solver.add(
                    self.logic.disjunction(
                        [
                            self.logic.negation(asked[k]) if value else asked[k]
                            for k, value in chosen.items()
                        ]
                    )
                )
        finally:
            self.solver.pop()
        return [tuple(values)]
