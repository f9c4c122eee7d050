"""What a proof says about each shared location of a program, picklable and in words.

A *location* is a variable, a member, an array as a whole, or the same of all objects that are
allocated in one place. It is shared if two accesses of different threads may lead there and one
of them writes. For each such pair of accesses a rule excludes a race, or it is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.program import EdgeId

PAST = "no run gets past "
"""The first words of the assumption that runs do not get past a place; for partial proofs."""


@dataclass(frozen=True)
class Side:
    """One of two accesses."""

    thread: str
    """The template of the thread that makes it."""
    span: Span | None
    write: bool
    place: str
    """What is accessed, in the names of the program of record."""
    locks: tuple[str, ...]
    """The must-lockset there."""
    freed: bool = False
    """Whether the access gives memory back."""

    @property
    def told(self) -> str:
        """The access, described in a line."""
        return f"{self.access}, holding {self.holding}"

    @property
    def access(self) -> str:
        """The same without locks."""
        where = "" if self.span is None else f"{self.span.path}:{self.span.line}: "
        what = "free" if self.freed else "write" if self.write else "read"
        return f"{where}{what} of {self.place} by {self.thread}"

    @property
    def holding(self) -> str:
        """The locks in words."""
        return ", ".join(self.locks) or "no lock"


@dataclass(frozen=True)
class Pair:
    """Two accesses that may race, as far as the rules show."""

    first: Side
    second: Side
    lacking: str
    """What the proof lacks."""
    edges: frozenset[frozenset[EdgeId]] = frozenset()
    """The steps that these are, of the program of record: sets of one or two."""


@dataclass(frozen=True)
class Location:
    """A shared location, and what is proved about it."""

    name: str
    protections: tuple[str, ...]
    """What keeps accesses apart."""
    undecided: tuple[Pair, ...] = ()
    """The undecided pairs of accesses: no rule excludes a race between them."""
    crowd: frozenset[EdgeId] = frozenset()
    """If there are too many pairs to list: all steps that make these accesses."""
    kernel: bool = False
    """Whether the proof rests on the kernel of locksets alone."""

    @property
    def is_proved(self) -> bool:
        """Whether races are excluded for all accesses to it."""
        return not self.undecided and not self.crowd


def undecided_pairs(locations: Iterable[Location]) -> int:
    """How many pairs of accesses are undecided."""
    return sum(len(location.undecided) for location in locations)
