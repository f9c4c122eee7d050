"""The certificate of a proof by all interleavings: their lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class InterleavingsCertificate:
    """No interleaving violates the properties, and none is longer than this."""

    kind: ClassVar[str] = "interleavings"

    program_hash: str
    properties: tuple[str, ...]
    lengths: tuple[int, ...]
    """Per thread, how many steps it takes at most."""
