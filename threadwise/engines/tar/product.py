"""Algorithm A of HJMQ: refinement on the product of all threads.

The abstract threads of `PredicateSystem` are run together: a state has the truth values of the
shared predicates and one abstract local store per thread. A step of one thread is seen by all
others at once, so nothing is lost between threads but what predicates do not express; but there
may be exponentially many states. Predicates are still about one thread's view each (t_i is a
relation on Q_i): where none of those refutes a spurious path, the answer is UNKNOWN.

A path to an error becomes a chain of Horn clauses over all threads' variables. If the chain has no
solution the path is real. Otherwise the atoms of its formulas that are about one thread become
predicates. A proof is a formula about all n threads at once; n is at most `MOST_THREADS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import NamedTuple

from threadwise.analyses.regions import has_calls
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.horn import HornClauses, atoms
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import DEFAULT_LIMIT, Answer, Effort
from threadwise.core.errors import Unsupported
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.tar.concretise import trace_along
from threadwise.engines.tar.mining import Miner
from threadwise.engines.tar.reach_formulas import joint_disjunction
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.thread_formulas import formula_text, representatives
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.systems.api import Role, Witness
from threadwise.systems.predicate.cubes import Valuation
from threadwise.systems.predicate.errors import LIMIT, AbstractErrors, ErrorCase
from threadwise.systems.predicate.predicates import Precision, Predicate
from threadwise.systems.predicate.symbols import StepPath, Symbols
from threadwise.systems.predicate.system import QUIET, AbstractLocal, PredicateSystem

MOST_THREADS = 4
MOST_REFINEMENTS = 60


class Joint(NamedTuple):
    """An abstract state of all threads."""

    g: Valuation
    locals: tuple[AbstractLocal, ...]


class Move(NamedTuple):
    """Who took which step, from which state."""

    before: Joint
    thread: int
    path: StepPath


class Found(NamedTuple):
    """An abstract error: the state, how the property is violated, and by which threads."""

    state: Joint
    case: ErrorCase
    threads: tuple[int, ...]


class ProductLoop:
    """One run of Algorithm A."""

    def __init__(self, task: Task) -> None:
        if task.program.has_any_number:
            raise Unsupported("the product of any number of threads")
        if has_calls(task.program):
            raise Unsupported("procedures in the product of threads")
        self.task = task
        limit = task.options.solver_limit(DEFAULT_LIMIT)
        effort = Effort(task.statistics, task.meter.check, limit)
        self.system = PredicateSystem(Symbols(task.program), Precision(task.program), effort)
        self.symbols = self.system.symbols
        self.logic = self.symbols.logic
        self.threads: list[Role] = [
            t
            for t in self.system.roles
            for _ in range(task.program.template[self.system.templates[t]].count or 0)
        ]
        if len(self.threads) > MOST_THREADS:
            raise Unsupported(f"the product of more than {MOST_THREADS} threads")
        self.miner = Miner(self.system)
        self.patterns = {p.name: AbstractErrors(self.system, p) for p in task.properties}
        self.limit = AbstractErrors(self.system, LIMIT)
        self.refinements = 0

    def run(self) -> Iterator[Finding]:
        """Refine until everything is decided."""
        while self.patterns:
            reached = self._reach()
            self.task.statistics.set(Name.STATES, len(reached))
            self.task.statistics.set(Name.PREDICATES, len(self.system.precision.predicates))
            self.task.details.append(
                f"{len(self.system.precision.predicates)} predicates, {len(reached)} states"
            )
            found = self._error(reached)
            if found is None:
                yield self._prove(reached)
                return
            yield from self._analyse(reached, found)

    # -- the product ------------------------------------------------------------------------------

    def _reach(self) -> dict[Joint, Move | None]:
        reached: dict[Joint, Move | None] = {}
        for locals_ in product(*(list(self.system.initial(t)) for t in self.threads)):
            g = _met([pair[0] for pair in locals_])
            if g is not None:
                reached[Joint(g, tuple(l for _, l in locals_))] = None
        pending = list(reached)
        for state in pending:
            self.task.meter.check()
            if any(self._has_failed(l) for l in state.locals):
                continue
            for move, after in self._successors(state):
                if after not in reached:
                    reached[after] = move
                    pending.append(after)
        return reached

    def _has_failed(self, l: AbstractLocal) -> bool:
        return self.task.program.locations[l.location].failure is not None

    def _successors(self, state: Joint) -> Iterator[tuple[Move, Joint]]:
        for i, t in enumerate(self.threads):
            for step in self.system.step(t, state.g, state.locals[i]):
                path = self._path(t, tuple(choice.edge for choice in step.choices))
                seen = [
                    [(step.g, step.l)]
                    if j == i
                    else [(step.g, l)]
                    if step.action == QUIET
                    else self.system.interfere(self.threads[j], state.g, l, t, step.action)
                    for j, l in enumerate(state.locals)
                ]
                for views in product(*seen):
                    g = _met([view[0] for view in views])
                    if g is not None:
                        yield Move(state, i, path), Joint(g, tuple(l for _, l in views))

    def _path(self, t: Role, edges: tuple[EdgeId, ...]) -> StepPath:
        first = self.task.program.edges[edges[0]]
        return next(
            path
            for path in self.symbols.steps(self.system.templates[t], first.source)
            if tuple(edge.id for edge in path.edges) == edges
        )

    def _error(self, reached: dict[Joint, Move | None]) -> Found | None:
        for pattern in (self.limit, *self.patterns.values()):
            for state in reached:
                places = list(zip(self.threads, (l.location for l in state.locals), strict=True))
                for case in pattern.cases(dict.fromkeys(places)):
                    for chosen in permutations(range(len(self.threads)), len(case.who)):
                        if tuple(places[i] for i in chosen) != case.who:
                            continue
                        views = [
                            Witness(self.threads[i], state.g, state.locals[i]) for i in chosen
                        ]
                        if pattern.fits(case, views):
                            return Found(state, case, chosen)
        return None

    # -- counterexamples --------------------------------------------------------------------------

    def _analyse(self, reached: dict[Joint, Move | None], found: Found) -> Iterator[Finding]:
        moves: list[Move] = []
        move = reached[found.state]
        while move is not None:
            moves.append(move)
            move = reached[move.before]
        moves.reverse()
        states = [m.before for m in moves] + [found.state]
        chain = _Chain(self, moves, states, found)
        name = found.case.property.name
        match chain.solve():
            case Answer.SATISFIABLE:
                yield from self._refine(chain, moves, states, name)
            case Answer.UNSATISFIABLE:
                yield self._possible(found, moves)
            case Answer.UNKNOWN:
                yield self._give_up(name, "the solver cannot tell whether an error is spurious")

    def _possible(self, found: Found, moves: Sequence[Move]) -> Finding:
        checked = found.case.property
        if checked is LIMIT:
            names = tuple(self.patterns)
            self.patterns.clear()
            return Undecided(names, "a limit of the model can be reached")
        schedule = [(m.thread, tuple(edge.id for edge in m.path.edges)) for m in moves]
        trace = trace_along(self.task, schedule, checked)
        if trace is None:
            return self._give_up(
                checked.name, "an error is possible, but its values are not found"
            )
        del self.patterns[checked.name]
        return Violated(trace)

    def _give_up(self, name: str, reason: str) -> Finding:
        names = (name,) if name in self.patterns else tuple(self.patterns)
        for each in names:
            del self.patterns[each]
        return Undecided(names, reason)

    def _refine(
        self, chain: _Chain, moves: Sequence[Move], states: Sequence[Joint], name: str
    ) -> Iterator[Finding]:
        self.task.statistics.add(Name.REFINEMENTS)
        self.refinements += 1
        found = self.miner.mine_formulas(chain.formulas())
        paths = {move.path.number for move in moves}
        if not found and paths <= self.system.precision.boolean:
            yield self._give_up(name, "no predicates about single threads refute the error")
        elif self.refinements > MOST_REFINEMENTS * max(1, len(self.patterns)):
            yield self._give_up(name, "predicates go on without end")
        elif not found:
            self.system.precision.boolean |= paths
        self.system.refresh()

    # -- proofs -----------------------------------------------------------------------------------

    def _prove(self, reached: dict[Joint, Move | None]) -> Finding:
        names = tuple(self.patterns)
        templates = tuple(self.system.templates[t] for t in self.threads)
        threads = representatives(templates)
        cubes: dict[tuple[LocId, ...], list[list[dict[Predicate, bool]]]] = {}
        for state in reached:
            places = tuple(l.location for l in state.locals)
            views = zip(self.threads, state.locals, strict=True)
            known = [self.system.literals(t, state.g, l) for t, l in views]
            cubes.setdefault(places, []).append(known)
        formulas = []
        for places, joint in sorted(cubes.items()):
            formula = joint_disjunction(joint, threads)
            text = formula_text(self.task.program, formula, threads)
            formulas.append(RepresentativesFormula(templates, places, text))
        whole = program_hash(self.task.program)
        certificate = RepresentativesCertificate(whole, names, len(threads), formulas)
        return Proved(names, certificate)


class _Chain:
    """A path of the product as Horn clauses, one relation per state."""

    def __init__(
        self, loop: ProductLoop, moves: Sequence[Move], states: Sequence[Joint], found: Found
    ) -> None:
        self.loop = loop
        self.symbols = loop.symbols
        self.logic = loop.logic
        self.states = states
        self.clauses = HornClauses(self.logic, loop.system.effort)
        self._initial(states[0])
        for number, move in enumerate(moves):
            views = self.views(states[number])
            mover = views[move.thread]
            condition, after = self.symbols.run(move.path.edges, mover)
            moved = [
                replace(after, shared=after.shared)
                if i == move.thread
                else replace(view, shared=after.shared)
                for i, view in enumerate(views)
            ]
            body = [condition, self.holds(number, views), *map(self.symbols.typed, views)]
            self.clauses.add(body, self.holds(number + 1, moved))
        views = self.views(found.state)
        renaming: list[tuple[Term, Term]] = []
        for view, i in zip(found.case.views, found.threads, strict=True):
            renaming.append((view.me, views[i].me))
            for variable, value in view.own.items():
                theirs = self.symbols.terms(views[i].own[variable])
                renaming += zip(self.symbols.terms(value), theirs, strict=True)
        violated = self.logic.substitute(found.case.condition, renaming)
        last = self.holds(len(states) - 1, views)
        self.clauses.add([violated, last, *map(self.symbols.typed, views)], self.logic.false)

    def views(self, state: Joint) -> list[Environment]:
        """What each thread sees, as constants."""
        templates = self.loop.system.templates
        return [
            self.symbols.view_at(templates[t], l.location, f"p{i}")
            for i, (t, l) in enumerate(zip(self.loop.threads, state.locals, strict=True))
        ]

    def _initial(self, state: Joint) -> None:
        views, conditions = [], []
        for i, view in enumerate(self.views(state)):
            shared, known = self.symbols.environments.initial_shared("start:")
            own = self.symbols.environments.initial_own(view.template)
            views.append(replace(view, shared=shared, own=own))
            conditions += [known, self.logic.equal(view.me, self.logic.integer(i))]
        self.clauses.add(conditions, self.holds(0, views))

    def holds(self, number: int, views: Sequence[Environment]) -> Term:
        """The relation of a state, applied to all threads' views."""
        args: list[Term] = [view.me for view in views]
        for store in (views[0].shared, *(view.own for view in views)):
            for value in store.values():
                args.extend(self.symbols.terms(value))
        relation = self.logic.relation(f"J{number}", [arg.sort() for arg in args])
        return relation(*args)

    def solve(self) -> Answer:
        """SATISFIABLE: the path is refuted."""
        return self.clauses.solve()

    def formulas(self) -> Iterator[tuple[Role, LocId, Term]]:
        """The parts of the formulas that are about one thread, over its own variables."""
        templates = self.loop.system.templates
        for number, state in enumerate(self.states):
            views = self.views(state)
            own = [{c.get_id() for c in self._constants(view)} for view in views]
            for atom in atoms(self.clauses.formula(self.holds(number, views))):
                used = {c.get_id() for c in self.logic.constants(atom)}
                concerned = [i for i, ids in enumerate(own) if used & ids]
                if len(concerned) > 1:
                    continue
                i = concerned[0] if concerned else 0
                location = state.locals[i].location
                me = self.symbols.view_at(templates[self.loop.threads[i]], location)
                pairs = zip(self._constants(views[i]), self._constants(me), strict=True)
                term = self.logic.substitute(atom, list(pairs))
                yield self.loop.threads[i], location, term

    def _constants(self, view: Environment) -> list[Term]:
        found = [view.me]
        for value in view.own.values():
            found.extend(self.symbols.terms(value))
        return found


def _met(valuations: Sequence[Valuation]) -> Valuation | None:
    """What all of them say together; None if they contradict each other."""
    met = list(valuations[0])
    for valuation in valuations[1:]:
        for k, value in enumerate(valuation):
            if value is not None:
                if met[k] is not None and met[k] != value:
                    return None
                met[k] = value
    return tuple(met)
