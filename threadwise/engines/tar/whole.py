"""The whole program as recursive Horn clauses: one relation per template and location.

    R(T, l0)(g0, l0)
    R(T, p)(g, l), T(g, l, g', l')                                ==>  R(T, q)(g', l')
    R(T, p)(g, l), R(E, q)(g, l_e), T(g, l_e, g', _), t ≠ e       ==>  R(T, p)(g', l)
    R(T, p)(g, l_1), R(E, q)(g, l_2), t ≠ e, E                    ==>  false

A solution is a thread-modular proof (FQ §2.2) against one way to violate a property. TAR asks for
one only when its own predicates diverge, and takes no more than predicates from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.horn import HornClauses, atoms
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer
from threadwise.ir.commands import Call
from threadwise.ir.program import LocId
from threadwise.systems.api import Role
from threadwise.systems.predicate.errors import ErrorCase
from threadwise.systems.predicate.symbols import StepPath
from threadwise.systems.predicate.system import PredicateSystem

STEPS_BACK = 4
MOST_ATOMS = 12


class WholeProgram:
    """The clauses of a program without calls."""

    def __init__(self, system: PredicateSystem, case: ErrorCase, limit: int) -> None:
        self.system = system
        self.symbols = system.symbols
        self.logic = system.symbols.logic
        self.clauses = HornClauses(self.logic, system.effort, limit)
        self.counts = self.logic.constants(self.symbols.environments.threads.condition)
        self.has_calls = any(isinstance(e.action, Call) for e in system.program.edges)
        if not self.has_calls:
            for t in system.roles:
                self._thread(t)
            body = [case.condition, *map(self.symbols.typed, case.views)]
            body += system.counted(*case.views)
            for k, ((t, _), view) in enumerate(zip(case.who, case.views, strict=True)):
                body.append(self.holds(t, view))
                body += [self.symbols.distinct(view, other) for other in case.views[:k]]
            self.clauses.add(body, self.logic.false)

    def solve(self) -> Answer:
        """SATISFIABLE: there is a proof."""
        return Answer.UNKNOWN if self.has_calls else self.clauses.solve()

    def formulas(self) -> Iterator[tuple[Role, LocId, Term]]:
        """What holds at each location."""
        for t in self.system.roles:
            for location in self._locations(t):
                env = self.symbols.view_at(self.system.templates[t], location)
                yield t, location, self.clauses.formula(self.holds(t, env))

    def holds(self, t: Role, env: Environment) -> Term:
        """The relation of a template at the view's location, applied to the view."""
        args = [env.me, *self.counts]
        for store in (env.shared, env.own):
            for value in store.values():
                args.extend(self.symbols.terms(value))
        relation = self.logic.relation(f"W{t}@{env.location}", [arg.sort() for arg in args])
        return relation(*args)

    def _locations(self, t: Role) -> list[LocId]:
        body = self.system.program.template[self.system.templates[t]].body
        return [
            location.id
            for location in self.system.program.procedure[body].locations
            if not location.atomic
        ]

    def _thread(self, t: Role) -> None:
        template = self.system.templates[t]
        env, known = self.system.initial_view(template)
        entry = self.system.program.procedure[self.system.program.template[template].body].entry
        self.clauses.add([known], self.holds(t, replace(env, location=entry)))
        for path in self.symbols.all_steps(template):
            before = replace(path.before, location=path.source)
            after = replace(path.after, location=path.target)
            enabled = [self.symbols.typed(before), path.condition, self.holds(t, before)]
            known = self.system.counted(before)
            self.clauses.add([*enabled, *known], self.holds(t, after))
            if all(path.after.shared[v] is value for v, value in path.before.shared.items()):
                continue
            for u in self.system.roles:
                if self.system.interferes(t, u):
                    self._disturb(u, enabled, before, after)

    def _disturb(
        self, u: Role, enabled: list[Term], before: Environment, after: Environment
    ) -> None:
        for location in self._locations(u):
            view = self.symbols.view_at(self.system.templates[u], location, "you")
            distinct = self.symbols.distinct(view, before)
            body = [*enabled, self.symbols.typed(view), distinct, self.holds(u, view)]
            body += self.system.counted(view, before)
            self.clauses.add(body, self.holds(u, replace(view, shared=after.shared)))


def before_failures(system: PredicateSystem) -> list[tuple[Role, LocId, Term]]:
    """The conditions under which threads fail, and their weakest preconditions a few steps back.

    What a program asserts is often what a loop keeps: `sum == 2 * rounds`, and in the middle of a
    round `sum == 2 * rounds + 2`. A condition on shared variables alone is taken back over the
    steps of all threads that write to them: `a + b == 100` holds while no thread moves money, and
    `a + b + amount == 100` where one does.
    """
    symbols, logic = system.symbols, system.symbols.logic
    paths = {t: list(symbols.all_steps(system.templates[t])) for t in system.roles}
    shared = {term.ast.value for value in symbols.shared.values() for term in symbols.terms(value)}
    found: dict[tuple[Role, LocId, str], Term] = {}
    latest = [
        (t, path.source, atom)
        for t in system.roles
        for path in paths[t]
        if system.program.locations[path.target].failure is not None
        for atom in atoms(path.condition)
    ]
    for _ in range(STEPS_BACK):
        latest = [new for new in latest if (*new[:2], str(new[2])) not in found]
        found.update({(t, place, str(atom)): atom for t, place, atom in latest})
        earlier: list[tuple[Role, LocId, Term]] = []
        for t, place, atom in latest[: MOST_ATOMS * len(system.roles)]:
            public = all(c.ast.value in shared for c in logic.constants(atom))
            for u in system.roles:
                for path in paths[u]:
                    if not public and (u, path.target) != (t, place):
                        continue
                    term = logic.simplify(logic.substitute(atom, _changes(system, path)))
                    if (u, path.target) == (t, place) or not term.eq(logic.simplify(atom)):
                        earlier.extend((u, path.source, part) for part in atoms(term))
        latest = earlier
    return [(t, place, atom) for (t, place, _), atom in found.items()]


def _changes(system: PredicateSystem, path: StepPath) -> list[tuple[Term, Term]]:
    """What a step puts for each constant of the view before it."""
    pairs: list[tuple[Term, Term]] = []
    for old, new in ((path.before.shared, path.after.shared), (path.before.own, path.after.own)):
        for variable, value in old.items():
            if value is not new[variable]:
                after = system.symbols.terms(new[variable])
                pairs += zip(system.symbols.terms(value), after, strict=True)
    return pairs
