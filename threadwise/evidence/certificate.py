"""Certificates: what a SAFE leaves behind for a checker.

One class per kind of proof; `Certificate` is their union. Each names the properties it proves and
the program (of record) it speaks about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from threadwise.semantics.state import State


@dataclass(frozen=True)
class StateSetCertificate:
    """A set of states that contains the initial ones, is closed under steps, and has no error."""

    program_hash: str
    properties: tuple[str, ...]
    states: Sequence[State]


Certificate: TypeAlias = StateSetCertificate
