"""Traces: an interleaving that violates a property.

A `Trace` is what replay needs and nothing more: the counts chosen for templates with any number of
threads, the initial global store (it may be one of many) and the moves. What people want to read,
source positions and changed variables, is derived from it by `threadwise.traces.replay`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from threadwise.core.source import Span
from threadwise.semantics.state import Cells, Move


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
