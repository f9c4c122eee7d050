"""Traces: an interleaving that violates a property.

A `Trace` is what replay needs and nothing more: the counts chosen for templates with any number of
threads, the initial global store (it may be one of many) and the moves. What people want to read,
source positions and changed variables, is derived from it by `threadwise.traces.replay`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span
from threadwise.semantics.state import Cells, Move

if TYPE_CHECKING:
    from threadwise.traces.story import Story


@dataclass(frozen=True)
class Trace:
    """A violation of `property` by the program with this hash."""

    program_hash: str
    property: str
    initial: Cells
    moves: tuple[Move, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    inputs: tuple[int, ...] = ()
    """Values of inputs, besides those in the moves, with which the last state is a violation."""


@dataclass(frozen=True)
class Change:
    """A cell that a step changed, values as the user would write them."""

    cell: str
    before: str
    after: str
    shared: bool


@dataclass(frozen=True)
class TraceStep:
    """One step for the reader: who, where, what, and what it changed."""

    number: int
    thread: int
    thread_name: str
    span: Span | None
    text: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Holder:
    """A thread that has what another one waits for, and where it got it, if that is known."""

    thread: str
    since: Span | None


@dataclass(frozen=True)
class Wait:
    """What a thread waits for: the kind of operation, the object in words, who has it."""

    kind: str
    what: str
    holders: tuple[Holder, ...]

    def __str__(self) -> str:
        if self.kind == "join":
            return f"{self.what} {' and '.join(holder.thread for holder in self.holders)}"
        if not self.holders:
            return self.what
        told = [
            holder.thread + (f" since line {holder.since.line}" if holder.since else "")
            for holder in self.holders
        ]
        return f"{self.what}, held by {' and '.join(told)}"


@dataclass(frozen=True)
class WaitingThread:
    """A thread that waits forever, in a deadlock."""

    thread: str
    span: Span | None
    waits: tuple[Wait, ...]
    """One of them has to come; none if nothing could let it go on."""

    def __str__(self) -> str:
        where = f" at line {self.span.line}" if self.span else ""
        if not self.waits:
            return f"{self.thread} waits{where} and nothing lets it go on"
        return f"{self.thread} waits{where} for {', or for '.join(map(str, self.waits))}"


@dataclass(frozen=True)
class DescribedTrace:
    """A replayed trace, ready for a report."""

    trace: Trace
    threads: tuple[str, ...]
    initial: tuple[tuple[str, str], ...]
    steps: tuple[TraceStep, ...]
    violation: str
    """What is wrong in the last state, in one sentence."""
    location: Span | None
    """Where in the source the violation shows."""
    waiting: tuple[WaitingThread, ...] = ()
    """Who waits for what, in a deadlock."""
    story: Story | None = None
    """The same for people, where the program is C."""
    idle: bool = False
    """Whether those who wait in a deadlock merely wait for work."""
    sure: bool = True
    """Whether a deadlock is one even if whatever is not modelled ends waits."""
