"""A task: one run of `threadwise check`, and what should come out of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from threadwise.results.verdict import Verdict


class Ending(Enum):
    """How a task ended: with a verdict, with an input that was refused, or not as it should."""

    SAFE = "SAFE"
    UNSAFE = "UNSAFE"
    UNKNOWN = "UNKNOWN"
    REJECTED = "REJECTED"
    FAILED = "FAILED"

    @property
    def is_answer(self) -> bool:
        """Whether the question is answered."""
        return self in (Ending.SAFE, Ending.UNSAFE)


@dataclass(frozen=True)
class Task:
    """The files of a program, the properties asked for, and further options of `check`."""

    name: str
    """What tables show; no two tasks of a batch share it."""
    files: tuple[str, ...]
    properties: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    expected: Verdict | None = None

    @property
    def arguments(self) -> list[str]:
        """How `threadwise` is called for this task, limits and outputs apart."""
        asked = [part for name in self.properties for part in ("--property", name)]
        return ["check", *asked, *self.options, *self.files]


POINTS = {
    (Ending.SAFE, Verdict.SAFE): 2,
    (Ending.UNSAFE, Verdict.UNSAFE): 1,
    (Ending.UNSAFE, Verdict.SAFE): -16,
    (Ending.SAFE, Verdict.UNSAFE): -32,
}
"""The score of SV-COMP: an answer and what was expected; everything else counts nothing."""


def points(ending: Ending, expected: Verdict | None) -> int | None:
    """The score of an ending; None if the right answer is not known."""
    return None if expected is None else POINTS.get((ending, expected), 0)


def is_wrong(ending: Ending, expected: Verdict | None) -> bool:
    """Whether an answer is the opposite of what was expected."""
    return expected is not None and ending.is_answer and ending.value != expected.value
