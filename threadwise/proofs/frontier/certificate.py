"""The certificate of a frontier search: the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from threadwise.semantics.state import Cells, LocalStore

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class FrontierCertificate:
    """The chain T⁰ … Tᵏ of frontier search, as tables (MPR §10)."""

    kind: ClassVar[str] = "frontier"

    program_hash: str
    properties: tuple[str, ...]
    globals: Sequence[Cells]
    chain: Sequence[Sequence[Sequence[tuple[int, LocalStore]]]]
    """Per element of the chain and thread, the pairs."""
