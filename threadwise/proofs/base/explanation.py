"""Proofs for people, as data: what holds where, and what threads guarantee.

Kinds of proof make explanations; `threadwise.report.explanation` writes them out.
"""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass


@dataclass(frozen=True)
class Formula:
    """`common && (case || case || …)`; without cases, `common` alone."""

    common: str
    cases: tuple[str, ...]

    def __str__(self) -> str:
        if not self.cases:
            return self.common
        cases = " || ".join(self.cases)
        return cases if self.common == "true" else f"{self.common} && ({cases})"


@dataclass(frozen=True)
class ProcedureSummary:
    """What calling a procedure can do."""

    procedure: str
    formula: Formula
    pairs: int
    """How many pairs of entry and exit there are."""


@dataclass(frozen=True)
class Place:
    """A location, for the reader."""

    line: int | None
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Fact:
    """What holds whenever the thread is at one of some places."""

    places: tuple[Place, ...]
    formula: Formula


@dataclass(frozen=True)
class GuardedUpdate:
    """Changes a thread makes when a condition holds."""

    guard: str
    updates: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class ThreadExplanation:
    """What a proof says about a kind of thread."""

    title: str
    everywhere: tuple[str, ...]
    invariants: tuple[Fact, ...]
    guarantee: tuple[GuardedUpdate, ...]
    summaries: tuple[ProcedureSummary, ...] = ()
    notes: tuple[str, ...] = ()
    """Further lines, as they are."""


@dataclass(frozen=True)
class ProofSummary:
    """A proof in a phrase, and its size in whatever it consists of."""

    size: int
    words: str
