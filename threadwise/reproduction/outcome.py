"""What came of running an interleaving natively."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OutcomeKind(Enum):
    """The three answers."""

    REPRODUCED = "reproduced"
    NOT_FORCED = "not forced"
    """A step could not be forced: nothing is said about the trace."""
    DIVERGED = "diverged"
    """The program did something else than the model: one of the two is wrong."""


@dataclass(frozen=True)
class Outcome:
    """An answer, and what it rests on."""

    kind: OutcomeKind
    reason: str
    """What was seen, or why not."""
    step: int | None = None
    """The step of the trace, from 1, where it went wrong."""
    seen: tuple[str, ...] = ()
    """What the outside saw: messages, reports, stacks."""
    built: bool = False
    """Whether there is a program to run, also in the debugger."""
