"""The certificates of proofs by reduction and by procedure summaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from threadwise.ir.program import EdgeId
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.state import Cells, Frame, LocalStore, State

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


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

    kind: ClassVar[str] = "reduction"

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
    forgotten: tuple[str, ...] = ()
    """The variables that the program of `pairs` has forgotten (`digest`)."""
    alone: bool = False
    """Whether `pairs` follows every thread alone, with no locks but its own (`digest`)."""


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

    kind: ClassVar[str] = "summaries"

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
    forgotten: tuple[str, ...] = ()
    """The variables that the program of `pairs` has forgotten (`digest`)."""
    alone: bool = False
    """Whether `pairs` follows every thread alone, with no locks but its own (`digest`)."""
    below: Sequence[Sequence[tuple[Frame, Frame | None]]] | None = None
    """Where the stacks of Ω have their top frames only: per thread, which frame may lie below
    which; None: nothing."""
