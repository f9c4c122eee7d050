"""The one interface between programs and engines (DESIGN §5).

An engine knows global stores G, local stores L, frames F and actions A (what others see of a
step) only as hashable values. The concrete program, its predicate abstraction and its view for any
number of threads are all `ThreadSystem`s.

    T    `step`        T+   `push`        T-   `pop`        ENV   `interfere`

A *role* is whom the engine analyses: one per thread in a concrete system, one per template in a
symmetric one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class ErrorPattern(Generic[G, L]):
    """One way to violate a property: some distinct roles, together, in a bad constellation.

    `positions` lists, for each role the pattern relates, who may stand there; None means that the
    pattern relates all roles at once, in order. `unordered` patterns do not care who stands where.
    `may_hold(g, roles, ls)` is exact for concrete systems, and an over-approximation for abstract
    ones.
    """

    property: Property
    positions: tuple[tuple[Role, ...], ...] | None
    may_hold: Callable[[G, Sequence[Role], Sequence[L]], bool]
    unordered: bool = False


class ThreadSystem(Protocol[G, L, F, A]):
    """A program, one thread at a time."""

    @property
    def roles(self) -> Sequence[Role]:
        """Whom to analyse."""

    def initial(self, t: Role) -> Iterable[tuple[G, L]]:
        """Rule INIT: the pairs a role starts in."""

    def step(self, t: Role, g: G, l: L) -> Iterable[Step[G, L, A]]:
        """Relation T."""

    def interfere(self, t: Role, g: G, l: L, e: Role, a: A) -> Iterable[tuple[G, L]]:
        """Rule ENV: what a step of e does to what t sees."""

    def keys(self, t: Role, g: G) -> Iterable[Hashable]:
        """An action can interfere with (g, l) only if its key is among these."""

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
