"""The certificate of a proof by all reachable states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from threadwise.core.quick_dataclass import dataclass
from threadwise.semantics.state import State

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    pass


@dataclass(frozen=True)
class StateSetCertificate:
    """A set of states that contains the initial ones, is closed under steps, and has no error."""

    kind: ClassVar[str] = "state-set"

    program_hash: str
    properties: tuple[str, ...]
    states: Sequence[State]
