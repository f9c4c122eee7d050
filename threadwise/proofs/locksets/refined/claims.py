"""Global invariants of the more precise pass.

flags      cells, and the values they have until the first thread is alone for good: no other
           thread runs, and none is started any more. What it stores then, comes late
left       cells of mutexes that threads may still hold when they end, or that hold an owner who
           did not acquire them; counts that they may have raised for good
counts     cells that begin with 0 and are raised and lowered by one only: each holds the number
           of threads, times each, that have raised it and not lowered it again
guarded    cells, and how to find the lock that a thread holds that writes them, unless no other
           thread runs or has a pointer to the object
limits     cells of integers, and the range that every value stored there is in
states     what is known at each location
"""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.program import LocId
from threadwise.ir.types import Value
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.refined.state import Range, State


@dataclass(frozen=True)
class Refinement:
    """The claim."""

    flags: Mapping[Target, frozenset[Value]] = field(default_factory=dict)
    left: frozenset[Target] = frozenset()
    counts: frozenset[Target] = frozenset()
    guarded: Mapping[Target, Key] = field(default_factory=dict)
    limits: Mapping[Target, Range] = field(default_factory=dict)
    states: Mapping[LocId, State] = field(default_factory=dict)
