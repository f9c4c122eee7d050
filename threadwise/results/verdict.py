"""The three answers, and how answers for several properties combine."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What is known about a property; equal to its name."""

    SAFE = "SAFE"
    UNSAFE = "UNSAFE"
    UNKNOWN = "UNKNOWN"


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """UNSAFE if one is, SAFE if all are."""
    found = set(verdicts)
    if Verdict.UNSAFE in found:
        return Verdict.UNSAFE
    return Verdict.UNKNOWN if Verdict.UNKNOWN in found else Verdict.SAFE
