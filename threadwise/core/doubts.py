"""Doubtful behaviour: what the standards allow and users rarely mean, such as spurious wake-ups.

Which of it a program of record contains is a set of texts, part of how the program was loaded:

    spurious-wakeups                all spurious wake-ups
    spurious-wakeups@queue.c:31     those of line 31 only

Proofs are about programs with as much of it as possible; what a proof does without is assumed
(docs/adr/023-doubtful-behaviour.md).
"""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span


class DoubtKind(Enum):
    """What may be allowed; the value is the name of the switch, where there is one."""

    WAKE_UPS = "spurious-wakeups"
    ALLOCATION = "malloc-may-fail"
    WEAK_EXCHANGE = "weak-cas-may-fail"
    TRY_LOCK = "trylock-may-fail"
    WEAK_ORDER = "weak-order"
    """A relaxed load that returns any value, a relaxed store that is seen before earlier ones:
    that only bounds what C allows, so there is no switch."""
    MAIN_RETURNS = "main-returns"
    """A thread that runs when `main` returns, which ends the life of variables that it may use."""
    INDETERMINATE = "indeterminate-values"
    """Numbers in memory that was never written are any: chosen at the first read, and kept."""
    UNSTABLE = "unstable-values"
    """The same, but another one at each read: that is more than most compilers do, so it only
    bounds what may happen, and there is no switch."""
    OTHER = "other"
    """What users' own library entries call doubtful."""


SWITCHES = (
    DoubtKind.WAKE_UPS,
    DoubtKind.ALLOCATION,
    DoubtKind.WEAK_EXCHANGE,
    DoubtKind.TRY_LOCK,
    DoubtKind.INDETERMINATE,
)
"""What can be made part of the meaning."""

EXPECTED = frozenset({DoubtKind.WAKE_UPS, DoubtKind.WEAK_EXCHANGE, DoubtKind.TRY_LOCK})
"""What happens on real machines, and what manuals tell programs to expect: a proof that is known
to fail with it is no answer, an `if` around `pthread_cond_wait` is a mistake. (Memory that runs
out is not among these: most programs are written for machines that have enough.)"""

SWITCHED = frozenset(kind.value for kind in SWITCHES)

EARLY = "a store is seen before what was done earlier"
_KINDS = {
    EARLY: DoubtKind.WEAK_ORDER,
    "a spurious wake-up": DoubtKind.WAKE_UPS,
    "malloc returns NULL": DoubtKind.ALLOCATION,
    "calloc returns NULL": DoubtKind.ALLOCATION,
    "realloc returns NULL": DoubtKind.ALLOCATION,
    "a spurious failure of a weak compare-exchange": DoubtKind.WEAK_EXCHANGE,
    "a spurious failure of mtx_trylock": DoubtKind.TRY_LOCK,
    "another value than the latest is loaded": DoubtKind.WEAK_ORDER,
    "a thread that runs when main returns": DoubtKind.MAIN_RETURNS,
}
_RETURNS = " returns "
_HAPPENS = "with "

NEVER_WRITTEN = "memory that was never written is read"
"""Why a run ends where a value is indeterminate, unless it may be any."""


def is_doubtful(text: str) -> bool:
    """Whether a step with this text is one where something doubtful happens."""
    return text.startswith(_HAPPENS)


@dataclass(frozen=True)
class Doubt:
    """A place where doubtful behaviour may happen."""

    kind: DoubtKind
    text: str
    """What happens: "a spurious wake-up", "malloc returns NULL"."""
    path: str
    line: int

    @classmethod
    def of(cls, text: str, span: Span | None) -> Doubt:
        """The doubt that a library function's text names, where it is called."""
        kind = _KINDS.get(text, DoubtKind.OTHER)
        return cls(kind, text, *(("", 0) if span is None else (span.path, span.line)))

    @property
    def key(self) -> str:
        """How to allow this one; folders may change, so only the file's name counts."""
        return f"{self.kind.value}@{PurePath(self.path).name}:{self.line}"

    def is_allowed(self, allowed: frozenset[str]) -> bool:
        """Whether it may happen."""
        return self.kind.value in allowed or self.key in allowed

    @property
    def told(self) -> str:
        """A phrase for messages where it happens: "with a spurious wake-up at line 31"."""
        what = self.text
        if self.kind is DoubtKind.WEAK_ORDER:
            what = (
                "a store that is seen early" if what == EARLY else "another value than the latest"
            )
        if _RETURNS in what:
            what = what.replace(_RETURNS, " returning ", 1)
        return f"{_HAPPENS}{what} at line {self.line}"

    @property
    def denied(self) -> str:
        """That it does not happen: "no spurious wake-up"."""
        if self.kind is DoubtKind.WEAK_ORDER:
            return "sequential consistency of the access"
        if self.kind is DoubtKind.MAIN_RETURNS:
            return "threads do not use local variables of main when it has returned"
        if self.text.startswith("a "):
            return f"no {self.text[2:]}"
        if _RETURNS in self.text:
            return self.text.replace(_RETURNS, " does not return ", 1)
        return f"{self.text} does not happen"
