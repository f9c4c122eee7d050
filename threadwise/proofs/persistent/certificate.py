"""The certificate of a proof by persistent sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from threadwise.core.quick_dataclass import dataclass
from threadwise.semantics.state import State

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class PersistentCertificate:
    """States closed under persistent sets: at some, the steps of one thread stand for all.

    `chosen` has that thread, or -1 where all threads count, per state. `futures` claims, per
    thread and location, what the thread may touch from there on: masks of regions read and
    written (see `threadwise.analyses.touches`).

    The order of the states matters: where one thread is chosen, some step of it leads to a state
    further down, so that the others are not postponed for ever.
    """

    kind: ClassVar[str] = "persistent"

    program_hash: str
    properties: tuple[str, ...]
    states: Sequence[State]
    chosen: Sequence[int]
    futures: Sequence[Sequence[tuple[int, int]]]
