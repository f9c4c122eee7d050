"""What the kernel has verified of a program, for the monitor of its claims in runs."""

from __future__ import annotations

from typing import NamedTuple

from threadwise.ir.program import EdgeId
from threadwise.proofs.locksets.kernel.claims import Claims


class KernelFound(NamedTuple):
    """What the kernel has verified, for the monitor of its claims."""

    claims: Claims
    taken: frozenset[EdgeId]
    """The edges that threads may take."""
