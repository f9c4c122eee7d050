"""What a proof claims, as data; the package says what each claim means in a state.

A `Case` is a conjunction of claims about one thread; at a location a thread is in one of the cases
listed there. A claim fewer, or a case more, is a weaker proof: that needs no rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Expr, Place
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import Value


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """The kernel has no rule for it."""


class Cell(NamedTuple):
    """A folded cell: all elements of an array are one, and so are all objects of a site."""

    object: str
    cell: int


@dataclass(frozen=True)
class Fact:
    """A condition is true."""

    condition: Expr


@dataclass(frozen=True)
class Holds:
    """The thread is the owner of a mutex."""

    mutex: Place


@dataclass(frozen=True)
class Entered:
    """The thread was its owner when the step began that it is inside of."""

    mutex: Place


@dataclass(frozen=True)
class Owns:
    """No other thread can reach the object that a pointer points into, if it does."""

    pointer: Expr


@dataclass(frozen=True)
class Count:
    """The thread has taken an edge that spawns so many times."""

    edge: EdgeId
    times: int


@dataclass(frozen=True)
class Handle:
    """A variable holds the id of the thread that this one spawned at an edge, the n-th time."""

    variable: Place
    edge: EdgeId
    time: int


@dataclass(frozen=True)
class Over:
    """That thread has finished."""

    edge: EdgeId
    time: int


Claim: TypeAlias = Fact | Holds | Entered | Owns | Count | Handle | Over
Case: TypeAlias = frozenset[Claim]


@dataclass(frozen=True)
class Claims:
    """A whole proof."""

    memory: Mapping[Cell, frozenset[Cell]]
    constants: Mapping[Cell, frozenset[Value]]
    cases: Mapping[LocId, tuple[Case, ...]]
    """Per location that threads may reach."""
    frozen: frozenset[Cell] = frozenset()
    spoilt: frozenset[Cell] = frozenset()
    alone: frozenset[str] = frozenset()
