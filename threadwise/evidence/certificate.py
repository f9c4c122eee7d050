"""Certificates: what a SAFE leaves behind for a checker.

One class per kind of proof; `Certificate` is their union. Each names the properties it proves and
the program (of record) it speaks about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from threadwise.evidence.formulas import FormulaCertificate
from threadwise.ir.linear import LinearInvariant
from threadwise.ir.program import EdgeId, LocId
from threadwise.semantics.state import Cells, Frame, LocalStore, State

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    from threadwise.evidence.locksets.cells import Target
    from threadwise.evidence.locksets.gates import Key
    from threadwise.evidence.locksets.memory import Values
    from threadwise.evidence.locksets.texts import KnowledgeText
    from threadwise.evidence.locksets.tokens import Discipline
    from threadwise.ir.following.names import Following
    from threadwise.ir.ghosts import IdGhost


@dataclass(frozen=True)
class StateSetCertificate:
    """A set of states that contains the initial ones, is closed under steps, and has no error."""

    program_hash: str
    properties: tuple[str, ...]
    states: Sequence[State]


@dataclass(frozen=True)
class PersistentCertificate:
    """States closed under persistent sets: at some, the steps of one thread stand for all.

    `chosen` has that thread, or -1 where all threads count, per state. `futures` claims, per
    thread and location, what the thread may touch from there on: masks of regions read and
    written (see `threadwise.ir.touches`).

    The order of the states matters: where one thread is chosen, some step of it leads to a state
    further down, so that the others are not postponed for ever.
    """

    program_hash: str
    properties: tuple[str, ...]
    states: Sequence[State]
    chosen: Sequence[int]
    futures: Sequence[Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class ThreadModularCertificate:
    """R and G of a thread-modular proof, as tables (FQ §2.2).

    `globals` lists global stores; pairs and guarantees name them by position.
    """

    program_hash: str
    properties: tuple[str, ...]
    globals: Sequence[Cells]
    reached: Sequence[Sequence[tuple[int, LocalStore]]]
    """Per thread, the pairs (global store, local store) it can be in."""
    guarantees: Sequence[Sequence[tuple[int, int]]]
    """Per thread, the changes of the global store it makes."""


@dataclass(frozen=True)
class PushdownCertificate:
    """P, the callers that stand for Q, and G of a thread-modular proof with procedures (FQ §3.1).

    Per thread; `pairs` lists (global store, local store), everything else names them by position.
    """

    program_hash: str
    properties: tuple[str, ...]
    globals: Sequence[Cells]
    pairs: Sequence[Sequence[tuple[int, LocalStore]]]
    path_edges: Sequence[Sequence[tuple[int, int]]]
    """Entry of the current procedure, current pair."""
    callers: Sequence[Sequence[tuple[int, int, Frame]]]
    """Entry of the callee, entry of the caller, frame to return to."""
    guarantees: Sequence[Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class FrontierCertificate:
    """The chain T⁰ … Tᵏ of frontier search, as tables (MPR §10)."""

    program_hash: str
    properties: tuple[str, ...]
    globals: Sequence[Cells]
    chain: Sequence[Sequence[Sequence[tuple[int, LocalStore]]]]
    """Per element of the chain and thread, the pairs."""


@dataclass(frozen=True)
class SymmetricCertificate:
    """R and G for one representative of each class of threads that are alike.

    Stores are written in the ids of an instance with the given counts. A listed pair stands for
    every pair that renaming the other threads of each class makes of it; one representative
    (`threads`) of a class speaks for all of them, however many the program has.
    """

    program_hash: str
    properties: tuple[str, ...]
    counts: Mapping[str, int]
    threads: tuple[int, ...]
    globals: Sequence[Cells]
    reached: Sequence[Sequence[tuple[int, LocalStore]]]
    guarantees: Sequence[Sequence[tuple[int, int]]]
    path_edges: Sequence[Sequence[tuple[int, int]]] = ()
    """If the program has calls: entry of the current procedure, current view, by position."""
    callers: Sequence[Sequence[tuple[int, int, Frame]]] = ()
    """If the program has calls: entry of the callee, entry of the caller, frame to return to."""
    lemmas: tuple[LinearInvariant, ...] = ()
    """Equations about numbers of threads; views and steps that contradict them are left out."""


class StoreClaims(NamedTuple):
    """What a proof by reduction claims about a local store of a thread (QRR §4)."""

    l: LocalStore
    before_commit: bool
    """⟨l, p⟩ is in R."""
    after_commit: bool
    """⟨l, ¬p⟩ is in L."""
    right: tuple[EdgeId, ...]
    """The edges from l that are right movers; for an atomic region, its first edge."""
    left: tuple[EdgeId, ...]


@dataclass(frozen=True)
class ReductionCertificate:
    """Σ of a search over transactions, its partition, and R behind the movers (QRR §4).

    A node ⟨l, p⟩ not claimed to be elsewhere is in N, an edge not claimed to be a mover is none.
    States, parts and ranks correspond.
    """

    program_hash: str
    properties: tuple[str, ...]
    pairs: ThreadModularCertificate | PushdownCertificate
    """The pairs from which movers follow; it claims no property."""
    claims: Sequence[Sequence[StoreClaims]]
    """Per thread."""
    states: Sequence[State]
    parts: Sequence[str]
    """Per state, the part each thread is in: a letter N, L or R."""
    ranks: Sequence[int]
    """Where a thread is in L, a bound on the steps it needs to N (C3); elsewhere 0."""


class SummaryTables(NamedTuple):
    """P, Sum, Sum+, Sum- and Mark of one thread (QRR §5), by positions of nodes and frames."""

    nodes: Sequence[tuple[int, LocalStore, str]]
    """Global store by position, local store, and the part it is in: a letter N, L or R."""
    frames: Sequence[Frame]
    path_edges: Sequence[tuple[int, int]]
    """P(a, b)."""
    sums: Sequence[tuple[int, int]]
    """Sum(a, b)."""
    calls: Sequence[tuple[int, int, int]]
    """Sum+(a, n, f): from a to the entry n, with the frame f."""
    returns: Sequence[tuple[int, int, int]]
    """Sum-(a, f, c): from a, with the frame f, to c."""
    marks: Sequence[int]
    ranks: Sequence[tuple[int, int, int | None, int]]
    """For P(a, b) with b in L and a frame, or None for every context: a bound on the rule
    applications until a transaction from a ends (C3')."""


@dataclass(frozen=True)
class SummaryCertificate:
    """Ω and the summaries of a search over transactions, its partition, and R behind the movers.

    A node ⟨l, p⟩ not claimed to be elsewhere is in N, an edge not claimed to be a mover is none.
    """

    program_hash: str
    properties: tuple[str, ...]
    pairs: ThreadModularCertificate | PushdownCertificate | None
    """The pairs from which movers follow; None if there is one thread, whose steps all move."""
    globals: Sequence[Cells]
    claims: Sequence[Sequence[StoreClaims]]
    """Per thread."""
    summaries: Sequence[SummaryTables]
    """Per thread."""
    states: Sequence[State]
    """Ω."""
    parts: Sequence[str]
    """Per state, the part each thread is in."""


@dataclass(frozen=True)
class CountingCertificate:
    """Equations between numbers of threads and shared cells that every step keeps."""

    program_hash: str
    properties: tuple[str, ...]
    invariants: tuple[LinearInvariant, ...]


@dataclass(frozen=True)
class InterleavingsCertificate:
    """No interleaving violates the properties, and none is longer than this."""

    program_hash: str
    properties: tuple[str, ...]
    lengths: tuple[int, ...]
    """Per thread, how many steps it takes at most."""


class RepresentativesFormula(NamedTuple):
    """What holds of k different threads while they are at some locations."""

    templates: tuple[str, ...]
    """Of the threads t1 … tk, in the order of the program's templates."""
    locations: tuple[LocId | None, ...]
    """Where each of them is; None: anywhere."""
    formula: str
    """See `threadwise.ir.formulas`."""
    context: int = 0
    """In a program with calls, the context in which the thread runs the procedure it is in."""


class ContextCall(NamedTuple):
    """A call from one context into another."""

    template: str
    caller: int
    call: EdgeId
    callee: int
    formula: str
    """What holds of the caller's locals until it goes on."""


@dataclass(frozen=True)
class RepresentativesCertificate:
    """R_k: a formula over the shared variables and k different threads, for any number of threads.

    Where several formulas fit the locations of k threads, one of them holds; where none does,
    threads are never there together. With k = 1 this is R of a thread-modular proof; in a program
    with calls it is split by *contexts*, the formulas of one run of a procedure each: P of FQ §3.1
    with a formula for the entry, `calls` standing for Q.
    """

    program_hash: str
    properties: tuple[str, ...]
    k: int
    formulas: Sequence[RepresentativesFormula]
    lemmas: tuple[LinearInvariant, ...] = ()
    """Equations about numbers of threads, which the proof uses."""
    calls: Sequence[ContextCall] = ()
    ghosts: tuple[IdGhost, ...] = ()
    """The formulas are about the program with these ghosts."""


@dataclass(frozen=True)
class ForgettingCertificate:
    """A proof for the program that has forgotten some variables (`threadwise.ir.forgetting`)."""

    program_hash: str
    properties: tuple[str, ...]
    forgotten: tuple[str, ...]
    inner: Certificate


@dataclass(frozen=True)
class LocksetCertificate:
    """What every cell may hold, and what each thread knows at each location.

    The rules are in `threadwise.evidence.locksets`.
    """

    program_hash: str
    properties: tuple[str, ...]
    memory: Sequence[tuple[Target, Values]]
    knowledge: Mapping[LocId, Sequence[KnowledgeText]]
    """Per location that threads can reach; one of them is what a thread there knows."""
    absent: Mapping[str, frozenset[str]]
    """Per template that is started: the templates that are over when its threads begin."""
    identified: frozenset[str]
    """The templates whose threads all get different arguments."""
    alone: frozenset[str]
    """The templates of which at most one thread is ever started."""
    frozen: frozenset[Target]
    """Cells that are written only while the first thread is alone, or before others know them."""
    spoilt: frozenset[Target]
    """Owners of mutexes that may be written otherwise than by acquiring and releasing."""
    numbers: Mapping[Target, Discipline]
    """Cells that serve as locks, and how."""
    given: Mapping[str, str]
    """Templates whose threads get an object of their own as argument, with its site."""
    numbered: frozenset[str] = frozenset()
    """Templates whose threads have different numbers, which their arguments tell."""
    homed: frozenset[str] = frozenset()
    """Sites whose objects are in lists, protected by the locks of these."""
    gates: Mapping[Target, Key] = field(default_factory=dict)
    """Cells that such lists begin in, and how to find the locks."""


@dataclass(frozen=True)
class FollowingCertificate:
    """A proof for the program that follows a thread with a creation index, of each of some
    templates (`threadwise.ir.following`)."""

    program_hash: str
    properties: tuple[str, ...]
    followings: tuple[Following, ...]
    inner: Certificate


@dataclass(frozen=True)
class SplitCertificate:
    """A proof for the program whose locations are told apart (`threadwise.ir.splitting`)."""

    program_hash: str
    properties: tuple[str, ...]
    inner: Certificate


Certificate: TypeAlias = (
    StateSetCertificate
    | LocksetCertificate
    | PersistentCertificate
    | ThreadModularCertificate
    | PushdownCertificate
    | FrontierCertificate
    | SymmetricCertificate
    | ReductionCertificate
    | SummaryCertificate
    | CountingCertificate
    | InterleavingsCertificate
    | RepresentativesCertificate
    | ForgettingCertificate
    | FollowingCertificate
    | SplitCertificate
    | FormulaCertificate
)
