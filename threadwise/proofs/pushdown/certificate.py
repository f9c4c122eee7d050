"""The certificate of a thread-modular proof with procedures: P, the callers, G."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from threadwise.core.quick_dataclass import dataclass
from threadwise.semantics.state import Cells, Frame, LocalStore

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class PushdownCertificate:
    """P, the callers that stand for Q, and G of a thread-modular proof with procedures (FQ §3.1).

    Per thread; `pairs` lists (global store, local store), everything else names them by position.
    """

    kind: ClassVar[str] = "pushdown"

    program_hash: str
    properties: tuple[str, ...]
    globals: Sequence[Cells]
    pairs: Sequence[Sequence[tuple[int, LocalStore]]]
    path_edges: Sequence[Sequence[tuple[int, int]]]
    """Entry of the current procedure, current pair."""
    callers: Sequence[Sequence[tuple[int, int, Frame]]]
    """Entry of the callee, entry of the caller, frame to return to."""
    guarantees: Sequence[Sequence[tuple[int, int]]]
