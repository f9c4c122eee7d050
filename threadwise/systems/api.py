"""The one interface between programs and engines.

An engine knows global stores G, local stores L, frames F and actions A (what others see of a
step) only as hashable values. The concrete program, its predicate abstraction and its view for any
number of threads are all `ThreadSystem`s.

    T    `step`        T+   `push`        T-   `pop`        ENV   `interfere`

A *role* is what the engine analyses: one per thread in a concrete system, one per template in a
symmetric one.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, NewType, Protocol, TypeVar

from threadwise.ir.program import LocId
from threadwise.ir.properties import Property
from threadwise.semantics.state import Choice, State

Role = NewType("Role", int)

G = TypeVar("G", bound=Hashable)
L = TypeVar("L", bound=Hashable)
F = TypeVar("F", bound=Hashable)
A = TypeVar("A", bound=Hashable)


class Step(NamedTuple, Generic[G, L, A]):
    """A step that leaves the stack alone."""

    choices: tuple[Choice, ...]
    g: G
    l: L
    action: A


class Push(NamedTuple, Generic[L, F]):
    """A call."""

    choice: Choice
    l: L
    frame: F


class Pop(NamedTuple, Generic[L]):
    """A return."""

    choice: Choice
    l: L


class Witness(NamedTuple, Generic[G, L]):
    """What one role contributes to an abstract error."""

    role: Role
    g: G
    l: L


class ReachedPairs(Generic[G, L]):
    """R of the papers: the pairs each role can be in."""

    def __init__(self, pairs: Sequence[Collection[tuple[G, L]]]) -> None:
        self.pairs = pairs

    @cached_property
    def by_global(self) -> Mapping[G, Sequence[list[L]]]:
        """Per global store the local stores that occur with it, role by role."""
        found: dict[G, list[list[L]]] = {}
        for t, pairs in enumerate(self.pairs):
            for g, l in pairs:
                if g not in found:
                    found[g] = [[] for _ in self.pairs]
                found[g][t].append(l)
        return found


class ErrorPattern(Protocol[G, L]):
    """One way to violate a property; exact for concrete systems, an over-approximation else."""

    @property
    def property(self) -> Property:
        """The property that is violated."""

    def violated(self, g: G, ls: Sequence[L]) -> bool:
        """Whether a state violates it, given the local store of every role."""

    def search(self, reached: ReachedPairs[G, L]) -> Sequence[Witness[G, L]] | None:
        """Pairs that fit together and violate it; None if there are none.

        Answers for all combinations of pairs without enumerating them.
        """


class ThreadSystem(Protocol[G, L, F, A]):
    """A program, one thread at a time."""

    @property
    def roles(self) -> Sequence[Role]:
        """The roles to analyse."""

    def initial(self, t: Role) -> Iterable[tuple[G, L]]:
        """Rule INIT: the pairs a role starts in."""

    def step(self, t: Role, g: G, l: L) -> Iterable[Step[G, L, A]]:
        """Relation T."""

    def interfere(self, t: Role, g: G, l: L, e: Role, a: A) -> Iterable[tuple[G, L]]:
        """Rule ENV: what a step of e does to what t sees."""

    def interferes(self, e: Role, t: Role) -> bool:
        """Whether t can see steps of e; concretely, whether they differ."""

    def keys(self, t: Role, g: G) -> Iterable[Hashable]:
        """An action can interfere with (g, l) only if its key is among these."""

    def key(self, a: A) -> Hashable:
        """The key of an action."""

    def push(self, t: Role, g: G, l: L) -> Iterable[Push[L, F]]:
        """Relation T+."""

    def pop(self, t: Role, g: G, l: L, f: F) -> Iterable[Pop[L]]:
        """Relation T-."""

    def location(self, l: L) -> LocId:
        """Where a thread is."""

    def errors(self, properties: Sequence[Property]) -> Sequence[ErrorPattern[G, L]]:
        """How the properties can be violated."""


class JointState(NamedTuple, Generic[G, L, F]):
    """A state of all threads together; stacks grow to the right."""

    g: G
    locals: tuple[L, ...]
    stacks: tuple[tuple[F, ...], ...]


class JointSystem(ThreadSystem[G, L, F, A], Protocol[G, L, F, A]):
    """A thread system whose threads can also be run together, on real states."""

    def joint_initial(self) -> Iterable[JointState[G, L, F]]:
        """The initial states of the whole program."""

    def normalise(self, state: JointState[G, L, F]) -> JointState[G, L, F]:
        """The representative of a state (heaps differ in numbering only)."""

    def is_stopped(self, l: L) -> bool:
        """Whether a thread in this local store has ended the program by a failure."""

    def limit(self, l: L) -> str | None:
        """Why the model ends here, if a thread in this local store ran into one of its limits."""

    def reference_state(self, state: JointState[G, L, F]) -> State:
        """The state in the reference semantics."""
