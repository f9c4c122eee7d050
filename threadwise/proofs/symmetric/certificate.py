"""The certificate of a proof about representatives of symmetric threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.quantities import LinearInvariant
from threadwise.semantics.state import Cells, Frame, LocalStore

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class SymmetricCertificate:
    """R and G for one representative of each class of threads that are alike.

    Stores are written in the ids of an instance with the given counts. A listed pair stands for
    every pair that renaming the other threads of each class makes of it; one representative
    (`threads`) of a class represents all of them, however many the program has.
    """

    kind: ClassVar[str] = "symmetric"

    program_hash: str
    properties: tuple[str, ...]
    counts: Mapping[str, int]
    threads: tuple[int, ...]
    globals: Sequence[Cells]
    reached: Sequence[Sequence[tuple[int, LocalStore]]]
    guarantees: Sequence[Sequence[tuple[int, int]]]
    path_edges: Sequence[Sequence[tuple[int, int]]] = ()
    """If the program has calls: entry of the current procedure, current view, by position."""
    callers: Sequence[Sequence[tuple[int, int, Frame]]] = ()
    """If the program has calls: entry of the callee, entry of the caller, frame to return to."""
    lemmas: tuple[LinearInvariant, ...] = ()
    """Equations about numbers of threads; views and steps that contradict them are left out."""
