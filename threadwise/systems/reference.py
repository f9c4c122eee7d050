"""The reference semantics as a `JointSystem`: slow, obviously right, able to run the heap."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import Property
from threadwise.semantics.memory import canonical
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter
from threadwise.systems.api import (
    ErrorPattern,
    JointState,
    Pop,
    Push,
    ReachedPairs,
    Role,
    Step,
    Witness,
)
from threadwise.systems.patterns import search_by_global

Action = tuple[GlobalStore, GlobalStore]
Joint = JointState[GlobalStore, LocalStore, Frame]


@dataclass(frozen=True)
class _ReferencePattern:
    """A property, decided state by state."""

    checker: PropertyChecker
    property: Property

    def violated(self, g: GlobalStore, ls: Sequence[LocalStore]) -> bool:
        return self.checker.violated(self.property, State(g, tuple(ls), ((),) * len(ls)))

    def search(
        self, reached: ReachedPairs[GlobalStore, LocalStore]
    ) -> Sequence[Witness[GlobalStore, LocalStore]] | None:
        return search_by_global(self.search_at, reached)

    def search_at(
        self, g: GlobalStore, candidates: Sequence[Collection[LocalStore]]
    ) -> Mapping[Role, LocalStore] | None:
        for ls in product(*candidates):
            if self.violated(g, ls):
                return {Role(t): l for t, l in enumerate(ls)}
        return None


class ReferenceSystem:
    """One role per thread; actions are pairs of global stores."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.interpreter = Interpreter(program)
        self.checker = PropertyChecker(self.interpreter)
        self.roles: Sequence[Role] = [Role(t) for t in self.interpreter.threads]

    def initial(self, t: Role) -> Iterator[tuple[GlobalStore, LocalStore]]:
        """Rule INIT."""
        l = self.interpreter.initial_local(t)
        return ((g, l) for g in self.interpreter.initial_globals())

    def step(
        self, t: Role, g: GlobalStore, l: LocalStore
    ) -> Iterator[Step[GlobalStore, LocalStore, Action]]:
        """Relation T."""
        for choices, after, moved, _ in self.interpreter.step(t, g, l):
            yield Step(choices, after, moved, (g, after))

    def interfere(
        self, t: Role, g: GlobalStore, l: LocalStore, e: Role, a: Action
    ) -> Iterable[tuple[GlobalStore, LocalStore]]:
        """Rule ENV."""
        return ((a[1], l),) if a[0] == g and t != e else ()

    def keys(self, t: Role, g: GlobalStore) -> Iterable[Hashable]:
        """An action applies where it starts."""
        return (g,)

    def key(self, a: Action) -> GlobalStore:
        """Where an action starts."""
        return a[0]

    def interferes(self, e: Role, t: Role) -> bool:
        """Every thread sees all others."""
        return e != t

    def push(self, t: Role, g: GlobalStore, l: LocalStore) -> Iterator[Push[LocalStore, Frame]]:
        """Relation T+."""
        return (Push(*push) for push in self.interpreter.push(t, l))

    def pop(self, t: Role, g: GlobalStore, l: LocalStore, f: Frame) -> Iterator[Pop[LocalStore]]:
        """Relation T-."""
        return (Pop(*pop) for pop in self.interpreter.pop(t, l, f))

    def location(self, l: LocalStore) -> LocId:
        """Where a thread is."""
        return l.pc

    def errors(
        self, properties: Sequence[Property]
    ) -> Sequence[ErrorPattern[GlobalStore, LocalStore]]:
        """Every property as a pattern over all threads, decided by the reference checker."""
        return [_ReferencePattern(self.checker, checked) for checked in properties]

    def joint_initial(self) -> Iterator[Joint]:
        """The initial states."""
        return (JointState(*state) for state in self.interpreter.initial_states())

    def normalise(self, state: Joint) -> Joint:
        """Renumber the heap."""
        return JointState(*canonical(State(*state), len(self.program.globals)))

    def is_stopped(self, l: LocalStore) -> bool:
        """Whether a thread has failed."""
        return self.program.locations[l.pc].failure is not None

    def limit(self, l: LocalStore) -> str | None:
        """Why the model ends here."""
        failure = self.program.locations[l.pc].failure
        ends = failure is not None and failure.kind.is_limit
        return failure.message if failure is not None and ends else None

    def reference_state(self, state: Joint) -> State:
        """The same state."""
        return State(*state)
