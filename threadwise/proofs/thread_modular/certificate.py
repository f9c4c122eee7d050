"""The certificate of a thread-modular proof: R and G."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from threadwise.core.quick_dataclass import dataclass
from threadwise.semantics.state import Cells, LocalStore

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class ThreadModularCertificate:
    """R and G of a thread-modular proof, as tables (FQ §2.2).

    `globals` lists global stores; pairs and guarantees name them by position.
    """

    kind: ClassVar[str] = "thread-modular"

    program_hash: str
    properties: tuple[str, ...]
    globals: Sequence[Cells]
    reached: Sequence[Sequence[tuple[int, LocalStore]]]
    """Per thread, the pairs (global store, local store) it can be in."""
    guarantees: Sequence[Sequence[tuple[int, int]]]
    """Per thread, the changes of the global store it makes."""
