"""Properties a program may be checked for.

`default` says whether the property is checked when the user asks for nothing in particular: what
the file states, assertions, range errors and mutex misuse.
"""

from __future__ import annotations

from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.expr import Expr
from threadwise.ir.hashing import Listed


class PropertyKind(Listed):
    """The seven kinds of properties."""

    ASSERTION = "assertion"
    RANGE = "range"
    MUTEX = "mutex"
    MEMORY = "memory"
    RACE = "race"
    DEADLOCK = "deadlock"
    INVARIANT = "invariant"


@dataclass(frozen=True, slots=True)
class FailureProperty:
    """No thread reaches a failure location that names this property."""

    name: str
    kind: PropertyKind
    span: Span | None = None
    default: bool = True


@dataclass(frozen=True, slots=True)
class RaceProperty:
    """No two threads can access the same cell of one of the variables, one of them writing.

    `variables` None means every shared variable and the heap.
    """

    name: str
    variables: tuple[str, ...] | None
    span: Span | None = None
    default: bool = True

    @property
    def kind(self) -> PropertyKind:
        """The kind of the property."""
        return PropertyKind.RACE


@dataclass(frozen=True, slots=True)
class DeadlockProperty:
    """Some thread can step unless all are finished, and no cycle of waiting threads exists."""

    name: str
    span: Span | None = None
    default: bool = False

    @property
    def kind(self) -> PropertyKind:
        """The kind of the property."""
        return PropertyKind.DEADLOCK


@dataclass(frozen=True, slots=True)
class InvariantProperty:
    """A formula over the shared variables and quantified threads holds in every state."""

    name: str
    formula: Expr
    span: Span | None = None
    default: bool = True

    @property
    def kind(self) -> PropertyKind:
        """The kind of the property."""
        return PropertyKind.INVARIANT


Property: TypeAlias = FailureProperty | RaceProperty | DeadlockProperty | InvariantProperty
