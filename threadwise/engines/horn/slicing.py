"""Which of the guesses a proof needs.

Backwards from the violations: an unsatisfiable core says which guesses about the threads of a body
exclude a violation; those that are needed at some places must be kept by every step that leads
there, and a core says which guesses before the step imply that. The others are left out:
the proof is shorter to read and quicker to check.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.core.identity import Same
from threadwise.engines.horn.clauses import Clause
from threadwise.engines.horn.guesses import Guesses, Places, places_of
from threadwise.engines.horn.literals import Guess


class Slice:
    """Finds what is needed of guesses that hold together."""

    def __init__(self, guesses: Guesses, effort: Effort) -> None:
        self.guesses = guesses
        self.threads = guesses.threads
        self.logic = guesses.logic
        self.solver = Solver(self.logic, effort)
        self.needed: dict[Places, dict[Guess, None]] = {}
        self._changed: dict[Places, None] = {}
        self._bundles: dict[tuple[Same, ...], tuple[Term, list[Term]]] = {}
        self._meant: dict[int, tuple[Places, Guess]] = {}

    def run(self, errors: Sequence[Clause]) -> bool:
        """Keep what excludes some violations; whether the guesses suffice for that."""
        if not all(self._explain(error, self.logic.true) for error in errors):
            return False
        leading: dict[Places, list[Clause]] = {}
        for clause in self.guesses.rules:
            leading.setdefault(self.guesses.head(clause), []).append(clause)
        while self._changed:
            places = next(iter(self._changed))
            del self._changed[places]
            for clause in leading.get(places, ()):
                if not self._explain(clause, self._broken(clause, places)):
                    return False
        for places in self.guesses.guesses:
            self.guesses.guesses[places] = list(self.needed.get(places, ()))
        return True

    def _broken(self, clause: Clause, places: Places) -> Term:
        """That something needed does not hold after a step."""
        assert clause.head is not None
        after = [clause.head.arg(k) for k in range(clause.head.num_args())]
        kept = self.guesses.conjunction(self.needed[places], after)
        return self.logic.negation(kept)

    def _explain(self, clause: Clause, goal: Term) -> bool:
        """Note which guesses contradict a body and a goal."""
        assumed: list[Term] = []
        self.solver.push()
        self.solver.add(*clause.body, goal)
        for chosen in combinations(clause.present, self.threads.k) if clause.present else ():
            held, literals = self._tracked(self.threads.ordered(chosen))
            self.solver.add(held)
            assumed += literals
        answer = self.solver.check(assumed)
        core = self.solver.core() if answer is Answer.UNSATISFIABLE else []
        self.solver.pop()
        for literal in core:
            places, guess = self._meant[literal.get_id()]
            if guess not in self.needed.setdefault(places, {}):
                self.needed[places][guess] = None
                self._changed[places] = None
        return answer is Answer.UNSATISFIABLE

    def _tracked(self, ordered: list[Environment]) -> tuple[Term, list[Term]]:
        """The guesses about some threads, each if a literal of its own is true."""
        key = tuple(map(Same, ordered))
        if key not in self._bundles:
            places, values = places_of(ordered), self.guesses.values(ordered)
            parts: list[Term] = []
            literals: list[Term] = []
            for guess in self.guesses.guesses[places]:
                literal = self.logic.fresh("guess", self.logic.boolean_sort)
                self._meant[literal.get_id()] = places, guess
                literals.append(literal)
                parts.append(
                    self.logic.implication(literal, self.guesses.conjunction([guess], values))
                )
            self._bundles[key] = self.logic.conjunction(parts), literals
        return self._bundles[key]
