"""The summary of a batch: how many tasks ended how, right and wrong, and the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from threadwise.batch.tasks import Ending, is_wrong, points
from threadwise.results.verdict import Verdict


@dataclass(frozen=True)
class Summary:
    """Figures about the tasks of a batch."""

    endings: Counter[Ending]
    wrong: int
    points: int
    most: int
    """What all right answers would be worth."""
    expected: int
    """How many tasks say what should come out."""

    @property
    def total(self) -> int:
        """How many tasks have ended."""
        return self.endings.total()

    def __str__(self) -> str:
        counts = [f"{self.endings[ending]} {ending.value}" for ending in Ending]
        shown = ", ".join(text for text in counts if not text.startswith("0 "))
        told = f"{self.total} {'task' if self.total == 1 else 'tasks'}: {shown or 'none ended'}"
        if self.expected:
            told += f"; {self.points} of {self.most} points, {self.wrong} wrong"
        return told


def summarise(ended: Iterable[tuple[Ending, Verdict | None]]) -> Summary:
    """The figures for endings and what was expected."""
    known = list(ended)
    judged = [(ending, expected) for ending, expected in known if expected is not None]
    return Summary(
        Counter(ending for ending, _ in known),
        sum(is_wrong(ending, expected) for ending, expected in judged),
        sum(points(ending, expected) or 0 for ending, expected in judged),
        sum(2 if expected is Verdict.SAFE else 1 for _, expected in judged),
        len(judged),
    )
