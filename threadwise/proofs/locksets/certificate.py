"""The certificate of a proof by locksets, and the words it is made of; the rules are elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.program import LocId

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    from threadwise.ir.types import Value
    from threadwise.proofs.locksets.memory.cells import Target, Values
    from threadwise.proofs.locksets.refined.texts import RefinementText
    from threadwise.proofs.locksets.resources.claims import Resources
    from threadwise.proofs.locksets.texts import KnowledgeText


RECORD, NAME, GLOBAL = "record", "name", "global"


class Key(NamedTuple):
    """How a lock is found. Steps are fields, constant indices `[3]`, or the gate's `#0`."""

    kind: str
    base: str
    """The name of the record's type, or the variable of the gate; of a global lock nothing."""
    path: tuple[str, ...]
    """From there to the gate."""
    lock: str
    """The variable of the lock, unless it is found in a record."""
    way: tuple[str, ...]
    """To the lock."""


class Discipline(Enum):
    """How a cell is used as a lock."""

    FLAG = "flag"
    SEMAPHORE = "semaphore"
    READERS = "readers"

    @property
    def beginnings(self) -> frozenset[Value | Target]:
        """The values that the cell may begin with."""
        return frozenset({0, 1}) if self is Discipline.SEMAPHORE else frozenset({0})


@dataclass(frozen=True)
class LocksetCertificate:
    """What every cell may hold, and what each thread knows at each location.

    The rules are in `threadwise.proofs.locksets`.
    """

    kind: ClassVar[str] = "locksets"

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
    """The templates no two threads of which run at the same time."""
    frozen: frozenset[Target]
    """Cells that are written only while the first thread is alone, or before others know them."""
    spoilt: frozenset[Target]
    """Owners of mutexes that may be written otherwise than by acquiring and releasing."""
    numbers: Mapping[Target, Discipline]
    """Cells that serve as locks, and how."""
    given: Mapping[str, str]
    """Templates whose threads get an object of their own as argument, with its site."""
    numbered: frozenset[str] = frozenset()
    """Templates whose threads have different numbers, given by their arguments."""
    homed: frozenset[str] = frozenset()
    """Sites whose objects are in lists, protected by the locks of these."""
    gates: Mapping[Target, Key] = field(default_factory=dict)
    """Cells that such lists begin in, and how to find the locks."""
    partial: tuple[str, ...] = ()
    """Race properties that are proved of some locations: the checker computes of which."""
    handed: frozenset[str] = frozenset()
    """Sites whose objects are taken out of containers, and used without their locks."""
    slots: Mapping[Target, Key] = field(default_factory=dict)
    """Cells of such containers, and how to find the locks."""
    refinement: RefinementText | None = None
    """The claims of a more precise pass over failures, if there was one."""
    resources: Resources | None = None
    """Resource invariants of locks, in separation logic, if there are some."""
    exclusive: frozenset[tuple[str, str]] = frozenset()
    """Pairs of different templates no threads of which run at the same time."""
    guards: Mapping[Target, Key] = field(default_factory=dict)
    """Flags among the numbers that are written under mutexes only, and how to find these."""
    indexed: frozenset[Target] = frozenset()
    """Cells of elements that hold the number of the thread that gets the element as argument."""
