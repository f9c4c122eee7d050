"""What users may say about how a file is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from threadwise.core.c_options import COptions

_DEFAULT_C = COptions()


@dataclass(frozen=True)
class LoadOptions:
    """How a file became the program of record; part of evidence, so that it can be rechecked."""

    defines: Mapping[str, str] = field(default_factory=dict)
    threads: Mapping[str, int] = field(default_factory=dict)
    max_threads: int = 8
    c: COptions = _DEFAULT_C
    """For C only; macros and the bound on threads are above."""

    def allowing(self, doubts: frozenset[str]) -> LoadOptions:
        """The same with this doubtful behaviour, and no other."""
        return replace(self, c=replace(self.c, doubts=doubts))
