"""The certificate of a proof by counting threads: linear equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.quantities import LinearInvariant

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class CountingCertificate:
    """Equations between numbers of threads and shared cells that every step keeps."""

    kind: ClassVar[str] = "counting"

    program_hash: str
    properties: tuple[str, ...]
    invariants: tuple[LinearInvariant, ...]
