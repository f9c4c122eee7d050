"""Derivations of abstract errors, replayed on concrete stores as Horn clauses.

Every abstract pair in the derivation becomes a relation over what its thread sees, every rule that
was applied a clause with the concrete step:

    INIT   R_n(g0, l0)
    STEP   R_m(g, l), T(g, l, g', l')                              ==>  R_n(g', l')
    ENV    R_m(g, l), R_k(g, l_e), T(g, l_e, g', _), t ≠ e         ==>  R_n(g', l)
    PUSH   R_m(g, l), T+(l, l')                                    ==>  R_n(g, l')
    POP    R_m(g, l), R_k(_, l_c), T-(l, l_c, l')                  ==>  R_n(g, l')
    error  R_1(g, l_1), R_2(g, l_2), …, all threads distinct, E    ==>  false

Facts about numbers of threads (`systems.facts`), if there are some, hold before every step and
where threads have not failed: they are further premises.

If false cannot be derived, the formulas for the relations are interpolants, and each is about
one thread's view: shared variables and that thread's own, never two threads' own. If it can, the
rules of FQ §2.2 reach the same error on the concrete program, so that no predicates help: the
program is unsafe, or not safe in a thread-modular way (HJMQ Theorem 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.horn import HORN_LIMIT, HornClauses
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer
from threadwise.core.errors import Unsupported
from threadwise.engines.thread_modular.pushdown import PushdownFixpoint
from threadwise.engines.thread_modular.rules import (
    Disturbed,
    Initial,
    Stepped,
    ThreadModularFixpoint,
)
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import Variable
from threadwise.ir.program import Edge, LocId
from threadwise.semantics.state import Choice
from threadwise.systems.api import Role, Witness
from threadwise.systems.predicate.cubes import Valuation
from threadwise.systems.predicate.errors import ErrorCase
from threadwise.systems.predicate.predicates import Predicate
from threadwise.systems.predicate.symbols import StepPath
from threadwise.systems.predicate.system import AbstractFrame, AbstractLocal, Act, PredicateSystem

Fixpoint: TypeAlias = (
    ThreadModularFixpoint[Valuation, AbstractLocal, Act]
    | PushdownFixpoint[Valuation, AbstractLocal, AbstractFrame, Act]
)
View: TypeAlias = Witness[Valuation, AbstractLocal]

ANY_STEP = -1
"""Instead of an edge: a step of the environment by a thread of which nothing is known."""
ANY_VALUE = -2
"""Instead of an edge: the environment gives some variables any value."""


@dataclass(eq=False)
class Node:
    """An abstract pair, and the rule that first derived it."""

    view: View
    rule: str
    path: StepPath | None = None
    edges: tuple[Edge, ...] = ()
    before: Node | None = None
    """The pair of the same thread it was derived from."""
    other: Node | None = None
    """The mover's pair (ENV) or the caller's (POP)."""
    others: tuple[Node, ...] = ()
    """For a havoc of the environment, pairs from which its variables are written."""
    number: int = 0
    written: frozenset[Variable] = frozenset()
    """For a havoc of the environment, the variables."""
    known: dict[Predicate, bool] = field(default_factory=dict)
    """If it may be confused, what it knew: predicates may be tracked elsewhere afterwards."""


@dataclass
class Derivation:
    """An abstract error with everything it was derived from, premises first."""

    case: ErrorCase
    roots: list[Node]
    nodes: list[Node] = field(default_factory=list)

    @property
    def confused(self) -> list[Node]:
        """If it is possible thread by thread only, threads that are confused with others.

        Those of the error; if it is one thread, that and the last one which disturbed it.
        """
        found = list(self.roots)
        node: Node | None = self.roots[0]
        while len(found) == 1 and node is not None:
            if node.rule == "ENV" and node.other is not None:
                found.append(node.other)
            node = node.before
        return found


class Havoc(NamedTuple):
    """What a thread that writes variables may do to them: anything (HJMQ §3)."""

    written: frozenset[Variable]
    writers: tuple[View, ...]
    """For each of them, a pair from which it is written."""


def derive(
    system: PredicateSystem,
    fixpoint: Fixpoint,
    case: ErrorCase,
    witnesses: Sequence[View],
    havocs: Sequence[Havoc] = (),
) -> Derivation:
    """The derivation of an abstract error; pairs of `havocs` are in the fixpoint, too."""
    return _Builder(system, fixpoint, havocs).build(case, witnesses)


class _Builder:
    def __init__(
        self, system: PredicateSystem, fixpoint: Fixpoint, havocs: Sequence[Havoc]
    ) -> None:
        self.system = system
        self.fixpoint = fixpoint
        self.havocs = havocs
        self.known: dict[View, Node] = {}
        self.order: list[Node] = []

    def build(self, case: ErrorCase, witnesses: Sequence[View]) -> Derivation:
        roots = [self.node(witness) for witness in witnesses]
        for number, node in enumerate(self.order):
            node.number = number
        derivation = Derivation(case, roots, self.order)
        for node in derivation.confused:
            node.known = self.system.literals(*node.view)
        return derivation

    def node(self, view: View) -> Node:
        """The node of a pair; premises are visited first, without recursion."""
        pending = [view]
        waiting: set[View] = set()
        while pending:
            current = pending[-1]
            if current in self.known:
                pending.pop()
                continue
            missing = [p for p in self.premises(current) if p not in self.known]
            if missing:
                waiting.add(current)
                if not waiting.isdisjoint(missing):
                    # a havoc by pairs of an earlier round, which are derived from it in this one
                    raise Unsupported("an abstract path that leads to itself")
                pending.extend(missing)
                continue
            pending.pop()
            self.known[current] = self.make(current)
            self.order.append(self.known[current])
        return self.known[view]

    def premises(self, view: View) -> list[View]:
        """The pairs that are premises of the rule which derived a pair."""
        origin = self.fixpoint.reached[view.role][view.g, view.l]
        match origin:
            case Initial():
                return []
            case Stepped(g, l, choices):
                if choices[0].edge == ANY_VALUE:
                    return [Witness(view.role, g, l), *self.havoc(choices[0]).writers]
                caller = self.caller(view.role, choices)
                return [Witness(view.role, g, l), *caller]
            case Disturbed(g, l, by, action):
                mover = self.fixpoint.guarantees[by][action]
                return [Witness(view.role, g, l), Witness(by, *mover)]

    def caller(self, t: Role, choices: tuple[Choice, ...]) -> list[View]:
        """For a return, the pair that made the call."""
        edge, values = choices[0]
        if edge < 0 or isinstance(self.system.program.edges[edge].action, Command | Call):
            return []
        frame = next(f for f, number in self.system.frames.items() if number == values[0])
        return [Witness(t, *self.system.call_sites[t, frame])]

    def havoc(self, choice: Choice) -> Havoc:
        return self.havocs[int(choice.values[0])]  # type: ignore[arg-type]  # a number

    def make(self, view: View) -> Node:
        origin = self.fixpoint.reached[view.role][view.g, view.l]
        program = self.system.program
        match origin:
            case Initial():
                return Node(view, "INIT")
            case Stepped(g, l, choices):
                before = self.known[Witness(view.role, g, l)]
                first = choices[0]
                if first.edge == ANY_STEP:
                    path = self.system.symbols.paths[int(first.values[0])]  # type: ignore[arg-type]  # a number
                    return Node(view, "ENV", path, path.edges, before)
                if first.edge == ANY_VALUE:
                    havoc = self.havoc(first)
                    writers = tuple(self.known[writer] for writer in havoc.writers)
                    return Node(
                        view, "HAVOC", before=before, others=writers, written=havoc.written
                    )
                edges = tuple(program.edges[choice.edge] for choice in choices)
                if isinstance(edges[0].action, Command):
                    return Node(view, "STEP", self.path(view.role, edges), edges, before)
                if isinstance(edges[0].action, Call):
                    return Node(view, "PUSH", None, edges, before)
                (caller,) = self.caller(view.role, choices)
                return Node(view, "POP", None, edges, before, self.known[caller])
            case Disturbed(g, l, by, action):
                mover = self.known[Witness(by, *self.fixpoint.guarantees[by][action])]
                path = self.system.symbols.paths[action.path]
                before = self.known[Witness(view.role, g, l)]
                return Node(view, "ENV", path, path.edges, before, mover)

    def path(self, t: Role, edges: tuple[Edge, ...]) -> StepPath:
        steps = self.system.symbols.steps(self.system.templates[t], edges[0].source)
        return next(path for path in steps if path.edges == edges)


class Replay:
    """A derivation as Horn clauses; with `merged`, one relation per template and location."""

    def __init__(
        self,
        system: PredicateSystem,
        derivation: Derivation,
        *,
        merged: bool = False,
        limit: int = HORN_LIMIT,
    ) -> None:
        self.system = system
        self.symbols = system.symbols
        self.logic = system.symbols.logic
        self.derivation = derivation
        self.merged = merged
        self.clauses = HornClauses(self.logic, system.effort, limit, again=not merged)
        self.counts = self.logic.constants(self.symbols.environments.threads.condition)
        self._relations: dict[str, Term] = {}
        for node in derivation.nodes:
            self._clause(node)
        case = derivation.case
        body = [case.condition, *map(self.symbols.typed, case.views)]
        body += system.counted(*case.views)
        for k, (root, view) in enumerate(zip(derivation.roots, case.views, strict=True)):
            body.append(self.holds(root, view))
            body += [self.symbols.distinct(view, other) for other in case.views[:k]]
        self.clauses.add(body, self.logic.false)

    def solve(self) -> Answer:
        """SATISFIABLE: refuted, with formulas. UNSATISFIABLE: possible on concrete stores."""
        return self.clauses.solve()

    def formula(self, node: Node) -> Term:
        """What holds at a node that is enough to refute the error."""
        return self.clauses.formula(self.holds(node, self.env(node)))

    def env(self, node: Node) -> Environment:
        """The view at a node, as constants."""
        template = self.system.templates[node.view.role]
        return self.symbols.view_at(template, node.view.l.location)

    def holds(self, node: Node, env: Environment) -> Term:
        """The relation of a node, applied to a view."""
        args = self._args(env)
        name = f"R{node.number}"
        if self.merged:
            name = f"R{node.view.role}@{node.view.l.location}"
        if name not in self._relations:
            self._relations[name] = self.logic.relation(name, [arg.sort() for arg in args])
        return self.logic.apply(self._relations[name], args)

    def _args(self, env: Environment) -> list[Term]:
        args = [env.me, *self.counts]
        for store in (env.shared, env.own):
            for value in store.values():
                args.extend(self.symbols.terms(value))
        return args

    def _clause(self, node: Node) -> None:
        template = self.system.templates[node.view.role]
        if node.rule == "INIT":
            env, known = self.system.initial_view(template)
            self.clauses.add([known], self.holds(node, env))
            return
        assert node.before is not None
        before = self.env(node.before)
        match node.rule:
            case "STEP":
                assert node.path is not None
                after = replace(node.path.after, location=node.view.l.location)
                body = [node.path.condition, *self.system.counted(node.path.start)]
            case "ENV":
                assert node.path is not None
                before = self.symbols.view_at(template, node.view.l.location, "you")
                after = replace(before, shared=node.path.after.shared)
                mover = node.path.before
                body = [node.path.condition, self.symbols.typed(mover)]
                body.append(self.symbols.distinct(before, mover))
                body += self.system.counted(before, node.path.start)
                if node.other is not None:
                    body.append(self.holds(node.other, mover))
            case "HAVOC":
                shared = self.symbols.any_values(before.shared, node.written)
                after = replace(before, shared=shared)
                body = [self.symbols.environments.typed(shared)]
                for k, writer in enumerate(node.others):
                    template_k = self.system.templates[writer.view.role]
                    env = self.symbols.view_at(template_k, writer.view.l.location, f"w{k}")
                    body += [self.symbols.typed(env), self.holds(writer, env)]
                    body.append(self.symbols.distinct(before, env))
            case "PUSH":
                fired = self.symbols.firing.enter(node.edges[0], before)
                after, body = fired.after, list(fired.terms)
            case _:
                after, body = self._return(node, before)
        body += [self.symbols.typed(before), self.holds(node.before, before)]
        self.clauses.add(body, self.holds(node, after))

    def _return(self, node: Node, before: Environment) -> tuple[Environment, list[Term]]:
        assert node.other is not None
        call = self._call(node.other.view.l.location, node)
        template = self.system.templates[node.view.role]
        waiting = self.symbols.view_at(template, call.source, "caller")
        waiting = replace(waiting, me=before.me, shared=self.symbols.environments.shared("then:"))
        fired = self.symbols.firing.leave(call, node.edges[0], waiting.own, before)
        remembered = self.symbols.firing.remembered(call, waiting.own, before)
        body = [*fired.terms, self.symbols.typed(waiting), self.holds(node.other, waiting)]
        body += remembered
        return replace(fired.after, shared=before.shared), body

    def _call(self, source: LocId, node: Node) -> Edge:
        returned = self.system.program.procedure_of[node.edges[0].source].name
        return next(
            edge
            for edge in self.system.program.outgoing[source]
            if isinstance(edge.action, Call)
            and edge.action.procedure == returned
            and edge.target == node.view.l.location
        )
