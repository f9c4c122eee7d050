"""The inner loop of HJMQ: reach sets under assumptions, assumptions from reach sets.

For a fixed abstraction t the assumptions g start empty and are weakened until they hold:

    R := what the rules of FQ §2.2 reach when the others may do g alone
    no error in R and everything R does is in g        done
    otherwise                                          g := g ∪ what R does

The limit is the least fixpoint of the rules, so the same R and G come out as without rounds; the
rounds find errors that need little interference first. Calls are followed by the pushdown rules.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from threadwise.engines.tar.derivation import ANY_STEP, ANY_VALUE, Fixpoint, Havoc, View
from threadwise.engines.thread_modular.pushdown import pushdown_fixpoint
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.ir.commands import Call
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.properties import Property
from threadwise.semantics.state import Choice
from threadwise.systems.api import ErrorPattern, Pop, Push, Role, Step, Witness
from threadwise.systems.predicate.cubes import Valuation
from threadwise.systems.predicate.symbols import StepPath
from threadwise.systems.predicate.system import (
    QUIET,
    AbstractFrame,
    AbstractLocal,
    AbstractStep,
    Act,
    PredicateSystem,
)

Assumptions: TypeAlias = list[dict[Act, None]]
"""What each role is assumed to do."""


class Assuming:
    """A predicate system whose threads see only what is assumed of the others."""

    def __init__(self, system: PredicateSystem, assumed: Assumptions) -> None:
        self.system = system
        self.assumed = assumed
        self.roles: Sequence[Role] = system.roles

    def initial(self, t: Role) -> Iterable[tuple[Valuation, AbstractLocal]]:
        """Rule INIT."""
        return self.system.initial(t)

    def step(self, t: Role, g: Valuation, l: AbstractLocal) -> Iterable[AbstractStep]:
        """Relation T."""
        return self.system.step(t, g, l)

    def interfere(
        self, t: Role, g: Valuation, l: AbstractLocal, e: Role, a: Act
    ) -> Iterable[tuple[Valuation, AbstractLocal]]:
        """Rule ENV, for assumed steps."""
        return self.system.interfere(t, g, l, e, a) if a in self.assumed[e] else ()

    def interferes(self, e: Role, t: Role) -> bool:
        """Whether t can see steps of e."""
        return self.system.interferes(e, t)

    def keys(self, t: Role, g: Valuation) -> Iterable[Hashable]:
        """Which steps to consider."""
        return self.system.keys(t, g)

    def key(self, a: Act) -> Hashable:
        """The key of a step."""
        return self.system.key(a)

    def push(
        self, t: Role, g: Valuation, l: AbstractLocal
    ) -> Iterable[Push[AbstractLocal, AbstractFrame]]:
        """Relation T+."""
        return self.system.push(t, g, l)

    def pop(
        self, t: Role, g: Valuation, l: AbstractLocal, f: AbstractFrame
    ) -> Iterable[Pop[AbstractLocal]]:
        """Relation T-."""
        return self.system.pop(t, g, l, f)

    def location(self, l: AbstractLocal) -> LocId:
        """Where a thread is."""
        return l.location

    def errors(
        self, properties: Sequence[Property]
    ) -> Sequence[ErrorPattern[Valuation, AbstractLocal]]:
        """How the properties can be violated."""
        return self.system.errors(properties)


def nothing_assumed(system: PredicateSystem) -> Assumptions:
    """The assumptions to start with: the environment does nothing."""
    return [{} for _ in system.roles]


def reach(system: Assuming, tick: Callable[[], object]) -> Fixpoint:
    """What the rules of FQ reach."""
    program = system.system.program
    system.system.call_sites.clear()  # those of an earlier round may be reached by returns now
    if any(isinstance(edge.action, Call) for edge in program.edges):
        return pushdown_fixpoint(system, tick)
    return thread_modular_fixpoint(system, tick)


def does(fixpoint: Fixpoint) -> Assumptions:
    """What each role does in its reach set; steps that change nothing shared are left out."""
    return [{a: None for a in actions if a != QUIET} for actions in fixpoint.guarantees]


def is_assumed(done: Assumptions, assumed: Assumptions) -> bool:
    """Whether everything done was assumed."""
    return all(
        action in known for actions, known in zip(done, assumed, strict=True) for action in actions
    )


class AnySteps(Assuming):
    """Algorithm B: the others may take any of their steps at any time, whatever they know.

    Its environment is σ[t]: the steps with the private part forgotten, reachable or not. They are
    given as steps of the thread itself, marked `ANY_STEP`.
    """

    def __init__(self, system: PredicateSystem) -> None:
        super().__init__(system, nothing_assumed(system))
        self._loud = [
            [path for path in system.symbols.all_steps(name) if writes_shared(path)]
            for name in system.templates
        ]
        self._known: dict[object, list[AbstractStep]] = {}

    def step(self, t: Role, g: Valuation, l: AbstractLocal) -> Iterable[AbstractStep]:
        """Relation T, and the environment."""
        for step in self.system.step(t, g, l):
            yield step._replace(action=QUIET)
        key = (t, g, l)
        if key not in self._known:
            self._known[key] = list(self._disturbances(t, g, l))
        yield from self._known[key]

    def _disturbances(self, t: Role, g: Valuation, l: AbstractLocal) -> Iterator[AbstractStep]:
        known = self.system.literals(t, g, l)
        for e in self.roles:
            if not self.system.interferes(e, t):
                continue
            for path in self._loud[e]:
                choice = Choice(EdgeId(ANY_STEP), (path.number,))
                for after_g, after_l in self.system.seen(t, l.location, known, path, ()):
                    yield Step((choice,), after_g, after_l, QUIET)


class AnyValues(Assuming):
    """TAR with havoc: where the others may write variables, they may write anything to them.

    `havocs` is the environment, h of HJMQ §3 turned round: for each shared store (as far as the
    predicates and the writer's id say) the variables that are written there, to be changed all
    at once. Given as steps of the thread itself, marked `ANY_VALUE`.
    """

    def __init__(self, system: PredicateSystem, havocs: Sequence[tuple[Role, Havoc]]) -> None:
        super().__init__(system, nothing_assumed(system))
        self.havocs = havocs
        self._known: dict[object, list[AbstractStep]] = {}

    def step(self, t: Role, g: Valuation, l: AbstractLocal) -> Iterable[AbstractStep]:
        """Relation T, and the environment."""
        yield from self.system.step(t, g, l)
        key = (t, g, l)
        if key not in self._known:
            self._known[key] = list(self._disturbances(t, g, l))
        yield from self._known[key]

    def _disturbances(self, t: Role, g: Valuation, l: AbstractLocal) -> Iterator[AbstractStep]:
        for number, (e, havoc) in enumerate(self.havocs):
            if self.system.interferes(e, t):
                choice = Choice(EdgeId(ANY_VALUE), (number,))
                for after_g, after_l in self.system.havocked(t, g, l, havoc):
                    yield Step((choice,), after_g, after_l, QUIET)


def havocs_of(system: PredicateSystem, fixpoint: Fixpoint) -> list[tuple[Role, Havoc]]:
    """The environment from what threads do: the variables written in each shared store."""
    found: dict[tuple[Role, Hashable], dict[Variable, View]] = {}
    for t in system.roles:
        for action, (g, l) in fixpoint.guarantees[t].items():
            if action == QUIET:
                continue
            path = system.symbols.paths[action.path]
            written = found.setdefault((t, system.visible(t, g, l)), {})
            for variable in sorted(path.written, key=lambda v: v.name):
                if variable.scope is Scope.GLOBAL:
                    written.setdefault(variable, Witness(t, g, l))
    return [
        (t, Havoc(frozenset(written), tuple(dict.fromkeys(written.values()))))
        for (t, _), written in found.items()
    ]


def writes_shared(path: StepPath) -> bool:
    """Whether a step writes a shared variable."""
    return any(variable.scope is Scope.GLOBAL for variable in path.written)
